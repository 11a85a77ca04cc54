"""Pass 4c, continued: what comes out of generators and of objects that say themselves what they are iterated for.

The elements of what is written as a container are `containers`' own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins import coroutines, operators
from everdex.graph.python.calls import calls
from everdex.graph.python.classes import attributes, classes, records
from everdex.graph.python.containers import containers, heirs
from everdex.graph.python.engine.contexts import Argument, Positional
from everdex.graph.python.engine.engine import CALL_STEP, LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import BUILTIN, FUNCTION, GENERATOR, INSTANCE, Value, Values, union, unknown
from everdex.graph.python.file.files import File


def yielded(engine: Engine, value: Value, fuel: int) -> Values:
    _, path, scope, context = value
    file = engine.look_at(path, scope)
    return union(
        containers.maybe_starred(engine, file, each, context, fuel - CALL_STEP) for each in file.scopes[scope].yields
    )


def outcome_of(engine: Engine, value: Value, fuel: int) -> Values:
    """What a finished generator returns."""
    if value[0] != GENERATOR:
        return frozenset((value,))
    file = engine.look_at(value[1], value[2])
    return union(
        engine.values(value[1], each, value[3], fuel - CALL_STEP) for each in file.scopes[value[2]].returns
    )


def outcomes(engine: Engine, file: File, expression: int, context: int, fuel: int) -> Values:
    """What the generators return that the function around an expression steps: `error.value` of a `StopIteration`."""
    scope = file.where[expression]
    parts: list[Values] = []
    for name in _STEPPING:
        engine.note_calls(file, name)
    for number in [each for name in _STEPPING for each in file.calls_by_name.get(name, ())]:
        callee, given = file.entries[number][1:3]
        entry = file.entries[callee]
        if file.where[number] == scope and (entry[0] == m.ATTRIBUTE or given):
            stepped_one = entry[1] if entry[0] == m.ATTRIBUTE else given[0]
            made = engine.values(file.path, stepped_one, context, fuel - LOOKUP_STEP)
            parts.extend(outcome_of(engine, each, fuel - CALL_STEP) for each in made if each[0] == GENERATOR)
    return union(parts)


_STEPPING: Final = ("next", "send", "throw", "__next__")


def iterated(engine: Engine, value: Value, fuel: int) -> Values:
    for name in ("__iter__", "__aiter__"):
        functions = [each for each in attributes.of(engine, value, name, fuel, value[1]) if each[0] == FUNCTION]
        if functions:
            return _begun(engine, functions, fuel)
    found = attributes.of(engine, value, "__getitem__", fuel, value[1])
    functions = [each for each in found if each[0] == FUNCTION]
    made = union(
        calls.result(engine, each, _of_type(engine, each, "int"), (), fuel - CALL_STEP) for each in functions
    )
    made = made or records.place(engine, value, None, fuel) or heirs.elements(engine, value, fuel)
    return made or unknown("element of an unknown value")


def got(engine: Engine, value: Value, wanted: int | str | None, key_type: str, fuel: int) -> Values:
    """What an object gives for a key: by its method, which may ask of what type that is."""
    found = operators.getting(engine, frozenset((value,)), fuel, value[1])
    made = union(calls.result(engine, each, _of_type(engine, each, key_type), (), fuel - CALL_STEP) for each in found)
    made = made or records.place(engine, value, wanted, fuel) or heirs.item(engine, value, wanted, fuel)
    return made or unknown("item of an unknown value")


def _of_type(engine: Engine, function: Value, name: str) -> Positional:
    """An argument of which only the type is told, so that calls with such ones have one answer; none to who would give
    the same for any."""
    if not name or not any(engine.look_at(function[1], function[2]).scopes[function[2]].guards):
        return ()
    return (Argument("", -1, 0, frozenset(((BUILTIN, name),))),)


def of_class(engine: Engine, value: Value, fuel: int) -> Values:
    """What going through a class gives: what its metaclass says."""
    found = classes.of_metaclass(engine, value, "__iter__", fuel)
    functions = [each for each in found if each[0] == FUNCTION]
    return _begun(engine, functions, fuel) if functions else unknown("element of an unknown value")


def _begun(engine: Engine, functions: Iterable[Value], fuel: int) -> Values:
    made = union(calls.result(engine, each, (), (), fuel - CALL_STEP) for each in functions)
    return union(
        stepped(engine, each, fuel) if each[0] == INSTANCE else containers.elements(engine, each, fuel - CALL_STEP)
        for each in made
    )


def stepped(engine: Engine, value: Value, fuel: int) -> Values:
    for name in ("__next__", "__anext__"):
        found = attributes.of(engine, value, name, fuel, value[1])
        functions = [each for each in found if each[0] == FUNCTION]
        if functions:
            made = union(calls.result(engine, each, (), (), fuel - CALL_STEP) for each in functions)
            return union(coroutines.finished(engine, each, fuel) for each in made) if name == "__anext__" else made
    return unknown("element of an unknown value")
