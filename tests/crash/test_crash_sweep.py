"""Killed at any point, the last snapshot answers and the next sync completes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from everdex import clock
from everdex.errors import EverdexError, NotIndexed
from everdex.snapshot import active
from everdex.snapshot import manifest as manifests
from everdex.upkeep.audit import audit
from everdex.upkeep.housekeeping import gc_now
from support.faults import KILLED
from support.processes import environment
from support.stores import Workspace, synced, workspace

BEFORE = {
    "keep.py": "def keep():\n    return 1\n",
    "edit.py": "def edit():\n    return 'old'\n",
    "gone.py": "def gone():\n    return 0\n",
    "from/here.py": "def moved():\n    return 'same'\n",
}
AFTER = {
    "keep.py": BEFORE["keep.py"],
    "edit.py": "def edit():\n    return 'new'\n",
    "to/there.py": BEFORE["from/here.py"],
    "added.md": "# Added\n\ntext\n",
}


# Killed, or the power is cut: unflushed bytes are lost, and unflushed names with them or not.
DEATHS = pytest.mark.parametrize("power", [None, "bytes", "names"], ids=["kill", "power_loss", "power_loss_names"])


class Fork:
    """The forking driver (support/faults.py) for one workspace."""

    def __init__(self, made: Workspace) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "support.faults", made.store.path, made.path],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(),
        )  # fmt: skip

    def run(self, action: str, **request: object) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"action": action, **request}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


class Saved:
    """A store put aside, hard links and all, and put back before every fault."""

    def __init__(self, made: Workspace) -> None:
        self._store = made.store.path
        self._copy = made.store.path.parent.with_name("saved")
        subprocess.run(["cp", "-a", self._store, self._copy], check=True)

    def restore(self) -> None:
        shutil.rmtree(self._store)
        subprocess.run(["cp", "-a", self._copy, self._store], check=True)


@pytest.fixture
def edited(tmp_path: Path) -> Iterator[tuple[Workspace, Fork]]:
    """An indexed tree that has been edited since: one file changed, one gone, one moved, one new."""
    made = synced(tmp_path / "tree", BEFORE)
    made.remove("gone.py")
    (made.path / "to").mkdir()
    (made.path / "from/here.py").rename(made.path / "to/there.py")
    made.write({"edit.py": AFTER["edit.py"], "added.md": AFTER["added.md"]})
    fork = Fork(made)
    yield made, fork
    fork.close()


def _rebuilt(made: Workspace, monkeypatch: pytest.MonkeyPatch, home: Path) -> dict[tuple[str, int], tuple[str, str]]:
    """The rows of the same tree indexed from nothing, in another store."""
    with monkeypatch.context() as patch:
        patch.setenv("EVERDEX_HOME", os.fspath(home / "elsewhere"))
        clean = workspace(made.path)
        clean.sync()
        return clean.rows()


def _leftovers(made: Workspace) -> list[str]:
    """Whatever lies in the store that no published manifest knows."""
    store = made.store
    known: set[str] = set()
    for _, path in active.published(store):
        manifest = manifests.read(path)
        known.add(manifest.snapshot_id)
        known.update(segment.segment_id for segment in manifest.segments)
        known.update(Path(item.path).parent.name for item in manifest.tombstones)
    found = [path for directory in (store.segments, store.snapshots) for path in directory.iterdir()]
    lost = [path for path in found if path.name not in known]
    lost += [*store.staging.iterdir(), *store.path.rglob("*.tmp"), *store.locks.glob("owner-*")]
    return sorted(os.fspath(path.relative_to(store.path)) for path in lost)


def _sweep(
    fork: Fork, saved: Saved, action: str, check: Callable[[int], None], **request: object
) -> tuple[int, list[int]]:
    """Die at every step in turn; (number of steps, steps after which `check` failed)."""
    saved.restore()
    steps = fork.run(action, **request)["steps"]
    failed = []
    for step in range(1, steps + 1):
        saved.restore()
        assert fork.run(action, die_at=step, **request)["exit"] == KILLED
        try:
            check(step)
        except (AssertionError, EverdexError):
            if not request.get("broken"):
                raise
            failed.append(step)
    return steps, failed


def _power_cut_after(fork: Fork, saved: Saved, action: str, power: str | None) -> None:
    """Let the action complete, then cut the power."""
    saved.restore()
    assert fork.run(action, power=power, die_at_end=True)["exit"] == KILLED


class _Recovery:
    """After a crash: old or new answers, the old snapshot is whole, and the next sync ends with the new."""

    def __init__(self, made: Workspace, old: Any, old_id: str | None, new: Any) -> None:
        self._made, self._old, self._old_id, self._new = made, old, old_id, new
        self.answered_new = False

    def __call__(self, step: int) -> None:
        made = self._made
        try:
            rows = made.rows()
        except NotIndexed:
            rows = None
        assert rows in (self._old, self._new), f"step {step}: neither the old nor the new snapshot answers"
        self.answered_new |= rows == self._new
        if self._old_id is not None:
            assert made.rows(self._old_id) == self._old, f"step {step}: the old snapshot is damaged"
        made.sync()
        assert made.rows() == self._new, f"step {step}: the next sync is not complete"
        assert audit(made.store).findings == ()
        gc_now(made.store, dry_run=False)
        assert _leftovers(made) == [], f"step {step}"
        assert not made.sync().published


@DEATHS
def test_an_incremental_sync_survives_death_at_every_step(
    edited: tuple[Workspace, Fork], power: str | None, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    """Kill or power loss before every call that changes the disk: old or new answers, never anything else."""
    made, fork = edited
    old, old_id = made.rows(), active.read_pointer(made.store)
    check = _Recovery(made, old, old_id, _rebuilt(made, monkeypatch, home))
    saved = Saved(made)
    steps, _ = _sweep(fork, saved, "sync", check, power=power)
    assert steps > 25
    assert check.answered_new
    _power_cut_after(fork, saved, "sync", power)
    assert set(made.texts()) == set(AFTER), "a sync that returned must survive"


@DEATHS
def test_a_first_sync_survives_death_at_every_step(
    tmp_path: Path, power: str | None, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    """Before the first publish there is no index; afterwards there is the whole one."""
    made = workspace(tmp_path / "tree", AFTER)
    fork = Fork(made)
    check = _Recovery(made, None, None, _rebuilt(made, monkeypatch, home))
    _sweep(fork, Saved(made), "sync", check, power=power)
    fork.close()
    assert check.answered_new


@DEATHS
@pytest.mark.parametrize("action", ["sync", "compact"])
def test_several_segments_of_one_job_survive_death_at_every_step(
    edited: tuple[Workspace, Fork], action: str, power: str | None, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    """A large sync, or a compaction, that writes one segment after another is seen whole or not at all."""
    made, fork = edited
    new = _rebuilt(made, monkeypatch, home)
    if action == "compact":
        made.sync()
    check = _Recovery(made, made.rows(), active.read_pointer(made.store), new)
    saved = Saved(made)
    _sweep(fork, saved, action, check, power=power, a_file_each=True)
    saved.restore()
    before = {segment.segment_id for segment in made.base().segments}
    fork.run(action, a_file_each=True)
    assert len({segment.segment_id for segment in made.base().segments} - before) > 1


@DEATHS
def test_a_compaction_survives_death_at_every_step(edited: tuple[Workspace, Fork], power: str | None) -> None:
    """Compaction changes no answer, whether it completes or not."""
    made, fork = edited
    made.sync()
    rows, active_id = made.rows(), active.read_pointer(made.store)
    check = _Recovery(made, rows, active_id, rows)
    _sweep(fork, Saved(made), "compact", check, power=power)


def test_a_collection_survives_death_at_every_step(
    edited: tuple[Workspace, Fork], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However far a collection came, what it retains is whole and the next one finishes the job."""
    made, fork = edited
    for number in range(7):
        made.write({"edit.py": f"number = {number}\n"})
        made.sync()
    rows = made.rows()
    real = clock.now

    def check(step: int) -> None:
        with monkeypatch.context() as patch:
            assert made.rows() == rows, f"step {step}"
            patch.setattr(clock, "now", lambda: real() + 700)
            gc_now(made.store, dry_run=False)
            assert made.rows() == rows, f"step {step}"
            assert len(active.published(made.store)) == 5
            for _, path in active.published(made.store):
                made.rows(manifests.read(path).snapshot_id)
            assert _leftovers(made) == [], f"step {step}"

    steps, _ = _sweep(fork, Saved(made), "gc", check, later=700)
    assert steps > 15


@pytest.mark.parametrize(("broken", "power"), [("never_fsync", "bytes"), ("pointer_before_number", None)])
def test_the_sweep_catches_a_broken_publisher(
    edited: tuple[Workspace, Fork], broken: str, power: str | None, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    """A publisher that never flushes, or that moves the pointer before the commit, does not get through."""
    made, fork = edited
    old, old_id = made.rows(), active.read_pointer(made.store)
    check = _Recovery(made, old, old_id, _rebuilt(made, monkeypatch, home))
    _, failed = _sweep(fork, Saved(made), "sync", check, power=power, broken=broken)
    assert failed


@pytest.mark.parametrize("share", [0.0, 0.002, 0.05, 0.3, 0.6])
def test_a_file_size_limit_is_a_storage_failure(edited: tuple[Workspace, Fork], share: float) -> None:
    """Whatever write the system refuses, the error is io_error and the old snapshot answers."""
    made, fork = edited
    old = made.rows()
    largest = max(path.stat().st_size for path in made.store.segments.rglob("*"))
    answer = fork.run("sync", file_size_limit=int(largest * share))
    assert (answer["exit"], answer["error"]) == (0, "io_error"), answer
    assert made.rows() == old
    made.sync()
    assert set(made.texts()) == set(AFTER)
    gc_now(made.store, dry_run=False)
    assert _leftovers(made) == []


def test_a_full_disk_is_a_storage_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a disk with no room for the new segment nothing is published, and the next small sync works."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode != 0:
        pytest.skip("mounting needs privileges; the file size limit covers the same paths")
    try:
        monkeypatch.setenv("EVERDEX_HOME", os.fspath(disk / "home"))
        made = synced(tmp_path / "tree", BEFORE)
        old = made.rows()
        big = "".join(f"value_{os.urandom(8).hex()} = {number}\n" for number in range(40_000))
        made.write({"big.py": big})
        with pytest.raises(EverdexError) as caught:
            made.sync()
        assert caught.value.code == "io_error"
        assert made.rows() == old
        made.remove("big.py")
        made.write({"edit.py": AFTER["edit.py"]})
        made.sync()
        assert made.texts()["edit.py"] == AFTER["edit.py"]
        gc_now(made.store, dry_run=False)
        assert _leftovers(made) == []
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


_SYNC = """
import sys
from pathlib import Path
from support.stores import workspace
workspace(Path(sys.argv[1])).sync()
"""


def _strace_works() -> bool:
    if shutil.which("strace") is None:
        return False
    return subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not _strace_works(), reason="strace is not installed or may not trace here")
@pytest.mark.parametrize(
    ("call", "number"), [("fsync", 4), ("fsync", 9), ("rename", 1), ("rename", 3), ("link,linkat", 1), ("pwrite64", 3)]
)
def test_a_sync_killed_inside_a_system_call_recovers(
    edited: tuple[Workspace, Fork], call: str, number: int, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    """The kernel kills the real process on entry to the n-th system call of a kind."""
    made, fork = edited
    fork.close()
    old, old_id = made.rows(), active.read_pointer(made.store)
    new = _rebuilt(made, monkeypatch, home)
    done = subprocess.run(
        ["strace", "-f", "-o", os.devnull, "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}",
         sys.executable, "-c", _SYNC, made.path],
        env=environment(), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode in (-9, 137), done.stderr
    _Recovery(made, old, old_id, new)(number)
