"""Values worked out from contents, remembered in one SQLite file of the store and shared by every process.

Only an optimisation: each value carries a checksum over its key and content, and whatever is wrong with the file costs
time and never bends a value. A damaged file is made anew; one that is busy, or that cannot be read or written now (a
full disk, no more descriptors), stays as it is and is done without. When it grows past its cap everything is forgotten.
Knows nothing of what the values mean.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Final

import xxhash

from everdex import limits
from everdex.durable import make_directory
from everdex.errors import StorageFailure
from everdex.snapshot.store import Store

NAME: Final = "facts.db"
_BUSY_S: Final = 5.0
_AGAIN_S: Final = 0.01
_CHECKSUM_BYTES: Final = 8
# Measured on prometheus and prisma (Go, TypeScript): level 1 is a twentieth larger, and takes .50 s for .63 for 6,600
# files; level 6 is a hundredth smaller and takes .89 s.
_LEVEL: Final = 4
_ZLIB: Final = b"\x78"  # what zlib packs begins with it, and nothing that is packed otherwise may
_WRITE_EVERY: Final = 256
# What says that the file is not what was written: its pages, its header, its table.
_DAMAGE: Final = frozenset((sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR))
_PRIMARY: Final = 0xFF  # of an error's code; the rest tells more of it


def values_of(store: Store) -> KeptValues:
    """What a store remembers; nothing where nothing can be written."""
    with suppress(StorageFailure):
        make_directory(store.graphs, store.permissions)
    return KeptValues(store.graphs / NAME)


class KeptValues:
    """What is remembered, by key; for one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unwritten: dict[bytes, bytes] = {}
        self._connection = _connect(path)
        self._is_writable = True

    def get(self, name: str) -> bytes | None:
        """The value of a name; None when it is not known, or not as it was written."""
        if self._connection is None:
            return None
        key = xxhash.xxh3_128_digest(name.encode())
        if (unwritten := self._unwritten.get(key)) is not None:
            return _unpacked(unwritten[_CHECKSUM_BYTES:])
        try:
            row = self._connection.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error as error:
            self._give_up(error)
            return None
        if row is None or not isinstance(row[0], bytes):
            return None
        value = row[0]
        packed = value[_CHECKSUM_BYTES:]
        if xxhash.xxh64_digest(key + packed) != value[:_CHECKSUM_BYTES]:
            return None
        return _unpacked(packed)

    def put(self, name: str, value: bytes, *, is_packed: bool = False) -> None:
        """Remember a value, at the latest when closed; one that is packed already as it is."""
        key = xxhash.xxh3_128_digest(name.encode())
        packed = value if is_packed else zlib.compress(value, _LEVEL)
        self._unwritten[key] = xxhash.xxh64_digest(key + packed) + packed
        if len(self._unwritten) >= _WRITE_EVERY:
            self.flush()

    def flush(self) -> None:
        """Let other processes and later ones have what was worked out here."""
        entries, self._unwritten = list(self._unwritten.items()), {}
        if self._connection is None or not self._is_writable or not entries:
            return
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", entries)
            if self._path.stat().st_size > limits.FACTS_MAX_BYTES:
                with self._connection:
                    self._connection.execute("DELETE FROM facts")
                self._connection.execute("VACUUM")
        except (sqlite3.Error, OSError) as error:
            if _is_damage(error):
                self._give_up(error)
            self._is_writable = False  # what is in it can be read all the same

    def close(self) -> None:
        self.flush()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _give_up(self, error: Exception) -> None:
        """Work without it from now on; a damaged file is made anew by the next process."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if _is_damage(error):
            _remove(self._path)


def _unpacked(packed: bytes) -> bytes:
    return zlib.decompress(packed) if packed.startswith(_ZLIB) else packed


def _is_damage(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & _PRIMARY in _DAMAGE


def _is_busy(error: Exception) -> bool:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & _PRIMARY == sqlite3.SQLITE_BUSY


def _connect(path: Path) -> sqlite3.Connection | None:
    """The open file, made if need be; None where it cannot be had now."""
    is_made_anew, until = False, time.monotonic() + _BUSY_S
    while True:
        try:
            return _opened(path)
        except (sqlite3.Error, OSError) as error:
            if _is_damage(error) and not is_made_anew:
                _remove(path)
                is_made_anew = True
            # Of two that make the file at once SQLite refuses one without waiting: each holds what the other needs.
            elif _is_busy(error) and time.monotonic() < until:
                time.sleep(_AGAIN_S)
            else:
                return None


def _opened(path: Path) -> sqlite3.Connection:
    # SQLite would create the file with the umask's mode; created first, it is nobody else's to read. One that is there
    # is not opened for that: closing it would free what other connections of this process have locked.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, timeout=_BUSY_S, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("CREATE TABLE IF NOT EXISTS facts (key BLOB PRIMARY KEY, value BLOB)")
        connection.execute("SELECT value FROM facts LIMIT 1").fetchone()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _remove(path: Path) -> None:
    for suffix in ("-wal", "-shm", ""):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
