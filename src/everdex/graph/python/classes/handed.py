"""Pass 3, continued: what an object gives for an attribute in whose place its class has an object of a library.

That may be a descriptor (Django's fields, SQLAlchemy's relations, traits): it gives what the library makes of it, so
nothing read there is known to be outside. Classes of the root that were passed where it was made, or written there by
their names, are candidates for what it gives. What the standard library makes stays what it is.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.classes import records
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    EXTERNAL_INSTANCE,
    HANDED_OUT,
    INSTANCE,
    LITERAL,
    MAY_BE_DESCRIPTOR,
    MODULE,
    NOTHING,
    Value,
    Values,
    union,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.names import names, standard

MAX_PASSED: Final = 4


def out(engine: Engine, owner: Value, wanted: str, values: Values, fuel: int) -> Values:
    """What reading such an attribute of an object may give beside what its class has."""
    if not any(value[0] == EXTERNAL_INSTANCE and not _is_plain(value[1]) for value in values):
        return NOTHING
    file = engine.look_up(owner[1], owner[2], wanted)
    if records.is_record(file, owner[2]):
        return NOTHING  # a field, which the constructor assigns
    made = union(_passed(engine, file, owner, file.bindings[each][2], fuel) for each in file.final(owner[2], wanted))
    return made | {HANDED_OUT} if made else frozenset((MAY_BE_DESCRIPTOR,))


def _is_plain(dotted: str) -> bool:
    return dotted.partition(".")[0] in standard.MODULES


def _passed(engine: Engine, file: File, owner: Value, expression: int, fuel: int) -> Values:
    """An instance of each class that is passed to a call: by its place, or, where nothing is, by a name."""
    entry = file.entries[expression]
    if entry[0] == m.TYPED and entry[2] >= 0:
        entry = file.entries[entry[2]]
    if entry[0] != m.CALL:
        return NOTHING
    found: dict[Value, None] = {}
    for number in (entry[2] or [value for _, value in entry[3]])[:MAX_PASSED]:
        for value in engine.values(file.path, number, 0, fuel - LOOKUP_STEP):
            if value[0] == LITERAL and value[1] == "str":
                found.update(dict.fromkeys(_by_name(engine, file, owner, value[2], fuel)))
            elif value[0] == CLASS:
                found[value] = None
    return frozenset((INSTANCE, value[1], value[2], True) for value in found)


def _by_name(engine: Engine, file: File, owner: Value, text: str, fuel: int) -> list[Value]:
    """The class that a text names: the one around, or one that its module knows, also as `app.Name`."""
    if text == "self":
        return [owner]
    name = text.rpartition(".")[2]
    if not name.isidentifier():
        return []
    known = names.attribute_of(engine, (MODULE, file.path), name, fuel - LOOKUP_STEP, file.path)
    return [value for value in known if value[0] == CLASS]
