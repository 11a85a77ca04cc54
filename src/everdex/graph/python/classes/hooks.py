"""Pass 3, continued: attributes that are computed: by descriptors and __getattr__ of the root, or from outside.

What code of the root computes becomes a property whose getter is the hook, bound and with its arguments, so that
reading it runs the hook and gives what the hook returns. It does not follow what __getattribute__
gives.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins.rules import IDENTITY
from everdex.graph.python.classes import classes, records
from everdex.graph.python.engine.contexts import Argument
from everdex.graph.python.engine.engine import Engine
from everdex.graph.python.engine.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    LITERAL,
    NONE,
    NOTHING,
    PARTIAL,
    PROPERTY,
    Value,
    Values,
    order,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import METHOD_KEY

INTERCEPTING: Final = f"{METHOD_KEY}__getattribute__"  # that some class answers itself for whatever is read


def descriptors(engine: Engine, values: Values, receiver: Value, owner: Value, fuel: int) -> Values:
    """Class attributes read through an instance, or through the class, when the receiver is None, which only getters
    answer: those that are descriptors become properties."""
    if not any(value[0] == INSTANCE for value in values):
        return values
    found: list[Value] = []
    for value in values:
        getter = _method(engine, value, "__get__", fuel) if value[0] == INSTANCE else None
        setter = _method(engine, value, "__set__", fuel) if value[0] == INSTANCE and receiver != NONE else None
        if getter is None and setter is None:
            found.append(value)
            continue
        given = (_known(receiver), _known(owner))
        deleter = _method(engine, value, "__delete__", fuel)
        found.append((PROPERTY, (PARTIAL, getter, given, ()) if getter is not None else None, setter, deleter))
    return frozenset(found)


def gives_way(value: Value) -> bool:
    """Whether what an object stores under a name is read in place of what its class has: all but properties, and
    descriptors that say themselves how they are stored or deleted."""
    return value[0] != PROPERTY or (value[1] is not None and value[1][0] == PARTIAL and value[2:] == (None, None))


def missing(engine: Engine, line: tuple[Value, ...], receiver: Value, wanted: str | Values, fuel: int) -> Values:
    """An attribute that no class binds, or of which only some values are known that its name may have: what __getattr__
    makes of the name. Syntax never asks it."""
    if isinstance(wanted, str) and wanted.startswith("__"):
        return NOTHING
    values, _ = classes.raw_attribute(engine, line, "__getattr__", fuel)
    named = frozenset(((LITERAL, "str", wanted),)) if isinstance(wanted, str) else wanted
    name = Argument("", -1, 0, named)
    return frozenset(
        (PROPERTY, (PARTIAL, (*value[:4], receiver), (name,), ()), None, None)
        for value in values
        if value[0] == FUNCTION
    )


def intercepting(engine: Engine, values: Values, fuel: int) -> Values:
    """What runs whatever is read of these: a `__getattribute__` of their class, or of a class's metaclass."""
    key = ("intercepting", values)
    found: Values = engine.ask(key, fuel, lambda fuel: _intercepting(engine, values, fuel), NOTHING)
    return found


def _intercepting(engine: Engine, values: Values, fuel: int) -> Values:
    found: list[Value] = []
    for value in values:
        if value[0] == INSTANCE:
            line = classes.mro(engine, value[1], value[2], fuel)
            found.extend(classes.raw_attribute(engine, line, "__getattribute__", fuel)[0])
        elif value[0] == CLASS:
            found.extend(classes.of_metaclass(engine, value, "__getattribute__", fuel))
    return frozenset(each for each in found if each[0] == FUNCTION)


def from_outside(dotted: str, receiver: Value) -> Value:
    """A method of a class from outside: one that gives back what it is called on knows what that is."""
    return (PARTIAL, (EXTERNAL, dotted), (_known(receiver),), ()) if dotted in IDENTITY else (EXTERNAL, dotted)


def is_only_declared(file: File, scope: int, wanted: str) -> bool:
    """Whether a class only says of what type an attribute is: it has none, and __getattr__ is asked, unless it is a
    record, whose constructor assigns it."""
    bound = [file.entries[file.bindings[each][2]] for each in file.final(scope, wanted)]
    return all(entry[0] == m.TYPED and entry[2] < 0 for entry in bound) and not records.is_record(file, scope)


def _known(value: Value) -> Argument:
    return Argument("", -1, 0, frozenset((value,)))


def _method(engine: Engine, value: Value, name: str, fuel: int) -> Value | None:
    line = classes.mro(engine, value[1], value[2], fuel)
    values, _ = classes.raw_attribute(engine, line, name, fuel)
    functions = sorted((each for each in values if each[0] == FUNCTION), key=order)
    return (*functions[0][:4], value) if functions else None
