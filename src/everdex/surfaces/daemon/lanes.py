"""Where searches are computed: in the daemon's own process, and when several wait, in helper processes beside it.

One interpreter uses one core. A helper is a reader of the same store in a process of its own; it is started when
questions keep waiting for each other and given up when it was not needed for a while. A question goes to whichever
lane is free, first come first served. A helper that dies costs nothing: its question is answered here.
"""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from everdex import limits
from everdex.memory import resident_bytes
from everdex.roots import elsewhere
from everdex.service.index import Index
from everdex.surfaces.daemon import wire
from everdex.surfaces.daemon.beside import command, identity
from everdex.surfaces.daemon.protocol import encode

_START_S: Final = 30.0
_ENOUGH_WAITS: Final = 8  # two calls at once now and then are no reason for another process


class HelperGone(Exception):
    """The helper ended; whatever it was asked is still to be answered."""


class Helper:
    """A process that answers searches, one at a time."""

    def __init__(self, index: Index) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                command("everdex.surfaces.daemon.helper", str(theirs.fileno()), *identity(index)),
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/",
                pass_fds=(theirs.fileno(),), env=elsewhere(),
            )  # fmt: skip
        self._socket = ours
        self.used = time.monotonic()

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, document: dict[str, Any], *, seconds: float = limits.QUERY_TIMEOUT_MS / 1000) -> bytes:
        """Its reply; `HelperGone` when there is none."""
        try:
            self._socket.settimeout(seconds)
            self._socket.sendall(wire.frame(encode(document)))
            # One byte more than a client may be sent: whether it is an error.
            return wire.read_exactly(self._socket, wire.read_length(self._socket, wire.MAX_RESPONSE + 1))
        except (OSError, wire.Hangup, wire.FrameTooLarge) as error:
            raise HelperGone from error
        finally:
            self.used = time.monotonic()

    def close(self) -> None:
        self._socket.close()
        self._process.kill()
        self._process.wait()


class Lanes:
    """The lane of this process (None) and the helpers; every method may be called from any thread."""

    def __init__(self, index: Index, log: Callable[..., None]) -> None:
        self._index = index
        self._log = log
        self._changed = threading.Condition()
        self._waiting: deque[object] = deque()
        self._free: list[Helper | None] = [None]
        self._helpers: list[Helper] = []
        self._waits = 0
        self._starting = False
        self._closed = False

    @contextmanager
    def lane(self) -> Iterator[Helper | None]:
        """The next free lane; None is this process."""
        lane = self._take()
        gone = False
        try:
            yield lane
        except HelperGone:
            gone = True
            raise
        finally:
            with self._changed:
                if not gone:
                    self._free.append(lane)
                elif lane in self._helpers:
                    self._helpers.remove(lane)
                self._changed.notify_all()
            if gone and lane is not None:
                self._log("helper_gone", pid=lane.pid)
                lane.close()

    def _take(self) -> Helper | None:
        me = object()
        with self._changed:
            if self._free and not self._waiting:
                return self._pop()
            self._note_wait()
            self._waiting.append(me)
            while not self._free or self._waiting[0] is not me:
                self._changed.wait()
            self._waiting.popleft()
            if self._free and self._waiting:
                self._changed.notify_all()
            return self._pop()

    def _pop(self) -> Helper | None:
        # This process first: a question that is alone needs no other.
        if None in self._free:
            self._free.remove(None)
            return None
        return self._free.pop()

    def _note_wait(self) -> None:
        self._waits += 1
        room = len(self._helpers) < limits.DAEMON_HELPERS and not self._starting and not self._closed
        if self._waits >= _ENOUGH_WAITS and room:
            self._starting = True
            threading.Thread(target=self._start, name="helper-starter", daemon=True).start()

    def _start(self) -> None:
        helper: Helper | None = None
        try:
            helper = Helper(self._index)
            helper.ask({"warm_up": True}, seconds=_START_S)
        except (HelperGone, OSError):
            if helper is not None:
                helper.close()
            self._log("helper_failed", pid=None if helper is None else helper.pid)
            with self._changed:
                self._starting = False
                self._waits = -1_000  # not again for every question
            return
        with self._changed:
            self._starting = False
            self._waits = 0
            unwanted = self._closed
            if not unwanted:
                self._helpers.append(helper)
                self._free.append(helper)
                self._changed.notify_all()
        if unwanted:
            helper.close()
        else:
            self._log("helper_started", pid=helper.pid)

    def refresh(self) -> None:
        """Have idle helpers open the snapshot that has just become active, so that no question waits for it."""
        with self._changed:
            idle = [helper for helper in self._free if helper is not None]
            self._free = [lane for lane in self._free if lane is None]
        for helper in idle:
            try:
                helper.ask({"warm_up": True})
            except HelperGone:
                self._give_up([helper])
            else:
                with self._changed:
                    self._free.append(helper)
                    self._changed.notify_all()

    def shed(self, *, unused_s: float = 0.0) -> None:
        """Give up helpers that are free and were not needed for that long."""
        with self._changed:
            limit = time.monotonic() - unused_s
            idle = [lane for lane in self._free if lane is not None and lane.used <= limit]
            self._free = [lane for lane in self._free if lane not in idle or lane is None]
            self._waits = 0
        self._give_up(idle)

    def close(self) -> None:
        with self._changed:
            self._closed = True
            helpers = list(self._helpers)
        self._give_up(helpers)

    def _give_up(self, helpers: list[Helper]) -> None:
        with self._changed:
            self._helpers = [helper for helper in self._helpers if helper not in helpers]
        for helper in helpers:
            helper.close()

    @property
    def helpers(self) -> list[int]:
        """Process ids of the helpers."""
        return [helper.pid for helper in self._helpers]

    def resident_bytes(self) -> int:
        return sum(map(resident_bytes, self.helpers))
