"""The program that makes graphs for the daemon, one after the other, until it is ended: then all that it took is free.

Which graph it reads as one JSON line on standard input, when everything it needs is loaded. It gives way to others as
far as it is told to, says how far it is as JSON lines on standard output, and ends when its standard input does: with
the daemon. It refuses to begin with another configuration than the daemon's. Between two graphs it keeps what the
resolvers know of the tree.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
from typing import Any, Final

from everdex.errors import InternalError
from everdex.graph.resolvers import Resolvers
from everdex.memory import collector_held, tame_allocator
from everdex.service import opening
from everdex.surfaces.cli.failures import as_everdex
from everdex.surfaces.cli.output import write_json
from everdex.surfaces.daemon.beside import Telling, open_same
from everdex.sync.model import SyncOptions

_STACK_BYTES: Final = 64 << 20  # of the thread that resolves; without it, what the system likes


def _make(told: list[Any], known: Resolvers) -> dict[str, int]:
    *identity, snapshot_id, niceness, workers = told
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), niceness)  # of this thread, and of whom it starts
    options = SyncOptions(workers=workers, progress=Telling(write_json))
    made = opening.make(open_same(*identity), snapshot_id, options, known)
    return {"changed": made.changed, "resolved": made.resolved}


def _serve(told: list[Any], known: Resolvers, alone: threading.Lock) -> None:
    """Make one graph and report it; any failure ends the process."""
    code = InternalError.exit_code
    with alone:
        try:
            with collector_held():  # it looks through what was made when nobody waits any more
                try:
                    said: dict[str, Any] = {"made": _make(told, known)}
                except Exception as error:  # noqa: BLE001 - the daemon is the only one to tell
                    failure = as_everdex(error)
                    said, code = {"error": failure.to_dict()}, failure.exit_code
                write_json(said)
            if "made" in said:
                known.rest()
                gc.freeze()  # what stays is without cycles, and much to look through
                code = 0
        finally:
            if code:
                os._exit(code)


def main() -> None:
    # The daemon ends us by closing the pipe; what its terminal or whoever ends it tells a group of processes is for it.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    tame_allocator()
    threading.stack_size(_STACK_BYTES)
    known, alone = Resolvers(stay=True), threading.Lock()
    while told := sys.stdin.buffer.readline():
        # A thread for each: one that gave way to others cannot take that back.
        threading.Thread(target=_serve, args=(json.loads(told), known, alone), daemon=True).start()


if __name__ == "__main__":
    main()
    os._exit(0)
