"""Writes the edits of a rename into the files of the tree, and can take each of them back.

A file is replaced whole, by rename, and only while it has the content that the edits count in; nothing outside the
root is opened and no link is followed. It knows no graph and no store: what it is told to write was decided elsewhere.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from everdex.discover.beneath import open_root, path_bytes, read_beneath
from everdex.durable import storage_errors
from everdex.errors import PlanOutdated


class Rewrite(msgspec.Struct, frozen=True):
    """One file: where the old name stands, and what the content is before and after."""

    path: str
    starts: tuple[int, ...]  # bytes, ascending, in the content before
    before: str  # SHA-256
    after: str


def planned(root: Path, path: str, starts: Iterable[int], old: bytes, new: bytes, content_hash: str) -> Rewrite:
    """What is to be done to a file as it is now; `PlanOutdated` when it is not what the edits count in."""
    with _opened(root, path) as (descriptor, _):
        content = _read(descriptor)
    ordered = tuple(sorted(starts))
    if _digest(content) != content_hash:
        raise PlanOutdated(f"{path} has changed since the plan was made")
    return Rewrite(path, ordered, content_hash, _digest(_replaced(content, ordered, old, new)))


def digest_now(root: Path, path: str) -> str:
    """The SHA-256 of a file as it is; empty when it is gone, or no plain file any more."""
    try:
        with _opened(root, path) as (descriptor, _):
            return _digest(_read(descriptor))
    except PlanOutdated:
        return ""


def write(root: Path, rewrite: Rewrite, old: bytes, new: bytes) -> None:
    """Write the new name at every place of a file that still has the content before."""
    _exchange(root, rewrite.path, rewrite.before, rewrite.starts, old, new)


def take_back(root: Path, rewrite: Rewrite, old: bytes, new: bytes) -> None:
    """Write the old name again into a file that still has the content after."""
    longer = len(new) - len(old)
    starts = tuple(start + number * longer for number, start in enumerate(rewrite.starts))
    _exchange(root, rewrite.path, rewrite.after, starts, new, old)


def _exchange(root: Path, path: str, expected: str, starts: tuple[int, ...], old: bytes, new: bytes) -> None:
    with _opened(root, path) as (descriptor, directory):
        # Always the same for a file: whoever comes after a run that was killed here leaves nothing of it in the tree.
        temporary = b".everdex-%s.tmp" % hashlib.sha256(path_bytes(path)).hexdigest()[:12].encode()
        with storage_errors(root / path), suppress(FileNotFoundError):
            os.unlink(temporary, dir_fd=directory)
        status = os.fstat(descriptor)
        content = _read(descriptor)
        if _digest(content) != expected:
            raise PlanOutdated(f"{path} has changed since the plan was made")
        name = path_bytes(path).rpartition(b"/")[2]
        with storage_errors(root / path):
            try:
                _write_new(directory, temporary, _replaced(content, starts, old, new), stat.S_IMODE(status.st_mode))
                now = os.stat(name, dir_fd=directory, follow_symlinks=False)
                # Somebody may have saved the file while the new one was written.
                if _stamp(now) != _stamp(status):
                    raise PlanOutdated(f"{path} is being changed by somebody else")
                os.replace(temporary, name, src_dir_fd=directory, dst_dir_fd=directory)
                os.fsync(directory)
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(temporary, dir_fd=directory)
                raise


@contextmanager
def _opened(root: Path, path: str) -> Iterator[tuple[int, int]]:
    """A plain file below the root, and the directory it is in."""
    parent = path.rpartition("/")[0]
    with storage_errors(root / path):
        root_descriptor = open_root(root)
    directory = descriptor = -1
    try:
        directory = read_beneath(root_descriptor, parent or ".", directory=True)
        descriptor = read_beneath(directory, path_bytes(path).rpartition(b"/")[2])
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise PlanOutdated(f"{path} is no plain file any more")
        yield descriptor, directory
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV):
            raise PlanOutdated(f"{path} is not where the plan was made for") from error
        with storage_errors(root / path):
            raise
    finally:
        for handle in (descriptor, directory, root_descriptor):
            if handle >= 0:
                os.close(handle)


def _replaced(content: bytes, starts: tuple[int, ...], old: bytes, new: bytes) -> bytes:
    parts: list[bytes] = []
    end = 0
    for start in starts:
        if content[start : start + len(old)] != old or start < end:
            raise PlanOutdated(f"byte {start} is not where the name stands")
        parts += (content[end:start], new)
        end = start + len(old)
    return b"".join((*parts, content[end:]))


def _read(descriptor: int) -> bytes:
    with open(os.dup(descriptor), "rb") as stream:
        return stream.read()


def _write_new(directory: int, name: bytes, content: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(name, flags, mode, dir_fd=directory), "wb") as stream:
        stream.write(content)
        stream.flush()
        os.fchmod(stream.fileno(), mode)
        os.fsync(stream.fileno())


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
