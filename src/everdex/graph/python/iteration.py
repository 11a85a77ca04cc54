"""Pass 4c, continued: what comes out of generators and of objects that say themselves what they are iterated for.

The elements of what is written as a container are `containers`' own.
"""

from __future__ import annotations

from collections.abc import Iterable

from everdex.graph.python import attributes, calls, classes, containers, coroutines, heirs, records
from everdex.graph.python.engine import CALL_STEP, Engine
from everdex.graph.python.values import FUNCTION, GENERATOR, INSTANCE, Value, Values, union, unknown


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


def iterated(engine: Engine, value: Value, fuel: int) -> Values:
    for name in ("__iter__", "__aiter__"):
        functions = [each for each in attributes.of(engine, value, name, fuel, value[1]) if each[0] == FUNCTION]
        if functions:
            return _begun(engine, functions, fuel)
    found = attributes.of(engine, value, "__getitem__", fuel, value[1])
    made = union(
        calls.result(engine, each, (), (), fuel - CALL_STEP) for each in found if each[0] == FUNCTION
    )
    made = made or records.place(engine, value, None, fuel) or heirs.elements(engine, value, fuel)
    return made or unknown("element of an unknown value")


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
