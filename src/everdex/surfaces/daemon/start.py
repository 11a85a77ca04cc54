"""Starting the daemon of an index from another process, and waiting until it answers.

Several may try at once: one becomes the daemon and the others find it. While it brings the index up to date the
caller hears of its progress; why it could not start comes back as a typed error. The daemon lives on its own: it
does not end with whoever started it.
"""

from __future__ import annotations

import os
import subprocess
import threading
import time
from typing import Final

from everdex.errors import Busy, DaemonUnavailable
from everdex.roots import elsewhere
from everdex.service.index import Index
from everdex.surfaces.daemon.beside import command, documents
from everdex.surfaces.daemon.client import Connection, connect, error_of
from everdex.sync.model import Progress

_LONGEST_START_S: Final = 660.0  # a little longer than a writer is waited for
_POLL_S: Final = 0.1
_AGAIN_MS: Final = 5_000
_TICK: Final = "starting"  # the phase in which there is nothing to say yet


class _Late(Exception):
    """The deadline passed before the daemon answered."""


class _Heard:
    """Hands progress on, and knows the last word."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self.phase, self.done, self.total = "", 0, 0

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase != _TICK:
            self.phase, self.done, self.total = phase, done, total
        self._progress(phase, done, total)


def start(
    index: Index, progress: Progress, *, workers: int | None = None, seconds: float = _LONGEST_START_S
) -> Connection:
    """A connection to the daemon of this index, started if none runs; `DaemonUnavailable` when none can.

    `Busy` when it brings the index up to date for longer than so many `seconds`, and goes on with that.
    `DaemonStopping` when the configuration was changed meanwhile: then it would be another index's.
    """
    deadline = time.monotonic() + seconds
    heard = _Heard(progress)
    while (connection := connect(index)) is None:
        try:
            _launch(index, heard, workers, deadline)
        except _Late as late:
            raise _still_at_work(heard) from late
        except Busy as busy:
            # Another process is becoming the daemon, or the last one has not gone yet.
            if time.monotonic() > deadline:
                raise DaemonUnavailable(f"no daemon answers: {busy.message}") from busy
            heard("wait", 0, 0)
            time.sleep(_POLL_S)
    return connection


def _still_at_work(heard: _Heard) -> Busy:
    how_far = f": {heard.done:,} of {heard.total:,} files" if heard.phase == "index" and heard.total else ""
    what = "another process is at work on the index"
    if heard.phase != "wait":
        what = f"the index is being brought up to date{how_far}"
    return Busy(what, hint="it goes on meanwhile: ask again after retry_after_ms", retry_after_ms=_AGAIN_MS)


def _launch(index: Index, progress: _Heard, workers: int | None, deadline: float) -> None:
    """Start a daemon of its own session and wait until it listens."""
    where = [] if index.shared_store is None else ["--shared-store", os.fspath(index.shared_store)]
    many = [] if workers is None else ["--workers", str(workers)]
    serve = ("serve", os.fspath(index.root.path), "--announce", "--for-store", index.store_id)
    child = subprocess.Popen(
        command("everdex", *serve, *many, *where),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/", start_new_session=True,
        env=elsewhere(),
    )  # fmt: skip
    # Whoever lives longer than the daemon he started has to bury it.
    threading.Thread(target=child.wait, name="daemon-waiter", daemon=True).start()

    def look() -> None:
        if time.monotonic() >= deadline:
            raise _Late
        progress(_TICK, 0, 0)  # a caller that was cancelled stops waiting here

    assert child.stdout is not None
    with child.stdout:
        try:
            for said in documents(child.stdout.fileno(), look, 1.0):
                if "error" in said:
                    raise error_of(said["error"])
                if "progress" in said:
                    progress(*said["progress"])
                else:
                    return
        except _Late:
            if progress.phase == "wait":
                child.kill()  # it has done nothing but wait: or with every question one more would
            raise
    raise DaemonUnavailable("the daemon ended before it could answer")
