"""Who carries out a job that is asked for: the asking process itself, or one that keeps the index warm."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from everdex.errors import Cancelled, InternalError, StorageFailure, Timeout
from everdex.semantic.running import Run
from everdex.service import relations
from everdex.service.index import Index
from everdex.state.jobs import RefreshJob
from everdex.sync.model import SyncOptions
from everdex.view import open_view


class Work(Protocol):
    """Who brings the index up to date: this process, or one that keeps it warm."""

    def sync(self, options: SyncOptions) -> None:
        """Index what changed."""

    def resolve(self, options: SyncOptions) -> str:
        """Make the graph of the active snapshot; the snapshot's id."""

    def indexing(self, run: Run) -> None:
        """An indexer is about to be run: whoever may have to end it before it is done keeps this."""


class OwnWork:
    """The work done by a process that asks once."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def sync(self, options: SyncOptions) -> None:
        self._index.sync(options, wait=True)

    def resolve(self, options: SyncOptions) -> str:
        with open_view(self._index.store()) as view:
            relations.open_for(view, options)
            return view.manifest.snapshot_id

    def indexing(self, run: Run) -> None:
        """An interrupt ends it too."""


def told(error: BaseException) -> tuple[str, str]:
    """Code and words for the record of a job that ended with what is none of our errors."""
    if isinstance(error, KeyboardInterrupt):
        return Cancelled.code, "interrupted"
    if isinstance(error, OSError):
        return StorageFailure.code, str(error)
    return InternalError.code, type(error).__name__


def within(job: RefreshJob) -> Callable[[str, int, int], None]:
    """A progress callback that ends the work when the job's budget is spent."""
    deadline = time.monotonic() + job.budget_ms / 1000

    def progress(_phase: str, _done: int, _total: int) -> None:
        if time.monotonic() > deadline:
            raise Timeout(f"job {job.id} used up its {job.budget_ms:,} ms")

    return progress
