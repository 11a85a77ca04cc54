"""The one way everdex puts bytes on disk: written, flushed, then made visible by rename or link.

A caller that returns from here may tell the user that the data survives a power loss. Whatever the
operating system refuses (disk full, read-only) comes out as `StorageFailure` naming the path.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from everdex.errors import StorageFailure

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Permissions:
    """How a store's directories and files are created; fixed for the store's life."""

    directory: int
    file: int


PRIVATE = Permissions(0o700, 0o600)
SHARED = Permissions(0o2770, 0o660)


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turn what the operating system says about `path` into `StorageFailure`."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        raise StorageFailure(f"{error.filename or path}: {error.strerror or error}") from error


def encode_json(value: Any) -> bytes:
    """JSON for disk: stable field order as given, one trailing newline."""
    return msgspec.json.encode(value) + b"\n"


def make_directory(path: Path, permissions: Permissions) -> None:
    """Create a directory (and its parents) with the store's mode; existing ones are left alone."""
    if path.is_dir():
        return
    make_directory(path.parent, permissions)
    with storage_errors(path):
        try:
            path.mkdir()
        except FileExistsError:
            return
        path.chmod(permissions.directory)


def fsync_directory(path: Path) -> None:
    with storage_errors(path):
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def fsync_file(path: Path) -> None:
    with storage_errors(path):
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_new(path: Path, data: bytes, permissions: Permissions) -> None:
    """Write and flush a file that is not visible to readers yet."""
    with storage_errors(path):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, permissions.file)
        with open(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fchmod(stream.fileno(), permissions.file)
            os.fsync(stream.fileno())


def replace_atomically(path: Path, data: bytes, permissions: Permissions) -> None:
    """Readers see the old bytes or the new ones, and after return the new ones survive a crash."""
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    write_new(temporary, data, permissions)
    with storage_errors(path):
        os.replace(temporary, path)
    fsync_directory(path.parent)


def seal_tree(directory: Path, permissions: Permissions) -> None:
    """Flush every file and directory below (and including) `directory` and set the store's modes."""
    for parent, _, names in os.walk(directory, topdown=False):
        for name in names:
            path = Path(parent, name)
            with storage_errors(path):
                path.chmod(permissions.file)
            fsync_file(path)
        with storage_errors(Path(parent)):
            os.chmod(parent, permissions.directory)
        fsync_directory(Path(parent))


def hash_file(path: Path) -> tuple[int, str]:
    """(size, SHA-256 hex) of one file."""
    digest = hashlib.sha256()
    size = _update(digest, path)
    return size, digest.hexdigest()


def hash_tree(directory: Path) -> tuple[int, str]:
    """(size, SHA-256 hex) of a directory: its files in path order, each as relative path, NUL, bytes."""
    digest = hashlib.sha256()
    size = 0
    for path in sorted(path for path in directory.rglob("*") if path.is_file()):
        digest.update(path.relative_to(directory).as_posix().encode() + b"\0")
        size += _update(digest, path)
    return size, digest.hexdigest()


def _update(digest: Any, path: Path) -> int:
    size = 0
    with storage_errors(path), open(path, "rb", buffering=0) as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
            size += len(block)
    return size
