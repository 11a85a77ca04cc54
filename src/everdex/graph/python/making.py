"""Pass 5, continued: calls that make classes, instances and methods: `type`, `__new__` and `__call__` from outside."""

from __future__ import annotations

from everdex.graph.python import builtin_calls, classes, containers, metaclasses
from everdex.graph.python.contexts import Argument
from everdex.graph.python.engine import Engine
from everdex.graph.python.values import (
    CLASS,
    DISPLAY,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    INSTANCE,
    LITERAL,
    NOTHING,
    RECORD,
    UNKNOWN,
    Value,
    Values,
    is_open,
    union,
    unknown,
)

Positional = tuple[Argument, ...]


def new(engine: Engine, dotted: str, positional: Positional, fuel: int) -> Values:
    """What `object.__new__(cls)` makes, that of another class from outside, or `type.__call__(cls)`: an instance, but
    what `type.__new__` makes is a class."""
    kinds = [each for each in builtin_calls.first(engine, positional, fuel) if each[0] == CLASS]
    if dotted == "builtins.type.__new__":
        made = union(frozenset(metaclasses.made_with(engine, each[1], each[2], fuel)) for each in kinds)
    else:
        made = frozenset((INSTANCE, each[1], each[2], is_open(each)) for each in kinds)
    return made or frozenset(((EXTERNAL_INSTANCE, dotted),))


def bound(engine: Engine, positional: Positional, fuel: int) -> Values:
    """`types.MethodType(function, receiver)`."""
    receivers = builtin_calls.nth(engine, positional, 1, fuel)
    functions = [each for each in builtin_calls.first(engine, positional, fuel) if each[0] == FUNCTION]
    made = [(*each[:4], receiver) for each in functions for receiver in receivers if receiver[0] in (INSTANCE, CLASS)]
    return frozenset(made) or frozenset(functions) or unknown("method of an unknown value")


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


def record(engine: Engine, positional: Positional, fuel: int) -> Values:
    """A class that `collections.namedtuple` makes."""
    names: list[str] = []
    for each in builtin_calls.nth(engine, positional, 1, fuel):
        if each[0] == LITERAL and isinstance(each[2], str):
            names.extend(each[2].replace(",", " ").split())
        else:
            for place in range(containers.MAX_ELEMENTS):
                keys = containers.literals(containers.item(engine, each, place, fuel))
                if not keys or each[0] != DISPLAY or place >= containers.length(engine, each):
                    break
                names.extend(str(key) for key in keys)
    return frozenset(((RECORD, tuple(names)),)) if names else unknown("class made at run time")
