"""What the last making of a graph did: how much of it was worked out again, and why. For people who want proof.

`graph/refresh_summary.json` beside the graphs, replaced whole each time; nothing decides by it. Imports no numpy:
`status` reads it.
"""

from __future__ import annotations

from typing import Final

import msgspec

from everdex import clock
from everdex.durable import decode_json, encode_json, replace_atomically
from everdex.snapshot.store import Store

_NAME: Final = "refresh_summary.json"
NEW: Final = "no_graph"  # none by these resolvers was kept to start from
CHANGED: Final = "changed"  # files differ from those of the graph it was made from


class RefreshSummary(msgspec.Struct, frozen=True):
    """REFRESH's account; `dirty_files_count` is told by whoever looks at the tree."""

    last_refresh_reason: str
    digest: str
    defs_updated_files: int  # read again: new, or of other content
    call_edges_updated_files: int  # resolved again: those, and who looked at what they offer
    invalidated_edges_count: int  # calls of the graph before that were dropped, and looked for again
    edges_total: int
    partial_files: int
    failed_files: int
    last_refresh_at: str = msgspec.field(default_factory=clock.rfc3339)


def write(store: Store, summary: RefreshSummary) -> None:
    replace_atomically(store.graphs / _NAME, encode_json(summary), store.permissions)


def read(store: Store) -> RefreshSummary | None:
    """The account of the last refresh; None when no graph was made, or it cannot be read."""
    try:
        return msgspec.convert(decode_json((store.graphs / _NAME).read_bytes()), RefreshSummary)
    except (FileNotFoundError, msgspec.DecodeError, msgspec.ValidationError):
        return None
