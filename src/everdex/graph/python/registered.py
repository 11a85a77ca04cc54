"""Which function a call of a generic one runs (`functools.singledispatch`): the one that is registered for what is
passed.

Where the types of all that may be passed first are known, those that are registered for them count, along their lines
of classes, and the function itself only for a type that nobody registered. Else the function itself speaks for all.
What is registered is known while few files decorate with anything called `register`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from everdex.facts.python import model as m
from everdex.graph.python import asked, builtin_calls, classes, standard
from everdex.graph.python.contexts import Positional
from everdex.graph.python.engine import LOOKUP_STEP, Engine
from everdex.graph.python.files import File
from everdex.graph.python.keys import DECORATE_KEY
from everdex.graph.python.values import (
    BUILTIN,
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    Value,
    Values,
    is_open,
    ordered,
)

MAX_FILES: Final = 8
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
        names = ("register", "register()")
        offering = [engine.offering_few(DECORATE_KEY + name, MAX_FILES) for name in names]
        files = dict.fromkeys(path for found in offering for path in found or ())
        if None in offering or len(files) > MAX_FILES:
            return ()
        return tuple(
            each for path in files for number in _decorations(engine.file(path), names)
            for each in _registered(engine, engine.file(path), number, function, fuel)
        )  # fmt: skip

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
