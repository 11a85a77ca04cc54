"""Pass 5, continued: calls that make classes and instances without naming them: `type` and `__new__` from outside."""

from __future__ import annotations

from everdex.graph.python import builtin_calls, classes, metaclasses
from everdex.graph.python.contexts import Argument
from everdex.graph.python.engine import Engine
from everdex.graph.python.values import (
    CLASS,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    INSTANCE,
    NOTHING,
    UNKNOWN,
    Value,
    Values,
    is_open,
    union,
    unknown,
)

Positional = tuple[Argument, ...]


def new(engine: Engine, dotted: str, positional: Positional, fuel: int) -> Values:
    """What `object.__new__(cls)` makes, or that of another class from outside: an instance, of a metaclass a class."""
    kinds = [each for each in builtin_calls.first(engine, positional, fuel) if each[0] == CLASS]
    if dotted == "builtins.type.__new__":
        made = union(frozenset(metaclasses.made_with(engine, each[1], each[2], fuel)) for each in kinds)
    else:
        made = frozenset((INSTANCE, each[1], each[2], is_open(each)) for each in kinds)
    return made or frozenset(((EXTERNAL_INSTANCE, dotted),))


def class_made(engine: Engine, positional: Positional, fuel: int) -> Values:
    """A class that calling type, or one below it, makes: what it inherits is known, not what its dictionary holds."""
    given = builtin_calls.nth(engine, positional, 1, fuel) if len(positional) == 3 else NOTHING
    bases = builtin_calls.elements(engine, given, fuel)
    return frozenset(each for each in bases if each[0] == CLASS) or unknown("class made at run time")


def type_of(engine: Engine, positional: Positional, fuel: int) -> Values:
    if len(positional) != 1:
        return class_made(engine, positional, fuel)
    made: list[Value] = []
    for each in builtin_calls.first(engine, positional, fuel):
        if each[0] == INSTANCE:
            made.extend(classes.kinds(engine, each, fuel))
        elif each[0] == EXTERNAL_INSTANCE:
            made.append((EXTERNAL, each[1]))
        elif each[0] == CLASS:
            made.append((EXTERNAL, "builtins.type"))
        else:
            made.append((UNKNOWN, "type of an unknown value"))
    return frozenset(made)
