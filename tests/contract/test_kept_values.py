"""The memory of facts: damage makes it new, whatever else is wrong leaves it as it is, and no value is ever bent."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from everdex.graph.stored import kept_values
from everdex.graph.stored.kept_values import NAME, KeptValues
from support.disks import filled

_MANY = 400


def _kept(path: Path) -> Path:
    """A memory with many values."""
    path.mkdir(exist_ok=True)
    with closing(KeptValues(path / NAME)) as values:
        for number in range(_MANY):
            values.put(f"name{number}", os.urandom(600))
        values.put("known", b"value")
    return path / NAME


def _still_knows(path: Path) -> bool:
    with closing(KeptValues(path)) as values:
        return values.get("known") == b"value" and all(values.get(f"name{number}") for number in range(_MANY))


def _works(path: Path) -> bool:
    with closing(KeptValues(path)) as values:
        values.put("later", b"more")
    with closing(KeptValues(path)) as values:
        return values.get("later") == b"more"


def _header(path: Path) -> None:
    path.write_bytes(b"no database at all" * 100)


def _middle(path: Path) -> None:
    """Every page but the first."""
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))


def _short(path: Path) -> None:
    os.truncate(path, 4096 * 3)


def _another_table(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE facts (other BLOB)")


@pytest.mark.parametrize("damage", [_header, _middle, _short, _another_table])
def test_a_damaged_file_is_made_anew(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    """What cannot be read as it was written costs its values once, and works from the next process on."""
    path = _kept(tmp_path)
    damage(path)
    with closing(KeptValues(path)) as values:
        assert values.get("known") in (None, b"value")
        for number in range(_MANY):
            values.get(f"name{number}")
        values.put("new", b"new")
    assert _works(path)
    assert _works(path)


def test_a_value_of_another_kind_is_none(tmp_path: Path) -> None:
    """A row that holds no bytes is not known, and is replaced."""
    path = _kept(tmp_path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE facts SET value = 7")
    with closing(KeptValues(path)) as values:
        assert values.get("known") is None
        values.put("known", b"value")
    with closing(KeptValues(path)) as values:
        assert values.get("known") == b"value"


@contextmanager
def _writer(path: Path) -> Iterator[None]:
    """Somebody else who writes, and does not come to an end."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        yield


@contextmanager
def _owner(path: Path) -> Iterator[None]:
    """Somebody else who has the file to himself."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("BEGIN EXCLUSIVE")
        yield


@contextmanager
def _one_descriptor(path: Path) -> Iterator[None]:
    """A process that may open one file more: SQLite needs three."""
    held = []
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    try:
        with suppress(OSError):
            while True:
                held.append(os.open(os.devnull, os.O_RDONLY))
        os.close(held.pop())
        yield
    finally:
        for handle in held:
            os.close(handle)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@contextmanager
def _no_writes(path: Path) -> Iterator[None]:
    """Every write beyond the first byte of a file is refused."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("fault", [_writer, _owner, _one_descriptor, _no_writes])
def test_what_is_no_damage_leaves_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Callable[[Path], Iterator[None]]
) -> None:
    """Busy, closed to us, or not to be written: it is done without for now, and everything is there afterwards."""
    monkeypatch.setattr(kept_values, "_BUSY_S", 0.05)
    path = _kept(tmp_path)
    inode = path.stat().st_ino
    with fault(path), closing(KeptValues(path)) as values:  # type: ignore[attr-defined]
        assert values.get("known") in (None, b"value")
        values.put("lost", b"x" * 5_000)
    assert path.stat().st_ino == inode
    assert _still_knows(path)
    assert _works(path)


@pytest.mark.parametrize("fault", [_writer, _one_descriptor, _no_writes])
def test_a_fault_that_comes_while_it_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Callable[[Path], Iterator[None]]
) -> None:
    """What was open before goes on being read; what could not be written is forgotten."""
    monkeypatch.setattr(kept_values, "_BUSY_S", 0.05)
    path = _kept(tmp_path)
    with closing(KeptValues(path)) as values:
        with fault(path):  # type: ignore[attr-defined]
            for number in range(600):
                values.put(f"lost{number}", os.urandom(600))
            values.flush()
            assert values.get("known") == b"value"
        assert values.get("name7") is not None
    assert _still_knows(path)
    assert _works(path)


def test_a_full_disk_leaves_the_file(tmp_path: Path) -> None:
    """With no room for more, what is known stays known."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("mounting needs privileges; the file size limit covers the same paths")
    try:
        path = _kept(disk)
        filled(disk / "filling")
        with closing(KeptValues(path)) as values:
            for number in range(600):
                values.put(f"lost{number}", os.urandom(600))
            values.flush()
        (disk / "filling").unlink()
        assert _still_knows(path)
        assert _works(path)
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def test_what_is_packed_already_is_kept_as_it_is(tmp_path: Path) -> None:
    """It comes back the same before and after it was written, and is packed no second time."""
    value = b"P" + bytes(10_000)
    with closing(KeptValues(tmp_path / NAME)) as values:
        values.put("facts", value, is_packed=True)
        values.put("other", value)
        assert (values.get("facts"), values.get("other")) == (value, value)
    with closing(KeptValues(tmp_path / NAME)) as values:
        assert (values.get("facts"), values.get("other")) == (value, value)
    with closing(sqlite3.connect(tmp_path / NAME)) as connection:
        shorter, longer = sorted(size for (size,) in connection.execute("SELECT length(value) FROM facts"))
    assert shorter < 200
    assert longer == len(value) + 8
