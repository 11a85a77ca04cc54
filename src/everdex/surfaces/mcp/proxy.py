"""The MCP server's way to the index: every question is one request to the daemon of its root.

Holds no index and imports no numpy, so ten agents share one warm index. A daemon that is not there is started, and
one that is leaving is replaced; one that dies in the middle costs that call a coded error, and the next call starts
another. What takes longer than clients wait goes on without them, and they are told to ask again. There is no second
way in this process: it would be a second index in memory, and answers that differ in age.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any, Final

from everdex import config
from everdex.errors import DaemonStopping
from everdex.service.index import Index
from everdex.surfaces.daemon.client import connect
from everdex.surfaces.daemon.start import start
from everdex.sync.model import Progress

# Clients give up on a call that takes a minute: better an answer that says when to ask again, whether the first index
# is what takes so long or the first graph.
_PATIENCE_S: Final = 45.0
_ATTEMPTS: Final = 3  # a configuration may change under a daemon that has only just been started


def _left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


class Proxy:
    """One root; may be asked from several threads at once."""

    def __init__(self, index: Index) -> None:
        self._lock = threading.Lock()
        self._index = index

    @property
    def index(self) -> Index:
        return self._index

    def files(self, paths: list[str], progress: Progress) -> dict[str, Any]:
        """The files of the tree; of more than a daemon sends at once all of one moment, from this process."""
        document = self.ask("files", {"paths": paths}, progress)
        return self._current().files(paths=tuple(paths)).to_dict() if document["cursor"] else document

    def ask(
        self, method: str, params: Mapping[str, Any], progress: Progress, *, build: bool = True
    ) -> dict[str, Any]:
        """The daemon's answer. Without `build`, `NotIndexed` where starting one would mean a first index."""
        deadline = time.monotonic() + _PATIENCE_S
        for attempt in range(_ATTEMPTS):
            index = self._current()
            if not build:
                index.store()
            try:
                with connect(index) or start(index, progress, seconds=_left(deadline)) as connection:
                    return connection.call_patiently(method, params, progress, seconds=_left(deadline))
            except DaemonStopping:
                if attempt == _ATTEMPTS - 1:
                    raise
        raise AssertionError("unreachable")

    def _current(self) -> Index:
        """`.everdex.toml` may change under a process that stays; another configuration is another store."""
        with self._lock:
            settings = config.load(self._index.root.path)
            if settings != self._index.config:
                self._index = Index(self._index.root, settings, shared_store=self._index.shared_store)
            return self._index
