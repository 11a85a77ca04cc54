"""What other files add to an interface or a class of a module: `declare module "./app" { interface App { … } }`.

Such a file says whose module it means, in the root or outside; the interfaces in it are one with those of that module
that have their names. Which names there are at all is one key, so that a tree without any pays for nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from everdex.graph.javascript import members
from everdex.graph.javascript import values as v
from everdex.graph.javascript.files import File
from everdex.graph.javascript.keys import ADDED_KEY, ADDED_NAMES_KEY
from everdex.graph.javascript.slots import Slot
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_JUMP = 4
_MAX_FILES = 64


def added(file: File) -> dict[str, list[tuple[str, int]]]:
    """The interfaces by which a file adds to others, by name: of which module, and which they are."""
    found: dict[str, list[tuple[str, int]]] = {}
    for specifier, interfaces in file.facts.added.items():
        for index in interfaces:
            found.setdefault(file.interfaces[index].name, []).append((specifier, index))
    return found


def whole(engine: Engine, file: File, index: int, fuel: int) -> Values:
    """What something of the root is by whose name a file adds to it, where it says so itself; nothing otherwise."""
    if not file.facts.added:
        return v.NOTHING
    name = file.interfaces[index].name
    found: Values = ()
    for specifier in (each for each, added_ in file.facts.added.items() if index in added_):
        path, _ = engine.modules.find(file.path, specifier, engine.reads)
        found += engine.export(path, name, fuel - _JUMP) if path else ()
    kinds = {v.NAMED_TYPE: v.TYPED, v.CLASS: v.INSTANCE}
    return tuple((kinds[value[0]], *value[1:]) for value in found if value[0] in kinds)


def of_root(engine: Engine, file: File, value: Value, called: str, name: str, fuel: int) -> tuple[Slot, ...]:
    """What is added under a name to an interface or a class that its own file exports."""
    found: list[Slot] = []
    for adding, specifier, index in _naming(engine, called):
        if (adding.path, index) == (file.path, value[2]):
            continue
        path, _ = engine.modules.find(adding.path, specifier, engine.reads)
        if path and value in engine.export(path, called, fuel - _JUMP):
            found += members.find(engine, (v.TYPED, adding.path, index), name, fuel - _JUMP)
    return tuple(dict.fromkeys(found))


def of_library(engine: Engine, whole: str, name: str, fuel: int) -> tuple[Slot, ...]:
    """What is added under a name to something that a library exports."""
    library, _, called = whole.rpartition(".")
    found: list[Slot] = []
    for adding, specifier, index in _naming(engine, called) if library else ():
        if engine.modules.find(adding.path, specifier, engine.reads) == ("", library):
            found += members.find(engine, (v.TYPED, adding.path, index), name, fuel - _JUMP)
    return tuple(slot for slot in dict.fromkeys(found) if slot.path)


def _naming(engine: Engine, name: str) -> Iterator[tuple[File, str, int]]:
    """Where something of a name is added to: that anything else is, nobody looks at."""
    engine.reads.add(ADDED_NAMES_KEY)
    paths = engine.world.offering(ADDED_KEY + name) if engine.world.offering(ADDED_NAMES_KEY) else ()
    if paths:
        engine.reads.add(ADDED_KEY + name)
    for path in paths[:_MAX_FILES]:
        file = engine.files[path]
        for specifier, index in added(file).get(name, ()):
            yield file, specifier, index
