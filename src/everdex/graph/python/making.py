"""Pass 5, continued: instances and classes that come from something else than the call of their class: `__new__`, and
`type` with one argument or three.

It does not know what a class that is made at run time has beyond what it inherits.
"""

from __future__ import annotations

from everdex.facts.python import model as m
from everdex.graph.python import builtin_calls, classes, containers
from everdex.graph.python.contexts import Argument
from everdex.graph.python.engine import CALL_STEP, Engine
from everdex.graph.python.values import (
    CLASS,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
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
_AT_RUN_TIME = unknown("class made at run time")


def by_new(engine: Engine, positional: Positional, fuel: int) -> Values:
    """What a __new__ from outside makes: an instance of the class that it is given."""
    made: list[Value] = []
    for each in builtin_calls.first(engine, positional, fuel):
        if each[0] == CLASS:
            made.append((INSTANCE, each[1], each[2], is_open(each)))
        elif each[0] == EXTERNAL:
            made.append((EXTERNAL_INSTANCE, each[1]))
        else:
            made.extend(frozenset((each,)) if each[0] == UNKNOWN else _AT_RUN_TIME)
    return frozenset(made) or _AT_RUN_TIME


def by_own_new(engine: Engine, value: Value, line: tuple[Value, ...], fuel: int) -> Values:
    """What a __new__ of the root makes that plainly calls another class, or does not say which class it makes one of;
    nothing when it makes instances as usual."""
    found, owner = classes.raw_attribute(engine, line, "__new__", fuel)
    parts: list[Values] = []
    for each in found:
        if each[0] != FUNCTION or owner is None:
            continue
        file = engine.look_at(each[1], each[2])
        returns = file.scopes[each[2]].returns
        others = 0
        may_be_below = False
        for made in returns:
            entry = file.entries[made]
            if entry[0] == m.CALL and file.entries[entry[1]][0] == m.NAME and file.entries[entry[1]][1] != "cls":
                others += 1
                parts.append(
                    frozenset(
                        (INSTANCE, kind[1], kind[2], False)
                        for kind in engine.values(each[1], entry[1], 0, fuel - CALL_STEP)
                        if kind[0] == CLASS
                    )
                )
            elif any(kind[0] == UNKNOWN for kind in engine.values(each[1], made, 0, fuel - CALL_STEP)):
                may_be_below = True
        if may_be_below or (parts and len(returns) > others):
            parts.append(frozenset(((INSTANCE, value[1], value[2], may_be_below or is_open(value)),)))
    return union(parts)


def class_made(engine: Engine, positional: Positional, fuel: int) -> Values:
    """A class that calling type, or one below it, makes: what it inherits is known, not what its dictionary holds."""
    given = builtin_calls.nth(engine, positional, 1, fuel) if len(positional) == 3 else NOTHING
    bases = union(containers.elements(engine, each, fuel) for each in given)
    return frozenset(each for each in bases if each[0] == CLASS) or _AT_RUN_TIME


def type_of(engine: Engine, positional: Positional, fuel: int) -> Values:
    """What `type` gives: the class of its only argument, or a new one."""
    if len(positional) != 1:
        return class_made(engine, positional, fuel)
    made: list[Value] = []
    for each in builtin_calls.first(engine, positional, fuel):
        if each[0] == INSTANCE:
            made.extend(classes.kinds(engine, each, fuel))
        elif each[0] == EXTERNAL_INSTANCE:
            made.append((EXTERNAL, each[1]))
        elif each[0] == CLASS:
            metaclasses = classes.metaclasses(engine, classes.mro(engine, each[1], each[2], fuel), fuel)
            made.extend(metaclasses or ((EXTERNAL, "builtins.type"),))
        else:
            made.append((UNKNOWN, "type of an unknown value"))
    return frozenset(made)
