"""One Python file's graph: its nodes, its sites with their answers, what it depends on, what it looked at."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping

from everdex.facts.python import model as m
from everdex.graph.model import Dependency, FileGraph, Kept, Resolution, Site, Target, World
from everdex.graph.python import names
from everdex.graph.python.alike import unseen
from everdex.graph.python.engine import Engine
from everdex.graph.python.evaluate import HANDLERS
from everdex.graph.python.files import File
from everdex.graph.python.modules import dotted_of, is_package, submodule
from everdex.graph.python.nodes import Places, interface_of, known_nodes, nodes_of
from everdex.graph.python.offers import offers
from everdex.graph.python.parts import Again, FileParts
from everdex.graph.python.sites import Sites
from everdex.graph.python.values import EXTERNAL, MODULE, Value
from everdex.graph.python.variables import key_of, variables
from everdex.memory import collector_held

# Fuel ends a question after some two hundred steps, and a step takes up to ten frames.
_FRAMES = 4_000
_SOURCE_ROOTS = ("src", "lib", "python")


class PythonResolution:
    """Python at work on one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._engine = Engine(world, HANDLERS)

    def resolve(self, path: str, kept: Kept | None = None) -> FileGraph:
        if sys.getrecursionlimit() < _FRAMES:
            sys.setrecursionlimit(_FRAMES)
        with collector_held():
            return self._resolve(path, kept)

    def _resolve(self, path: str, kept: Kept | None) -> FileGraph:
        engine = self._engine
        file = engine.begin(path)
        places = Places(file.places.line_lengths)
        source = self._world.source(path)
        parts = FileParts(file, source)
        again = Again(kept, parts, file.facts.partial)
        if kept is not None and again.rest_is_kept:
            nodes, dependencies, interface = tuple(kept.nodes), kept.dependencies, kept.interface
            index_of, of_variables = known_nodes(file, nodes, places)
        else:
            own = variables(engine, file)
            nodes, index_of, of_variables = nodes_of(file, qualified_module(engine, path), places, own, source)
            dependencies = _dependencies(engine, file, places)
            in_bodies = {key_of(file, each.scope, each.name) for each in own if each.is_inside}
            interface = interface_of(nodes, in_bodies)
        sites = Sites(engine, file, parts, source, places, index_of, of_variables)
        found: list[tuple[Site, int]] = again.sites_kept(nodes)
        looked = []
        for part in again.resolved:
            found += [(site, part) for site in sites.collect(part)]
            looked.append(engine.looked())
        found.sort(key=_place)
        gathered = engine.end(file, looked)
        return FileGraph(
            nodes, tuple([site for site, _ in found]), dependencies, gathered.of_others(), interface,
            file.facts.partial, again.parts(index_of, gathered, tuple([part for _, part in found])),
        )  # fmt: skip


def _place(found: tuple[Site, int]) -> tuple[int, int, int, int, str]:
    site = found[0]
    return site.line, site.column, site.end_line, site.end_column, site.role.value


def qualified_module(engine: Engine, path: str) -> str:
    """Dotted from the root; a leading src, lib or python directory that is no package is not part of the name."""
    dotted = dotted_of(path)
    first, _, rest = dotted.partition(".")
    if rest and first in _SOURCE_ROOTS and not is_package(engine, first):
        return rest
    return dotted or "__init__"


def _dependencies(engine: Engine, file: File, places: Places) -> tuple[Dependency, ...]:
    found: dict[tuple[Target, int], list[str]] = {}
    for number in file.of_kind(m.IMPORTED, m.FROM):
        entry = file.entries[number]
        line, _ = places.at(file.places.starts[number])
        if entry[0] == m.IMPORTED:
            before = file.entries[number - 1] if number else None
            if before is not None and before[0] == m.IMPORTED and before[1].startswith(f"{entry[1]}."):
                continue  # the name that `import a.b` binds, not a second import
            (value,) = engine.values(file.path, number, 0, 0)
            found.setdefault((_target(value), line), [])
            continue
        source = names.source_of(engine, file.path, entry[1], entry[2])
        if source[0] != EXTERNAL and entry[3] != "*":
            inner = submodule(engine, source, entry[3], file.path)
            own = source[0] == MODULE and engine.look_for(source[1], entry[3]).names[0].get(entry[3])
            if inner is not None and not own:
                found.setdefault((_target(inner), line), [])
                continue
        found.setdefault((_target(source), line), []).append(entry[3])
    return tuple(Dependency(target, line, tuple(taken)) for (target, line), taken in found.items())


def _target(value: Value) -> Target:
    return Target(value[1], "") if value[0] == MODULE else Target("", value[1])


class PythonResolver:
    """The knowledge of Python."""

    @property
    def languages(self) -> frozenset[str]:
        return frozenset(("python",))

    def offers(self, path: str, facts: bytes, source: bytes) -> Mapping[str, int]:
        return offers(path, facts, source)

    def unseen(self, path: str, before: bytes, after: bytes, is_changed: Callable[[str], bool]) -> list[str]:
        return unseen(path, before, after, is_changed)

    def open(self, world: World) -> Resolution:
        return PythonResolution(world)
