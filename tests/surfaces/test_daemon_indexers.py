"""A daemon runs indexers only where its user allows it: one at a time, when the tree is quiet, and not for ever."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everdex import limits
from everdex.service import indexing
from everdex.service.index import Index
from everdex.service.refreshing import RefreshJobs
from everdex.service.resident import ResidentIndex
from everdex.state.jobs import JobStatus, RefreshJob
from everdex.surfaces.daemon.indexers import IndexerRunner
from support.daemons import Wire
from support.indexers import copying, export_index, put_indexer
from support.processes import PATIENCE_S, running, until
from support.trees import tree

_FILES = {"pyproject.toml": "", "core.py": "def helper(a):\n    return a\n", "app.py": "from core import helper\n"}
_SERVE = """
import sys
from everdex import limits
from everdex.surfaces.cli.app import run
limits.DAEMON_SEMANTIC_QUIET_S = 0
sys.exit(run(['serve', sys.argv[1], '--json']))
"""


class NoGraphs:
    """Graphs that are there as soon as anybody asks."""

    def __init__(self, warm: ResidentIndex) -> None:
        self._warm = warm

    def ready(self, snapshot_id: str | None, wait_s: float | None = None) -> str:
        return snapshot_id or self._warm.reader.graph_of().snapshot_id

    def published(self) -> None:
        pass


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tree(tmp_path / "project", _FILES, git=True)
    Index.open(made).sync()
    put_indexer(tmp_path / "bin", monkeypatch, copying(export_index(made, tmp_path / "index.scip")))
    return made


@pytest.fixture
def warm(root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ResidentIndex]:
    monkeypatch.setattr(limits, "DAEMON_SEMANTIC_QUIET_S", 30)
    index = ResidentIndex(Index.open(root))
    index.graphs = NoGraphs(index)
    yield index
    index.close()


class Told:
    """A runner whose clock the test has."""

    def __init__(self, warm: ResidentIndex, *, allowed: bool = True) -> None:
        self.runner = IndexerRunner(warm, lambda *_, **__: None, allowed=allowed)
        self.jobs = RefreshJobs(warm.index)
        self._began = time.monotonic()

    def turn(self, after_s: float) -> None:
        """A turn so many seconds after the beginning, and what came of it."""
        self.runner.turn(self._began + after_s)
        thread = self.runner._thread
        if thread is not None:
            thread.join()

    def done(self) -> list[RefreshJob]:
        return [job for job in self.jobs.newest() if job.context is not None]


def test_a_daemon_that_may_not_runs_nothing(warm: ResidentIndex) -> None:
    """However long it waits, and whatever is queued."""
    told = Told(warm, allowed=False)
    indexing.enqueue(warm.index)
    told.turn(1e6)
    assert [job.status for job in told.done()] == [JobStatus.QUEUED]
    assert told.runner.describe()["state"] == "off"


def test_a_daemon_waits_until_the_tree_is_quiet(warm: ResidentIndex, root: Path) -> None:
    """Then it indexes what is behind, and after that nothing until there is something new."""
    told = Told(warm)
    told.turn(0)
    told.turn(29)
    assert told.done() == []
    told.turn(31)
    assert [(job.status, job.trigger_reason) for job in told.done()] == [(JobStatus.SUCCEEDED, "unasked")]
    told.turn(1e6)
    told.turn(1e6)
    assert len(told.done()) == 1
    (root / "core.py").write_text("def helper(b):\n    return b\n")
    warm.freshness()
    told.turn(2e6)  # which sees the edit
    assert len(told.done()) == 1
    told.turn(2e6 + 31)
    assert len(told.done()) == 2


def test_a_daemon_does_not_spend_all_its_time_on_indexers(
    warm: ResidentIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After one that took 100 seconds it rests for 900."""
    told, passed, begun = Told(warm), [0.0], []

    def takes_long(_runner: IndexerRunner, number: int) -> None:
        begun.append(number)
        passed[0] = 100

    still = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: still + passed[0])
    monkeypatch.setattr(IndexerRunner, "_run_job", takes_long)
    for after_s, runs in ((0, 0), (31, 1), (990, 1), (1_010, 2)):
        told.turn(after_s)
        assert len(begun) == runs, after_s


def test_a_failed_indexer_is_not_tried_at_once_again(
    warm: ResidentIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unasked, not within an hour; then once more."""
    put_indexer(tmp_path / "bin", monkeypatch, "sys.exit(1)")
    told = Told(warm)
    for after_s in (0, 31, 1_000, 2_000):
        told.turn(after_s)
    assert [job.status for job in told.done()] == [JobStatus.FAILED]
    monkeypatch.setattr(time, "monotonic", lambda real=time.monotonic: real() + 3_700)
    told.turn(3_700)
    assert [job.status for job in told.done()] == [JobStatus.FAILED] * 2


def _contexts(wire: Wire) -> dict[str, Any]:
    (context,) = wire.call("contexts", no_sync=True)["result"]["contexts"]
    return dict(context)


def _indexers(wire: Wire) -> dict[str, Any]:
    return dict(wire.call("status")["result"]["daemon"]["indexers"])


def test_a_daemon_that_may_indexes_unasked_and_takes_its_indexer_along(
    root: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it runs is told by status; when it leaves, the indexer is gone and its job is queued again."""
    number = tmp_path / "index.scip"
    monkeypatch.setenv("EVERDEX_SEMANTIC", "1")
    slow = f'if os.path.exists({str(root / "slow")!r}):\n    time.sleep(600)\n'
    program = put_indexer(tmp_path / "bin", monkeypatch, slow + copying(number))
    with subprocess.Popen([sys.executable, "-c", _SERVE, root], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            place = json.loads(process.stdout.readline())
            (store,) = home.glob("data/*")
            with Wire(place["socket"]) as wire:
                until(lambda: _contexts(wire)["state"] == "current", "the first run")
                assert _contexts(wire)["current_files"] == 2
                (root / "slow").touch()
                (root / "core.py").write_text("def helper(b):\n    return b\n")
                wire.call("sync")
                until(lambda: _indexers(wire)["context"] == "python:.", "the second run")
                until(lambda: running(f"{program}\0index"), "the indexer")
                wire.call("shutdown")
            assert process.wait(PATIENCE_S) == 0
        finally:
            process.terminate()
    (job, *_) = [job for job in RefreshJobs(Index.open(root)).newest() if job.context is not None]
    assert job.status is JobStatus.QUEUED
    assert not (store / "scratch").exists()
    until(lambda: not running(program), "the indexer's end")
