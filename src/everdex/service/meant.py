"""Which definition a question is about: the one that fits, or all that do, or names like it.

A symbol that several definitions fit is never guessed: all are listed and nothing else is answered. That takes no
graph, so whoever asks before the first one is made hears it at once.
"""

from __future__ import annotations

from typing import Any, Final

from everdex.graph.definitions import spelling
from everdex.graph.definitions.atlas import Atlas, Definition
from everdex.graph.resolvers import Resolvers
from everdex.identity.symbols import resolution
from everdex.search.names import SymbolNames
from everdex.service import coverage
from everdex.service.answers import Answer, Freshness
from everdex.service.index import Index
from everdex.service.symbols import suggestions
from everdex.sync.model import Progress
from everdex.view import SnapshotView

MAX_MATCHES: Final = 50


def named(atlas: Atlas, names: SymbolNames, asked: str, found: list[Definition], limit: int) -> dict[str, Any]:
    """What every answer about a symbol begins with; of definitions that fit it lists so many, and never very many."""
    listed = found[: min(limit, MAX_MATCHES)] if len(found) > 1 else []
    one = atlas.describe(found[0]) if len(found) == 1 else None
    body: dict[str, Any] = {
        "query": asked,
        "symbol": one,
        "matches": [atlas.describe(item) for item in listed],
        "matches_omitted": max(0, len(found) - len(listed)) if not one else 0,
        "suggestions": [] if found else suggestions(atlas.view, names, spelling.dotted(asked.rpartition("::")[2])),
    }
    if len(found) > 1:
        refs = [atlas.symbol_ref(item) for item in listed]
        body |= resolution("ambiguous", refs, f"{len(found):,} definitions fit {asked}")
    return body


def before_graph(
    index: Index, view: SnapshotView, names: SymbolNames, asked: str, limit: int, freshness: Freshness,
    progress: Progress, warnings: tuple[str, ...],
) -> Answer | None:  # fmt: skip
    """That several definitions fit, or none, while no graph is made; None when an answer takes one."""
    from everdex.graph.answers import unmade  # with what resolves: a graph that is made answers without

    decided = unmade.decided(view, Resolvers(), asked, progress)
    if decided is None:
        return None
    found, atlas, writing = decided
    body = {**named(atlas, names, asked, found, limit), "coverage": None}
    missing = (*coverage.of_path(view, atlas, asked), *coverage.of_word(writing, asked)) if not found else ()
    left_out = coverage.of_left_out(atlas, found, nothing_found=not found)
    about = (*missing, *coverage.of_files(atlas, name=spelling.last_of(asked)), *left_out)
    return index.answer(view, freshness, body, warnings=(*warnings, *about))
