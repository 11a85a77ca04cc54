"""Profiles: what mix of code, documentation and diagrams a question wants. Query-only, never part of the index.

A profile has multipliers (relative to `balanced`, which the weights were fitted for) and quotas: how many of
ten results may be code, documentation or diagrams before the others get their turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import msgspec

CODE, DOCS, GRAPH = "code", "docs", "graph"
_DIAGRAMS: Final = frozenset(("mermaid", "dot", "graphviz", "plantuml"))


class Profile(msgspec.Struct, frozen=True):
    name: str
    quotas: tuple[tuple[str, int], ...]  # of ten; empty: none
    function: float
    test: float
    doc: float


PROFILES: Final = {
    profile.name: profile
    for profile in (
        Profile("balanced", (), 1.25, 0.85, 0.5),
        Profile("discovery", ((CODE, 3), (DOCS, 4), (GRAPH, 3)), 1.15, 0.9, 1.0),
        Profile("implementation", ((CODE, 6), (DOCS, 2), (GRAPH, 2)), 1.25, 0.85, 0.65),
        Profile("planning", ((CODE, 2), (DOCS, 6), (GRAPH, 2)), 1.1, 0.9, 1.15),
        Profile("debug", ((CODE, 7), (DOCS, 2), (GRAPH, 1)), 1.2, 0.95, 0.85),
    )
}
BALANCED: Final = PROFILES["balanced"]


def category(role: str, language: str) -> str:
    if language in _DIAGRAMS:
        return GRAPH
    return DOCS if role == "doc" else CODE


def role_share(profile: Profile, role: str) -> float:
    """How much of the fitted role penalty a profile keeps: balanced keeps it whole."""
    if role == "doc":
        return (1.0 - profile.doc) / (1.0 - BALANCED.doc)
    if role == "test":
        return (1.0 - profile.test) / (1.0 - BALANCED.test)
    return 1.0


_Item = TypeVar("_Item")


def in_pages(profile: Profile, ranked: Sequence[_Item], category_of: Callable[[_Item], str], page: int) -> list[_Item]:
    """All of them, page by page: each category up to its quota; places that stay free go to the best of the rest."""
    if not profile.quotas:
        return list(ranked)
    result: list[_Item] = []
    rest = list(ranked)
    while rest:
        room = {name: -(-quota * page // 10) for name, quota in profile.quotas}
        chosen: set[int] = set()
        for place, item in enumerate(rest):
            kind = category_of(item)
            if len(chosen) < page and room.get(kind, 0) > 0:
                room[kind] -= 1
                chosen.add(place)
        others = [place for place in range(len(rest)) if place not in chosen]
        chosen.update(others[: page - len(chosen)])
        result += [item for place, item in enumerate(rest) if place in chosen]
        rest = [item for place, item in enumerate(rest) if place not in chosen]
    return result
