"""The impact of a change as a model: the symbol, who leads to it by distance, what it calls, and its tests apart.

Bounded: of each column the most certain are kept, and what is left out is counted. Reads one graph.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from everdex.graph.answers import queries
from everdex.graph.answers.impact import Affected, Impact
from everdex.graph.definitions.atlas import Atlas, Definition
from everdex.graph.model import Status

MAX_NEAR: Final = 12  # boxes of the first column, of each further one, of callees and of tests
MAX_FAR: Final = 9
MAX_CALLEES: Final = 12
MAX_TESTS: Final = 8
_CENTRE: Final = -1


class Symbol(msgspec.Struct, frozen=True):
    name: str  # its own and that of what it is in
    qualified_name: str
    place: str  # path:line
    certain: bool = True  # that it leads, or is led to, as drawn
    towards: int = _CENTRE  # place in the column before: -1 the symbol in the middle, -2 among those left out


class Column(msgspec.Struct, frozen=True):
    symbols: tuple[Symbol, ...]
    left_out: int


class TestFile(msgspec.Struct, frozen=True):
    path: str
    symbols: int
    nearest: int
    certain: bool


class ImpactModel(msgspec.Struct, frozen=True):
    centre: Symbol
    kind: str
    depth: int
    callers: tuple[Column, ...]  # by distance, the nearest first
    callees: Column
    outside: int  # calls of it that leave the root
    unresolved: int  # calls in it that could not be resolved
    tests: tuple[TestFile, ...]
    tests_left_out: int
    affected: int
    uncertain: int
    cut: bool  # there are more than can be walked
    could_add: queries.CouldAdd


def impact_model(
    atlas: Atlas, definition: Definition, found: Impact, depth: int, could_add: queries.CouldAdd
) -> ImpactModel:
    source = [item for item in found.affected if not item.is_test]
    columns: list[Column] = []
    places: dict[Definition, int] = dict.fromkeys(found.start, _CENTRE)
    for distance in range(1, depth + 1):
        level = [item for item in source if item.depth == distance]
        if not level:
            break
        column, places = _column(level, places, MAX_NEAR if distance == 1 else MAX_FAR)
        columns.append(column)
    called = queries.callees(atlas, definition)
    inside = set(found.start)
    edges = [edge for edge in called.edges if edge.definition not in inside]
    edges.sort(key=lambda edge: (edge.status is not Status.RESOLVED, edge.definition.order))
    callees = Column(
        tuple(_symbol(edge.definition, edge.status is Status.RESOLVED) for edge in edges[:MAX_CALLEES]),
        max(0, len(edges) - MAX_CALLEES),
    )
    tests = _tests([item for item in found.affected if item.is_test])
    return ImpactModel(
        _symbol(definition, True), definition.node.kind, depth, tuple(columns), callees, len(called.external),
        len(called.unresolved), tuple(tests[:MAX_TESTS]), max(0, len(tests) - MAX_TESTS), len(found.affected),
        sum(not item.certain for item in found.affected), found.cut, could_add,
    )  # fmt: skip


def _column(
    level: Sequence[Affected], before: dict[Definition, int], most: int
) -> tuple[Column, dict[Definition, int]]:
    """The symbols of one distance, and where each of them is for those one step further."""
    ranked = sorted(level, key=lambda item: (not item.certain, item.definition.order))
    kept = ranked[:most]
    towards = {item.definition: before.get(_next(item), -2) if item.depth > 1 else _CENTRE for item in level}
    # In the order of where they lead, so that few lines cross; what leads to those left out comes last.
    kept.sort(key=lambda item: (towards[item.definition] == -2, towards[item.definition], item.definition.order))
    symbols = tuple(_symbol(item.definition, item.way[-1].certain, towards[item.definition]) for item in kept)
    places = {item.definition: number for number, item in enumerate(kept)}
    return Column(symbols, len(level) - len(kept)), places


def _next(item: Affected) -> Definition:
    return item.way[-2].definition


def _symbol(definition: Definition, certain: bool, towards: int = _CENTRE) -> Symbol:
    node = definition.node
    if definition.is_file:
        name = definition.path.rpartition("/")[2]
    else:
        name = ".".join(node.key.split(".")[-2:])
    return Symbol(name, node.qualified_name, f"{definition.path}:{node.name_line}", certain, towards)


def _tests(found: Sequence[Affected]) -> list[TestFile]:
    by_path: dict[str, list[Affected]] = {}
    for item in found:
        by_path.setdefault(item.definition.path, []).append(item)
    files = [
        TestFile(path, len(items), min(item.depth for item in items), any(item.certain for item in items))
        for path, items in by_path.items()
    ]
    return sorted(files, key=lambda file: (not file.certain, file.nearest, -file.symbols, file.path))
