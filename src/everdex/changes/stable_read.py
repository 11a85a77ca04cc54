"""Reading a file whole while others may be writing it.

A read counts only when the file looked the same before and after; otherwise it is tried again a few times and then
refused. Opens below the root only; what the bytes mean is not known here beyond text or not.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import time
from typing import Final

from everdex import clock, limits
from everdex.changes.model import ReadFailed, SourceFile, UnstableRead
from everdex.discover.beneath import read_beneath
from everdex.discover.model import Candidate, FileStat, SkipReason
from everdex.roots import Root

_GONE: Final = frozenset({errno.ENOENT, errno.ENOTDIR})


def read_stable(root: Root, candidate: Candidate, *, max_bytes: int = limits.MAX_FILE_SIZE_BYTES) -> SourceFile | None:
    """The file's bytes and hash, or None when it has vanished; raises `UnstableRead` or `ReadFailed`.

    A file that has grown past `max_bytes` since it was discovered is unstable: it must be discovered again.
    """
    for attempt in range(limits.STABLE_READ_RETRIES + 1):
        if attempt:
            time.sleep(limits.STABLE_READ_BACKOFF_MS / 1000)
        try:
            descriptor = read_beneath(root.path, candidate.disk_path)
        except OSError as error:
            if error.errno in _GONE:
                return None
            raise ReadFailed(candidate.path_key, os.strerror(error.errno or 0)) from error
        try:
            source = _read_once(descriptor, candidate, max_bytes)
        except OSError as error:
            raise ReadFailed(candidate.path_key, os.strerror(error.errno or 0)) from error
        finally:
            os.close(descriptor)
        if source is not None:
            return source
    raise UnstableRead(candidate.path_key, "changed during every attempt to read it")


def _read_once(descriptor: int, candidate: Candidate, max_bytes: int) -> SourceFile | None:
    # Taken before the first look: a write in the same grain of the clock must count as possibly unseen.
    observed_ns = int(clock.now() * 1_000_000_000)
    before = os.fstat(descriptor)
    if not stat.S_ISREG(before.st_mode):
        raise ReadFailed(candidate.path_key, "not a regular file any more")
    parts: list[bytes] = []
    wanted = max_bytes + 1
    while wanted > 0 and (part := os.read(descriptor, wanted)):
        parts.append(part)
        wanted -= len(part)
    data = b"".join(parts)
    about = _about(before)
    if len(data) > max_bytes or len(data) != before.st_size or about != _about(os.fstat(descriptor)):
        return None
    return SourceFile(candidate.path_key, data, hashlib.sha256(data).hexdigest(), about, observed_ns)


def _about(seen: os.stat_result) -> FileStat:
    return FileStat(seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)


def content_skip(data: bytes) -> SkipReason | None:
    """Why these bytes are not text: a NUL byte, or not UTF-8 (a byte order mark is fine)."""
    if b"\0" in data:
        return SkipReason.BINARY
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return SkipReason.ENCODING
    return None
