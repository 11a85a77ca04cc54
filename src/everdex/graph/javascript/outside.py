"""What the host, the language and libraries have, as far as the root says anything of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everdex.facts import javascript_model as m
from everdex.graph.javascript import builtins
from everdex.graph.javascript import values as v
from everdex.graph.javascript.files import File
from everdex.graph.javascript.slots import Slot, direct
from everdex.graph.javascript.values import Value

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine


def is_whole(engine: Engine, declared: Value, name: str) -> bool:
    """Whether a file declares the thing of the host itself, a variable or a class, and not only adds to its type: what
    it says of it is what the host has."""
    file = engine.files[declared[1]]
    engine.reads.add(f"js:global:{name}")
    return name in builtins.GLOBALS and any(
        file.bindings[index].kind != m.TYPE or file.bindings[index].values for index in file.facts.globals.get(name, ())
    )


def merged(engine: Engine, file: File, index: int, name: str) -> tuple[Slot, ...]:
    """An interface that is global is merged with what others declare of it, outside as well."""
    row = file.interfaces[index]
    engine.reads.add(f"js:global:{row.name}")
    is_merged = any(
        file.bindings[binding].kind == m.TYPE and index in file.bindings[binding].more
        for binding in file.facts.globals.get(row.name, ())
    )
    return direct((v.EXTERNAL, f"{row.name}.{name}")) if is_merged else ()


def member(engine: Engine, value: Value, name: str) -> tuple[Slot, ...]:
    """What a library has. What it was given a type of the root for, and has under a name that things of the root have,
    may be such a thing."""
    whole = f"{value[1]}.{name}"
    if value[1] in builtins.WHOLE and name not in builtins.WHOLE[value[1]]:
        return ()
    if len(value) == 2:
        return direct((v.EXTERNAL, whole))
    if value[2] == v.HELD and engine.is_offered(f"js:member:{name}"):
        return direct((v.UNKNOWN, "given by a library"))
    return direct((v.EXTERNAL, whole, v.HELD))
