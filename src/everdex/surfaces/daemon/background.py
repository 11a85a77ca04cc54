"""What a daemon does unasked: index what changed, look again from time to time, tidy up, mind its memory.

Debounced, and slower the longer it finds nothing, so that a build that writes ignored files all day costs little.
Questions do not depend on it: each makes sure of its own freshness.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, Final

from everdex import limits
from everdex.memory import resident_bytes
from everdex.service.resident import ResidentIndex
from everdex.settings import semantic_unasked
from everdex.surfaces.cli.failures import as_everdex
from everdex.surfaces.daemon.graphs import Graphs
from everdex.surfaces.daemon.indexers import IndexerRunner
from everdex.surfaces.daemon.jobs import JobRunner
from everdex.surfaces.daemon.lanes import Lanes

_PAUSE_S: Final = 1.0
_LONGEST_SETTLE_S: Final = 1.0
_LONGEST_BACKOFF_S: Final = 30.0
_MEMORY_CHECK_S: Final = 5.0


class Background:
    def __init__(
        self, warm: ResidentIndex, lanes: Lanes, idle_s: Callable[[], float], log: Callable[..., None],
        stop: Callable[[str], None],
    ) -> None:  # fmt: skip
        self._warm = warm
        self._lanes = lanes
        self._idle_s = idle_s
        self._log = log
        self._stop = stop
        self._ended = threading.Event()
        self._due = self._backoff = 0.0
        self._reconciled = self._memory_checked = time.monotonic()
        self._tidied = False
        self._jobs = JobRunner(warm, log)
        self.indexers = IndexerRunner(warm, log, allowed=semantic_unasked())
        self._thread = threading.Thread(target=self._run, name="background", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._ended.set()
        self.indexers.end()

    def _run(self) -> None:
        while not self._ended.is_set():
            if self._warm.watching and self._warm.wait_for_change(_PAUSE_S):
                self._settle()
            elif not self._warm.watching:
                self._ended.wait(_PAUSE_S)
            try:
                self._turn(time.monotonic())
            except Exception as error:  # noqa: BLE001 - whatever fails here, questions must still be answered
                self._log("background_failed", code=as_everdex(error).code)
                self._slow_down()

    def _settle(self) -> None:
        """An edit often comes as several writes: wait until they stop."""
        deadline = time.monotonic() + _LONGEST_SETTLE_S
        while not self._ended.is_set() and time.monotonic() < deadline:
            self._warm.changed()
            if not self._warm.wait_for_change(limits.DAEMON_DEBOUNCE_MS / 1000):
                return

    def _turn(self, now: float) -> None:
        idle = self._idle_s()
        if self._warm.watching and now >= self._due and self._warm.changed():
            self._refresh()
        elif now - self._reconciled >= limits.DAEMON_RECONCILE_S:
            self._reconcile()
        elif idle < limits.DAEMON_RECONCILE_IDLE_S:
            self._tidied = False
        elif not self._tidied:
            self._tidied = True
            self._reconcile()
            self._warm.collect()
        self._jobs.turn()
        self.indexers.turn(now)
        if now - self._memory_checked >= _MEMORY_CHECK_S:
            self._memory_checked = now
            self._mind_memory()

    def _refresh(self) -> None:
        before = self._warm.publishes
        self._warm.freshness()
        if self._warm.publishes > before:
            self._backoff = 0.0
            self._warm.reader.warm_up()
            self._lanes.refresh()
        else:
            self._slow_down()

    def _slow_down(self) -> None:
        self._backoff = min(_LONGEST_BACKOFF_S, max(1.0, self._backoff * 2))
        self._due = time.monotonic() + self._backoff

    def _reconcile(self) -> None:
        self._reconciled = time.monotonic()
        self._warm.reconcile()

    def _mind_memory(self) -> None:
        self._lanes.shed(unused_s=limits.DAEMON_HELPER_IDLE_S)
        self._warm.reader.forget_early(limits.DAEMON_GRAPH_AHEAD_S)
        if self._resident_bytes() <= limits.DAEMON_RSS_BYTES:
            return
        self._lanes.shed()
        self._warm.reader.shed()
        after = self._resident_bytes()
        self._log("memory_shed", rss_bytes=after)
        if after > limits.DAEMON_RSS_BYTES:
            self._stop("memory")

    def _resident_bytes(self) -> int:
        return resident_bytes() + self._lanes.resident_bytes()


def describe(warm: ResidentIndex, lanes: Lanes, graphs: Graphs, indexers: IndexerRunner) -> dict[str, Any]:
    """The part of a daemon's status that its upkeep knows."""
    return {
        "watching": warm.watching, "publishes": warm.publishes, "compactions": warm.compactions,
        "gc": warm.collections, "helpers": len(lanes.helpers), "graph": graphs.describe(),
        "indexers": indexers.describe(),
        "rss_bytes": resident_bytes() + lanes.resident_bytes() + graphs.resident_bytes(),
    }  # fmt: skip
