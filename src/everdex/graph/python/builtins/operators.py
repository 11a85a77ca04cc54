"""Pass 5, continued: operators, and the methods that syntax calls without naming them.

`targets of a dunder` are functions only; builtin operands call nothing that could be named. Attribute hooks, hashes
and in-place fallbacks of comparison are not followed.
"""

from __future__ import annotations

from typing import Any

from everdex.facts.python import model as m
from everdex.graph.python.builtins.rules import COMPARISONS, OPERATORS, UNARY
from everdex.graph.python.calls import calls
from everdex.graph.python.classes import attributes, classes
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.contexts import Argument
from everdex.graph.python.engine.engine import CALL_STEP, LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    AFFIXES,
    ANNOTATED,
    BUILTIN,
    CLASS,
    DISPLAY,
    EXTERNAL_INSTANCE,
    FORM,
    FUNCTION,
    INSTANCE,
    LIST,
    LITERAL,
    NOTHING,
    TEXT,
    TUPLE,
    UNKNOWN,
    Value,
    Values,
    union,
    unknown,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.names import spelling

# A table of numbers written as one expression would else be looked at once for every amount of fuel.
MAX_OPERATORS = 32
_LONG_CHAIN = unknown("a long chain of operators")
_SLICE = frozenset(((BUILTIN, "slice"),))
_BOOL = frozenset(((BUILTIN, "bool"),))
_HOLDERS = frozenset((DISPLAY, LIST, TUPLE))
_COMPARED = _HOLDERS | {ANNOTATED}
_EQUALITIES = frozenset(("==", "!="))
_ALWAYS_TRUTHS = frozenset(("in", "not in", "is", "is not"))
_NO_TRUTHS = frozenset((INSTANCE, FUNCTION, CLASS, DISPLAY, LIST, TUPLE))


def special(engine: Engine, values: Values, name: str, fuel: int, path: str) -> Values:
    """The functions a dunder means: those of its class, and a class's own class is its metaclass."""
    found: list[Values] = []
    for value in values:
        if value[0] == INSTANCE:
            methods = attributes.of(engine, value, name, fuel, path)
            found.append(frozenset(each for each in methods if each[0] == FUNCTION))
        elif value[0] == CLASS:
            methods = classes.of_metaclass(engine, value, name, fuel)
            found.append(frozenset(each for each in methods if each[0] == FUNCTION))
    return union(found)


def getting(engine: Engine, values: Values, fuel: int, path: str) -> Values:
    """What is run to get an item; a mapping without a method of its own asks for what is missing."""
    return special(engine, values, "__getitem__", fuel, path) or special(engine, values, "__missing__", fuel, path)


def ordering(engine: Engine, values: Values, operator: str, fuel: int, path: str) -> Values:
    """What is run to put values into order."""
    own, reflected = COMPARISONS[operator]
    return special(engine, values, own, fuel, path) or special(engine, values, reflected, fuel, path)


def adding(engine: Engine, values: Values, start: Values, fuel: int, path: str) -> Values:
    """What is run to sum values up: a number is what it begins with, unless something else is given."""
    begun = NOTHING if start else special(engine, values, "__radd__", fuel, path)
    return union((begun, special(engine, union((values, start)), "__add__", fuel, path))) if begun or start else NOTHING


def truth(engine: Engine, values: Values, fuel: int, path: str) -> Values:
    """What is run to find out whether a value is true."""
    found: list[Values] = []
    for value in values:
        if value[0] == INSTANCE:
            alone = frozenset((value,))
            found.append(
                special(engine, alone, "__bool__", fuel, path) or special(engine, alone, "__len__", fuel, path)
            )
    return union(found)


def binary_methods(engine: Engine, file: File, entry: Any, context: int, fuel: int) -> tuple[Values, Values]:
    """What an operator calls of the left operand, and the right one's reflected methods, where there is none or it may
    decline."""
    operator, left, right = entry[1], entry[2], entry[3]
    augmented = operator.endswith("=")
    name = OPERATORS.get(operator[:-1] if augmented else operator)
    if name is None:
        return NOTHING, NOTHING
    values = engine.values(file.path, left, context, fuel)
    found = special(engine, values, f"__i{name}__", fuel, file.path) if augmented else NOTHING
    found = found or special(engine, values, f"__{name}__", fuel, file.path)
    # Every one is asked, or what was looked at would depend on the order of a set.
    declining = [_may_decline(engine, each, (Argument(file.path, right, context),), fuel) for each in found]
    if found and not any(declining):
        return found, NOTHING
    others = engine.values(file.path, right, context, fuel)
    return found, special(engine, others, f"__r{name}__", fuel, file.path)


def _may_decline(engine: Engine, function: Value, other: tuple[Argument], fuel: int) -> bool:
    """Whether a method gives `NotImplemented` for an operand."""
    own = engine.look_at(function[1], function[2]).scopes[function[2]]
    entries = engine.file(function[1]).entries
    if not any(entries[each][:2] == (m.NAME, "NotImplemented") for each in own.returns):
        return False
    return _DECLINED in calls.result(engine, function, other if any(own.guards) else (), (), fuel - CALL_STEP)


_DECLINED = ("external", "builtins.NotImplemented")


def binary(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    if file.operators_below(expression) > MAX_OPERATORS:
        return _LONG_CHAIN
    left = engine.values(file.path, entry[2], context, fuel)
    functions, reflected = binary_methods(engine, file, entry, context, fuel)
    if functions or reflected:
        operands = (functions, entry[3]), (reflected, entry[2])
        made = union(
            _given(engine, each, (Argument(file.path, other, context),), fuel)
            for found, other in operands
            for each in found
        )
        return made - {_DECLINED} if reflected else made
    if entry[1] == "|" and any(value[0] in (CLASS, FORM, "external") for value in left):
        return frozenset(((FORM, file.path, expression, context),))
    kinds = {"str" if value[0] == AFFIXES else value[1] for value in left if value[0] in (LITERAL, BUILTIN, AFFIXES)}
    if kinds == {"str"} and entry[1] == "+":
        return spelling.added(engine, file, left, entry[3], context, fuel)
    if kinds == {"str"} and entry[1] == "%" and len(left) == 1:
        (only,) = left
        return spelling.filled(engine, file, only[2], entry[3], context, fuel) if only[0] == LITERAL else TEXT
    if "str" in kinds or "bytes" in kinds:
        return frozenset((BUILTIN, kind) for kind in kinds)
    if any(value[0] in _HOLDERS for value in left):
        right = engine.values(file.path, entry[3], context, fuel)
        if entry[1][0] == "|":
            return union((left, right))
        if entry[1].endswith("="):  # the same list, and more in it
            added = union(containers.elements(engine, each, fuel) for each in right)
            return union((left, frozenset(((LIST, added),))))
        if entry[1] == "+" and file.is_display(entry):
            return frozenset(((DISPLAY, file.path, expression, context),))
        both = union(containers.elements(engine, each, fuel) for each in (*left, *right))
        return frozenset(((LIST, both),))
    if kinds:
        right = engine.values(file.path, entry[3], context, fuel)
        if any(each[0] == INSTANCE for each in right):  # whose method was not found, or not in so few steps
            return unknown("result of an operator")
        return frozenset((BUILTIN, kind) for kind in kinds)
    written = file.entries[entry[3]]
    if entry[1] == "+" and written[0] == m.LITERAL and written[1] == "str" and all(each[0] == UNKNOWN for each in left):
        return spelling.added(engine, file, left, entry[3], context, fuel)
    reasons = frozenset(value for value in left if value[0] in (UNKNOWN, EXTERNAL_INSTANCE))
    return reasons or unknown("result of an operator")


def _given(engine: Engine, function: Value, other: tuple[Argument], fuel: int) -> Values:
    """What an operator gives. It is told apart by receiver, and by operand only where the method asks what that is: or
    every sum of a tree would look through its method again."""
    own = engine.look_at(function[1], function[2]).scopes[function[2]]
    return calls.result(engine, function, other if any(own.guards) else (), (), fuel - CALL_STEP)


def unary(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    if entry[1] == "not":
        return _BOOL
    values = engine.values(file.path, entry[2], context, fuel)
    functions = special(engine, values, UNARY.get(entry[1], ""), fuel, file.path)
    if functions:
        return union(calls.result(engine, each, (), (), fuel - CALL_STEP) for each in functions)
    if entry[1] == "-" and len(values) == 1:
        (value,) = values
        if value[0] == LITERAL and value[1] == "int":
            return frozenset(((LITERAL, "int", -value[2]),))
    return frozenset((BUILTIN, value[1]) if value[0] == LITERAL else value for value in values)


def comparison_methods(engine: Engine, file: File, entry: Any, context: int, fuel: int) -> Values:
    found: list[Values] = []
    operators, operands = entry[1], entry[2]
    for place, operator in enumerate(operators[: len(operands) - 1]):
        names = COMPARISONS.get(" ".join(operator.split()))
        if names is None:
            continue
        left = engine.values(file.path, operands[place], context, fuel) if names[0] else NOTHING
        mine = special(engine, left, names[0], fuel, file.path) if names[0] else NOTHING
        if not mine and operator == "!=":
            mine = special(engine, left, "__eq__", fuel, file.path)
        if not mine:
            right = engine.values(file.path, operands[place + 1], context, fuel)
            mine = special(engine, right, names[1], fuel, file.path)
            if not mine and operator in _EQUALITIES:
                mine = _by_members(engine, left, right, fuel, file.path)
        found.append(mine)
    return union(found)


def _by_members(engine: Engine, left: Values, right: Values, fuel: int, path: str) -> Values:
    """What compares two containers: the members of one are asked, where both have any and may be of one kind."""
    both = [[each for each in values if each[0] in _COMPARED] for values in (left, right)]
    kinds = [{_kind(engine, each) for each in values} for values in both]
    if not all(both) or (kinds[0].isdisjoint(kinds[1]) and not any("" in each for each in kinds)):
        return NOTHING
    first, second = (union(containers.elements(engine, each, fuel - LOOKUP_STEP) for each in values) for values in both)
    if not first or not second:
        return NOTHING
    return special(engine, first, "__eq__", fuel, path) or special(engine, second, "__eq__", fuel, path)


def _kind(engine: Engine, value: Value) -> str:
    """What a container is that is written out; '' of others."""
    entry = engine.file(value[1]).entries[value[2]] if value[0] == DISPLAY else ()
    return str(entry[1]) if entry and entry[0] == m.SEQUENCE else value[0] if value[0] == TUPLE else ""


def compare(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """Whether, unless a method of the root gives something else."""
    if " ".join(entry[1]) in _ALWAYS_TRUTHS:
        return _BOOL
    given = union(
        calls.result(engine, each, (), (), fuel - CALL_STEP)
        for each in comparison_methods(engine, file, entry, context, fuel)
    )
    return frozenset(value for value in given if value[0] in _NO_TRUTHS) or _BOOL


def either(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    return union(engine.values(file.path, each, context, fuel) for each in entry[1])


def literal(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    if entry[2] is not None and entry[1] in ("str", "int", "bool"):
        return frozenset(((LITERAL, entry[1], entry[2]),))
    return frozenset(((BUILTIN, "NoneType" if entry[1] == "None" else entry[1]),))


def caught(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """What `except X as e` binds: nothing that a clause before it has caught."""
    found = raised(engine, engine.values(file.path, entry[1], context, fuel), fuel)
    before = raised(engine, union(engine.values(file.path, each, context, fuel) for each in entry[2]), fuel)
    kinds = {(CLASS, *each[1:3]) for each in before if each[0] == INSTANCE}
    return union(_left(engine, each, kinds, fuel) for each in found) if kinds else found


def _left(engine: Engine, value: Value, caught: set[Value], fuel: int) -> Values:
    """An exception without those of the classes below that are caught already, where such are known and few."""
    if value[0] != INSTANCE or not value[3]:
        return frozenset((value,))
    below = classes.subclasses(engine, value[1], value[2], fuel - LOOKUP_STEP) or ()
    left = [each for each in below if caught.isdisjoint(classes.mro(engine, each[1], each[2], fuel))]
    if len(left) == len(below) or len(left) >= classes.MAX_OVERRIDES:
        return frozenset((value,))
    return frozenset((INSTANCE, *each[1:3], False) for each in ((CLASS, *value[1:3]), *left))


def raised(engine: Engine, kinds: Values, fuel: int) -> Values:
    """What may be caught where these classes, or tuples of some, are waited for."""
    found: list[Values] = []
    for value in kinds:
        if value[0] == CLASS:
            found.append(frozenset(((INSTANCE, value[1], value[2], True),)))
        elif value[0] == "external":
            found.append(frozenset(((EXTERNAL_INSTANCE, value[1]),)))
        elif value[0] in _HOLDERS:
            inner = containers.elements(engine, value, fuel)
            own = frozenset((INSTANCE, each[1], each[2], True) for each in inner if each[0] == CLASS)
            found.append(own or frozenset((EXTERNAL_INSTANCE, each[1]) for each in inner if each[0] == "external"))
    return union(found) or unknown("exception")


def sliced(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    return _SLICE


def no_value(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    return unknown(entry[1] if entry[0] == m.UNKNOWN else "sent value")
