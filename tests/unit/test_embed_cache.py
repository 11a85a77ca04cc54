"""The embedding cache: an optimisation that may forget anything but never answers wrongly."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import sqlite3
from pathlib import Path

import pytest

from everdex import clock
from everdex.embed import cache as caches
from everdex.embed.cache import EmbeddingCache
from everdex.numeric import np, npt
from support.processes import PATIENCE_S

DIM = 16
CONFIG = "c" * 64


def keys(count: int, salt: str = "") -> list[bytes]:
    return [hashlib.sha256(f"{salt}{number}".encode()).digest() for number in range(count)]


def vectors(count: int, seed: int = 0) -> npt.NDArray[np.int8]:
    return np.random.default_rng(seed).integers(-127, 128, size=(count, DIM)).astype(np.int8)


def test_what_was_put_is_got(tmp_path: Path) -> None:
    """Vectors come back bit for bit, in the order asked, in another process's connection too."""
    with EmbeddingCache(tmp_path / "cache.db", CONFIG, DIM) as cache:
        cache.put_many(keys(1_200), vectors(1_200))
    with EmbeddingCache(tmp_path / "cache.db", CONFIG, DIM) as cache:
        found, values = cache.get_many([*keys(1_200), *keys(1, "unknown")])
    assert found.tolist() == [True] * 1_200 + [False]
    assert values[:-1].tobytes() == vectors(1_200).tobytes()


def test_configurations_do_not_share(tmp_path: Path) -> None:
    """The same text under another embedder is another entry."""
    with EmbeddingCache(tmp_path / "cache.db", CONFIG, DIM) as cache:
        cache.put_many(keys(1), vectors(1))
        assert cache.get_many(keys(1))[0].all()
    with EmbeddingCache(tmp_path / "cache.db", "d" * 64, DIM) as cache:
        assert not cache.get_many(keys(1))[0].any()


def test_the_file_is_private(tmp_path: Path) -> None:
    """Nobody but the owner can read the cache."""
    previous = os.umask(0)
    try:
        with EmbeddingCache(tmp_path / "cache.db", CONFIG, DIM) as cache:
            cache.put_many(keys(1), vectors(1))
            assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}
    finally:
        os.umask(previous)


@pytest.mark.parametrize("content", [b"not a database, but long enough to be one" * 200, b"SQLite format 3\0" * 512])
def test_a_corrupt_file_is_rebuilt(tmp_path: Path, content: bytes) -> None:
    """A file that is no database is thrown away and the cache works."""
    (tmp_path / "cache.db").write_bytes(content)
    with EmbeddingCache(tmp_path / "cache.db", CONFIG, DIM) as cache:
        cache.put_many(keys(3), vectors(3))
        assert cache.get_many(keys(3))[0].all()
        assert cache.disabled_reason is None


def test_damage_never_bends_a_vector(tmp_path: Path) -> None:
    """With bytes flipped anywhere, an entry is right or missing."""
    path = tmp_path / "cache.db"
    with EmbeddingCache(path, CONFIG, DIM) as cache:
        cache.put_many(keys(300), vectors(300))
    intact = path.read_bytes()
    expected = vectors(300)
    for start in range(60, len(intact), 997):
        damaged = bytearray(intact)
        damaged[start] ^= 0x10
        path.write_bytes(damaged)
        with EmbeddingCache(path, CONFIG, DIM) as cache:
            found, values = cache.get_many(keys(300))
        assert (values[found] == expected[found]).all()
        for suffix in ("-wal", "-shm"):
            Path(f"{path}{suffix}").unlink(missing_ok=True)


def test_a_foreign_version_is_replaced(tmp_path: Path) -> None:
    """A cache of another schema version is dropped, not half-read."""
    connection = sqlite3.connect(tmp_path / "cache.db")
    connection.execute("PRAGMA user_version = 99")
    connection.execute("CREATE TABLE vectors (something TEXT)")
    connection.close()
    with EmbeddingCache(tmp_path / "cache.db", CONFIG, DIM) as cache:
        cache.put_many(keys(1), vectors(1))
        assert cache.get_many(keys(1))[0].all()


def test_an_impossible_place_switches_the_cache_off(tmp_path: Path) -> None:
    """Where no file can be made, everything is a miss and the reason is kept."""
    (tmp_path / "cache.db").mkdir()
    with EmbeddingCache(tmp_path / "cache.db", CONFIG, DIM) as cache:
        cache.put_many(keys(1), vectors(1))
        assert not cache.get_many(keys(1))[0].any()
        assert cache.disabled_reason is not None
        assert "cache.db" in cache.disabled_reason


def test_the_longest_unused_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over the cap the oldest entries are dropped, those just used stay, and the file shrinks."""
    moment = 1_000_000.0
    monkeypatch.setattr(clock, "now", lambda: moment)
    path, cap = tmp_path / "cache.db", 150_000
    with EmbeddingCache(path, CONFIG, DIM, cap) as cache:
        cache.put_many(keys(500, "old"), vectors(500))
        moment += 10_000
        cache.put_many(keys(500, "used"), vectors(500))
        moment += 10_000
        assert cache.get_many(keys(500, "old")[:100])[0].all()
        cache.put_many(keys(1_500, "new"), vectors(1_500))
        assert cache.get_many(keys(500, "old")[:100])[0].all()
        assert cache.get_many(keys(500, "old")[100:])[0].sum() < 100
        assert cache.get_many(keys(1_500, "new"))[0].all()
    assert path.stat().st_size <= cap


def _writer(path: Path, salt: str) -> None:
    with EmbeddingCache(path, CONFIG, DIM) as cache:
        for start in range(0, 400, 20):
            own = keys(400, salt)[start : start + 20]
            cache.put_many(own, vectors(20, start))
            assert cache.get_many(own)[0].all()
            cache.get_many(keys(400, "shared"))
        assert cache.disabled_reason is None


def test_processes_write_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four processes fill one cache together and lose nothing, as long as none waits for a slow disk in vain."""
    monkeypatch.setattr(caches, "_BUSY_MS", PATIENCE_S * 1_000)
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_writer, args=(tmp_path / "cache.db", str(n))) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0] * 4
    with EmbeddingCache(tmp_path / "cache.db", CONFIG, DIM) as cache:
        assert all(cache.get_many(keys(400, str(n)))[0].all() for n in range(4))
