"""Starting the daemon of an index from another process, and waiting until it answers.

Several may try at once: one becomes the daemon and the others find it. While it brings the index up to date the
caller hears of its progress; why it could not start comes back as a typed error. The daemon lives on its own: it
does not end with whoever started it.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

from everdex.errors import Busy, DaemonUnavailable
from everdex.service.index import Index
from everdex.surfaces.daemon.client import Connection, connect, error_of

Progress = Callable[[str, int, int], None]

_LONGEST_START_S: Final = 660.0  # a little longer than a writer is waited for
_POLL_S: Final = 0.1


def start(index: Index, progress: Progress, *, workers: int | None = None) -> Connection:
    """A connection to the daemon of this index, started if none runs; `DaemonUnavailable` when none can.

    `DaemonStopping` when the configuration was changed meanwhile: then it would be another index's.
    """
    deadline = time.monotonic() + _LONGEST_START_S
    while (connection := connect(index)) is None:
        try:
            _launch(index, progress, workers, deadline)
        except Busy as busy:
            # Another process is becoming the daemon, or the last one has not gone yet.
            if time.monotonic() > deadline:
                raise DaemonUnavailable(f"no daemon answers: {busy.message}") from busy
            progress("wait", 0, 0)
            time.sleep(_POLL_S)
    return connection


def _launch(index: Index, progress: Progress, workers: int | None, deadline: float) -> None:
    """Start a daemon of its own session and wait until it listens."""
    where = [] if index.shared_store is None else ["--shared-store", os.fspath(index.shared_store)]
    many = [] if workers is None else ["--workers", str(workers)]
    # -P: the working directory may be a hostile repository and must not be imported from.
    command = [sys.executable, "-P", "-m", "everdex", "serve", os.fspath(index.root.path), "--announce"]
    command += ["--for-store", index.store_id]
    child = subprocess.Popen(
        [*command, *many, *where],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/", start_new_session=True,
    )  # fmt: skip
    # Whoever lives longer than the daemon he started has to bury it.
    threading.Thread(target=child.wait, name="daemon-waiter", daemon=True).start()
    assert child.stdout is not None
    with child.stdout:
        for said in _documents(child.stdout.fileno(), progress, deadline):
            if "error" in said:
                raise error_of(said["error"])
            if "progress" in said:
                progress(*said["progress"])
            else:
                return
    raise DaemonUnavailable("the daemon ended before it could answer")


def _documents(handle: int, progress: Progress, deadline: float) -> Iterator[dict[str, Any]]:
    """The lines it says, as they come."""
    pending = b""
    while time.monotonic() < deadline:
        if not select.select([handle], [], [], 1.0)[0]:
            progress("starting", 0, 0)  # a caller that was cancelled stops waiting here
            continue
        piece = os.read(handle, 65_536)
        if not piece:
            return
        *lines, pending = (pending + piece).split(b"\n")
        yield from (json.loads(line) for line in lines)
    raise DaemonUnavailable(f"the daemon did not start within {_LONGEST_START_S:.0f} s")
