"""The program that makes one graph for the daemon and ends, so that what it took goes back to the system.

Which graph it reads as one JSON line on standard input, when everything it needs is loaded. It gives way to others as
far as it is told to, says how far it is as JSON lines on standard output, and ends when its standard input does: with
the daemon. It refuses to begin with another configuration than the daemon's.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

from everdex.errors import DaemonStopping
from everdex.graph import resolvers
from everdex.graph.resolvers import Resolvers
from everdex.memory import ends_soon, tame_allocator
from everdex.service import relations
from everdex.service.index import Index
from everdex.surfaces.cli.failures import as_everdex
from everdex.surfaces.cli.output import write_json
from everdex.sync.model import SyncOptions

_TELL_S: Final = 0.1


class _Told:
    """Progress for the daemon; the beginning and the end of a phase always, what lies between now and then."""

    def __init__(self) -> None:
        self._at = 0.0
        self._phase = ""

    def __call__(self, phase: str, done: int, total: int) -> None:
        if phase != self._phase or done == total or time.monotonic() - self._at >= _TELL_S:
            self._at, self._phase = time.monotonic(), phase
            _say({"progress": [phase, done, total]})


def _say(document: dict[str, Any]) -> None:
    write_json(document)
    sys.stdout.flush()


def _end_with_parent() -> None:
    while os.read(0, 4_096):
        pass
    os._exit(0)


def main() -> int:
    # The daemon ends us by closing the pipe; what its terminal or whoever ends it tells a group of processes is for it.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    tame_allocator()
    ends_soon()
    Resolvers(resolvers.MODULES)  # loads them
    told = sys.stdin.buffer.readline()
    if not told:
        return 0
    root, shared_store, config_fingerprint, query_fingerprint, snapshot_id, niceness, workers = json.loads(told)
    os.nice(niceness)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        index = Index.open(root, force_root=True, shared_store=Path(shared_store) if shared_store else None)
        if (index.config_fingerprint, index.query_fingerprint) != (config_fingerprint, query_fingerprint):
            raise DaemonStopping("the configuration is another than the daemon's")
        made = relations.make(index, snapshot_id, SyncOptions(workers=workers, progress=_Told()))
        _say({"made": {"changed": made.changed, "resolved": made.resolved}})
        return 0
    except Exception as error:  # noqa: BLE001 - the daemon is the only one to tell
        known = as_everdex(error)
        _say({"error": known.to_dict()})
        return known.exit_code


if __name__ == "__main__":
    sys.stdout.flush()
    os._exit(main())
