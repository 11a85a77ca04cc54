"""Refresh jobs: asked for once, run once, never lost, and honest about what became of them."""

from __future__ import annotations

import os
import signal
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from everdex import limits
from everdex.errors import Busy, DaemonStopping, Incompatible, UsageError
from everdex.service.index import Index, Reading
from everdex.service.refreshing import RefreshJobs, jobs_answer
from everdex.service.work import OwnWork
from everdex.snapshot.guard import lock_for_life
from everdex.state import jobs as records
from everdex.state import scopes
from everdex.state.jobs import JobRecords, JobStatus
from everdex.state.scopes import RefreshScope
from everdex.sync.model import SyncOptions
from support.processes import PATIENCE_S, Child
from support.stores import Workspace, synced
from support.trees import commit_all

_FILES = {"core.py": "def helper(a):\n    return a\n", "pkg/app.py": "from core import helper\nhelper(1)\n"}

# Runs a job and is killed in the middle of it.
_DYING = """
import os, signal
from everdex.service.refreshing import RefreshJobs
from everdex.service.index import Index
from everdex.service.work import OwnWork
class Fatal(OwnWork):
    def sync(self, options):
        os.kill(os.getpid(), signal.SIGKILL)
index = Index.open(ARGS[0])
RefreshJobs(index).run(int(ARGS[1]), Fatal(index))
"""


def _files(*names: str) -> RefreshScope:
    return RefreshScope(files=names)


def _made(tmp_path: Path, *, git: bool = False) -> tuple[Workspace, RefreshJobs]:
    made = synced(tmp_path / "tree", _FILES, git=git)
    return made, RefreshJobs(Index.open(made.path))


# -- scopes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (_files("b"), _files("a", "b"), _files("a", "b")),
        (_files("pkg/a"), RefreshScope(packages=("pkg",)), RefreshScope(packages=("pkg",))),
        (RefreshScope(packages=("pkg/sub",)), RefreshScope(packages=("pkg",)), RefreshScope(packages=("pkg",))),
        (RefreshScope(changed_since=5.0), RefreshScope(changed_since=3.0), RefreshScope(changed_since=3.0)),
        (RefreshScope(changed_since=5.0), _files("a"), RefreshScope(files=("a",), changed_since=5.0)),
        (_files("a"), None, None),
    ],
)
def test_scopes_only_widen(one: RefreshScope, other: RefreshScope | None, both: RefreshScope | None) -> None:
    """The union covers both, whichever comes first; merging again changes nothing."""
    assert scopes.merged(one, other) == both == scopes.merged(other, one)
    assert scopes.merged(both, one) == both
    assert scopes.decode(scopes.encode(both)) == both


def test_a_scope_of_very_many_names_is_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the limit each name counts; beyond it nobody goes through a list."""
    monkeypatch.setattr(limits, "MAX_SCOPE_NAMES", 3)
    three = RefreshScope(("a.py", "b.py"), ("src",))
    assert scopes.checked(three) == three
    assert scopes.checked(RefreshScope(("a.py", "b.py", "c.py"), ("src",))) is None


def test_a_scope_says_what_is_in_it() -> None:
    """A package has what lies below it and no neighbour; a file whose time nobody knows may have changed."""
    scope = RefreshScope(files=("a.py",), packages=("pkg",), changed_since=10.0)
    assert [scopes.contains(scope, path, 1.0) for path in ("a.py", "pkg/x/y.py", "pkgs/z.py")] == [True, True, False]
    assert scopes.contains(scope, "gone.py", None)
    assert [scopes.contains(scope, "b.py", changed_at) for changed_at in (9.9, 10.0)] == [False, True]
    assert scopes.contains(RefreshScope(packages=(".",)), "any/where.py", 1.0)  # the root is a directory too


@pytest.mark.parametrize(
    "bad", [RefreshScope(), _files("../x"), _files("/etc/passwd"), _files(""), RefreshScope(changed_since=-1.0)]
)
def test_a_scope_without_meaning_is_refused(bad: RefreshScope) -> None:
    """Outside the root, empty or before all time."""
    with pytest.raises(UsageError):
        scopes.checked(bad)


# -- asking --------------------------------------------------------------------------------------


def test_nothing_to_do_is_no_job(tmp_path: Path) -> None:
    """Once index and graph are current, also of the asked scope only, there is none."""
    made, jobs = _made(tmp_path)
    number = jobs.enqueue()  # the graph was never made
    assert number is not None
    assert jobs.run(number).status is JobStatus.SUCCEEDED
    assert jobs.enqueue() is None
    made.write({"core.py": "def helper(a, b):\n    return a\n"})
    assert jobs.enqueue(RefreshScope(packages=("pkg",))) is None
    assert jobs.enqueue(_files("core.py")) is not None


def test_requests_are_merged(tmp_path: Path) -> None:
    """A queued job is widened; what it covers already is nothing new."""
    _, jobs = _made(tmp_path)
    first = jobs.enqueue(_files("core.py"))
    assert first is not None
    assert jobs.enqueue(_files("core.py")) is None
    assert jobs.enqueue(RefreshScope(packages=("pkg",))) == first
    assert jobs.status(first).scope == RefreshScope(files=("core.py",), packages=("pkg",))


def test_another_head_supersedes_a_queued_job_and_keeps_its_scope(tmp_path: Path) -> None:
    """Its successor covers what it would have."""
    made, jobs = _made(tmp_path, git=True)
    first = jobs.enqueue(_files("core.py"))
    commit_all(made.path, "another")
    second = jobs.enqueue(_files("pkg/app.py"))
    assert first is not None
    assert second is not None
    assert (jobs.status(first).status, jobs.status(first).superseded_reason) == (JobStatus.SUPERSEDED, "head_changed")
    assert jobs.status(second).scope == _files("core.py", "pkg/app.py")


def test_a_running_job_is_followed_by_what_it_did_not_cover(tmp_path: Path) -> None:
    """Asked to widen while it runs, it remembers; the rest is queued when it is done."""
    made, jobs = _made(tmp_path)
    made.write({"core.py": "def helper(a, b):\n    return a\n"})
    first = jobs.enqueue(_files("core.py"))
    assert first is not None

    class Widening(OwnWork):
        def resolve(self, options: SyncOptions) -> str:
            found = super().resolve(options)
            made.write({"pkg/app.py": "from core import helper\nhelper(2)\n"})
            assert jobs.enqueue(RefreshScope(packages=("pkg",))) == first
            return found

    done = jobs.run(first, Widening(Index.open(made.path)))
    assert (done.status, done.widened) == (JobStatus.SUCCEEDED, True)
    following = jobs.next_queued()
    assert following is not None
    assert jobs.status(following).trigger_reason == "widened"
    assert jobs.run(following).status is JobStatus.SUCCEEDED
    assert jobs.enqueue() is None


def test_a_file_that_changes_while_a_job_runs_is_queued_again(tmp_path: Path) -> None:
    """The rest is imported; success tells how many are left, and another job has them."""
    made, jobs = _made(tmp_path)
    made.write({"core.py": "def helper(a, b):\n    return a\n"})
    number = jobs.enqueue()
    assert number is not None

    class Disturbed(OwnWork):
        def resolve(self, options: SyncOptions) -> str:
            found = super().resolve(options)
            made.write({"core.py": "def helper(a, b, c):\n    return a\n"})
            return found

    done = jobs.run(number, Disturbed(Index.open(made.path)))
    assert (done.status, done.files, done.result) == (JobStatus.SUCCEEDED, 1, {"indexed": 0, "left": 1})
    following = jobs.next_queued()
    assert following is not None
    assert (jobs.status(following).scope, jobs.status(following).trigger_reason) == (
        _files("core.py"), "changed_during_run",
    )  # fmt: skip


# -- running -------------------------------------------------------------------------------------


def test_a_job_runs_once(tmp_path: Path) -> None:
    """Whoever comes second gets the record of what became of it."""
    _, jobs = _made(tmp_path)
    number = jobs.enqueue()
    assert number is not None
    first = jobs.run(number)
    assert jobs.run(number) == first
    assert first.attempts == 1


def test_one_process_at_a_time_runs_jobs(tmp_path: Path) -> None:
    """While another holds the lock a job stays queued."""
    made, jobs = _made(tmp_path)
    number = jobs.enqueue()
    assert number is not None
    handle = lock_for_life(made.store.locks / records.LOCK, made.store.permissions)
    with pytest.raises(Busy):
        jobs.run(number)
    os.close(handle)
    assert jobs.status(number).status is JobStatus.QUEUED


def test_a_job_of_a_killed_process_is_taken_up_again(tmp_path: Path) -> None:
    """It was running when its process died: the next one runs it, and gives up after three such deaths."""
    made, jobs = _made(tmp_path)
    number = jobs.enqueue()
    assert number is not None

    def die() -> None:
        with Child(_DYING, made.path, number) as child:
            assert child.process.wait(timeout=PATIENCE_S) == -signal.SIGKILL

    die()
    assert jobs.status(number).status is JobStatus.RUNNING
    done = jobs.run(number)
    assert (done.status, done.attempts) == (JobStatus.SUCCEEDED, 2)
    made.write({"core.py": "x = 1\n"})
    number = jobs.enqueue()
    assert number is not None
    for _ in range(3):
        die()
    gone = jobs.run(number)
    assert (gone.status, gone.error_code) == (JobStatus.FAILED, "interrupted")


def test_what_a_killed_job_was_asked_to_cover_too_is_not_lost(tmp_path: Path) -> None:
    """Its process died after it was widened: taken up again, it covers both."""
    made, jobs = _made(tmp_path)
    made.write({"core.py": "x = 1\n", "pkg/app.py": "y = 2\n"})
    number = jobs.enqueue(_files("core.py"))
    assert number is not None
    kept = records.JobRecords(made.store)
    assert kept.claim(number) is not None  # and whoever did so is gone
    assert jobs.enqueue(_files("pkg/app.py")) == number
    kept.recover(semantic=False)
    again = kept.get(number)
    assert (again.status, again.scope) == (JobStatus.QUEUED, _files("core.py", "pkg/app.py"))
    assert not again.widened


def test_a_job_of_a_daemon_that_leaves_is_left_to_the_next(tmp_path: Path) -> None:
    """It is queued again as if it had not been begun."""
    made, jobs = _made(tmp_path)
    number = jobs.enqueue()
    assert number is not None

    class Leaving(OwnWork):
        def resolve(self, options: SyncOptions) -> str:
            raise DaemonStopping("the daemon is leaving")

    left = jobs.run(number, Leaving(Index.open(made.path)))
    assert (left.status, left.attempts) == (JobStatus.QUEUED, 0)
    assert jobs.run(number).status is JobStatus.SUCCEEDED


def test_a_shared_store_shares_its_jobs(tmp_path: Path) -> None:
    """The records have the mode of the store's other files."""
    made, jobs = _made(tmp_path)
    jobs.enqueue()
    assert JobRecords(made.store).path.stat().st_mode & 0o777 == made.store.permissions.file


def test_a_spent_budget_fails_the_job(tmp_path: Path) -> None:
    """It says so, and nothing that was published before is lost."""
    made, jobs = _made(tmp_path)
    made.write({f"more{number}.py": f"x = {number}\n" for number in range(20)})
    number = jobs.enqueue(budget_ms=1)
    assert number is not None
    done = jobs.run(number)
    assert (done.status, done.error_code) == (JobStatus.FAILED, "timeout")
    assert jobs.enqueue() is not None


def test_jobs_of_a_snapshot_are_those_that_ended_in_it(tmp_path: Path) -> None:
    """Whoever looks at a snapshot learns which job brought it about."""
    made, jobs = _made(tmp_path)
    first = jobs.run(jobs.enqueue() or 0)
    made.write({"core.py": "def helper(a, b):\n    return a\n"})
    second = jobs.run(jobs.enqueue() or 0)
    index = Index.open(made.path)
    for job in (first, second):
        answer = jobs_answer(index, 20, None, Reading(snapshot_id=job.snapshot_id)).to_dict()
        assert ([item["id"] for item in answer["jobs"]], answer["snapshot_id"]) == ([job.id], job.snapshot_id)
    newest = jobs_answer(index, 1, None, Reading()).to_dict()
    assert ([item["id"] for item in newest["jobs"]], newest["omitted"]) == ([second.id], 1)


def test_a_damaged_file_is_begun_anew(tmp_path: Path) -> None:
    """Records are not the truth about anything: what is behind is found again."""
    made, jobs = _made(tmp_path)
    jobs.enqueue()
    path = JobRecords(made.store).path
    path.write_bytes(b"not a database at all" * 200)
    assert jobs.newest() == []
    assert jobs.enqueue() == 1


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    """A schema that this everdex does not know is left alone."""
    made, jobs = _made(tmp_path)
    jobs.enqueue()
    with sqlite3.connect(JobRecords(made.store).path) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(Incompatible):
        jobs.newest()


def test_finished_jobs_are_forgotten_in_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the newest are remembered; a number that is gone is a usage error."""
    made, _ = _made(tmp_path)
    monkeypatch.setattr(limits, "JOBS_KEPT", 3)
    kept = JobRecords(made.store)
    for _ in range(6):
        number = kept.enqueue(None, None, "test", 1_000)
        assert number is not None
        kept.claim(number)
        kept.succeeded(number, "", {})
    assert [job.id for job in kept.newest(100)] == [6, 5, 4]
    with pytest.raises(UsageError):
        kept.get(1)


def test_a_job_that_was_taken_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit waits for the disk: power lost after the answer loses no job."""
    modes = []

    class Watched(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if sql == "COMMIT":
                modes.append(super().execute("PRAGMA synchronous").fetchone()[0])
            return super().execute(sql, *values)

    connect = sqlite3.connect
    made = synced(tmp_path / "tree", _FILES)
    monkeypatch.setattr(sqlite3, "connect", lambda *args, **named: connect(*args, factory=Watched, **named))
    JobRecords(made.store).recover(semantic=False)
    assert set(modes) == {2}  # FULL
