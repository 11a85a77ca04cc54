"""Which definition of a chunk a query is about, where that is not the one the chunk is named after.

A chunk may hold several small definitions, or a type with its methods; its name is that of the first or outermost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from everdex.search.model import Contribution
from everdex.segment.model import ChunkRow
from everdex.view import SnapshotView

_EXACT: Final = frozenset(("defines_exactly", "name_prefix", "name_humps", "name_fuzzy"))


def named_line(view: SnapshotView, doc_id: int, row: ChunkRow, parts: Sequence[Contribution]) -> int | None:
    """The line of the definition that the query names, if it is another than the chunk's own; None if it is that.

    One that only shares words with the query is not preferred to the definition around it."""
    found = next((part for part in parts if part.feature in _EXACT or part.feature == "defines"), None)
    if found is None or not found.detail or f".{row.symbol}".endswith(f".{found.detail}"):
        return None
    ending, inside = f".{found.detail}", f"{row.symbol}."
    is_exact = any(part.feature in _EXACT for part in parts)
    for symbol in view.symbols_in(doc_id):
        if symbol.name_line <= row.end_line and f".{symbol.qualified_name}".endswith(ending):
            return symbol.name_line if is_exact or not symbol.qualified_name.startswith(inside) else None
    return None
