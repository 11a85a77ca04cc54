"""Short exclusive sections (the lease guard) and the readers' lock, both on flock.

flock is released by the kernel when its holder dies, so a crash never leaves a guard behind. A holder
that is merely stuck longer than the TTL loses the guard: the lock file is replaced by a new inode, and
`Guard.held` tells the old holder so before it acts.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from everdex import clock, limits
from everdex.durable import Permissions, open_lasting, storage_errors
from everdex.errors import Busy, LeaseLost


class Guard(msgspec.Struct, frozen=True):
    """Proof of being inside the exclusive section."""

    path: Path
    handle: int

    def held(self) -> bool:
        try:
            return os.fstat(self.handle).st_ino == os.stat(self.path).st_ino
        except FileNotFoundError:
            return False

    def require(self) -> None:
        if not self.held():
            raise LeaseLost(f"{self.path.name} was taken over by another process")


@contextmanager
def hold_guard(
    path: Path, permissions: Permissions, *, wait_ms: int = limits.GUARD_WAIT_MS, ttl_ms: int = limits.GUARD_TTL_MS
) -> Iterator[Guard]:
    """Enter the exclusive section named by a lock file, or raise `Busy` after `wait_ms`."""
    deadline = time.monotonic() + wait_ms / 1000
    while True:
        handle = _open(path, permissions)
        if _try_lock(handle, fcntl.LOCK_EX):
            os.utime(handle)
            guard = Guard(path, handle)
            if guard.held():
                break
            os.close(handle)  # the file was replaced between open and lock
            continue
        stale = _expired(handle, ttl_ms)
        os.close(handle)
        if stale:
            _replace(path, permissions)
        elif time.monotonic() >= deadline:
            raise Busy(f"{path.name} is held by another process", retry_after_ms=wait_ms)
        else:
            time.sleep(limits.GUARD_POLL_MS / 1000)
    try:
        yield guard
    finally:
        os.close(guard.handle)


@contextmanager
def hold_shared(path: Path, permissions: Permissions) -> Iterator[None]:
    """Readers hold this while they use a snapshot; GC waits for them."""
    # Not to be written: a store that one may only read is read.
    handle = open_lasting(path, os.O_RDONLY, permissions)
    try:
        with storage_errors(path):
            fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


@contextmanager
def hold_exclusive(path: Path, permissions: Permissions, *, wait_ms: int) -> Iterator[None]:
    """No reader is active while this is held; `Busy` when some still are after `wait_ms`."""
    handle = _open(path, permissions)
    deadline = time.monotonic() + wait_ms / 1000
    try:
        while not _try_lock(handle, fcntl.LOCK_EX):
            if time.monotonic() >= deadline:
                raise Busy("readers are using this store", retry_after_ms=1_000)
            time.sleep(limits.GUARD_POLL_MS / 1000)
        yield
    finally:
        os.close(handle)


def is_locked(path: Path) -> bool:
    """Whether a live process holds this lock file; a missing file is held by nobody."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        return not _try_lock(handle, fcntl.LOCK_SH)
    finally:
        os.close(handle)


def lock_for_life(path: Path, permissions: Permissions) -> int:
    """Take a lock that only our death or `os.close` releases; returns its handle."""
    handle = _open(path, permissions)
    while not _try_lock(handle, fcntl.LOCK_EX):
        # `is_locked` takes it for an instant, to see whether it can be had: that is nobody's life.
        if not _try_lock(handle, fcntl.LOCK_SH):
            os.close(handle)
            raise Busy(f"{path.name} is held by another process")
        fcntl.flock(handle, fcntl.LOCK_UN)
        time.sleep(limits.GUARD_POLL_MS / 1000)
    return handle


def _open(path: Path, permissions: Permissions) -> int:
    return open_lasting(path, os.O_RDWR, permissions)


def _expired(handle: int, ttl_ms: int) -> bool:
    """Whether a locked file was stamped longer than the TTL ago.

    Looked at twice: the file may be hours old and its holder about to stamp it.
    """
    stamped = os.fstat(handle).st_mtime_ns
    if clock.now() - stamped / 1e9 <= ttl_ms / 1000:
        return False
    time.sleep(limits.GUARD_POLL_MS / 1000)
    return os.fstat(handle).st_mtime_ns == stamped and not _try_lock(handle, fcntl.LOCK_EX)


def _try_lock(handle: int, mode: int) -> bool:
    try:
        fcntl.flock(handle, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _replace(path: Path, permissions: Permissions) -> None:
    fresh = path.with_name(f"{path.name}.{os.getpid()}.{clock.new_ulid()}")
    os.close(_open(fresh, permissions))
    with suppress(FileNotFoundError), storage_errors(path):
        os.replace(fresh, path)
