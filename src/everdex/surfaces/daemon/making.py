"""One graph being made by a process beside this one: started, watched while it tells how far it is, ended when told to.

Knows nothing of why the graph is wanted or who waits for it. It and each worker of it may grow up to a limit, then
all are ended: making a graph must not cost the user his machine.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, Final

from everdex.errors import DaemonGone, EverdexError, InternalError, LimitExceeded
from everdex.machine import StandsStill
from everdex.memory import resident_bytes
from everdex.roots import elsewhere
from everdex.service.index import Index
from everdex.surfaces.daemon.beside import command, documents, identity
from everdex.surfaces.daemon.client import error_of

_LOOK_S: Final = 0.5


class Cancelled(Exception):
    """The graph was cancelled before it was finished."""


def start() -> subprocess.Popen[bytes]:
    """A process that loads what it needs and waits to be told which graph to make; it ends with this one."""
    return subprocess.Popen(
        command("everdex.surfaces.daemon.grapher"), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, cwd="/", env=elsewhere(),
    )  # fmt: skip


def dismiss(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):  # what it was told and never read
                pipe.close()


class Making:
    """One run of `grapher.py`, in a process that waits for it or in a new one; `cancel` may come from any thread.

    Who started it has `heard` of it when it comes to another phase."""

    def __init__(
        self, index: Index, snapshot_id: str, *, niceness: int = 0, workers: int = 1,
        started: subprocess.Popen[bytes] | None = None, heard: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        self._told = json.dumps([*identity(index), snapshot_id, niceness, workers]).encode() + b"\n"
        self._lock = threading.Lock()
        self._process = started
        self._cancelled = False
        self.left: subprocess.Popen[bytes] | None = None
        self._began = time.monotonic()
        self._heard = heard
        self.phase, self.done, self.total = "", 0, 0

    def run(self, most_bytes: int, kept_bytes: int = 0) -> tuple[int, int]:
        """How many files had changed and how many were resolved; `LimitExceeded` when it needs too much memory.

        The process is then `left` for the next one, if it has not grown past `kept_bytes`.
        """
        with self._lock:
            if self._cancelled:
                raise Cancelled
            process = self._process
            if process is None or process.poll() is not None:
                self._process = process = start()
        made: tuple[int, int] | None = None
        try:
            assert process.stdin is not None
            with suppress(BrokenPipeError):  # it died: what it says and its code tell
                process.stdin.write(self._told)
                process.stdin.flush()
            for said in self._said(process, most_bytes):
                if "error" in said:
                    raise error_of(said["error"])
                if "made" in said:
                    made = said["made"]["changed"], said["made"]["resolved"]
                    break
                self._hear(*said["progress"])
        finally:
            with self._lock:
                if made is not None and not self._cancelled and resident_bytes(process.pid) <= kept_bytes:
                    self.left, self._process = process, None
                else:
                    dismiss(process)
        if self._cancelled:
            raise Cancelled
        if made is None:
            raise _ended(process.returncode)
        return made

    def _hear(self, phase: str, done: int, total: int) -> None:
        is_next = phase != self.phase
        if is_next:
            self.phase, self._began = phase, time.monotonic()
        self.done, self.total = done, total
        if is_next:
            self._heard()

    def _said(self, process: subprocess.Popen[bytes], most_bytes: int) -> Iterator[dict[str, Any]]:
        """The documents it says, while it keeps within its memory and is not stopped from outside."""
        stands_still = StandsStill(process.pid)

        def look() -> None:
            if max(map(resident_bytes, _family(process.pid))) > most_bytes:
                raise LimitExceeded(
                    f"making the graph takes more than {most_bytes >> 20:,} MiB of memory here",
                    hint="make it once without the daemon (`everdex map --offline`); from then on only what changed "
                    "is made",
                )
            if stands_still():
                raise DaemonGone("the process that makes the graph was stopped and stood still, so it was ended")

        assert process.stdout is not None
        return documents(process.stdout.fileno(), look, _LOOK_S)

    def cancel(self) -> None:
        with self._lock:
            self._cancelled = True
            if self._process is not None:
                self._process.kill()

    def seconds_left(self) -> float:
        """A guess from what it has done so far; the last phase is the long one."""
        if self.phase != "graph" or not self.done:
            return 10.0
        return (time.monotonic() - self._began) * (self.total - self.done) / self.done

    def resident_bytes(self) -> int:
        process = self._process
        return 0 if process is None else sum(map(resident_bytes, _family(process.pid)))


def _ended(code: int) -> EverdexError:
    """The error for a maker that ended without an answer: it was killed, or it has a bug."""
    if code >= 0:
        return InternalError(f"the process that makes the graph ended with code {code}")
    hint = "ask again; if it is out of memory: `everdex map --offline` makes the graph without the daemon"
    return DaemonGone(f"the process that makes the graph was ended by {signal.Signals(-code).name}", hint=hint)


def _family(pid: int) -> list[int]:
    """A process and the workers that it started, from any of its threads."""
    found = [pid]
    with suppress(FileNotFoundError, ProcessLookupError):  # it is gone, or a thread of it
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as stream:
                found += map(int, stream.read().split())
    return found
