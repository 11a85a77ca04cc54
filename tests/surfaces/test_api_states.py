"""INDEX's interfaces in the Python API: states, the gate and refresh jobs, typed, awaited and over a daemon alike."""

from __future__ import annotations

import asyncio
import hashlib
from contextlib import nullcontext
from pathlib import Path

import pytest

import everdex
from everdex.errors import UsageError
from everdex.surfaces.api.aio import AsyncIndex
from support.daemons import Daemon
from support.processes import until
from support.trees import tree

CORE = "def helper(a):\n    return a\n"
FILES = {"core.py": CORE, "app.py": "from core import helper\n\n\ndef run():\n    return helper(1)\n"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tree(tmp_path / "project", FILES, git=True)


def test_an_index_is_each_of_the_interfaces(root: Path) -> None:
    """By structure: whoever wants one of them takes an Index, or awaits an AsyncIndex."""
    with everdex.open(root) as index:
        for kind in (everdex.IndexCoordinator, everdex.FileStateService, everdex.RefreshJobService):
            assert isinstance(index, kind)
        for kind in (everdex.AsyncIndexCoordinator, everdex.AsyncFileStateService, everdex.AsyncRefreshJobService):
            assert isinstance(AsyncIndex(index), kind)


@pytest.mark.parametrize("daemon", [None, False])
def test_a_state_follows_the_files_until_they_are_refreshed(root: Path, daemon: bool | None) -> None:
    """Clean, then stale by what changed, then clean again once a job has run."""
    with everdex.open(root, daemon=daemon) as index:
        assert index.refresh() is not None
        assert index.refresh() is None
        assert {state.freshness for state in index.get_file_states_batch(FILES).values()} == {"clean"}
        (root / "core.py").write_text(CORE.replace("(a)", "(a, b)"))
        state = index.get_file_state("app.py")
        assert (state.freshness, state.reasons[0].symbols[0].after) == ("stale", "def helper(a,b)")
        held = index.check_mutation_gate(["app.py"])
        assert (held.decision, held.blocking, held.freshness.dirty_count) == ("block", ("app.py",), 1)
        number = index.enqueue_refresh(everdex.RefreshScope(files=("core.py",)))
        assert number is not None
        assert index.enqueue_refresh(everdex.RefreshScope(files=("core.py",))) is None
        assert index.get_job_status(number).status == "queued"
        assert index.run_job(number).status == "succeeded"
        assert index.check_mutation_gate(["app.py"]).decision == "allow"
        assert [job.status for job in index.jobs()] == ["succeeded", "succeeded"]


def test_what_was_seen_is_compared(root: Path) -> None:
    """The hash of the content that the caller saw, by the path it names."""
    seen = {"core.py": hashlib.sha256(CORE.encode()).hexdigest()}
    with everdex.open(root) as index:
        known = index.gate(["core.py"], seen=seen)
        assert known.decision == "allow"
        (root / "core.py").write_text("def helper():\n    return 0\n")
        assert index.gate(["core.py"], seen=seen).files[0].reasons[0].code == "changed_since_seen"
        since = index.gate(["core.py"], since=known.snapshot_id)
        assert [reason.code for reason in since.files[0].reasons] == ["content_changed"]
        assert index.state(["core.py"], since=known.snapshot_id).files[0].freshness == "dirty"


def test_paths_may_be_absolute_and_must_be_inside(root: Path) -> None:
    """States are of the repository's files; what lies outside is refused by name."""
    with everdex.open(root) as index:
        index.sync()
        assert index.get_file_state(str(root / "app.py")).path == "app.py"
        with pytest.raises(UsageError, match="outside"):
            index.get_file_state("/etc/passwd")
        with pytest.raises(UsageError):
            index.get_job_status(7)


def test_the_awaited_form_does_the_same(root: Path) -> None:
    """On a worker thread, with the same values."""

    async def ask() -> tuple[str, str, str]:
        async with await everdex.aopen(root) as index:
            number = await index.enqueue_refresh()
            assert number is not None
            job = await index.run_job(number)
            state = await index.get_file_state("app.py")
            gate = await index.check_mutation_gate(["app.py"])
            return job.status, state.certainty, gate.decision

    assert asyncio.run(ask()) == ("succeeded", "certain", "allow")


def test_a_daemon_runs_what_is_queued(root: Path, home: Path) -> None:
    """Nobody has to run it: it is done by the time somebody looks, and both sides give the same answers."""
    with Daemon(root, home) as daemon, everdex.open(root) as index:
        assert daemon.run("callers", "helper").code == 0
        (root / "core.py").write_text(CORE.replace("(a)", "(a, b)"))
        with daemon.wire() as wire:
            queued = wire.call("refresh", scope={"files": ["core.py"]})["result"]["job_id"]
            bad = wire.call("refresh", scope={"files": ["../x"]})["error"]["code"]
        assert bad == "usage"
        if queued is not None:  # or the daemon was faster than we
            until(lambda: index.get_job_status(queued).status not in ("queued", "running"), "the job")
            assert index.get_job_status(queued).status == "succeeded"
        ours = everdex.open(root, daemon=False)
        assert index.gate(["app.py"]).files == ours.gate(["app.py"]).files
        assert index.state().files == ours.state().files
        ours.close()


@pytest.mark.parametrize("with_daemon", [True, False])
def test_doubts_of_a_rename_are_taken_by_name(tmp_path: Path, home: Path, with_daemon: bool) -> None:
    """With a daemon or without: the same plan, and what is carried out is what it showed."""
    files = {"box.py": "class Box:\n    def unpack(self): ...\n", "app.py": "def go(x):\n    x.unpack()\n"}
    root = tree(tmp_path / "renamed", files)
    with Daemon(root, home) if with_daemon else nullcontext(), everdex.open(root, daemon=with_daemon) as index:
        plain = index.rename_plan("Box.unpack", "unwrap")
        taken = index.rename_plan("Box.unpack", "unwrap", take=["app.py:2"])
        assert [doubt.takeable for doubt in plain.doubts] == [True]
        assert [(edit.path, edit.doubt) for edit in taken.edits] == [("app.py", "untyped parameter"), ("box.py", "")]
        assert index.rename_apply(taken.plan_id or "").edits == 2
    assert (root / "app.py").read_text() == "def go(x):\n    x.unwrap()\n"
