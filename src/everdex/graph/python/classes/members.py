"""Pass 3, continued: the members of enumerations: which names they have, and with what making them calls a constructor.

A member is what the class body binds to a name, but for definitions and private names. It does not know members that
are made by calling the enumeration's class (`Enum("Colour", "RED GREEN")`).
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.classes import classes
from everdex.graph.python.engine.contexts import Argument, Context
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import EXTERNAL, INSTANCE, Value
from everdex.graph.python.file.files import File

ENUMS: Final = frozenset(("enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "enum.IntFlag"))
MAX_MEMBERS: Final = 16  # an enumeration with more is not asked for what its members hold
_NO_MEMBER: Final = frozenset((m.DEFINITION, m.DECORATED))


def is_enum(engine: Engine, value: Value, fuel: int) -> bool:
    line = classes.mro(engine, value[1], value[2], fuel)
    return any(each[0] == EXTERNAL and each[1] in ENUMS for each in line)


def names(file: File, scope: int) -> list[str]:
    """What the members of an enumeration are called."""
    return [
        name for name, found in file.names[scope].items()
        if not name.startswith("_") and file.entries[file.bindings[found[-1]][2]][0] not in _NO_MEMBER
    ]  # fmt: skip


def constructions(engine: Engine, owner: Value, path: str, scope: int, fuel: int) -> list[Context]:
    """How making the members of an enumeration, or of those below it, calls its constructor: each with what it is bound
    to, a tuple with each of its places."""
    if not is_enum(engine, owner, fuel):
        return []
    found: list[Context] = []
    for kind in (owner, *(classes.subclasses(engine, owner[1], owner[2], fuel - LOOKUP_STEP) or ())):
        file = engine.look_at(kind[1], kind[2])
        receiver = Argument("", -1, 0, frozenset(((INSTANCE, kind[1], kind[2], False),)))
        members = names(file, kind[2])
        for name in members if len(members) <= MAX_MEMBERS else ():
            value = file.bindings[file.names[kind[2]][name][-1]][2]
            entry = file.entries[value]
            given = entry[2] if entry[0] == m.SEQUENCE and entry[1] == "tuple" else [value]
            arguments = tuple(Argument(kind[1], each, 0) for each in given)
            found.append(Context(path, scope, 0, (receiver, *arguments), ()))
    return found[:MAX_MEMBERS]
