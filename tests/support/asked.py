"""Questions as a process asks them that asks once and has no daemon."""

from __future__ import annotations

from typing import Any

from everdex.service.index import Index, Reading
from everdex.service.warm import once
from everdex.sync.model import SyncOptions


def asked(index: Index, method: str, *what: Any, reading: Reading | None = None, **more: Any) -> dict[str, Any]:
    """The document of an answer to one of the `Reader`'s questions."""
    chosen = reading or Reading()
    with once(index, chosen, SyncOptions(workers=1)) as (reader, freshness):
        found: dict[str, Any] = getattr(reader, method)(*what, freshness, chosen, **more).to_dict()
        return found
