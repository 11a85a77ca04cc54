"""Resolution by imports and names, for every language but Python and JavaScript.

One engine in passes (evaluate, choosing, on_receivers, bare, calls), one table of what each language does differently
(rules), and small functions where a table is not enough (module, imports). It reads stated types and follows them a
few steps; it infers nothing from the flow of values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.model import FileGraph, Kept, Outlined, Resolver, Since, World
from everdex.graph.names.index import Index
from everdex.graph.names.offers import offers_of
from everdex.graph.names.rules import RULES
from everdex.graph.names.sites import bare_graph, file_graph, nodes_of

# Project files say what packages are called: go.mod and Cargo.toml.
_PROJECT: Final = frozenset(("go-mod", "toml"))


class _Resolution:
    def __init__(self, world: World) -> None:
        self._index = Index(world)

    def resolve(self, path: str, kept: Kept | None = None) -> FileGraph:
        module = self._index.module(path)
        if module is None:
            return bare_graph(path)
        return file_graph(self._index, module, facts.body_of(self._index.world.facts(path)))

    def outline(self, path: str) -> Outlined:
        module = self._index.module(path)
        if module is None:
            bare = bare_graph(path)
            return Outlined(bare.nodes, bare.partial)
        return Outlined(nodes_of(module), module.outline.partial)


class _Resolver:
    languages: frozenset[str] = frozenset(RULES) | _PROJECT

    def begin(self) -> Resolver:
        return self  # nothing that it makes of a file's facts is worth keeping between two questions

    def offers(self, path: str, facts: bytes, source: bytes) -> Mapping[str, int]:
        return offers_of(path, facts, source)

    def unseen(self, path: str, before: bytes, after: bytes, is_changed: Callable[[str], bool]) -> tuple[str, ...]:
        return ()  # positions and bodies are no part of its hashes

    def open(self, world: World, since: Since | None = None) -> _Resolution:
        return _Resolution(world)

    def rest(self) -> None:
        pass


RESOLVER: Final[Resolver] = _Resolver()
