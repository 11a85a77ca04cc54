"""Resolves one Python file: its definitions, its sites with their answers, its dependencies, and the keys it read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Final

from everdex.graph.model import FileGraph, Kept, Outlined, Resolution, Resolver, Since, Site, World
from everdex.graph.python import LANGUAGES
from everdex.graph.python.edits.alike import unseen
from everdex.graph.python.edits.earlier import Earlier, Known
from everdex.graph.python.edits.grown import Growth
from everdex.graph.python.engine.engine import Engine
from everdex.graph.python.engine.evaluate import HANDLERS
from everdex.graph.python.engine.values import CLASS
from everdex.graph.python.file.files import Decoded, File
from everdex.graph.python.file.nodes import Places, interface_of, nodes_of
from everdex.graph.python.file.parts import Again, FileParts
from everdex.graph.python.names.modules import dotted_of, is_package
from everdex.graph.python.offers import offers
from everdex.graph.python.sites import dependencies
from everdex.graph.python.sites.sites import Sites
from everdex.graph.python.sites.variables import home_of, key_of, variables
from everdex.memory import collector_held

# Fuel ends a question after some two hundred steps, and a step takes up to ten frames.
_FRAMES = 4_000
_SOURCE_ROOTS = ("src", "lib", "python")


class PythonResolution:
    """Python at work on one world."""

    def __init__(self, world: World, decoded: Decoded, earlier: Decoded, known: Earlier | None) -> None:
        self._world = world
        self._earlier = earlier
        self._engine = Engine(world, HANDLERS, decoded, known)

    def rest(self) -> Known | None:
        """What is known of the world, once it is done."""
        with collector_held():
            return self._engine.rest()

    def resolve(
        self, path: str, kept: Kept | None = None, writing: Callable[[bytes], bool] | None = None
    ) -> FileGraph:
        if sys.getrecursionlimit() < _FRAMES:
            sys.setrecursionlimit(_FRAMES)
        with collector_held():
            return self._resolve(path, kept, writing)

    def outline(self, path: str) -> Outlined:
        with collector_held():
            file = self._engine.begin(path)
            own = variables(file, self._is_own(path))
            places = Places(file.places.line_lengths)
            module = qualified_module(self._engine, path)
            return Outlined(nodes_of(file, module, places, own, self._world.source(path))[0], file.facts.partial)

    def _is_own(self, path: str) -> Callable[[int, str], bool]:
        """Whether an attribute that a class of a file stores is its own, and not one that it inherits."""
        return lambda owner, name: home_of(self._engine, path, owner, name) == (CLASS, path, owner)

    def _resolve(self, path: str, kept: Kept | None, writing: Callable[[bytes], bool] | None) -> FileGraph:
        engine = self._engine
        file = engine.begin(path)
        places = Places(file.places.line_lengths)
        source = self._world.source(path)
        imports = dependencies.imports(file, places)
        parts = FileParts(file, source, dependencies.text_of(file, imports))
        needed = None if writing is None else parts.writing(writing)
        again = Again(kept, parts, file.facts.partial, lambda: self._growth(file, kept, source), needed)
        if kept is not None and again.rest_is_kept:
            known = {node.key for node in kept.nodes}
            own = variables(file, lambda owner, name: key_of(file, owner, name) in known)
            module, depends = kept.nodes[0].qualified_name, dependencies.moved(kept.dependencies, imports)
        else:
            own = variables(file, self._is_own(path))
            module = qualified_module(engine, path)
            depends = () if again.rest_is_left else dependencies.dependencies(engine, file, imports)
            if again.rest_is_left:
                engine.looked()  # nobody's: who resolves the rest looks at it again
        nodes, index_of, of_variables = nodes_of(file, module, places, own, source)
        in_bodies = {key_of(file, each.scope, each.name) for each in own if each.is_inside}
        sites = Sites(engine, file, parts, source, places, index_of, of_variables)
        found: list[tuple[Site, int]] = again.sites_kept(nodes)
        looked = []
        for part in again.resolved:
            found += [(site, part) for site in sites.collect(part)]
            looked.append(engine.looked())
        for part, grown in again.grown.items():
            found += [(site, part) for site in sites.collect_added(part, grown)]
            looked.append(engine.looked())
        found.sort(key=_place)
        gathered = engine.end(file, looked)
        return FileGraph(
            nodes, tuple([site for site, _ in found]), depends, frozenset(), interface_of(nodes, in_bodies),
            file.facts.partial, again.parts(index_of, gathered, tuple([part for _, part in found])), waits=again.waits,
        )  # fmt: skip

    def _growth(self, file: File, kept: Kept | None, source: bytes) -> Growth | None:
        before = kept.facts() if kept is not None else None
        return Growth(self._earlier.of(file.path, before), file, source) if before is not None else None


def _place(found: tuple[Site, int]) -> tuple[int, int, int, int, str]:
    site = found[0]
    return site.line, site.column, site.end_line, site.end_column, site.role


def qualified_module(engine: Engine, path: str) -> str:
    """Dotted from the root; a leading src, lib or python directory that is no package is not part of the name."""
    dotted = dotted_of(path)
    first, _, rest = dotted.partition(".")
    if rest and first in _SOURCE_ROOTS and not is_package(engine, first):
        return rest
    return dotted or "__init__"


class PythonResolver:
    """The knowledge of Python."""

    def __init__(self) -> None:
        self._decoded = Decoded()
        self._earlier = Decoded()  # files as they were
        self._open: tuple[str, PythonResolution] | None = None  # in which world
        self._known: tuple[str, Known] | None = None  # of which one

    @property
    def languages(self) -> frozenset[str]:
        return LANGUAGES

    def begin(self) -> Resolver:
        return PythonResolver()

    def offers(self, path: str, facts: bytes, source: bytes) -> Mapping[str, int]:
        with collector_held():
            return offers(self._decoded.of(path, facts), source)

    def unseen(self, path: str, before: bytes, after: bytes, change: Callable[[str], int]) -> list[str]:
        with collector_held():
            return unseen(self._earlier.of(path, before), self._decoded.of(path, after), change)

    def open(self, world: World, since: Since | None = None) -> Resolution:
        known, self._known = self._known, None
        earlier = None
        if known is not None and since is not None and known[0] == since.before:
            earlier = Earlier(known[1], since)
        found = PythonResolution(world, self._decoded, self._earlier, earlier)
        self._open = (since.now, found) if since is not None else None
        return found

    def rest(self) -> None:
        self._decoded, self._earlier = Decoded(), Decoded()
        if self._open is None:
            return  # the graph was there already
        digest, resolution = self._open
        known = resolution.rest()
        self._known = (digest, known) if known is not None else None
        self._open = None


RESOLVER: Final[Resolver] = PythonResolver()
