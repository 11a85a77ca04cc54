"""The one way everdex puts bytes on disk: written, flushed, then made visible by rename or link.

A caller that returns from here may tell the user that the data survives a power loss. Whatever the
operating system refuses (disk full, read-only) comes out as `StorageFailure` naming the path.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import msgspec

from everdex.errors import StorageFailure

Pieces = Sequence[bytes | memoryview]  # bytes, one piece after another: nobody has to put them together first

_BLOCK = 1 << 20
_TEMPORARY = ".tmp"


class Permissions(msgspec.Struct, frozen=True):
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


def decode_json(raw: bytes) -> Any:
    """Any JSON document, or `msgspec.DecodeError`: also for bytes that are not UTF-8."""
    try:
        return msgspec.json.decode(raw)
    except UnicodeDecodeError as error:
        raise msgspec.DecodeError(str(error)) from error


def is_sealed(document: bytes, field: str) -> bool:
    """Whether a JSON document carries its own SHA-256 in `field`, taken with the field empty: in any version.

    By this a document of a newer version is told from one whose version number is damaged.
    """
    before, name, after = document.rpartition(f'"{field}":"'.encode())
    digest, quote, rest = after.partition(b'"')
    return hashlib.sha256(before + name + quote + rest).hexdigest().encode() == digest


def make_directory(path: Path, permissions: Permissions) -> None:
    """Create a directory (and its parents) with the store's mode; existing ones are left alone."""
    if path.is_dir():
        return
    make_directory(path.parent, permissions)
    with storage_errors(path):
        try:
            path.mkdir(permissions.directory & 0o700)
        except FileExistsError:
            return
        path.chmod(permissions.directory)
    fsync_directory(path.parent)


def open_lasting(path: Path, flags: int, permissions: Permissions) -> int:
    """Open a file that is written in place (a lock, a log); a new one gets the store's mode, umask or not."""
    flags |= os.O_CLOEXEC | os.O_NOFOLLOW
    with storage_errors(path):
        while True:
            try:
                handle = os.open(path, flags | os.O_CREAT | os.O_EXCL, permissions.file)
            except FileExistsError:
                try:
                    return os.open(path, flags)
                except FileNotFoundError:
                    continue  # replaced or removed just now
            os.fchmod(handle, permissions.file)
            return handle


def fsync_directory(path: Path) -> None:
    _fsync(path, os.O_DIRECTORY)


def _fsync(path: Path, flags: int = 0) -> None:
    with storage_errors(path):
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | flags)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def write_new(path: Path, data: bytes | Pieces, permissions: Permissions) -> None:
    """Write and flush a file that is not visible to readers yet."""
    with storage_errors(path):
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, permissions.file)
        with open(handle, "wb") as stream:
            stream.writelines((data,) if isinstance(data, bytes) else data)
            stream.flush()
            os.fchmod(stream.fileno(), permissions.file)
            os.fsync(stream.fileno())


def replace_atomically(path: Path, data: bytes | Pieces, permissions: Permissions) -> None:
    """Readers see the old bytes or the new ones, and after return the new ones survive a crash."""
    # Threads and processes may replace the same file at once; the process id tells whose leftover it is.
    temporary = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}{_TEMPORARY}")
    try:
        write_new(temporary, data, permissions)
        with storage_errors(path):
            os.replace(temporary, path)
    except FileNotFoundError as error:
        raise StorageFailure(f"{path}: {error.strerror}") from error
    except BaseException:
        with suppress(OSError):  # a file system that refused the one refuses the other, too
            temporary.unlink(missing_ok=True)
        raise
    fsync_directory(path.parent)


def is_full(failure: StorageFailure) -> bool:
    """Whether a disk, a quota or a table of files had no room left."""
    return isinstance(failure.__cause__, OSError) and failure.__cause__.errno in (errno.ENOSPC, errno.EDQUOT)


def is_refused(failure: StorageFailure) -> bool:
    """Whether nothing can be written there at all, now: a full disk, one that may only be read, no permission."""
    refused = (errno.EROFS, errno.EACCES, errno.EPERM)
    return is_full(failure) or (isinstance(failure.__cause__, OSError) and failure.__cause__.errno in refused)


def replace_without_room(path: Path, data: bytes, permissions: Permissions) -> None:
    """`replace_atomically`; on a full disk the bytes are written over the old ones, which takes no room.

    Only for a small JSON file inside a lock, of which a torn one counts as none.
    """
    try:
        replace_atomically(path, data, permissions)
    except StorageFailure as failure:
        if not is_full(failure) or not path.is_file():
            raise
        with storage_errors(path):
            handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                padded = data.ljust(os.fstat(handle).st_size, b"\n")
                if os.pwrite(handle, padded, 0) < len(padded):
                    raise
                os.fsync(handle)
            finally:
                os.close(handle)


@contextmanager
def file_of_the_user(path: Path) -> Iterator[IO[bytes]]:
    """A file that a user named: whole under its name when the block is through, else as it was before.

    What is no plain file (a device, a pipe), and what lies where nothing new can be made, is written in place.
    """
    try:
        yield from _file_of_the_user(path)
    except OSError as error:
        raise StorageFailure(f"{path}: {error.strerror}", hint="name a file that can be written") from error


def _file_of_the_user(path: Path) -> Iterator[IO[bytes]]:
    target = Path(os.path.realpath(path))  # a link stays one
    known = target.stat() if target.exists() else None
    temporary = target.with_name(f".everdex-{os.urandom(6).hex()}{_TEMPORARY}")
    replaceable = known is None or (stat.S_ISREG(known.st_mode) and os.access(target, os.W_OK))
    if not replaceable or not os.access(target.parent, os.W_OK):
        with open(path, "wb") as stream:
            yield stream
        return
    try:
        with open(temporary, "xb") as stream:
            yield stream
            if known is not None:
                os.fchmod(stream.fileno(), stat.S_IMODE(known.st_mode))
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def remove_leftovers(directory: Path) -> None:
    """Delete temporaries of `replace_atomically` whose process is gone."""
    for path in directory.glob(f"*{_TEMPORARY}"):
        owner = path.name.removesuffix(_TEMPORARY).split(".")[-2:-1]
        if owner and owner[0].isdecimal() and not _alive(int(owner[0])):
            path.unlink(missing_ok=True)


def keep_newest(directory: Path, pattern: str, kept: int, forget: Callable[[Path], None]) -> None:
    """Call `forget` with each file of a kind but the newest so many, oldest first; and remove leftovers."""
    remove_leftovers(directory)
    stamped = []
    for path in directory.glob(pattern):
        with suppress(FileNotFoundError):  # another process forgot it just now
            stamped.append((path.stat().st_mtime_ns, path))
    for _, path in sorted(stamped)[:-kept]:
        forget(path)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def seal_tree(directory: Path, permissions: Permissions) -> None:
    """Flush every file and directory below (and including) `directory` and set the store's modes."""
    for parent, _, names in os.walk(directory, topdown=False):
        for name in names:
            path = Path(parent, name)
            with storage_errors(path):
                path.chmod(permissions.file)
            _fsync(path)
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
