"""Objects of one class that are told apart by the calls that made them, where their constructor keeps what it is given.

An object carries the call that made it (`Making`) on its way from there by names, by what functions give back, and as
what a call that is told apart is passed. Where more may come together than is seen (in a container, in a parameter of
all calls alike, among several objects or beside something unknown) it is one of its class as any other (`alike`). Of an
attribute that the constructor stores a parameter in the object has what that call passed, if all of it is known; what
anything else assigns comes to it as to any object of the class. What a constructor of a base keeps is not followed.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.classes import classes
from everdex.graph.python.engine.contexts import Argument, Context, Keywords, Positional
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    FUNCTION,
    INSTANCE,
    MANY,
    NOTHING,
    UNKNOWN,
    Making,
    Value,
    Values,
    plain,
)

_WRITTEN: Final = frozenset((m.LITERAL, m.FORMATTED))  # nothing is called of these that another would not have


def made(engine: Engine, kind: Value, positional: Positional, keywords: Keywords, fuel: int) -> Value:
    """The object that calling a class makes, with the call where that says what it has."""
    is_told = any(_is_telling(engine, each) for each in (*positional, *(given for _, given in keywords)))
    if is_told and _constructor(engine, kind, fuel) is not None:
        return (INSTANCE, *kind[1:3], engine.contexts.make(kind[1], kind[2], positional, keywords))
    return (INSTANCE, *kind[1:3], False)


def _is_telling(engine: Engine, given: Argument) -> bool:
    if given.expression < 0:
        return True
    file = engine.file(given.path)
    engine.seen.append(file.seen_at(given.expression))
    return file.entries[given.expression][0] not in _WRITTEN


def _constructor(engine: Engine, kind: Value, fuel: int) -> Value | None:
    """The `__init__` of a class, where that alone makes its objects and keeps something that it is given."""
    key = ("keeps", *kind[1:3])
    found: Value | None = engine.ask_within(key, fuel, lambda fuel: _keeping(engine, kind, fuel), None)
    return found


def _keeping(engine: Engine, kind: Value, fuel: int) -> Value | None:
    line = classes.mro(engine, kind[1], kind[2], fuel - LOOKUP_STEP)
    if classes.owners_of(engine, line, "__new__", only_first=True):
        return None
    found, owner = classes.raw_attribute(engine, line, "__init__", fuel)
    if owner is None or len(found) != 1:
        return None
    (function,) = found
    if function[0] != FUNCTION or function[1] != owner[1]:
        return None
    path, scope = function[1:3]
    file = engine.look_at(path, scope)
    if file.class_of(scope) != owner[2] or _is_called_again(engine, path, owner[2]):
        return None
    stored = [value for values in file.self_stores.get(owner[2], {}).values() for value in values]
    is_kept = any(value in file.given_to_self and file.owner(file.where[value]) == scope for value in stored)
    return function if is_kept else None


def _is_called_again(engine: Engine, path: str, owner: int) -> bool:
    """Whether a method of the class makes an object anew: `self.__init__(other)`."""
    file = engine.file(path)
    engine.note_calls(file, "__init__")
    for number in file.calls_by_name.get("__init__", ()):
        engine.seen.append(file.seen_at(number))
        callee = file.entries[file.entries[number][1]]
        if callee[0] == m.ATTRIBUTE and file.receiver_class(callee[1]) == owner:
            return True
    return False


def given(engine: Engine, path: str, value: int, receiver: Value, fuel: int) -> Values:
    """What an object that is told apart has where its constructor stores this; nothing where that is not all known."""
    making: Making = receiver[3]
    file = engine.file(path)
    function = _constructor(engine, (CLASS, *receiver[1:3]), fuel) if value in file.given_to_self else None
    scope = file.owner(file.where[value])
    if function is None or function[1:3] != (path, scope):
        return NOTHING
    _, _, _, positional, keywords, _ = making.context
    own = Argument("", -1, 0, frozenset((plain(receiver),)))
    context = engine.contexts.enter(Context(path, scope, 0, (own, *positional), keywords))
    found = engine.values(path, value, context, fuel) if context else NOTHING
    return NOTHING if any(each[0] in (UNKNOWN, MANY) for each in found) else found
