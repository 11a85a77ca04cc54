"""Names at work: what a file offers, and its graph. Nothing that is made of a file is kept between two questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.model import FileGraph, Kept, Outlined, Resolver, Since, World
from everdex.graph.names import LANGUAGES
from everdex.graph.names.index import Index
from everdex.graph.names.offers import offers_of
from everdex.graph.names.sites import bare_graph, file_graph, nodes_of


class _Resolution:
    def __init__(self, world: World) -> None:
        self._index = Index(world)

    def resolve(
        self, path: str, kept: Kept | None = None, writing: Callable[[bytes], bool] | None = None
    ) -> FileGraph:
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
    languages: Final = LANGUAGES

    def begin(self) -> Resolver:
        return self  # nothing that it makes of a file's facts is worth keeping between two questions

    def offers(self, path: str, facts: bytes, source: bytes) -> Mapping[str, int]:
        return offers_of(path, facts, source)

    def unseen(self, path: str, before: bytes, after: bytes, change: Callable[[str], int]) -> tuple[str, ...]:
        return ()  # positions and bodies are no part of its hashes

    def open(self, world: World, since: Since | None = None) -> _Resolution:
        return _Resolution(world)

    def rest(self) -> None:
        pass


RESOLVER: Final[Resolver] = _Resolver()
