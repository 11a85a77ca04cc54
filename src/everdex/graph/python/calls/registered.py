"""Which function a call of a generic one runs (`functools.singledispatch`): the one that is registered for what is
passed.

Where the types of all that may be passed first are known, those that are registered for them count, along their lines
of classes, and the function itself only for a type that nobody registered. Else the function itself speaks for all.
What is registered is known while few files decorate with anything called `register`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from everdex.facts.python import model as m
from everdex.graph.python.builtins import builtin_calls
from everdex.graph.python.calls import asked
from everdex.graph.python.classes import classes
from everdex.graph.python.engine.contexts import Positional
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    BUILTIN,
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    Value,
    Values,
    is_open,
    ordered,
    union,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import DECORATE_KEY, passed_key
from everdex.graph.python.names import standard

MAX_FILES: Final = 8
_REGISTER: Final = "register"
_MAKERS: Final = frozenset(("singledispatch", "singledispatchmethod"))


class _Registered(NamedTuple):
    """A type that a function is registered for: a class, or one from outside."""

    kind: Value
    path: str
    scope: int


def chosen(engine: Engine, callees: Values, positional: Positional, fuel: int) -> Values:
    """What a call runs of what it names."""
    generic = [each for each in callees if each[0] == FUNCTION and is_generic(engine, each)]
    if not generic:
        return callees
    given = builtin_calls.first(engine, positional, fuel)
    return callees.difference(generic).union(*(_chosen(engine, each, given, fuel) for each in generic))


def is_generic(engine: Engine, function: Value) -> bool:
    file = engine.file(function[1])
    decorators = file.scopes[function[2]].decorators
    return any(file.last_name(file.entries[each][1]) in _MAKERS for each in decorators)


def _chosen(engine: Engine, function: Value, given: Values, fuel: int) -> Values:
    known = _known(engine, function, fuel)
    found: set[Value] = set()
    for value in ordered(given) if known else ():
        kinds = classes.kinds(engine, value, fuel) if value[0] == INSTANCE else _outside(engine, value)
        for kind in ordered(kinds):
            line = classes.mro(engine, kind[1], kind[2], fuel) if kind[0] == CLASS else _line(kind)
            ran = next((each for above in line for each in known if each.kind == above), None)
            if is_open(kind) or (ran is None and kind[0] != CLASS):  # any of many classes, or one that is not known
                return frozenset((function,))
            found.add(function if ran is None else (FUNCTION, ran.path, ran.scope, 0, function[4]))
    return frozenset(found) or frozenset((function,))


def _outside(engine: Engine, value: Value) -> Values:
    """The type of a value that is no instance of the root's classes, as it is called where it comes from."""
    name = value[1] if value[0] == BUILTIN else asked.plain_type(engine, value)
    return frozenset(((EXTERNAL, f"builtins.{name}"),))


def _line(kind: Value) -> tuple[Value, ...]:
    """A type from outside, and of a builtin one those above it that are looked for in its place, the nearest first."""
    return (kind, *((EXTERNAL, above) for above in _ABOVE.get(kind[1], ())))


_ABOVE: Final = {
    f"builtins.{name}": standard.above(name)
    for name in ("str", "bytes", "int", "float", "bool", "list", "tuple", "dict", "set")
}


def _known(engine: Engine, function: Value, fuel: int) -> tuple[_Registered, ...]:
    def answer(fuel: int) -> tuple[_Registered, ...]:
        names = (_REGISTER, _REGISTER + "()")
        offering = [engine.offering_few(DECORATE_KEY + name, MAX_FILES) for name in names]
        files = dict.fromkeys((function[1], *(path for found in offering for path in found or ())))
        if None in offering or len(files) > MAX_FILES:
            return ()
        found = [
            each for path in files for number in _decorations(engine.file(path), names)
            for each in _registered(engine, engine.file(path), number, function, fuel)
        ]  # fmt: skip
        return (*found, *(each for path in files for each in _by_calls(engine, engine.file(path), function, fuel)))

    found: tuple[_Registered, ...] = engine.ask_within(("registered", *function[:3]), fuel, answer, ())
    return found


def _decorations(file: File, names: tuple[str, ...]) -> list[int]:
    return sorted(each for name in names for each in file.decorations.get(name, ()))


def _registered(engine: Engine, file: File, number: int, function: Value, fuel: int) -> list[_Registered]:
    """What one decorator registers with a function: for the type that it is given, or that is declared."""
    engine.seen.append(file.seen_at(number))
    _, decorator, inner = file.entries[number]
    entry = file.entries[decorator]
    types = entry[2][:1] if entry[0] == m.CALL else []
    callee = file.entries[entry[1]] if entry[0] == m.CALL else entry
    while file.entries[inner][0] == m.DECORATED:
        inner = file.entries[inner][2]
    what = file.entries[inner]
    if callee[0] != m.ATTRIBUTE or what[0] != m.DEFINITION:
        return []
    if not any(each[:3] == function[:3] for each in engine.values(file.path, callee[1], 0, fuel - LOOKUP_STEP)):
        return []
    params = file.scopes[what[1]].params[file.class_of(what[1]) >= 0 :]
    types = types or [each[2] for each in params[:1] if each[2] >= 0]
    kinds = [kind for each in types for kind in ordered(engine.values(file.path, each, 0, fuel - LOOKUP_STEP))]
    return [_Registered(kind[:3], file.path, what[1]) for kind in kinds if kind[0] in (CLASS, EXTERNAL)]


def _by_calls(engine: Engine, file: File, function: Value, fuel: int) -> list[_Registered]:
    """What a file registers with a function by calls: `show.register(Circle, show_circle)`."""
    engine.note_calls(file, _REGISTER)
    found: list[_Registered] = []
    for number in file.calls_by_name.get(_REGISTER, ()):
        engine.seen.append(file.seen_at(number))
        entry = file.entries[number]
        callee = file.entries[entry[1]]
        if entry[0] != m.CALL or callee[0] != m.ATTRIBUTE or len(entry[2]) != 2:
            continue
        if any(each[:3] == function[:3] for each in engine.values(file.path, callee[1], 0, fuel - LOOKUP_STEP)):
            kinds, given = (engine.values(file.path, each, 0, fuel - LOOKUP_STEP) for each in entry[2])
            ran = [each for each in ordered(given) if each[0] == FUNCTION]
            named = [kind[:3] for kind in ordered(kinds) if kind[0] in (CLASS, EXTERNAL)]
            found.extend(_Registered(kind, each[1], each[2]) for kind in named for each in ran)
    return found


def _given_to(engine: Engine, file: File, scope: int) -> list[tuple[int, int]]:
    """What a function is registered with where it stands, and for which type, where that is written: by its decorators,
    and by calls that pass it."""
    own = file.scopes[scope]
    found: list[tuple[int, int]] = []
    for each in own.decorators:
        decorator = file.entries[each][1]
        entry = file.entries[decorator]
        is_typed = entry[0] == m.CALL and len(entry[2]) == 1
        callee = file.entries[entry[1]] if is_typed else entry
        if callee[0] == m.ATTRIBUTE and callee[2] == _REGISTER:
            found.append((callee[1], entry[2][0] if is_typed else -1))
    if own.kind == m.FUNCTION_SCOPE and own.name in file.given:
        engine.note(file, passed_key(file.path, own.name))
        for number in file.given[own.name]:
            engine.seen.append(file.seen_at(number))
            entry = file.entries[number]
            callee = file.entries[entry[1]]
            if callee[0] == m.ATTRIBUTE and callee[2] == _REGISTER and len(entry[2]) == 2:
                found.append((callee[1], entry[2][0]))
    return found


def taken(engine: Engine, file: File, scope: int, fuel: int) -> Values:
    """What a function takes that is registered with another for a class: `@show.register(Circle)`."""
    found: list[Values] = []
    for with_what, kind in _given_to(engine, file, scope):
        if kind >= 0 and any(value[0] == FUNCTION for value in engine.values(file.path, with_what, 0, fuel)):
            kinds = engine.values(file.path, kind, 0, fuel)
            found.append(frozenset((INSTANCE, *value[1:3], True) for value in kinds if value[0] == CLASS))
    return union(found)


def generics(engine: Engine, file: File, scope: int, fuel: int) -> set[tuple[str, int]]:
    """The generic functions that a function is registered with: a call of one may run it."""
    given = [engine.values(file.path, each, 0, fuel - LOOKUP_STEP) for each, _ in _given_to(engine, file, scope)]
    return {(each[1], each[2]) for values in given for each in values if _is_replaced(engine, each)}


def names(engine: Engine, file: File, scope: int) -> list[str]:
    """The names by which these are called there."""
    return [name for each, _ in _given_to(engine, file, scope) if (name := file.last_name(each))]


def running(engine: Engine, callees: list[Value], ran: Values, path: str, scope: int) -> list[Value]:
    """Of what may be called that which runs, and a function that runs as what is registered with one of them."""
    own = (path, scope)
    found = [each for each in callees if each in ran and (each[1:3] == own or not _is_replaced(engine, each))]
    return found + [each for each in ran if each[0] == FUNCTION and each[1:3] == own and each not in found]


def _is_replaced(engine: Engine, value: Value) -> bool:
    return value[0] == FUNCTION and is_generic(engine, value)
