"""A semantic context is indexed as a job: what it imports is about the bytes that are there, and nothing is lost."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everdex import config, versions
from everdex.errors import Busy, StorageFailure
from everdex.semantic import kept
from everdex.semantic.running import Run
from everdex.service import indexing
from everdex.service.work import OwnWork
from everdex.snapshot.guard import lock_for_life
from everdex.state import scopes
from everdex.state.jobs import LOCK, JobRecords, JobStatus
from everdex.state.scopes import RefreshScope
from support.processes import Child, alive, until
from support.scenes import CONTEXT, FILES, Scene
from support.stores import Workspace
from support.trees import commit_all, run_git

# Runs a job and is killed while the indexer is at work.
_DYING = """
from everdex.service.refreshing import RefreshJobs
from everdex.service.index import Index
RefreshJobs(Index.open(ARGS[0])).run(int(ARGS[1]))
"""


_ALL = {"core.py", "app.py", "lone.py"}


def test_an_indexed_context_is_current_until_something_changes(scene: Scene) -> None:
    """Then there is nothing to do; a changed file, configuration or tool makes it behind."""
    assert scene.state() == "never"
    done = scene.run()
    assert (done.status, done.error, done.context) == (JobStatus.SUCCEEDED, None, "python:.")
    assert done.files == len(_ALL)
    assert (scene.state(), scene.current()) == ("current", _ALL)
    assert indexing.enqueue(scene.index) == ([], [])
    scene.made.write({"lone.py": "def alone():\n    return 2\n"})
    assert (scene.state(), scene.current()) == ("behind", _ALL - {"lone.py"})
    scene.made.write({"lone.py": FILES["lone.py"]})
    assert scene.state() == "current"
    scene.made.write({"pyproject.toml": "[project]\nname = 'q'\n"})
    assert scene.state() == "behind"


def test_a_scope_that_is_current_needs_no_job(scene: Scene) -> None:
    """Only what was asked for counts."""
    scene.run()
    scene.made.write({"lone.py": "x = 1\n"})
    assert indexing.enqueue(scene.index, scope=RefreshScope(files=("core.py", "app.py"))) == ([], [])
    assert scene.enqueue(RefreshScope(files=("lone.py",)))


def test_a_file_that_changes_meanwhile_is_left_out_and_queued_again(scene: Scene) -> None:
    """The rest is imported; the job that follows covers what was left."""
    done = scene.run(scene.meddling(lambda: scene.made.write({"lone.py": "def other():\n    return 3\n"})))
    assert done.status is JobStatus.SUCCEEDED
    assert done.result is not None
    assert (done.result["indexed"], done.result["left"]) == (2, 1)
    assert scene.current() == {"core.py", "app.py"}
    following = scene.jobs.next_queued(semantic=True)
    assert following is not None
    assert scene.jobs.status(following).trigger_reason == "changed_during_run"
    assert scene.jobs.status(following).scope == RefreshScope(files=("lone.py",))
    scene.answer_now()
    assert scene.jobs.run(following).status is JobStatus.SUCCEEDED
    assert (scene.current(), scene.state()) == (_ALL, "current")


def test_a_file_deleted_meanwhile_has_no_facts(scene: Scene) -> None:
    """The snapshot decides what there is."""
    done = scene.run(scene.meddling(lambda: scene.made.remove("lone.py")))
    assert done.status is JobStatus.SUCCEEDED
    assert scene.current() == {"core.py", "app.py"}


def test_another_head_alone_loses_nothing(scene: Scene) -> None:
    """HEAD is read afresh; files that are the same under it are imported."""
    done = scene.run(scene.meddling(lambda: commit_all(scene.made.path, "another")))
    assert done.status is JobStatus.SUCCEEDED
    assert done.result is not None
    assert done.result["head"] == run_git(scene.made.path, "rev-parse", "HEAD").strip() != done.head_at_enqueue
    assert scene.current() == _ALL


def test_another_head_with_other_files_leaves_those_out(scene: Scene) -> None:
    """A checkout while the indexer runs is an edit of many files."""

    def checkout() -> None:
        scene.made.write({"core.py": "def helper(a, b):\n    return b\n"})
        commit_all(scene.made.path, "another")

    scene.run(scene.meddling(checkout))
    assert scene.current() == {"app.py", "lone.py"}


def test_another_configuration_meanwhile_supersedes_the_job(scene: Scene) -> None:
    """Its answer is about a project that is no more; its successor covers the same, and nothing was imported."""
    done = scene.run(scene.meddling(lambda: scene.made.write({"pyproject.toml": "[tool.x]\n"})))
    assert (done.status, done.superseded_reason) == (JobStatus.SUPERSEDED, "config_changed")
    assert (scene.current(), scene.state()) == (set(), "queued")
    following = scene.jobs.next_queued(semantic=True)
    assert following is not None
    assert scene.jobs.run(following).status is JobStatus.SUCCEEDED
    assert scene.current() == _ALL


def test_a_job_that_was_superseded_meanwhile_imports_nothing(scene: Scene) -> None:
    """It is read again before the import, not remembered."""
    number = scene.enqueue()

    class Superseding(OwnWork):
        def indexing(self, run: Run) -> None:
            JobRecords(scene.made.store).superseded(number, "by hand")

    done = scene.jobs.run(number, Superseding(scene.index))
    assert (done.status, done.superseded_reason) == (JobStatus.SUPERSEDED, "by hand")
    assert scene.current() == set()


def test_a_job_has_succeeded_only_after_its_import(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the import runs the job does, and an import that fails is no success."""
    number, seen = scene.enqueue(), []

    def refusing(*_: object) -> None:
        seen.append(scene.jobs.status(number).status)
        raise StorageFailure("the disk is full")

    monkeypatch.setattr(indexing, "import_scip", refusing)
    done = scene.jobs.run(number)
    assert seen == [JobStatus.RUNNING]
    assert (done.status, done.error_code, done.error) == (JobStatus.FAILED, "io_error", "the disk is full")


def test_an_answer_that_is_garbage_changes_nothing(scene: Scene) -> None:
    """What was imported before stays."""
    scene.run()
    scene.made.write({"lone.py": "x = 1\n"})
    scene.install('open(output, "wb").write(os.urandom(4_096))')
    done = scene.run()
    assert (done.status, done.error_code) == (JobStatus.FAILED, "scip_invalid")
    assert (scene.current(), scene.state()) == (_ALL - {"lone.py"}, "failed")


def test_a_running_job_is_followed_by_what_it_did_not_cover(scene: Scene) -> None:
    """Asked for more while it runs, it remembers; what its answer did not bring is queued after it."""
    number = scene.enqueue(RefreshScope(files=("core.py",)))

    def ask_for_more() -> None:
        scene.made.write({"later.py": "def other():\n    return 3\n"})
        assert indexing.enqueue(scene.index, scope=RefreshScope(files=("later.py",)))[0] == [number]

    done = scene.jobs.run(number, scene.meddling(ask_for_more))
    assert (done.status, done.widened) == (JobStatus.SUCCEEDED, True)
    assert done.desired_scope == RefreshScope(files=("core.py", "later.py"))
    following = scene.jobs.next_queued(semantic=True)
    assert following is not None
    next_job = scene.jobs.status(following)
    assert (next_job.trigger_reason, next_job.scope) == ("widened", done.desired_scope)


def test_contexts_have_jobs_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A queued job of one is not widened for another, nor for files and references."""
    files = {**FILES, "sub/setup.py": "", "sub/inner.py": "x = 1\n"}
    scene = Scene(tmp_path, monkeypatch, files)
    scene.made.write({"lone.py": "x = 1\n"})
    plain = scene.jobs.enqueue()
    assert plain is not None
    numbers, missing = indexing.enqueue(scene.index)
    assert len({*numbers, plain}) == 3
    assert missing == []
    assert [scene.jobs.status(number).context for number in numbers] == ["python:.", "python:sub"]
    assert indexing.enqueue(scene.index)[0] == numbers
    assert scene.jobs.next_queued() == plain


def test_an_outer_context_keeps_nothing_of_an_inner_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its indexer reads those files too, but they are not its own."""
    scene = Scene(tmp_path, monkeypatch, {**FILES, "sub/setup.py": "", "sub/inner.py": "x = 1\n"})
    (number, _), _ = indexing.enqueue(scene.index)
    assert scene.jobs.run(number).status is JobStatus.SUCCEEDED
    facts = kept.ContextFacts(kept.facts_path(scene.made.store, CONTEXT))
    assert {entry.path for entry in facts.entries} == _ALL


def test_one_process_runs_indexers_and_others_are_not_in_its_way(scene: Scene) -> None:
    """A second is told that it is busy; jobs for files and references run meanwhile."""
    number = scene.enqueue()
    store = scene.made.store
    handle = lock_for_life(store.indexer_lock, store.permissions)
    with pytest.raises(Busy):
        scene.jobs.run(number)
    assert JobRecords(store).claim(number) is not None  # by whoever holds the lock
    scene.made.write({"lone.py": "x = 1\n"})
    plain = scene.jobs.enqueue()
    assert plain is not None
    assert scene.jobs.run(plain).status is JobStatus.SUCCEEDED
    assert scene.jobs.status(number).status is JobStatus.RUNNING
    os.close(handle)
    handle = lock_for_life(store.locks / LOCK, store.permissions)
    assert scene.jobs.run(number).status is JobStatus.SUCCEEDED
    os.close(handle)


def test_the_job_of_a_killed_process_is_taken_up_again(scene: Scene) -> None:
    """And nothing of its indexer's is left on disk or running."""
    number = scene.enqueue()
    scene.answer_now('open(os.environ["TMPDIR"] + "/here", "w").write(str(os.getpid()))\ntime.sleep(600)')
    with Child(_DYING, str(scene.made.path), str(number)) as child:
        told = _wait_for(scene.made, "here")
        os.kill(child.process.pid, signal.SIGKILL)
        until(lambda: not alive(told), "its end")
    assert scene.jobs.status(number).status is JobStatus.RUNNING
    scene.answer_now()
    done = scene.jobs.run(number)
    assert (done.status, done.attempts) == (JobStatus.SUCCEEDED, 2)
    assert not (scene.made.store.scratch).exists()


def test_a_cancelled_job_is_queued_again(scene: Scene) -> None:
    """As if it had not been begun."""
    number = scene.enqueue()
    scene.answer_now("time.sleep(600)")

    class Leaving(OwnWork):
        def indexing(self, run: Run) -> None:
            threading.Timer(0.3, run.cancel).start()

    left = scene.jobs.run(number, Leaving(scene.index))
    assert (left.status, left.attempts) == (JobStatus.QUEUED, 0)


def test_a_budget_ends_the_indexer(scene: Scene) -> None:
    """The job has failed, and says by what."""
    scene.answer_now("time.sleep(600)")
    numbers, _ = indexing.enqueue(scene.index, budget_ms=1)
    done = scene.jobs.run(numbers[0])
    assert (done.status, done.error_code) == (JobStatus.FAILED, "timeout")


def _wait_for(made: Workspace, name: str) -> int:
    """What an indexer wrote into its directory for temporary files."""
    (found,) = until(lambda: [path for path in made.store.scratch.glob(f"*/tmp/{name}") if path.read_text()], name)
    return int(found.read_text())


_NAMES = st.sampled_from(["a.py", "pkg/a.py", "pkg/sub/b.py", "other/c.py"])


_SCOPES = st.none() | st.builds(
    RefreshScope,
    files=st.none() | st.lists(_NAMES, min_size=1).map(tuple),
    packages=st.none() | st.lists(st.sampled_from(["pkg", "pkg/sub", "other"]), min_size=1).map(tuple),
    changed_since=st.none() | st.floats(0, 10),
).filter(lambda scope: scope != RefreshScope()).map(scopes.checked)


@given(_SCOPES, _SCOPES, _SCOPES, _NAMES, st.floats(0, 10))
def test_scopes_are_a_lattice(
    one: RefreshScope | None, other: RefreshScope | None, third: RefreshScope | None, name: str, changed_at: float
) -> None:
    """The union does not depend on order, covers both, adds nothing to what covers already; everything is widest."""
    both = scopes.merged(one, other)
    assert both == scopes.merged(other, one)
    assert scopes.merged(both, third) == scopes.merged(one, scopes.merged(other, third))
    assert scopes.merged(both, one) == both
    assert scopes.merged(one, None) is None
    covered = scopes.contains(one, name, changed_at) or scopes.contains(other, name, changed_at)
    assert scopes.contains(both, name, changed_at) is covered


def test_records_of_before_there_were_contexts_are_kept(scene: Scene) -> None:
    """The file is brought to the new form by whoever opens it."""
    scene.made.write({"lone.py": "x = 1\n"})
    number = scene.jobs.enqueue()
    assert number is not None
    with sqlite3.connect(JobRecords(scene.made.store).path) as connection:
        connection.execute("ALTER TABLE jobs DROP COLUMN context")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert scene.jobs.status(number).context is None
    assert scene.run().status is JobStatus.SUCCEEDED


@pytest.mark.parametrize("artifact", ["semantic", "jobs"])
def test_another_form_of_what_is_kept_indexes_nothing_again(monkeypatch: pytest.MonkeyPatch, artifact: str) -> None:
    """Neither what indexers said nor a job is a part of what a store is for."""
    before = config.config_fingerprint(config.IndexConfig(), "model")
    monkeypatch.setitem(versions.ARTIFACTS, artifact, versions.SchemaRange(9, 9, 9))
    assert config.config_fingerprint(config.IndexConfig(), "model") == before
