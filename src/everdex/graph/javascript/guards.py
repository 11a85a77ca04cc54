"""What a name was tested to be: by `instanceof`, or by a function that says so of what it is given (`x is T`).

Where the test holds in the text is not looked at. What it says is asked only for a property that nothing else known of
the name has: whoever names such a property has tested for it, or the program would not pass its own compiler.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import members, types
from everdex.graph.javascript import values as v
from everdex.graph.javascript.files import File
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_JUMP: Final = 4
_MAX_TESTS: Final = 12
_HAVING: Final = frozenset((v.INSTANCE, v.MADE, v.OBJECT, v.TYPED, v.CLASS, v.MODULE, v.NAMESPACE))


def receivers(engine: Engine, file: File, index: int, name: str, fuel: int) -> Values:
    """Of what an expression may be, that which a property of this name is asked of."""
    values = engine.evaluate(file, index, fuel)
    row = file.expressions[index]
    if row[0] != m.NAME or not file.bindings[row[1]].tests or _have(engine, values, name, fuel):
        return values
    tested = _tested(engine, file, row[1], fuel - 1)
    return _have(engine, tested, name, fuel) or values


def returned(engine: Engine, file: File, index: int, fuel: int) -> Values:
    """What a function gives back: of a name also what it was tested to be."""
    values = engine.evaluate(file, index, fuel)
    row = file.expressions[index]
    if row[0] != m.NAME or not file.bindings[row[1]].tests:
        return values
    return v.union((values, _tested(engine, file, row[1], fuel - 1)))


def _have(engine: Engine, values: Values, name: str, fuel: int) -> Values:
    """Those of the root that have a property."""
    return tuple(
        value for value in values if value[0] in _HAVING and members.find(engine, value, name, fuel - 1)
    )


def _tested(engine: Engine, file: File, binding: int, fuel: int) -> Values:
    tests = engine.touch_name(file, binding).tests
    return v.union(_said(engine, file, test, binding, fuel) for test in tests[:_MAX_TESTS])


def _said(engine: Engine, file: File, test: int, binding: int, fuel: int) -> Values:
    row = file.expressions[test]
    if row[0] == m.NEW:
        return v.union((value[:3] if value[0] == v.INSTANCE else value,) for value in engine.evaluate(file, test, fuel))
    number = next((at for at, given in enumerate(row[2]) if file.expressions[given] == (m.NAME, binding)), -1)
    called = engine.evaluate(file, row[1], fuel - 1)
    return v.union(predicate(engine, value, number, fuel - _JUMP) for value in called)


def predicate(engine: Engine, value: Value, number: int, fuel: int) -> Values:
    """What a function says that the argument of this number is, where it says that it is so."""
    if value[0] == v.CALLABLE:
        file = engine.files[value[1]]
        result = file.types[file.types[value[2]][2]]
        is_asked = number == 0  # the names of a function type's parameters are not kept
    elif value[0] == v.FUNCTION:
        file = engine.files[value[1]]
        function = file.functions[value[2]]
        engine.touch(file, file.home(function.node))
        said = [file.functions[each].result for each in function.overloads] + [function.result]
        result = next((row for each in said if (row := file.types[each])[0] == m.T_PREDICATE), (m.T_UNKNOWN,))
        takes = engine.touch_takes(file, value[2], number).parameters if result[0] == m.T_PREDICATE else []
        is_asked = number < len(takes) and _is_named(file, takes[number][0], result[1])
    else:
        return v.NOTHING
    if result[0] != m.T_PREDICATE or not is_asked:
        return v.NOTHING
    return v.kept(types.of(engine, file, result[2], fuel))


def _is_named(file: File, binding: int, name: str) -> bool:
    return binding >= 0 and file.bindings[binding].name == name
