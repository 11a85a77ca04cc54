"""The daemon's runner of indexers: only where the user allows it, one at a time, when the tree is quiet, now and then.

An indexer runs a repository's build configuration, so a daemon runs one only when its user has said so for all
repositories (EVERDEX_SEMANTIC=1, or `[semantic] unasked` of config.toml). It then runs what is queued and, unasked,
whatever context is behind; a bounded share of the time, and one that failed not again for an hour. A daemon that
leaves ends the indexer and leaves its job to the next one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final

from everdex import limits
from everdex.errors import Busy
from everdex.semantic.running import Run
from everdex.service import indexing
from everdex.service.refreshing import RefreshJobs
from everdex.service.resident import ResidentIndex
from everdex.state.jobs import JobStatus
from everdex.surfaces.cli.failures import as_everdex
from everdex.surfaces.daemon.jobs import ResidentWork

_LEAVE_S: Final = 5.0


class IndexerRunner:
    def __init__(self, warm: ResidentIndex, log: Callable[..., None], *, allowed: bool) -> None:
        self._warm = warm
        self._log = log
        self._allowed = allowed
        self._jobs = RefreshJobs(warm.index)
        self._lock = threading.Lock()
        self._ended = False
        self._running: Run | None = None
        self._context: str | None = None
        self._began = 0.0
        self._thread: threading.Thread | None = None
        self._published = -1
        self._looked_at = -1  # publishes when every context was last seen to be current
        self._quiet_since = self._rest_until = time.monotonic()
        self._failed: dict[str, float] = {}  # context -> when it may be tried again unasked

    def turn(self, now: float) -> None:
        """Begin, if it is time to."""
        if not self._allowed or self._ended or (self._thread is not None and self._thread.is_alive()):
            return
        if self._warm.publishes != self._published:
            self._published, self._quiet_since = self._warm.publishes, now
        if now < max(self._rest_until, self._quiet_since + limits.DAEMON_SEMANTIC_QUIET_S):
            return
        queued = self._jobs.next_queued(semantic=True)
        if queued is None and self._looked_at == self._published and not self._may_try_again(now):
            return
        self._thread = threading.Thread(target=self._run, args=(queued,), name="indexers", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """End the indexer that runs, and everything it started; its job is queued again."""
        with self._lock:
            self._ended = True
            if self._running is not None:
                self._running.cancel()
        if self._thread is not None:
            self._thread.join(_LEAVE_S)

    def describe(self) -> dict[str, Any]:
        running = self._context is not None
        return {
            "allowed": self._allowed, "state": "off" if not self._allowed else "running" if running else "waiting",
            "context": self._context, "seconds": round(time.monotonic() - self._began, 1) if running else None,
        }  # fmt: skip

    def _may_try_again(self, now: float) -> bool:
        return any(now >= again for again in self._failed.values())

    def _run(self, queued: int | None) -> None:
        started = time.monotonic()
        try:
            number = self._unasked(started) if queued is None else queued
            if number is not None:
                self._run_job(number)
        except Busy:
            return  # another process runs an indexer; the next turn looks again
        except Exception as error:  # noqa: BLE001 - a thread of its own: nobody else would hear of it
            self._log("background_failed", code=as_everdex(error).code)
        finally:
            self._context = self._running = None
            now = time.monotonic()
            self._rest_until = now + (now - started) * (limits.DAEMON_SEMANTIC_SHARE - 1)

    def _unasked(self, now: float) -> int | None:
        """The job of the first context that is behind; None when there is none to try."""
        published = self._published
        due = indexing.due(self._warm.index)
        self._failed = {name: again for name, again in self._failed.items() if name in due}
        for name in due:
            if now >= self._failed.get(name, now):
                numbers, _ = indexing.enqueue(self._warm.index, name, reason="unasked")
                return next(iter(numbers), None)
        self._looked_at = published
        return None

    def _run_job(self, number: int) -> None:
        self._context, self._began = self._jobs.status(number).context, time.monotonic()
        job = self._jobs.run(number, ResidentWork(self._warm, self._begun))
        self._log("indexer", status=str(job.status), files=job.files, code=job.error_code)
        if job.status is JobStatus.FAILED and job.context is not None:
            self._failed[job.context] = time.monotonic() + limits.DAEMON_SEMANTIC_AGAIN_S

    def _begun(self, run: Run) -> None:
        with self._lock:
            self._running = run
            if self._ended:
                run.cancel()
