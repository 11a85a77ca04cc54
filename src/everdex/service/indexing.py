"""A semantic context indexed, as a job: an indexer is run over a copy of the snapshot, and what still holds is kept.

The order is what makes it right: the job is claimed, the files and their hashes are recorded, the indexer runs; then
job, HEAD and tree are looked at afresh, files that changed meanwhile are left out and queued again, the rest is
imported in one step, and only then the job has succeeded. Nothing is run that the user did not ask for: a repository
cannot queue such a job, nor name the program.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from everdex import clock, limits
from everdex.changes import git_state
from everdex.durable import make_directory
from everdex.errors import Cancelled, DaemonStopping, EverdexError, IndexerMissing, UsageError
from everdex.semantic import kept, mirror
from everdex.semantic.discovery import Project
from everdex.semantic.importing import import_scip
from everdex.semantic.model import Context
from everdex.semantic.running import Run
from everdex.semantic.tools import TOOLS, Installed
from everdex.service.contexts import Programs, current_paths, inputs_digest, is_current, named, projects_of, require
from everdex.service.index import Index
from everdex.service.work import Work, told, within
from everdex.snapshot.store import Store
from everdex.snapshot.trees import remove_all
from everdex.state import scopes
from everdex.state.jobs import JobRecords, JobStatus, RefreshJob
from everdex.state.scopes import RefreshScope
from everdex.sync.model import Progress, SyncOptions, silent
from everdex.view import SnapshotView, open_view

# -- asking --------------------------------------------------------------------------------------


def enqueue(
    index: Index, name: str | None = None, scope: RefreshScope | None = None, *, reason: str = "asked",
    budget_ms: int = limits.JOB_BUDGET_MS, shown: Progress = silent,
) -> tuple[list[int], list[EverdexError]]:  # fmt: skip
    """The jobs that will index contexts (or the one named), and what stands in the way of others.

    Contexts that are current need none; one that an open job covers is told by that job. Without any indexer at all,
    or without that of the context named, `IndexerMissing`.
    """
    if not 1 <= budget_ms <= limits.MAX_JOB_BUDGET_MS:
        raise UsageError(f"budget_ms must be between 1 and {limits.MAX_JOB_BUDGET_MS:,}")
    wanted = scopes.checked(scope)
    index.sync(SyncOptions(progress=shown), wait=True)
    store = index.store()
    numbers, missing = [], []
    with open_view(store) as view:
        programs, known = Programs(index.root.path, store), _Known(view)
        projects = projects_of(view)
        for project in projects.found if name is None else [named(projects, name)]:
            try:
                program = require(programs.of(project), project)
            except IndexerMissing as error:
                missing.append(error)
                continue
            if known.behind(project, program, wanted):
                numbers.append(_enqueue_one(index, store, project, wanted, reason, budget_ms))
    if missing and (name is not None or len(missing) == len(projects.found)):
        raise missing[0]
    return numbers, list(missing)


def due(index: Index) -> list[str]:
    """The contexts that are behind and whose indexer is installed; nothing is brought up to date for that."""
    store = index.store()
    with open_view(store) as view:
        programs, known = Programs(index.root.path, store), _Known(view)
        return [
            project.name
            for project in projects_of(view).found
            if (program := programs.of(project)) is not None
            and program.version is not None
            and known.behind(project, program, None)
        ]


def _enqueue_one(
    index: Index, store: Store, project: Project, scope: RefreshScope | None, reason: str, budget_ms: int
) -> int:
    """The job of a context, new, widened, or open and wide enough."""
    records = JobRecords(store)
    head = git_state(index.root, index.untracked).head_sha
    while True:
        number = records.enqueue(scope, head, reason, budget_ms, project.name)
        if number is not None:
            return number
        open_job = records.open_of(project.name)
        if open_job is not None:
            return open_job.id  # or it ended between both looks: once more


class _Known:
    """What the store knows of contexts, read once."""

    def __init__(self, view: SnapshotView) -> None:
        self._view = view
        self._records = JobRecords(view.store)
        self._facts = {found.context.id: found for found in kept.read_all(view.store)[0]}

    def behind(self, project: Project, program: Installed, scope: RefreshScope | None) -> bool:
        """Whether the indexer, or for a scope its answer about any file of it, would have something new to say."""
        assert program.version is not None
        facts = self._facts.get(project.id)
        if facts is not None and is_current(self._records.last_of(project.name), project, program.version):
            return False
        inside = [member.path for member in project.files if scopes.contains(scope, member.path, None)]
        return scope is None or not current_paths(self._view, facts).issuperset(inside)


# -- running -------------------------------------------------------------------------------------


def run(index: Index, records: JobRecords, job: RefreshJob, work: Work) -> RefreshJob:
    """Run a claimed job to its end; whoever calls holds the lock of those who run indexers."""
    options = SyncOptions(progress=within(job, work))
    try:
        return _run(index, records, job, work, options)
    except (Cancelled, DaemonStopping):
        return records.released(job.id)  # the next daemon runs it
    except EverdexError as error:
        return records.failed(job.id, error.code, error.message)
    except BaseException as error:
        records.failed(job.id, *told(error))
        raise


def _run(index: Index, records: JobRecords, job: RefreshJob, work: Work, options: SyncOptions) -> RefreshJob:
    began = time.monotonic()
    assert job.context is not None
    work.sync(options)
    store = index.store()
    with _scratch(store) as scratch:
        with open_view(store) as view:
            project = named(projects_of(view), job.context)
            program = require(Programs(index.root.path, store).of(project), project)
            owned = {member.path: member.content_hash for member in project.files}
            records.begun(job.id, owned)
            hashes = {line.path_key: line.content_hash for line in view.file_lines()}
            tool, tree = TOOLS[project.tool], scratch / "tree"
            tree.mkdir()
            mirror.make(tree, index.root.path, view.paths, view.source, tool)
            mirror.adjust(tree, index.root.path, project.root, tool)
        # No view is held while the indexer runs: nothing that collects garbage waits for it.
        indexer = Run(program, index.root.path, scratch, project.root, index.root.path.name)
        work.indexing(indexer)
        left_s = max(1.0, job.budget_ms / 1000 - (time.monotonic() - began))
        ran = indexer.run(left_s, lambda s: work.progress(f"indexer {project.tool} for {project.name}", s, 0))
        # Fresh, never from memory: what this job is by now, HEAD, and every file.
        if records.get(job.id).status is not JobStatus.RUNNING:
            return records.get(job.id)
        work.sync(options)
        with open_view(store) as view:
            after = next((found for found in projects_of(view).found if found.id == project.id), None)
            if after is None or after.config_hash != project.config_hash:
                return _superseded(index, records, job, "config_changed")
            assert program.version is not None
            context = Context(
                project.id, project.name, project.language, project.root, project.config_path, project.config_hash,
                project.tool, program.version,
            )  # fmt: skip
            report = import_scip(view, ran.output, context, hashes, owned, options.progress)
            head = view.manifest.git.head_sha
    snapshot_id = work.resolve(options)
    left = report.changed
    result: dict[str, Any] = {
        "indexed": report.documents, "left": len(left), "kept": report.kept, "occurrences": report.occurrences,
        "skipped": report.skipped, "head": head, "seconds": round(ran.seconds, 3), "bytes": ran.size,
        "confined": ran.confined,
        "tool_version": program.version, "inputs": None if left else inputs_digest(project, program.version),
    }  # fmt: skip
    done = records.succeeded(job.id, snapshot_id, result)
    if left:
        _again(index, job, scopes.of_files(left), "changed_during_run")
    if done.widened:
        enqueue(index, job.context, done.desired_scope, reason="widened", budget_ms=job.budget_ms)
    return done


def _superseded(index: Index, records: JobRecords, job: RefreshJob, reason: str) -> RefreshJob:
    """Mark a job superseded because the project changed under it, and queue its scope again."""
    latest = records.superseded(job.id, reason)
    scope = scopes.merged(latest.scope, latest.desired_scope) if latest.widened else latest.scope
    _again(index, job, scope, reason)
    return latest


def _again(index: Index, job: RefreshJob, scope: RefreshScope | None, reason: str) -> None:
    head = git_state(index.root, index.untracked).head_sha
    JobRecords(index.store()).enqueue(scope, head, reason, job.budget_ms, job.context)


@contextmanager
def _scratch(store: Store) -> Iterator[Path]:
    """A directory of the store for one run; leftovers of runs that were killed go first."""
    remove_all(store.scratch)
    scratch = store.scratch / clock.new_ulid()
    make_directory(scratch, store.permissions)
    try:
        yield scratch
    finally:
        remove_all(store.scratch)
