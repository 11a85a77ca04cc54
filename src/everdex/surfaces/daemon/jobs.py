"""The daemon's runner of refresh jobs: one at a time, on a thread of its own, found by looking at the records.

Whoever queues a job (a command, a gate, another process) tells nobody: the background looks here every second or so,
and a look at unchanged records costs one stat. A daemon that ends leaves its job to the next one.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from everdex.errors import Busy
from everdex.semantic.running import Run
from everdex.service.maintain import patiently
from everdex.service.refreshing import RefreshJobs
from everdex.service.resident import ResidentIndex
from everdex.state.jobs import NAME, JobStatus
from everdex.surfaces.cli.failures import as_everdex
from everdex.sync.model import SyncOptions


class ResidentWork:
    """The work done on the index that the daemon keeps warm."""

    def __init__(self, warm: ResidentIndex, begun: Callable[[Run], None] | None = None) -> None:
        self._warm = warm
        self._begun = begun

    def indexing(self, run: Run) -> None:
        assert self._begun is not None  # only who can end an indexer runs one here
        self._begun(run)

    def progress(self, phase: str, done: int, total: int) -> None:
        """Not shown: no user waits for a job of the daemon."""

    def sync(self, options: SyncOptions) -> None:
        patiently(lambda: self._warm.sync(options))

    def resolve(self, options: SyncOptions) -> str:
        """Wait until the daemon's maker of graphs has made this one; the job's budget bounds that."""
        graphs = self._warm.graphs
        assert graphs is not None  # a daemon has one from its start
        while True:
            try:
                return graphs.ready(None)
            except Busy as busy:
                options.progress("wait", 0, 0)
                time.sleep((busy.retry_after_ms or 500) / 1000)


class JobRunner:
    def __init__(self, warm: ResidentIndex, log: Callable[..., None]) -> None:
        self._warm = warm
        self._log = log
        self._jobs = RefreshJobs(warm.index)
        self._seen: tuple[int, ...] = ()
        self._thread: threading.Thread | None = None

    def turn(self) -> None:
        """Start on what is queued, unless a job runs or nothing was written since nothing was."""
        if self._thread is not None and self._thread.is_alive():
            return
        stamp = self._stamp()
        if stamp == self._seen:
            return
        if self._jobs.next_queued() is None:
            self._seen = stamp
            return
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            while (number := self._jobs.next_queued()) is not None:
                job = self._jobs.run(number, ResidentWork(self._warm))
                self._log("job", status=str(job.status), files=job.files, code=job.error_code)
                if job.status is JobStatus.QUEUED:
                    return  # the daemon is leaving
        except Busy:
            return  # another process runs jobs; the next turn looks again
        except Exception as error:  # noqa: BLE001 - a thread of its own: nobody else would hear of it
            self._log("background_failed", code=as_everdex(error).code)

    def _stamp(self) -> tuple[int, ...]:
        """What changes when records are written: of the file and of its log."""
        path = self._warm.reader.store.path / NAME
        found: list[int] = []
        for name in (path, f"{path}-wal"):
            try:
                seen = os.stat(name)
            except OSError:
                found.append(0)
            else:
                found += (seen.st_mtime_ns, seen.st_size)
        return tuple(found)
