"""Embeddings of text that left the live view, by content: one SQLite file shared by every process of a store.

A rename, a moved block or a branch switched back need not be embedded again; what is live is in the segments.
Only an optimisation: whatever is wrong with the file, callers see misses. Each value carries a checksum over its
key and content, so a damaged page can cost time but never bend a vector. A file that SQLite calls corrupt is
thrown away; one that cannot be written (full disk, read-only) switches the cache off and says so.
"""

from __future__ import annotations

import math
import os
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

import xxhash

from everdex import clock, limits
from everdex.numeric import np, npt

_SCHEMA_VERSION: Final = 1  # 1: vectors(config, chunk) -> checksum, int8 row
_BUSY_MS: Final = 5_000
_READ_BATCH: Final = 500
_KEEP_FRACTION: Final = 0.9
_CHECKSUM_BYTES: Final = 8
_DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
_SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS configs (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS vectors (
    config INTEGER NOT NULL, chunk BLOB NOT NULL, used INTEGER NOT NULL, value BLOB NOT NULL,
    PRIMARY KEY (config, chunk)
) WITHOUT ROWID;
PRAGMA user_version = {_SCHEMA_VERSION};
"""

_Result = TypeVar("_Result")


class EmbeddingCache:
    """Vectors of one embedding configuration; open for one sync, in one thread."""

    def __init__(
        self, path: Path, config_fingerprint: str, dim: int, max_bytes: int = limits.EMBED_CACHE_MAX_BYTES
    ) -> None:
        self._path = path
        self._fingerprint = config_fingerprint
        self._dim = dim
        self._max_bytes = max_bytes
        self._connection: sqlite3.Connection | None = None
        self._config = 0
        self.disabled_reason: str | None = None
        self._guarded(lambda _: None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def get_many(self, chunk_hashes: Sequence[bytes]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int8]]:
        """(found, rows), one of each per hash; rows that were not found are zeros."""
        found = np.zeros(len(chunk_hashes), dtype=np.bool_)
        rows = np.zeros((len(chunk_hashes), self._dim), dtype=np.int8)
        nothing: dict[bytes, bytes] = {}
        values = self._guarded(lambda connection: self._read(connection, chunk_hashes), nothing)
        for index, chunk_hash in enumerate(chunk_hashes):
            content = self._checked(chunk_hash, values.get(chunk_hash))
            if content is not None:
                found[index] = True
                rows[index] = np.frombuffer(content, dtype=np.int8)
        return found, rows

    def put_many(self, chunk_hashes: Sequence[bytes], rows: npt.NDArray[np.int8]) -> None:
        """Remember rows, then evict the longest unused when over the cap."""
        entries = []
        for index, chunk_hash in enumerate(chunk_hashes):
            content = rows[index].tobytes()
            entries.append((chunk_hash, self._checksum(chunk_hash, content) + content))
        entries.sort()  # neighbours on a page are written together
        if entries:
            self._guarded(lambda connection: self._write(connection, entries), None)

    # -- inside a guard -----------------------------------------------------------------------

    def _read(self, connection: sqlite3.Connection, chunk_hashes: Sequence[bytes]) -> dict[bytes, bytes]:
        values: dict[bytes, bytes] = {}
        stale: list[tuple[int, int, bytes]] = []
        stamp = _stamp()
        for start in range(0, len(chunk_hashes), _READ_BATCH):
            batch = chunk_hashes[start : start + _READ_BATCH]
            marks = ",".join("?" * len(batch))
            for chunk, used, value in connection.execute(
                f"SELECT chunk, used, value FROM vectors WHERE config = ? AND chunk IN ({marks})",
                (self._config, *batch),
            ):
                values[chunk] = value
                if used < stamp:
                    stale.append((stamp, self._config, chunk))
        if stale:
            with connection:
                connection.executemany("UPDATE vectors SET used = ? WHERE config = ? AND chunk = ?", stale)
        return values

    def _write(self, connection: sqlite3.Connection, entries: Sequence[tuple[bytes, bytes]]) -> None:
        stamp = _stamp()
        with connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vectors (config, chunk, used, value) VALUES (?, ?, ?, ?)",
                ((self._config, chunk, stamp, value) for chunk, value in entries),
            )
        while (used := _used_bytes(connection)) > self._max_bytes and self._evict(connection, used):
            pass

    def _evict(self, connection: sqlite3.Connection, used: int) -> bool:
        """Drop what was used longest ago, down to nine tenths of the cap; False when nothing is left."""
        surplus = 1 - _KEEP_FRACTION * self._max_bytes / used
        with connection:
            count = connection.execute("SELECT count(*) FROM vectors").fetchone()[0]
            dropped = connection.execute(
                "DELETE FROM vectors WHERE (config, chunk) IN "
                "(SELECT config, chunk FROM vectors ORDER BY used, config, chunk LIMIT ?)",
                (math.ceil(count * surplus),),
            ).rowcount
        # Keys are hashes, so a deletion thins every page and frees none: only rewriting gives space back.
        connection.execute("VACUUM")
        return dropped > 0

    # -- opening, and what may go wrong -------------------------------------------------------

    def _guarded(self, work: Callable[[sqlite3.Connection], _Result], fallback: _Result) -> _Result:
        """Run `work`; a damaged file is rebuilt once, any other refusal switches the cache off."""
        for attempt in range(2):
            if self.disabled_reason is not None:
                break
            try:
                return work(self._opened())
            except (sqlite3.Error, OSError) as error:
                self.close()
                code = getattr(error, "sqlite_errorcode", None)
                damaged = code is not None and code & 0xFF in _DAMAGED
                if attempt == 0 and damaged and self._discard():
                    continue
                self.disabled_reason = f"embedding cache {self._path} is not usable: {error}"
        return fallback

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._connect()
            with self._connection as connection:
                connection.execute("INSERT OR IGNORE INTO configs (fingerprint) VALUES (?)", (self._fingerprint,))
            row = connection.execute("SELECT id FROM configs WHERE fingerprint = ?", (self._fingerprint,)).fetchone()
            self._config = row[0]
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        # SQLite would create the file with the umask's mode; created first, it is nobody else's to read.
        os.close(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
        connection = sqlite3.connect(self._path, timeout=_BUSY_MS / 1000)
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in (0, _SCHEMA_VERSION):
                connection.close()
                self._discard()
                return self._connect()
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
            connection.execute("PRAGMA synchronous = NORMAL")
            if version == 0:
                connection.executescript(_SCHEMA)
        except BaseException:
            connection.close()
            raise
        return connection

    def _discard(self) -> bool:
        for suffix in ("-wal", "-shm", ""):
            try:
                os.unlink(f"{self._path}{suffix}")
            except FileNotFoundError:
                continue
            except OSError:
                return False
        return True

    def _checksum(self, chunk_hash: bytes, content: bytes) -> bytes:
        return xxhash.xxh64_digest(self._fingerprint.encode() + chunk_hash + content)

    def _checked(self, chunk_hash: bytes, value: bytes | None) -> bytes | None:
        """The content of a stored value, or None when it is missing, of another shape or damaged."""
        if value is None or len(value) != _CHECKSUM_BYTES + self._dim:
            return None
        content = value[_CHECKSUM_BYTES:]
        return content if self._checksum(chunk_hash, content) == value[:_CHECKSUM_BYTES] else None


def _stamp() -> int:
    """Coarse time of use, so that reading a warm cache writes at most once an hour."""
    return int(clock.now()) // limits.LAST_USED_COALESCE_S


def _used_bytes(connection: sqlite3.Connection) -> int:
    pages, size = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    return int(pages * size)
