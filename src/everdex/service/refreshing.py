"""Refresh jobs: bring files and their references up to date. Anybody may ask for one; one process at a time runs them.

A job syncs the index and makes the graph of the new snapshot, and has succeeded when both are on disk. Files that
changed while it ran are found by comparing the tree afterwards, and queued again; so is whatever was added to its scope
meanwhile. When the running process dies its lock is free, and the next one takes the job up again. Jobs of semantic
contexts are done by `indexing`, under a lock of their own.
"""

from __future__ import annotations

import os
import time
from typing import Any, Final

import msgspec

from everdex import clock, limits
from everdex.changes import git_state
from everdex.changes.model import ChangeSet
from everdex.errors import Busy, DaemonStopping, EverdexError, NotIndexed, UsageError
from everdex.graph.making.keep import graph_path
from everdex.graph.resolvers import Resolvers
from everdex.service import answers, indexing, paging
from everdex.service.answers import Answer
from everdex.service.index import Index, Reading
from everdex.service.work import OwnWork, Work, told, within
from everdex.settings import SEMANTIC, semantic_unasked
from everdex.snapshot import active
from everdex.snapshot.guard import lock_for_life
from everdex.state import scopes
from everdex.state.jobs import LOCK, OPEN, JobRecords, RefreshJob
from everdex.state.now import TreeNow
from everdex.state.scopes import RefreshScope
from everdex.sync.model import Progress, SyncOptions, silent
from everdex.view import open_view

MAX_LISTED: Final = limits.JOBS_KEPT
_POLL_S: Final = 0.05


class RefreshJobs:
    """The refresh jobs of one root."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def enqueue(
        self, scope: RefreshScope | None = None, *, reason: str = "asked", budget_ms: int = limits.JOB_BUDGET_MS
    ) -> int | None:
        """The job that will refresh a scope; None when all of it is current, or an open job covers it."""
        if not 1 <= budget_ms <= limits.MAX_JOB_BUDGET_MS:
            raise UsageError(f"budget_ms must be between 1 and {limits.MAX_JOB_BUDGET_MS:,}")
        wanted = scopes.checked(scope)
        if not self._behind(wanted):
            return None
        store = self._index.create_store()
        head = git_state(self._index.root, self._index.untracked).head_sha
        return JobRecords(store).enqueue(wanted, head, reason, budget_ms)

    def run(self, number: int, work: Work | None = None) -> RefreshJob:
        """Run a queued job and give its record; `Busy` while another process runs one. A finished one stays so."""
        store = self._index.store()
        records = JobRecords(store)
        semantic = records.get(number).context is not None  # one that does not exist is no reason to wait for a lock
        handle = lock_for_life(store.indexer_lock if semantic else store.locks / LOCK, store.permissions)
        try:
            records.recover(semantic=semantic)
            job = records.claim(number)
            if job is None:
                return records.get(number)
            chosen = work or OwnWork(self._index)
            if semantic:
                return indexing.run(self._index, records, job, chosen)
            return self._run(records, job, chosen)
        finally:
            os.close(handle)

    def finish(self, number: int, shown: Progress) -> RefreshJob:
        """A job's record once it is done: run here, or by the process that runs jobs now."""
        deadline = time.monotonic() + limits.MAX_JOB_BUDGET_MS / 1000
        while True:
            try:
                return self.run(number, OwnWork(self._index, shown))
            except Busy:
                if time.monotonic() > deadline:
                    raise
                shown("wait", 0, 0)
                time.sleep(_POLL_S)

    def status(self, number: int) -> RefreshJob:
        return JobRecords(self._index.store()).get(number)

    def newest(self, most: int = MAX_LISTED) -> list[RefreshJob]:
        return JobRecords(self._index.store()).newest(most)

    def next_queued(self, *, semantic: bool = False) -> int | None:
        return JobRecords(self._index.store()).next_queued(semantic=semantic)

    def open_job(self) -> int | None:
        """The newest job for files and references that is not finished."""
        try:
            return next((job.id for job in self.newest() if job.status in OPEN and job.context is None), None)
        except NotIndexed:
            return None

    # -- running -------------------------------------------------------------------------------

    def _run(self, records: JobRecords, job: RefreshJob, work: Work) -> RefreshJob:
        options = SyncOptions(progress=within(job, work))
        try:
            changes = self._index.preview().changes
            now = TreeNow(self._index.root, changes)
            inside = _inside(job.scope, changes)
            began = {path: content.content_hash if (content := now.content(path)) else None for path in inside}
            records.begun(job.id, began)
            work.sync(options)
            snapshot_id = work.resolve(options)
            # Fresh, after everything is on disk: whatever is another by now was not covered.
            left = _inside(job.scope, self._index.preview().changes)
        except DaemonStopping:
            return records.released(job.id)  # the next daemon runs it
        except EverdexError as error:
            return records.failed(job.id, error.code, error.message)
        except BaseException as error:
            records.failed(job.id, *told(error))
            raise
        done = records.succeeded(job.id, snapshot_id, {"indexed": len(inside) - len(left), "left": len(left)})
        if left:
            self.enqueue(scopes.of_files(left), reason="changed_during_run", budget_ms=job.budget_ms)
        if done.widened:
            self.enqueue(done.desired_scope, reason="widened", budget_ms=job.budget_ms)
        return done

    def _behind(self, scope: RefreshScope | None) -> bool:
        """Whether anything in a scope is not indexed as it is, or the graph is of another snapshot."""
        detected = self._index.preview()
        if detected.base is None or _inside(scope, detected.changes):
            return True
        try:
            with open_view(self._index.store()) as view:
                return not graph_path(view, Resolvers()).is_file()
        except NotIndexed:
            return True


def _inside(scope: RefreshScope | None, changes: ChangeSet) -> list[str]:
    """The changed files of a scope."""
    times = {item.path_key: item.stat.mtime_ns / 1e9 for item in changes.to_index}
    gone = (*changes.delete, *(old for old, _ in changes.rename))
    return sorted(path for path in {*times, *gone} if scopes.contains(scope, path, times.get(path)))


# -- answers -------------------------------------------------------------------------------------


def job_dict(job: RefreshJob) -> dict[str, Any]:
    fields = msgspec.to_builtins(job)
    for name in ("created_at", "started_at", "finished_at"):
        fields[name] = None if fields[name] is None else clock.rfc3339(fields[name])
    return dict(fields)


def enqueue_answer(index: Index, scope: RefreshScope | None, *, budget_ms: int) -> Answer:
    jobs = RefreshJobs(index)
    number = jobs.enqueue(scope, budget_ms=budget_ms)
    return _answer(index, {"job_id": number, "job": None if number is None else job_dict(jobs.status(number))})


def jobs_answer(index: Index, most: int, number: int | None, reading: Reading) -> Answer:
    """The newest jobs, or the one of that number; with a snapshot only those that ended in it."""
    jobs = RefreshJobs(index)
    found = jobs.newest() if number is None else [jobs.status(number)]
    if reading.snapshot_id is not None:
        found = [job for job in found if job.snapshot_id == reading.snapshot_id]
    jobs_shown = paging.Room().fill(map(job_dict, found[:most]), least=1)
    body = {"jobs": jobs_shown, "omitted": len(found) - len(jobs_shown)}
    if reading.snapshot_id is None:
        return _answer(index, body, reading.warnings)
    origin = answers.origin_of(active.retained(index.store(), reading.snapshot_id))
    return Answer(origin, index.query_fingerprint, answers.PINNED, body, warnings=reading.warnings)


def _answer(index: Index, body: dict[str, Any], warnings: tuple[str, ...] = ()) -> Answer:
    """Jobs are of the store, not of a snapshot."""
    return Answer(index.tree_origin(), index.query_fingerprint, answers.UNCHECKED, body, warnings=warnings)


def refresh_answer(
    index: Index, scope: RefreshScope | None, *, budget_ms: int, shown: Progress = silent
) -> Answer:
    """Have a scope refreshed and wait for it; `job` is null when all of it was current."""
    jobs = RefreshJobs(index)
    number = jobs.enqueue(scope, budget_ms=budget_ms)
    if number is None:
        number = jobs.open_job()  # one that covers it
    if number is None:
        return _answer(index, {"job_id": None, "job": None})
    return _answer(index, {"job_id": number, "job": job_dict(jobs.finish(number, shown))})


def semantic_answer(
    index: Index, context: str | None, scope: RefreshScope | None, *, budget_ms: int = limits.JOB_BUDGET_MS,
    queue: bool = False, shown: Progress = silent,
) -> Answer:  # fmt: skip
    """Have semantic contexts indexed (or the one named) and, unless only `queue`d, wait for it.

    `jobs` is empty when all were current; `missing` tells which contexts have no indexer here.
    """
    if queue and not semantic_unasked():
        raise UsageError(
            "the daemon may not run indexers, so a queued job would wait for ever",
            hint=f"leave --queue out, or allow it: {SEMANTIC}=1 for the daemon, or [semantic] unasked = true in "
            "config.toml of EVERDEX_HOME",
        )
    numbers, missing = indexing.enqueue(index, context, scope, budget_ms=budget_ms, shown=shown)
    jobs = RefreshJobs(index)
    done = [jobs.status(number) if queue else jobs.finish(number, shown) for number in numbers]
    kept_out = [{"code": error.code, "message": error.message, "hint": error.hint} for error in missing]
    return _answer(index, {"jobs": [job_dict(job) for job in done], "missing": kept_out})
