"""Pass 5, continued: methods of builtin containers, strings, properties and functions, by what they give back."""

from __future__ import annotations

from everdex.facts.python import model as m
from everdex.graph.python.builtins import builtin_calls, making
from everdex.graph.python.builtins.rules import CONTAINERS
from everdex.graph.python.calls import parameters
from everdex.graph.python.classes import classes
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.contexts import Argument, Keywords, Positional
from everdex.graph.python.engine.engine import FUEL, LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    AFFIXES,
    ANNOTATED,
    BUILTIN,
    CLASS,
    DISPLAY,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FUNCTION,
    GENERATOR,
    INSTANCE,
    KEEPING,
    KEYED,
    LIST,
    LITERAL,
    NONE,
    NOTHING,
    PAIRS,
    PROPERTY,
    ROW,
    TEXT,
    TUPLE,
    Value,
    Values,
    order,
    union,
    unknown,
)
from everdex.graph.python.names import spelling

_HOLDERS = frozenset((DISPLAY, LIST, TUPLE, KEYED, PAIRS, ANNOTATED, ROW))
_NONE = frozenset((NONE,))


def result(engine: Engine, receiver: Value, name: str, positional: Positional, keywords: Keywords, fuel: int) -> Values:
    kind = receiver[0]
    if kind == PROPERTY:
        given = builtin_calls.first(engine, positional, fuel)
        functions = sorted((each for each in given if each[0] == FUNCTION), key=order)
        parts = {"getter": receiver[1], "setter": receiver[2], "deleter": receiver[3]}
        if functions and name in parts:
            parts[name] = functions[0]
        return frozenset(((PROPERTY, *parts.values()),))
    if kind == CLASS and name == "__subclasses__":
        below = classes.subclasses(engine, receiver[1], receiver[2], fuel - LOOKUP_STEP)
        return frozenset(((LIST, frozenset(below or ())),))
    if kind == ROW and name == "_replace":
        return _with_others(engine, receiver, keywords, fuel)
    if kind in _HOLDERS or kind == INSTANCE:
        return _held(engine, receiver, name, positional, fuel)
    if kind == GENERATOR and name in ("__next__", "send", "__anext__", "asend"):
        return containers.elements(engine, receiver, fuel)
    if kind == AFFIXES or (kind == LITERAL and isinstance(receiver[2], str)):
        return spelling.method(engine, receiver, name, positional, keywords, fuel) or _text((BUILTIN, "str"), name)
    if kind in (LITERAL, BUILTIN):
        return _text(receiver, name)
    if kind == FUNCTION and name == "__get__":
        return making.bound(engine, (Argument("", -1, 0, frozenset((receiver,))), *positional), fuel)
    if kind == FUNCTION and name in ("register", "setter", "getter", "deleter"):
        given = builtin_calls.first(engine, positional, fuel)
        functions = [each for each in given if each[0] == FUNCTION]
        return frozenset(functions) if functions else frozenset(((KEEPING, f"builtins.function.{name}"),))
    return unknown("method of an unknown value")


def _with_others(engine: Engine, row: Value, keywords: Keywords, fuel: int) -> Values:
    """A tuple with other fields; not one that holds such tuples itself: a loop would put them into each other."""
    others = {key: parameters.argument(engine, each, fuel) for key, each in keywords if key in row[1]}
    if any(value[0] == ROW for values in others.values() for value in values):
        return frozenset((row,))
    held = tuple(others.get(key, values) for key, values in zip(row[1], row[2], strict=True))
    return frozenset(((ROW, row[1], held),))


def _held(engine: Engine, receiver: Value, name: str, positional: Positional, fuel: int) -> Values:
    if name in ("get", "pop", "setdefault", "__getitem__", "popleft", "popitem", "get_nowait"):
        keys = containers.keys(builtin_calls.first(engine, positional, fuel))
        parts = [containers.item(engine, receiver, each, fuel) for each in keys]
        if name == "popitem":
            return frozenset(((TUPLE, (TEXT, union(parts))),))
        return union((*parts, builtin_calls.nth(engine, positional, 1, fuel)))
    if name == "values":
        return frozenset(((LIST, containers.item(engine, receiver, None, fuel)),))
    if name == "items":
        keys_values = containers.elements(engine, receiver, fuel)
        values = containers.item(engine, receiver, None, fuel)
        return frozenset(((LIST, frozenset(((TUPLE, (keys_values, values)),))),))
    if name == "keys":
        return frozenset(((LIST, containers.elements(engine, receiver, fuel)),))
    if name in ("copy", "union", "intersection", "difference", "__iter__", "symmetric_difference", "_replace"):
        return frozenset((receiver,))
    if name in ("index", "count"):
        return frozenset(((BUILTIN, "int"),))
    return _NONE


def _text(receiver: Value, name: str) -> Values:
    of = receiver[1]
    if of in ("str", "bytes"):
        if name in ("split", "rsplit", "splitlines", "partition", "rpartition"):
            return frozenset(((LIST, frozenset(((BUILTIN, of),))),))
        if name in ("encode",):
            return frozenset(((BUILTIN, "bytes"),))
        if name in ("decode",):
            return TEXT
        if name.startswith(("is", "starts", "ends")):
            return frozenset(((BUILTIN, "bool"),))
        return frozenset(((BUILTIN, of),))
    if of in ("int", "float", "bool", "complex"):
        return frozenset(((BUILTIN, of),))
    if of in ("list", "dict", "set", "tuple", "frozenset"):
        return unknown("element of an untyped container")
    return frozenset(((EXTERNAL_INSTANCE, f"builtins.{of}.{name}"),)) if of else NOTHING


def type_path(engine: Engine, receiver: Value) -> str:
    """The type a method of a container, text or number belongs to, with its module, for naming the method."""
    if receiver[0] == INSTANCE:  # of a class that inherits from it
        return classes.outside(classes.mro(engine, receiver[1], receiver[2], FUEL))
    if receiver[0] == DISPLAY:
        entry = engine.file(receiver[1]).entries[receiver[2]]
        made_by = engine.values(receiver[1], entry[1], receiver[3], FUEL) if entry[0] == m.CALL else NOTHING
        for each in sorted(made_by, key=order):
            if each[0] == EXTERNAL and each[1] in CONTAINERS:
                return str(each[1]).removesuffix(".fromkeys")
    return f"builtins.{type_name(engine, receiver)}"


def type_name(engine: Engine, receiver: Value) -> str:
    """The builtin type a method belongs to, for naming it."""
    kind = receiver[0]
    if kind == DISPLAY:
        file = engine.file(receiver[1])
        entry = file.entries[receiver[2]]
        if entry[0] in (m.CALL, m.NAME):
            made_by = file.last_name(entry[1] if entry[0] == m.CALL else receiver[2])
            return "dict" if made_by == "fromkeys" else made_by
        return _WRITTEN_AS.get(entry[0]) or str(entry[1])
    if kind in (LITERAL, BUILTIN):
        return str(receiver[1])
    if kind == INSTANCE:  # of a class that inherits from it
        return classes.outside(classes.mro(engine, receiver[1], receiver[2], FUEL)).rpartition(".")[2]
    if kind == ANNOTATED:
        file = engine.file(receiver[1])
        return file.last_name(file.entries[receiver[2]][1]).lower()
    return _TYPE_NAMES.get(kind) or str(kind)


_WRITTEN_AS = {m.DICT: "dict", m.BINARY: "list"}
_TYPE_NAMES = {
    LIST: "list", TUPLE: "tuple", KEYED: "dict", PAIRS: "dict", GENERATOR: "generator", FUNCTION: "function",
    AFFIXES: "str",
}  # fmt: skip
