"""Resolution of JavaScript and TypeScript, in the order of reading: project and modules say which file an import is,
exports where a name comes from, engine what an expression may be (with members, types, calls and heirs), targets and
sites what every place in a file means, offers what others may look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from everdex.graph.javascript.engine import Engine
from everdex.graph.javascript.offers import offers
from everdex.graph.javascript.sites import FileSites, nothing
from everdex.graph.model import FileGraph, Kept, Outlined, Resolution, Resolver, World
from everdex.memory import collector_held

__all__ = ["RESOLVER"]


class _JavaScriptResolution:
    def __init__(self, world: World) -> None:
        self._world = world
        self._engine = Engine(world)

    def resolve(self, path: str, kept: Kept | None = None) -> FileGraph:
        if not self._world.facts(path):
            return nothing(path, len(self._world.source(path)))
        with collector_held():
            return FileSites(self._engine, path).graph()

    def outline(self, path: str) -> Outlined:
        if not self._world.facts(path):
            bare = nothing(path, len(self._world.source(path)))
            return Outlined(bare.nodes, bare.partial)
        return Outlined(FileSites(self._engine, path).nodes(), self._engine.files[path].facts.partial)


class _JavaScript:
    # project files take part by what they offer; documents by the script inside them
    languages: Final = frozenset(("javascript", "typescript", "tsx", "vue", "svelte", "html", "json"))

    def begin(self) -> Resolver:
        return self  # nothing that it makes of a file's facts is worth keeping between two questions

    def offers(self, path: str, facts: bytes, source: bytes) -> Mapping[str, int]:
        with collector_held():
            return offers(path, facts, source)

    def unseen(self, path: str, before: bytes, after: bytes, is_changed: Callable[[str], bool]) -> tuple[str, ...]:
        return ()  # its hashes are of what is asked for, not of text

    def open(self, world: World) -> Resolution:
        return _JavaScriptResolution(world)


RESOLVER: Final[Resolver] = _JavaScript()
