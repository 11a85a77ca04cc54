"""Who carries out a job that is asked for: the asking process itself, or one that keeps the index warm."""

from __future__ import annotations

import time
from typing import Protocol

from everdex.errors import Cancelled, InternalError, StorageFailure, Timeout
from everdex.semantic.running import Run
from everdex.service import opening
from everdex.service.index import Index
from everdex.state.jobs import RefreshJob
from everdex.sync.model import Progress, SyncOptions, silent
from everdex.view import open_view


class Work(Protocol):
    """Who brings the index up to date: this process, or one that keeps it warm."""

    def sync(self, options: SyncOptions) -> None:
        """Index what changed."""

    def resolve(self, options: SyncOptions) -> str:
        """Make the graph of the active snapshot; the snapshot's id."""

    def indexing(self, run: Run) -> None:
        """An indexer is about to run. A daemon keeps `run`, to cancel it when it has to leave."""

    def progress(self, phase: str, done: int, total: int) -> None:
        """Report progress to the user who waits."""


class OwnWork:
    """The work done by a process that asks once."""

    def __init__(self, index: Index, shown: Progress = silent) -> None:
        self._index = index
        self._shown = shown

    def sync(self, options: SyncOptions) -> None:
        self._index.sync(options, wait=True)

    def resolve(self, options: SyncOptions) -> str:
        with open_view(self._index.store()) as view:
            opening.open_for(view, options)
            return view.manifest.snapshot_id

    def indexing(self, run: Run) -> None:
        """An interrupt ends it too."""

    def progress(self, phase: str, done: int, total: int) -> None:
        self._shown(phase, done, total)


def told(error: BaseException) -> tuple[str, str]:
    """(code, message) for the record of a job that failed with an exception which is not an `EverdexError`."""
    if isinstance(error, KeyboardInterrupt):
        return Cancelled.code, "interrupted"
    if isinstance(error, OSError):
        return StorageFailure.code, str(error)
    return InternalError.code, type(error).__name__


def within(job: RefreshJob, work: Work) -> Progress:
    """A progress callback that ends the work when the job's budget is spent."""
    deadline = time.monotonic() + job.budget_ms / 1000

    def progress(phase: str, done: int, total: int) -> None:
        work.progress(phase, done, total)
        if time.monotonic() > deadline:
            raise Timeout(f"job {job.id} used up its {job.budget_ms:,} ms")

    return progress
