"""Pass 3, continued: methods that whoever makes or decorates a class replaces, all of them alike.

A decorator of the class, its metaclass or an `__init_subclass__` above it that goes through what the class has and
stores under each name what a call makes of it: a method is what that call makes of the method. It does not look at the
conditions there: the method may be left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from everdex.graph.python.calls import calls
from everdex.graph.python.classes import classes
from everdex.graph.python.engine.contexts import Argument, Context
from everdex.graph.python.engine.engine import CALL_STEP, LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASSMETHOD,
    FUNCTION,
    LITERAL,
    NOTHING,
    STATIC,
    Value,
    Values,
    ordered,
    union,
)
from everdex.graph.python.file.keys import REPLACING_KEY

_PLAIN: Final = frozenset((FUNCTION, CLASSMETHOD, STATIC))


def replaced(engine: Engine, line: tuple[Value, ...], wanted: str, fuel: int) -> Values:
    """What a line of classes has in the place of its method of a name; nothing where nobody replaces it."""
    if wanted.startswith("__") or not engine.is_offered(REPLACING_KEY):
        return NOTHING
    written, owner = classes.raw_attribute(engine, line, wanted, fuel)
    methods = frozenset(each for each in written if each[0] == FUNCTION)
    if owner is None or not methods:
        return NOTHING
    above = line[line.index(owner) :]
    return union(_made_of(engine, maker, wanted, methods, owner, fuel) for maker in _makers(engine, above, fuel))


def _makers(engine: Engine, line: tuple[Value, ...], fuel: int) -> Iterator[Value]:
    """What the first class of a line is given to when it is made."""
    owner = line[0]
    home = engine.file(owner[1])
    for number in home.scopes[owner[2]].decorators:
        yield from ordered(engine.values(owner[1], home.entries[number][1], 0, fuel - CALL_STEP))
    for meta in classes.metaclasses(engine, line, fuel):
        above = classes.mro(engine, meta[1], meta[2], fuel)
        for name in ("__new__", "__init__"):
            yield from ordered(classes.raw_attribute(engine, above, name, fuel)[0])
    yield from ordered(classes.raw_attribute(engine, line[1:], "__init_subclass__", fuel)[0])


def _made_of(engine: Engine, maker: Value, wanted: str, methods: Values, owner: Value, fuel: int) -> Values:
    function = maker[1] if maker[0] in (CLASSMETHOD, STATIC) else maker
    if function[0] != FUNCTION:
        return NOTHING
    _, path, scope, outer, receiver = function
    file = engine.look_at(path, scope)
    found: list[Values] = []
    for name, call, place in file.replacing.get(scope, ()):
        first = () if receiver is None else (Argument("", -1, 0, frozenset((receiver,))),)
        kind = Argument("", -1, 0, frozenset((owner[:3],)))
        context = engine.contexts.enter(Context(path, scope, outer, (*first, kind), ()))
        names = engine.values(path, name, context, fuel - LOOKUP_STEP)
        if any(each[0] == LITERAL for each in names) and (LITERAL, "str", wanted) not in names:
            continue
        positional, keywords = calls.arguments(file, call, context)
        member = Argument("", -1, 0, methods)
        given = (*positional[:place], member, *positional[place + 1 :])
        for callee in ordered(engine.values(path, file.entries[call][1], context, fuel - LOOKUP_STEP)):
            made = calls.result(engine, callee, given, keywords, fuel - CALL_STEP)
            found.append(frozenset(each for each in made if each[0] in _PLAIN))
    return union(found)
