"""What `getattr`, `setattr` and `delattr` run of an instance's class: properties and descriptors.

Under a name that is written or follows from the text those of that name. Under one that nobody knows the descriptors
that stand in the class, or in one below, and its `__getattr__`: who makes an attribute an object of a class of its own
goes through such attributes; plain properties are not meant. What the class has for all names (`__setattr__`) runs for
any.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins import operators
from everdex.graph.python.classes import attributes, classes, hooks
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    AFFIXES,
    CLASS,
    INSTANCE,
    LITERAL,
    NONE,
    NOTHING,
    PROPERTY,
    Value,
    Values,
    is_open,
    union,
)

GETTER: Final = 1
PARTS: Final = {"getattr": GETTER, "hasattr": GETTER, "setattr": 2, "delattr": 3}  # builtin -> the part of a property
FOR_ALL: Final = {2: "__setattr__", 3: "__delattr__"}
MAX_HELD: Final = 64  # calls that stand in the bodies of classes; those of more are not looked through


def ran(engine: Engine, receiver: Value, names: Values, part: int, fuel: int, path: str) -> Values:
    """The functions that reaching for an attribute of an instance, or a class, under one of these names runs."""
    found: list[Values] = [_properties(engine, receiver, names, fuel, path)]
    if not names or any(name[0] not in (LITERAL, AFFIXES) for name in names):
        found.append(_descriptors(engine, receiver, fuel))
        if part == GETTER and receiver[0] == INSTANCE:
            line = classes.mro(engine, receiver[1], receiver[2], fuel)
            found.append(hooks.missing(engine, line, receiver, names, fuel))
    functions = frozenset(
        value[part]
        for value in union(found)
        if value[0] == PROPERTY and value[part] is not None and (part != GETTER or attributes.is_bound(value[part]))
    )
    hook = FOR_ALL.get(part)
    return functions | operators.special(engine, frozenset((receiver,)), hook, fuel, path) if hook else functions


def _properties(engine: Engine, receiver: Value, names: Values, fuel: int, path: str) -> Values:
    """The properties of these names."""
    parts: list[Values] = []
    for name in names:
        if name[0] == LITERAL and isinstance(name[2], str):
            parts.append(attributes.of(engine, receiver, name[2], fuel, path))
        elif name[0] == AFFIXES:
            parts.append(attributes.fitting(engine, receiver, name, fuel))
    return union(parts)


def _descriptors(engine: Engine, receiver: Value, fuel: int) -> Values:
    """What stands in the class of an instance, or above or below it, that answers for an attribute itself."""

    def answer(fuel: int) -> Values:
        line = [each for each in classes.mro(engine, receiver[1], receiver[2], fuel) if each[0] == CLASS]
        below = classes.subclasses(engine, receiver[1], receiver[2], fuel - LOOKUP_STEP) if is_open(receiver) else ()
        held: list[Values] = []
        for each in (*line, *(below or ())):
            file = engine.look_over(each[1], each[2])
            bound = [file.bindings[number][2] for found in file.names[each[2]].values() for number in found]
            made = [value for value in bound if file.entries[value][0] == m.CALL]
            held.extend(engine.values(each[1], value, 0, fuel - LOOKUP_STEP) for value in made)
        if len(held) > MAX_HELD:
            return NOTHING
        instances = frozenset(value for value in union(held) if value[0] == INSTANCE)
        read_of = receiver if receiver[0] == INSTANCE else NONE
        return hooks.descriptors(engine, instances, read_of, (CLASS, receiver[1], receiver[2]), fuel)

    found: Values = engine.ask_within(("descriptors of", receiver), fuel, answer, NOTHING)
    return found
