"""How the Python API gets an answer: from the daemon when one runs (or is wanted), else from this process.

Each part of `Index` asks through here, so that there is one way for all of them. Knows nothing of the questions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec

from everdex.errors import DaemonStopping
from everdex.service import index as service
from everdex.service.answers import Freshness
from everdex.service.index import Reading
from everdex.service.reader import Reader
from everdex.service.warm import WarmIndex
from everdex.surfaces.daemon.client import connect
from everdex.surfaces.daemon.start import start
from everdex.sync.model import silent

Asked = TypeVar("Asked", bound=msgspec.Struct)
Here = Callable[[Reader, Freshness, Reading], Any]


class Asking:
    """An index kept warm, and whether a daemon may answer for it."""

    def __init__(self, warm: WarmIndex, daemon: bool | None) -> None:
        self._warm = warm
        self._daemon = daemon

    def _ask(
        self, kind: type[Asked], method: str, params: Mapping[str, Any], reading: Reading, here: Here
    ) -> Asked:
        """A question over a view: the daemon's answer, else `here`'s."""
        about = {"no_sync": not reading.sync, "snapshot_id": reading.snapshot_id}
        document = self._over_daemon(method, {**params, **about})
        if document is None:
            document = here(*self._warm.ready(reading), reading).to_dict()
        return typed(kind, document)

    def _tell(
        self, kind: type[Asked], method: str, params: Mapping[str, Any], reading: Reading,
        here: Callable[[service.Index], Any],
    ) -> Asked:  # fmt: skip
        """A question that needs no view kept: the daemon's answer, else (or when that is only a page) `here`'s."""
        document = self._over_daemon(method, {**params, "snapshot_id": reading.snapshot_id})
        if document is None or document.get("cursor"):
            document = here(self._warm.index).to_dict()
        return typed(kind, document)

    def _over_daemon(self, method: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
        if self._daemon is False:
            return None
        index = self._warm.index
        try:
            connection = start(index, silent) if self._daemon else connect(index)
            if connection is None:
                return None
            with connection:
                return connection.call_patiently(method, params, silent)
        except DaemonStopping:
            return None


def typed(kind: type[Asked], document: Mapping[str, Any]) -> Asked:
    return msgspec.convert(document, kind)
