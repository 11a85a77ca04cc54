"""The guard: short exclusive sections that a stuck process cannot hold for ever."""

from __future__ import annotations

import fcntl
import os
import signal
from pathlib import Path

import pytest

from everdex.durable import PRIVATE
from everdex.errors import Busy, LeaseLost
from everdex.snapshot import guard as guards
from everdex.snapshot.guard import hold_exclusive, hold_guard, hold_shared
from support.processes import PATIENCE_S, Child

_HOLD = """
from pathlib import Path
from everdex.durable import PRIVATE
from everdex.errors import LeaseLost
from everdex.snapshot.guard import hold_guard
with hold_guard(Path(ARGS[0]), PRIVATE) as guard:
    print("in", flush=True)
    input()
    try:
        guard.require()
        print("still mine", flush=True)
    except LeaseLost as error:
        print(error.code, flush=True)
"""


def test_only_one_process_is_inside(tmp_path: Path) -> None:
    """While one process holds the guard another one waits, then gives up as busy."""
    with Child(_HOLD, tmp_path / "g") as child:
        assert child.line() == "in"
        with pytest.raises(Busy), hold_guard(tmp_path / "g", PRIVATE, wait_ms=60):
            pass
        child.go()
        assert child.line() == "still mine"


def test_a_killed_holder_frees_the_guard_at_once(tmp_path: Path) -> None:
    """The kernel releases the guard of a dead process; nobody waits for a TTL."""
    with Child(_HOLD, tmp_path / "g") as child:
        assert child.line() == "in"
        child.signal(signal.SIGKILL)
        child.process.wait()
        with hold_guard(tmp_path / "g", PRIVATE, wait_ms=0) as guard:
            assert guard.held()


def test_a_stuck_holder_loses_the_guard_after_its_ttl(tmp_path: Path) -> None:
    """A stopped process keeps the guard for its TTL, then another takes over, and the first one is told."""
    with Child(_HOLD, tmp_path / "g") as child:
        assert child.line() == "in"
        child.signal(signal.SIGSTOP)
        with hold_guard(tmp_path / "g", PRIVATE, wait_ms=PATIENCE_S * 1_000, ttl_ms=200) as guard:
            child.signal(signal.SIGCONT)
            child.go()
            assert child.line() == "lease_lost"
            guard.require()


def test_a_guard_taken_this_moment_is_not_stolen_for_its_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock file may be hours old; a holder that has it but has not stamped it yet keeps it."""
    path = tmp_path / "g"
    path.touch()
    os.utime(path, (1, 1))
    handle = os.open(path, os.O_RDWR)
    fcntl.flock(handle, fcntl.LOCK_EX)
    monkeypatch.setattr(guards.time, "sleep", lambda _: os.utime(handle))  # between two looks of whoever waits
    with pytest.raises(Busy), hold_guard(path, PRIVATE, wait_ms=200):
        pass
    assert os.fstat(handle).st_ino == path.stat().st_ino
    os.close(handle)


def test_a_replaced_lock_file_tells_the_old_holder(tmp_path: Path) -> None:
    """`require` compares the file we locked with the file that is there now."""
    with hold_guard(tmp_path / "g", PRIVATE) as guard:
        (tmp_path / "g").unlink()
        with pytest.raises(LeaseLost):
            guard.require()


def test_readers_share_and_collection_excludes(tmp_path: Path) -> None:
    """Any number of readers hold the readers' lock together; an exclusive holder waits for the last."""
    path = tmp_path / "readers.lock"
    with (
        hold_shared(path, PRIVATE),
        hold_shared(path, PRIVATE),
        pytest.raises(Busy, match="readers"),
        hold_exclusive(path, PRIVATE, wait_ms=30),
    ):
        pass
    with hold_exclusive(path, PRIVATE, wait_ms=0):
        pass


def test_a_lock_file_that_lay_there_for_hours_is_held_all_the_same(tmp_path: Path) -> None:
    """What counts is when its holder came in, not when the file was made."""
    with hold_guard(tmp_path / "g", PRIVATE):
        pass
    os.utime(tmp_path / "g", (0, 0))
    with hold_guard(tmp_path / "g", PRIVATE) as guard:
        with pytest.raises(Busy), hold_guard(tmp_path / "g", PRIVATE, wait_ms=60):
            pass
        assert guard.held()


def test_a_lock_file_that_is_replaced_while_it_is_locked_counts_for_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has locked the old one begins again: the section is that of the file under the name."""
    lock = guards._try_lock

    def replaced(handle: int, mode: int) -> bool:
        monkeypatch.setattr(guards, "_try_lock", lock)
        (tmp_path / "new").touch()
        os.replace(tmp_path / "new", tmp_path / "g")
        return lock(handle, mode)

    monkeypatch.setattr(guards, "_try_lock", replaced)
    with hold_guard(tmp_path / "g", PRIVATE) as guard:
        assert guard.held()
