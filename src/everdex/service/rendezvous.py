"""Where a store's daemon is found: its lock, its socket, its entry for the thin client, its log.

The lock decides who the daemon is: whoever holds it may remove a socket that a dead one left. The entry lets a
client find the socket with a few stats, without git, hashes or a parsed configuration; it is only a hint, and a
client that finds it wrong goes the long way. Nothing here listens or connects.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import msgspec

import everdex
from everdex import limits
from everdex.durable import PRIVATE, make_directory, replace_atomically, storage_errors
from everdex.errors import Busy, StorageFailure
from everdex.roots import everdex_home
from everdex.service.index import Index
from everdex.snapshot import log
from everdex.snapshot.guard import is_locked, lock_for_life
from everdex.snapshot.store import Store, store_path

ENTRY_MAGIC: Final = "everdex-daemon 1"
PACKAGE: Final = os.path.dirname(os.path.abspath(everdex.__file__))


def build_stamp() -> tuple[tuple[str, int, int], ...]:
    """What this program's files look like now: another stamp later means that it was upgraded or edited.

    `OSError` when that cannot be told.
    """
    found = []
    for directory, _, names in os.walk(PACKAGE, onerror=_unless_gone):
        for name in names:
            if name.endswith(".py"):
                path = os.path.join(directory, name)
                try:
                    status = os.stat(path)
                except FileNotFoundError:
                    continue  # removed this moment: missing from the stamp, which tells as well
                found.append((path, status.st_mtime_ns, status.st_size))
    return tuple(sorted(found))


def _unless_gone(error: OSError) -> None:
    if not isinstance(error, FileNotFoundError):
        raise error


def run_directory() -> Path:
    return everdex_home() / "run"


def socket_of(index: Index) -> Path:
    """The socket of the daemon for this index, whether or not one listens there."""
    # A shared store has many users and each his own daemon, so nothing of it lies in the store.
    inside = (index.shared_store or store_path(index.store_id)) / "daemon.sock"
    if index.shared_store is None and len(os.fsencode(inside)) <= limits.MAX_SOCKET_PATH_BYTES:
        return inside
    # The kernel takes 107 bytes: a hash of the long name is as unique, and fits below most homes.
    return run_directory() / f"{hashlib.sha256(os.fsencode(inside)).hexdigest()[:16]}.sock"


def is_own_socket(path: Path) -> bool:
    """Whether a socket lies there and is ours: never one reached through a link, never another user's."""
    try:
        found = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.geteuid():
        raise StorageFailure(
            f"{path} is not a socket of this user", hint="remove it: only a daemon's own socket belongs there"
        )
    return True


class Claim(msgspec.Struct, frozen=True):
    """Proof of being the one daemon of a store."""

    index: Index
    store: Store
    socket: Path

    def announce(self) -> None:
        """Let the thin client find us."""
        said = self._said()
        if said is not None:
            replace_atomically(_entry(self.index.root.path), said, PRIVATE)

    def _said(self) -> bytes | None:
        """What our entry says; None where there is none, and the long way finds us all the same."""
        if self.index.shared_store is not None:
            return None  # the thin client knows the user's own stores only
        root = self.index.root
        fields = (
            ENTRY_MAGIC, PACKAGE, os.fspath(root.path), os.fspath(self.socket), "git" if root.is_git else "plain",
            os.environ.get("EVERDEX_EMBEDDER", ""),
        )  # fmt: skip
        return None if any("\n" in field for field in fields) else os.fsencode("\n".join(fields))

    def withdraw(self) -> None:
        """Leave nothing of ours behind that could be found."""
        self.socket.unlink(missing_ok=True)
        with suppress(FileNotFoundError, NotADirectoryError):
            entry = _entry(self.index.root.path)
            # The daemon of another configuration of this root may have come meanwhile.
            if entry.read_bytes() == self._said():
                entry.unlink()

    def log(self, event: str, **fields: Any) -> None:
        """One line of metadata; never a query, a path of the tree or content."""
        log.append(self.store, event, name="daemon", **fields)


@contextmanager
def claim(index: Index) -> Iterator[Claim]:
    """Be the daemon of this index while the block runs; `Busy` when another process is."""
    store = index.store()
    make_directory(run_directory(), PRIVATE)
    path = _lock(index, store)
    try:
        handle = lock_for_life(path, PRIVATE if index.shared_store is not None else store.permissions)
    except Busy as error:
        raise Busy(
            f"a daemon already serves {index.root.path} (process {_pid(path)})", hint="stop it with `everdex stop`"
        ) from error
    held = Claim(index, store, socket_of(index))
    try:
        with storage_errors(path):
            os.ftruncate(handle, 0)
            os.write(handle, f"{os.getpid()}\n".encode())
        if is_own_socket(held.socket):
            held.socket.unlink()  # its daemon is dead: we hold the lock
        yield held
    finally:
        held.withdraw()
        os.close(handle)


def is_claimed(index: Index) -> bool:
    """Whether a daemon of this index is alive."""
    return is_locked(_lock(index, index.store()))


def _lock(index: Index, store: Store) -> Path:
    return store.locks / "daemon.lock" if index.shared_store is None else socket_of(index).with_suffix(".lock")


def _pid(path: Path) -> str:
    text = path.read_bytes()[:16].decode("ascii", "replace").strip()
    return text if text.isdecimal() else "unknown"


def _entry(root: Path) -> Path:
    """Named by what a stat tells, so that a client needs no hash to find it."""
    found = os.stat(root)
    return run_directory() / f"{found.st_dev:x}-{found.st_ino:x}"
