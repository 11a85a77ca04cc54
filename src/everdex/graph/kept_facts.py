"""Facts by path and content: taken from the stored source when they are first needed, and remembered.

Whoever only searches never pays for them. One SQLite file of the store, shared by every process; only an
optimisation: each value carries a checksum over its key and content, and whatever is wrong with the file costs time and
never bends a fact. When it grows past its cap everything is forgotten.
"""

from __future__ import annotations

import os
import sqlite3
import zlib
from pathlib import Path
from typing import Final

import xxhash

from everdex import limits, versions
from everdex.facts import facts_of
from everdex.parse import trees_of
from everdex.view import SnapshotView

NAME: Final = "facts.db"
_BUSY_S: Final = 5.0
_CHECKSUM_BYTES: Final = 8
# Measured on django: level 6 is a tenth smaller than level 1 at the same cost beside the extraction.
_LEVEL: Final = 6
_WRITE_EVERY: Final = 256


class KeptFacts:
    """The facts of one view's files; for one thread."""

    def __init__(self, view: SnapshotView) -> None:
        self._view = view
        self._path = view.store.graphs / NAME
        self._contents = {line.path_key: line.content_hash for line in view.file_lines()}
        self._unwritten: list[tuple[bytes, bytes]] = []
        self._connection = _connect(self._path)

    def of(self, path: str) -> bytes:
        """A live file's facts; b"" when its language says nothing."""
        key = xxhash.xxh3_128_digest(f"{versions.FACTS_VERSION}\0{self._contents[path]}\0{path}".encode())
        known = self._read(key)
        if known is not None:
            return known
        data = self._view.source(path)
        facts = facts_of(path, trees_of(path, data), data)
        packed = zlib.compress(facts, _LEVEL)
        self._unwritten.append((key, xxhash.xxh64_digest(key + packed) + packed))
        if len(self._unwritten) >= _WRITE_EVERY:
            self.flush()
        return facts

    def flush(self) -> None:
        """Let other processes and later ones have what was worked out here."""
        entries, self._unwritten = self._unwritten, []
        if self._connection is None or not entries:
            return
        try:
            with self._connection:
                self._connection.executemany("INSERT OR REPLACE INTO facts VALUES (?, ?)", entries)
            if self._path.stat().st_size > limits.FACTS_MAX_BYTES:
                with self._connection:
                    self._connection.execute("DELETE FROM facts")
                self._connection.execute("VACUUM")
        except (sqlite3.Error, OSError):
            self._give_up()

    def close(self) -> None:
        self.flush()
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _read(self, key: bytes) -> bytes | None:
        if self._connection is None:
            return None
        try:
            row = self._connection.execute("SELECT value FROM facts WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            self._give_up()
            return None
        if row is None:
            return None
        value: bytes = row[0]
        packed = value[_CHECKSUM_BYTES:]
        if xxhash.xxh64_digest(key + packed) != value[:_CHECKSUM_BYTES]:
            return None
        return zlib.decompress(packed)

    def _give_up(self) -> None:
        """Work without it from now on; a damaged file is made anew by the next process."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        _remove(self._path)


def _connect(path: Path) -> sqlite3.Connection | None:
    """The open file, made if need be; None where it cannot be had."""
    for _ in range(2):
        try:
            # SQLite would create the file with the umask's mode; created first, it is nobody else's to read.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            connection = sqlite3.connect(path, timeout=_BUSY_S)
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("CREATE TABLE IF NOT EXISTS facts (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID")
            connection.execute("SELECT value FROM facts LIMIT 1").fetchone()
        except sqlite3.DatabaseError:
            _remove(path)
        except OSError:
            return None
        else:
            return connection
    return None


def _remove(path: Path) -> None:
    for suffix in ("-wal", "-shm", ""):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
