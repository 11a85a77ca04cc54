"""Pass 5, continued: calls that make classes, instances and methods: `type`, `__new__` and `__call__` from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from everdex.facts.python import model as m
from everdex.graph.python.builtins import builtin_calls
from everdex.graph.python.classes import classes, metaclasses
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.contexts import Positional
from everdex.graph.python.engine.engine import CALL_STEP, Engine
from everdex.graph.python.engine.values import (
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
    ordered,
    union,
    unknown,
)
from everdex.graph.python.file.files import File

_AT_RUN_TIME = unknown("class made at run time")


def new(engine: Engine, dotted: str, positional: Positional, fuel: int) -> Values:
    """What a `__new__` from outside makes of the class that it is given, or `type.__call__`: an instance; but what
    `type.__new__` makes is a class, one by one while those of a metaclass are few."""
    kinds = builtin_calls.first(engine, positional, fuel)
    if dotted == "builtins.type.__new__":
        metas = [each for each in kinds if each[0] == CLASS]
        found = union(frozenset(metaclasses.made_with(engine, each[1], each[2], fuel)) for each in metas)
        if found:
            return found
    made: list[Value] = []
    for each in kinds:
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
            callee = file.entries[entry[1]] if entry[0] == m.CALL else entry
            if callee[0] == m.NAME and callee is not entry and callee[1] != "cls":
                others += 1
                kinds = engine.values(each[1], entry[1], 0, fuel - CALL_STEP)
                parts.append(frozenset((INSTANCE, kind[1], kind[2], False) for kind in kinds if kind[0] == CLASS))
                continue
            given = engine.values(each[1], made, 0, fuel - CALL_STEP)
            may_be_below = may_be_below or any(kind[0] == UNKNOWN for kind in given)
            if callee is not entry and not _is_of_class(file, each[2], entry):
                parts.append(frozenset(kind for kind in given if kind[0] == INSTANCE))
                others += bool(parts[-1])
        if may_be_below or 0 < others < len(returns):
            parts.append(frozenset(((INSTANCE, value[1], value[2], may_be_below or is_open(value)),)))
    return union(parts)


def _is_of_class(file: File, scope: int, call: Sequence[Any]) -> bool:
    """Whether what a __new__ returns is made of the class that it is given: by what that has, or what is passed it."""
    own = ["super", *(each[0] for each in file.scopes[scope].params[:1])]
    base = call[1]
    while file.entries[base][0] in (m.ATTRIBUTE, m.CALL):
        base = file.entries[base][1]
    named = [file.entries[each] for each in (base, *call[2], *(value for _, value in call[3]))]
    return any(entry[0] == m.NAME and entry[1] in own for entry in named)


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
            metas = classes.metaclasses(engine, classes.mro(engine, each[1], each[2], fuel), fuel)
            made.extend(metas or ((EXTERNAL, "builtins.type"),))
        else:
            made.append((UNKNOWN, "type of an unknown value"))
    return frozenset(made)


def record(engine: Engine, positional: Positional, fuel: int) -> Values:
    """A class that `collections.namedtuple` makes."""
    names: list[str] = []
    for each in ordered(builtin_calls.nth(engine, positional, 1, fuel)):
        if each[0] == LITERAL and isinstance(each[2], str):
            names.extend(each[2].replace(",", " ").split())
        else:
            for place in range(containers.MAX_ELEMENTS):
                keys = containers.literals(containers.item(engine, each, place, fuel))
                if not keys or each[0] != DISPLAY or place >= containers.length(engine, each):
                    break
                names.extend(str(key) for key in keys)
    return frozenset(((RECORD, tuple(names)),)) if names else _AT_RUN_TIME
