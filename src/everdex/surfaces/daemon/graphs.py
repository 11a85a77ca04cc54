"""When graphs are made, and who waits for them: one process at a time makes one, beside the daemon and out of its way.

Unasked, the active snapshot's graph is made once the tree is quiet, for a bounded share of the time. A question
whose graph is missing waits a little and is then told how far it is and when to come again; whatever it asked for is
made meanwhile. A newer snapshot replaces one that waits for its turn, never one that is being made: the next starts
from its result, so that steady editing cannot keep a graph from ever being finished. The process that made one waits a
while for the next: it knows the tree, and to start another takes longer than to make what an edit needs. If it has
grown large, another is started and waits, which knows nothing.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from everdex import limits, machine
from everdex.errors import Busy, DaemonStopping, EverdexError, LimitExceeded
from everdex.memory import resident_bytes
from everdex.service.reader import GraphOf
from everdex.service.resident import ResidentIndex
from everdex.surfaces.cli.failures import as_everdex
from everdex.surfaces.daemon.client import error_of
from everdex.surfaces.daemon.making import Cancelled, Making, dismiss, start

_AFTER_FAILURE_S: Final = 60.0
_NICENESS: Final = 10
_COMES_AGAIN_S: Final = 15.0  # whoever was told to come again has done so by then


@dataclass(eq=False, slots=True)
class _Want:
    """A question that waits; `pinned` when only that very snapshot will do."""

    snapshot_id: str
    seq: int
    pinned: bool
    answer: str | None = None
    failure: dict[str, object] | None = None

    @property
    def settled(self) -> bool:
        return self.answer is not None or self.failure is not None

    def concerns(self, found: GraphOf) -> bool:
        return self.snapshot_id == found.snapshot_id or (not self.pinned and self.seq <= found.seq)


class Graphs:
    """The graphs of one store. Every method may be called from any thread."""

    def __init__(self, warm: ResidentIndex, log: Callable[..., None], *, unasked: bool) -> None:
        self._warm = warm
        self._log = log
        self._unasked = unasked
        self._changed = threading.Condition()
        self._wants: list[_Want] = []
        self._due = time.monotonic() if unasked else None
        self._rest_until = 0.0
        self._ended = False
        self._turning = False  # deciding what to make, or making it
        self._making: Making | None = None
        self._target: GraphOf | None = None
        self._asked = float("-inf")  # when somebody last waited
        self._current = False
        self._failure: EverdexError | None = None
        self._failures = 0
        self._too_large = False
        self._made = 0
        self._ahead: subprocess.Popen[bytes] | None = None  # only `_run` takes it or lets it go
        self._ahead_until = 0.0
        self._last_s = 0.0
        self._thread = threading.Thread(target=self._run, name="graphs", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        with self._changed:
            self._ended = True
            if self._making is not None:
                self._making.cancel()
            self._changed.notify_all()

    # -- GraphMaker ----------------------------------------------------------------------------

    def published(self) -> None:
        """Another snapshot is active: its graph is made soon, unless that is only done when somebody asks."""
        with self._changed:
            self._current = False
            if self._unasked and self._due is None and not self._too_large:
                self._due = max(time.monotonic() + limits.DAEMON_GRAPH_QUIET_S, self._rest_until)
                self._changed.notify_all()

    def ready(self, snapshot_id: str | None, wait_s: float | None = None) -> str:
        """The snapshot to answer from: the one asked for, or the active one or a newer one whose graph is made."""
        patience = limits.DAEMON_GRAPH_PATIENCE_S if wait_s is None else wait_s
        found = self._warm.reader.graph_of(snapshot_id)
        if found.made:
            return found.snapshot_id
        want = _Want(found.snapshot_id, found.seq, pinned=snapshot_id is not None)
        with self._changed:
            self._wait(want, lambda: want.settled, patience)
            if want.answer is None:
                if self._target is None or not want.concerns(self._target):
                    self._due = time.monotonic()  # whoever comes again finds it under way
                raise self._come_again()
            return want.answer

    def begun(self, snapshot_id: str | None, wait_s: float | None = None) -> float:
        """Wait until files are resolved for that graph, or all are; the seconds that are left then."""
        patience = limits.DAEMON_GRAPH_PATIENCE_S if wait_s is None else wait_s
        found = self._warm.reader.graph_of(snapshot_id)
        if found.made:
            return patience
        want = _Want(found.snapshot_id, found.seq, pinned=snapshot_id is not None)
        until = time.monotonic() + patience

        def is_begun() -> bool:
            making, target = self._making, self._target
            under_way = target is not None and want.concerns(target)
            return want.settled or (under_way and making is not None and making.phase == "graph")

        with self._changed:
            self._wait(want, is_begun, patience)
        return max(0.0, until - time.monotonic())

    def _wait(self, want: _Want, is_enough: Callable[[], bool], patience: float) -> None:
        """Have a graph made, and wait until that is enough, or there is no more patience."""
        if len(self._wants) >= limits.DAEMON_GRAPH_WAITING:
            raise self._come_again()
        self._wants.append(want)
        self._changed.notify_all()
        try:
            self._changed.wait_for(lambda: is_enough() or self._ended, patience)
        finally:
            self._wants.remove(want)
            self._asked = time.monotonic()
        if self._ended:
            raise DaemonStopping("the daemon is leaving")
        if want.failure is not None:
            raise error_of(want.failure)

    def _hear(self) -> None:
        """The making that goes on has come to another phase."""
        with self._changed:
            self._changed.notify_all()

    def _come_again(self) -> Busy:
        making = self._making
        known = making is not None and making.phase == "graph"
        how_far = f": {making.done:,} of {making.total:,} files" if making is not None and known else ""
        left = limits.DAEMON_GRAPH_QUIET_S if making is None else making.seconds_left()
        return Busy(
            f"the graph is being made{how_far}",
            hint="ask again after retry_after_ms; `everdex status` says how far it is",
            retry_after_ms=int(min(10.0, max(0.5, left)) * 1000),
        )  # fmt: skip

    # -- making --------------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._ended and not self._is_time():
                    if self._ahead is not None and time.monotonic() >= self._ahead_until:
                        self._let_go()
                    times = [self._due] if self._due is not None else []
                    times += [self._ahead_until] if self._ahead is not None else []
                    self._changed.wait(max(0.0, min(times) - time.monotonic()) if times else None)
                if self._ended:
                    self._let_go()
                    return
                first = next(self._unsettled(), None)
                pinned = first.snapshot_id if first is not None and first.pinned else None
                if pinned is None:
                    self._due = None
                self._turning = True
            self._turn(pinned)
            with self._changed:
                self._turning = False

    def _let_go(self) -> None:
        if self._ahead is not None:
            dismiss(self._ahead)
            self._ahead = None

    def _is_time(self) -> bool:
        return any(self._unsettled()) or (self._due is not None and time.monotonic() >= self._due)

    def _unsettled(self) -> Iterator[_Want]:
        return (want for want in self._wants if not want.settled)

    def _turn(self, snapshot_id: str | None) -> None:
        try:
            found = self._warm.reader.graph_of(snapshot_id)
        except Exception as error:  # noqa: BLE001 - a question must hear of it, and the next one must be served
            self._settle(None, as_everdex(error))
            return
        failure = None if found.made else self._make(found)
        with self._changed:
            if failure is None and snapshot_id is None and self._due is None:
                self._current = True
        self._settle(found, failure)

    def _make(self, found: GraphOf) -> EverdexError | None:
        with self._changed:
            if self._ended:
                return DaemonStopping("the daemon is leaving")
            # What somebody waits for does not give way to others, and may have all cores.
            waited_for = any(self._unsettled()) or time.monotonic() - self._asked < _COMES_AGAIN_S
            self._target = found
            self._making = making = Making(
                self._warm.index, found.snapshot_id, niceness=0 if waited_for else _NICENESS,
                workers=machine.workers() if waited_for else max(1, machine.workers() // 2), started=self._ahead,
                heard=self._hear,
            )  # fmt: skip
            self._ahead = None
        began = time.monotonic()
        failure: EverdexError | None = None
        try:
            changed, resolved = making.run(limits.DAEMON_GRAPH_RSS_BYTES, limits.DAEMON_GRAPH_KEPT_BYTES)
        except Cancelled:
            failure = DaemonStopping("the daemon is leaving")
        except Exception as error:  # noqa: BLE001 - as above
            failure = as_everdex(error)
            self._log("graph_failed", code=failure.code)
        else:
            self._log("graph_made", ms=round((time.monotonic() - began) * 1000), changed=changed, resolved=resolved)
        with self._changed:
            self._making = self._target = None
            self._last_s = time.monotonic() - began
            self._made += failure is None
            rest = self._last_s * (limits.DAEMON_GRAPH_SHARE - 1) if failure is None else _AFTER_FAILURE_S
            self._rest_until = time.monotonic() + rest
            if self._due is not None:
                self._due = max(self._due, self._rest_until)
            self._ahead, wait_s = making.left, limits.DAEMON_GRAPH_KEPT_S
            if self._ahead is None and failure is None and not self._ended:
                with suppress(OSError):  # no room for another process: then it is started when it is needed
                    self._ahead = start()
                wait_s = limits.DAEMON_GRAPH_AHEAD_S
            self._ahead_until = time.monotonic() + wait_s
        return failure

    def _settle(self, found: GraphOf | None, failure: EverdexError | None) -> None:
        with self._changed:
            self._failure = failure
            self._failures += failure is not None
            self._too_large = isinstance(failure, LimitExceeded)
            for want in self._wants:
                if found is None or want.concerns(found):
                    want.answer = found.snapshot_id if found is not None and failure is None else None
                    want.failure = None if failure is None else failure.to_dict()
            self._changed.notify_all()

    # -- status --------------------------------------------------------------------------------

    def describe(self) -> dict[str, Any]:
        """How it stands: for `status` and `ping`."""
        with self._changed:
            making = self._making
            failure = self._failure
            if making is not None:
                state = "making"
            elif self._turning or self._is_time():
                state = "due"  # also after a failure: who comes again must not take that one for his own
            elif failure is not None:
                state = "too_large" if self._too_large else "failed"
            elif self._due is not None:
                state = "due"
            else:
                state = "ready" if self._current else "unasked"
            return {
                "state": state, "phase": making.phase if making else "", "done": making.done if making else 0,
                "total": making.total if making else 0, "failures": self._failures,
                "code": None if failure is None else failure.code,
                "failure": None if failure is None else failure.to_dict(),
                "made": self._made, "last_ms": round(self._last_s * 1000),
            }  # fmt: skip

    def resident_bytes(self) -> int:
        making, ahead = self._making, self._ahead
        waiting = 0 if ahead is None else resident_bytes(ahead.pid)
        return waiting if making is None else waiting + making.resident_bytes()
