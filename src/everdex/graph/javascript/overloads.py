"""Which of the signatures of one function a call may mean: those that take as many arguments, of such kinds.

A signature is left out only where it certainly does not fit: too few or too many arguments, or a string where a
number has to be. Where that leaves none, the call is wrong or we are, and none is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from everdex.facts import javascript_model as m
from everdex.graph.javascript import builtins, types
from everdex.graph.javascript import values as v
from everdex.graph.javascript.files import File
from everdex.graph.javascript.keys import SPLIT, member_key
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_PRIMITIVES: Final = frozenset(builtins.PRIMITIVES.values()) - {"Object"}
_OBJECTS: Final = frozenset((v.FUNCTION, v.CLASS, v.INSTANCE, v.OBJECT, v.ARRAY, v.TUPLE, v.MAP))


class _Shape(NamedTuple):
    """What a signature takes."""

    least: int
    most: int  # -1 for any number
    parameters: Sequence[int]  # types


def meant(engine: Engine, file: File, arguments: list[int], called: Values, fuel: int) -> Values:
    """What a call with these arguments may call, out of what the callee may be."""
    signatures = _signatures(engine, called)
    return _without(called, signatures, fitting(engine, file, arguments, signatures, fuel))


def counted(engine: Engine, file: File, arguments: list[int], called: Values) -> Values:
    """The same by the number of arguments alone."""
    signatures = _signatures(engine, called)
    return _without(called, signatures, by_number(engine, file, arguments, signatures))


def _signatures(engine: Engine, called: Values) -> list[Value]:
    return [value for value in called if _is_signature(engine, value)] if len(called) > 1 else []


def _without(called: Values, signatures: Sequence[Value], fits: Sequence[Value]) -> Values:
    if len(fits) == len(signatures):
        return called
    return tuple(value for value in called if value in fits or value not in signatures)


def fitting(
    engine: Engine, file: File, arguments: list[int], signatures: Sequence[Value], fuel: int
) -> Sequence[Value]:
    """Those of several signatures that a call with these arguments may mean."""
    fits = by_number(engine, file, arguments, signatures)
    for number, argument in enumerate(arguments):
        if len(fits) < 2 or file.expressions[argument][0] == m.SPREAD:
            break
        given = engine.evaluate(file, argument, fuel - 1)
        if given and all(value[0] in _OBJECTS or _is_primitive(value) for value in given):
            fits = [value for value in fits if _takes(engine, value, number, given, fuel)] or fits
    return fits


def by_number(engine: Engine, file: File, arguments: list[int], signatures: Sequence[Value]) -> Sequence[Value]:
    """Those that take so many arguments."""
    if len(signatures) < 2:
        return signatures
    given = next(
        (number for number, argument in enumerate(arguments) if file.expressions[argument][0] == m.SPREAD), -1
    )
    count, spread = (given, True) if given >= 0 else (len(arguments), False)
    fits = []
    for value in signatures:
        shape = _shape(engine, value)
        if (shape.most < 0 or count <= shape.most) and (spread or count >= shape.least):
            fits.append(value)
    return fits or signatures


def declared(engine: Engine, file: File, value: Value, arguments: list[int]) -> Sequence[Value]:
    """The functions that say what a function takes where it is called so: its signatures, or itself."""
    defining = engine.files[value[1]]
    function = defining.functions[value[2]]
    engine.touch(defining, defining.home(function.node))
    signatures = [(v.FUNCTION, value[1], number) for number in function.overloads]
    return by_number(engine, file, arguments, signatures) or (value,)


class Signature(NamedTuple):
    """A definition that says how something may be called; those of one owner and name are overloads of each other."""

    value: Value
    owner: tuple[str, int, str]


def at(engine: Engine, file: File, node: int) -> Signature | None:
    """The signature that a definition is: a member of a type, or a function without a body."""
    engine.touch(file, file.home(node))
    known: dict[int, Signature] | None = file.memo.get("signatures")
    if known is None:
        known = {
            inner: Signature((v.CALLABLE, file.path, type_), ("type", index, name))
            for index, interface in enumerate(file.interfaces)
            for name, type_, inner in interface.members
            if inner >= 0 and file.types[type_][0] == m.T_FUNCTION
        }
        for number, function in enumerate(file.functions):
            if function.flags & m.DECLARED_ONLY:
                row = file.facts.nodes[function.node]
                known[function.node] = Signature((v.FUNCTION, file.path, number), ("node", row.parent, row.name))
        file.memo["signatures"] = known
    row = file.facts.nodes[node]
    if row.parent >= 0 and file.facts.nodes[row.parent].kind == SPLIT:
        engine.reads.add(member_key(file.path, file.keys[row.parent], row.name))
    return known.get(node)


def sets(engine: Engine, nodes: Iterable[tuple[str, int]]) -> list[list[tuple[str, int]]]:
    """Definitions (path, number): overloads of one thing together, everything else by itself."""
    found: dict[tuple[str, int | tuple[str, int, str]], list[tuple[str, int]]] = {}
    for path, node in nodes:
        signature = at(engine, engine.files[path], node)
        found.setdefault((path, signature.owner if signature else node), []).append((path, node))
    return list(found.values())


def _is_signature(engine: Engine, value: Value) -> bool:
    if value[0] == v.FUNCTION:
        file = engine.files[value[1]]
        engine.touch(file, file.home(file.functions[value[2]].node))
        return bool(file.functions[value[2]].flags & m.DECLARED_ONLY)
    return bool(value[0] == v.CALLABLE)


def _shape(engine: Engine, value: Value) -> _Shape:
    file = engine.files[value[1]]
    if value[0] == v.FUNCTION:
        row = engine.touch_takes(file, value[2])
        engine.touch(file, file.home(row.node))
        types_of = [type_ for _, type_, _ in row.parameters]
        return _Shape(row.least, -1 if row.rest else len(types_of), types_of)
    _, parameters, _, least, rest, _ = file.types[value[2]]
    return _Shape(least, -1 if rest else len(parameters), parameters)


def _is_primitive(value: Value) -> bool:
    return bool(value[0] == v.EXTERNAL and value[1] in _PRIMITIVES)


def _takes(engine: Engine, value: Value, number: int, given: Values, fuel: int) -> bool:
    """Whether one of these values may be what a signature takes: a primitive is no other one, nor an object."""
    shape = _shape(engine, value)
    if number >= len(shape.parameters) or (shape.most < 0 and number >= len(shape.parameters) - 1):
        return True
    wanted = types.of(engine, engine.files[value[1]], shape.parameters[number], fuel - 1)
    if not wanted or not all(_is_primitive(each) for each in wanted):
        return True
    return any(each in wanted for each in given)
