"""Who is served, who waits and who is told to come back: 8 at work, 32 waiting, 4 of one connection.

A job is answered exactly once: by its worker, by the clock when its time is up, or not at all when its client has
hung up. A thread cannot be interrupted, so a job that ran out of time keeps its place until it ends.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from everdex import limits
from everdex.errors import Busy
from everdex.surfaces.daemon.metrics import Metrics
from everdex.surfaces.daemon.protocol import Request


class Client(Protocol):
    """The connection that a job's answer goes to."""

    @property
    def gone(self) -> bool: ...


@dataclass(eq=False, slots=True)
class Job:
    client: Client
    request: Request
    arrived: float = field(default_factory=time.monotonic)
    answered: bool = False


class Admission:
    def __init__(self, work: Callable[[Job], None], expired: Callable[[Job], None], metrics: Metrics) -> None:
        self._work = work
        self._expired = expired
        self._metrics = metrics
        self._changed = threading.Condition()
        self._waiting: deque[Job] = deque()
        self._running: set[Job] = set()
        self._closed = False
        for number in range(limits.DAEMON_WORKERS):
            threading.Thread(target=self._serve, name=f"worker-{number}", daemon=True).start()

    @property
    def in_flight(self) -> int:
        return len(self._running)

    @property
    def queued(self) -> int:
        return len(self._waiting)

    def submit(self, job: Job) -> None:
        """Take a job in, or raise `Busy` with the time after which to ask again."""
        with self._changed:
            mine = sum(other.client is job.client for other in (*self._running, *self._waiting))
            # Counted together: a worker that is about to take a job has a place free already.
            full = len(self._running) + len(self._waiting) >= limits.DAEMON_WORKERS + limits.DAEMON_QUEUE
            if full or mine >= limits.DAEMON_PER_CLIENT:
                self._metrics.count("busy")
                limit = f"{limits.DAEMON_QUEUE} waiting" if full else f"{limits.DAEMON_PER_CLIENT} of one client"
                raise Busy(
                    f"the daemon has its limit of questions: {limit}",
                    hint="ask again after retry_after_ms",
                    retry_after_ms=self._retry_after_ms(),
                )
            self._waiting.append(job)
            self._changed.notify()

    def _retry_after_ms(self) -> int:
        """When a refused client may expect a free place."""
        typical = self._metrics.percentile(0.5)
        return int(min(5_000.0, max(50.0, typical * (len(self._waiting) + 1) / limits.DAEMON_WORKERS)))

    def cancel(self, client: Client) -> None:
        """Forget what a client that hung up still had in the queue."""
        with self._changed:
            kept = [job for job in self._waiting if job.client is not client]
            for _ in range(len(self._waiting) - len(kept)):
                self._metrics.count("cancelled")
            self._waiting = deque(kept)

    def claim_answer(self, job: Job) -> bool:
        """Whether the caller may send the answer: true once for each job, and never after its client hung up."""
        with self._changed:
            first, job.answered = not job.answered, True
            return first and not job.client.gone

    def expire(self) -> None:
        """Answer every job that is older than the time limit with an error."""
        limit = time.monotonic() - limits.QUERY_TIMEOUT_MS / 1000
        with self._changed:
            late = [job for job in (*self._running, *self._waiting) if job.arrived < limit and not job.answered]
            self._waiting = deque(job for job in self._waiting if job not in late)
        for job in late:
            if self.claim_answer(job):
                self._metrics.count("timeouts")
                self._expired(job)

    def close(self) -> list[Job]:
        """Begin nothing more; gives back what never began."""
        with self._changed:
            self._closed = True
            left, self._waiting = list(self._waiting), deque()
            self._changed.notify_all()
        return left

    def finish(self, seconds: float) -> bool:
        """Wait for those at work; False when some still are."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, seconds)

    def _serve(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._closed:
                    self._changed.wait()
                if self._closed:
                    return
                job = self._waiting.popleft()
                self._running.add(job)
            try:
                self._work(job)
            finally:
                with self._changed:
                    self._running.discard(job)
                    if self._closed:
                        self._changed.notify_all()
