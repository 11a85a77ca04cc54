"""What a call of a generic function gives, by the types that it is given or those that its arguments have.

Only what the result says is worked out, and only of the function's own type parameters: `make<Store>()`, `get(Store)`
where that takes a class of `T`, `first(stores)`. What a type parameter of a class stands for is not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from everdex.facts import javascript_model as m
from everdex.graph.javascript import applied, builtins, guards, types
from everdex.graph.javascript import values as v
from everdex.graph.javascript.files import File
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_JUMP: Final = 4
_MAX_DEPTH: Final = 6


class _Signature(NamedTuple):
    parameters: Sequence[int]  # types
    result: int
    generics: Sequence[int]  # bindings


def result(engine: Engine, file: File, call: int, value: Value, fuel: int) -> Values:
    """What a call gives by a function that says so with its own type parameters; nothing where it does not."""
    target = engine.files[value[1]]
    if value[0] == v.CALLABLE:
        _, parameters, wanted, _, _, generics = target.types[value[2]]
        return _by(engine, file, call, target, _Signature(parameters, wanted, generics), fuel)
    function = target.functions[value[2]]
    engine.touch(target, target.home(function.node))
    given = file.expressions[call][2]
    numbers = list(function.overloads) or [value[2]]
    rows = [target.functions[number] for number in numbers]
    for number, row in zip(numbers, rows, strict=True):
        engine.touch(target, target.home(row.node))
        if row.generics and given:  # or nobody looks at what it takes
            engine.touch_takes(target, number, *range(len(given)))
    signatures = [_Signature([type_ for _, type_, _ in row.parameters], row.result, row.generics) for row in rows]
    return v.union(_by(engine, file, call, target, signature, fuel) for signature in signatures)


def _by(engine: Engine, file: File, call: int, target: File, signature: _Signature, fuel: int) -> Values:
    parameters, wanted, generics = signature
    stated = file.facts.typed.get(call, [])
    if len(stated) > len(generics) or not any(names(target, wanted, binding, 0) for binding in generics):
        return v.NOTHING
    _, _, arguments = file.expressions[call]
    known: dict[int, Values] = {}
    for place, binding in enumerate(generics):
        if place < len(stated):
            found = types.of(engine, file, stated[place], fuel - 1)
        else:
            found = v.union(
                inferred(engine, target, type_, binding, engine.evaluate(file, argument, fuel - 1), fuel)
                for type_, argument in zip(parameters, arguments, strict=False)
                if names(target, type_, binding, 0) and file.expressions[argument][0] != m.SPREAD
            )
            if not v.known(found):
                found = v.union(
                    applied.inferred(engine, target, type_, binding, file, argument, fuel)
                    for type_, argument in zip(parameters, arguments, strict=False)
                    if names(target, type_, binding, 0)
                )
        default = engine.touch_name(target, binding).more[1:]
        if not v.known(found) and default:
            found = _filled(engine, target, default[0], known, fuel - 1)
        if v.known(found):
            known[binding] = v.kept(found)
    return _filled(engine, target, wanted, known, fuel) if known else v.NOTHING


def _is(file: File, row: m.Row, binding: int) -> bool:
    return bool(row[0] == m.T_NAME and file.expressions[row[1]] == (m.NAME, binding))


def _parts(row: m.Row) -> Sequence[int]:
    """The types inside a type."""
    if row[0] in (m.T_UNION, m.T_TUPLE):
        return row[1]  # type: ignore[no-any-return]
    if row[0] == m.T_NAME:
        return row[2]  # type: ignore[no-any-return]
    if row[0] == m.T_ARRAY:
        return (row[1],)
    return (row[2],) if row[0] in (m.T_FUNCTION, m.T_PREDICATE) else ()


def names(file: File, index: int, binding: int, depth: int) -> bool:
    """Whether a type has a type parameter in it."""
    row = file.types[index]
    if _is(file, row, binding):
        return True
    return depth < _MAX_DEPTH and any(names(file, part, binding, depth + 1) for part in _parts(row))


def inferred(engine: Engine, file: File, index: int, binding: int, given: Values, fuel: int) -> Values:
    """What a type parameter is where something of a type with it in it is given."""
    row = file.types[index]
    if _is(file, row, binding):
        return given
    if row[0] == m.T_UNION:
        return v.union(inferred(engine, file, part, binding, given, fuel) for part in row[1])
    parts = [part for part in _parts(row) if names(file, part, binding, 0)]
    if not parts:
        return v.NOTHING
    inside: list[Values] = []
    for value in given:
        if value[0] == v.CLASS:  # of something that is constructed, or a type of such
            inside.append(((v.INSTANCE, *value[1:]),))
        elif row[0] == m.T_FUNCTION and file.types[row[2]][0] == m.T_PREDICATE:
            inside.append(guards.predicate(engine, value, 0, fuel - _JUMP))
        elif row[0] == m.T_FUNCTION:
            inside.append(types.result_of(engine, value, fuel - _JUMP))
        elif value[0] in (v.ARRAY, v.PROMISE, v.MAP):
            inside.append(inferred(engine, file, parts[-1], binding, value[1], fuel))
        elif value[0] == v.TUPLE:
            inside.append(inferred(engine, file, parts[-1], binding, v.union(value[1]), fuel))
    return v.union(inside)


def _filled(engine: Engine, file: File, index: int, known: Mapping[int, Values], fuel: int) -> Values:
    """A type, with what its type parameters are."""
    row = file.types[index]
    if row[0] == m.T_UNION:
        return v.union(_filled(engine, file, part, known, fuel - 1) for part in row[1])
    if row[0] == m.T_ARRAY:
        return ((v.ARRAY, _filled(engine, file, row[1], known, fuel - 1)),)
    if row[0] == m.T_TUPLE:
        return ((v.TUPLE, tuple(_filled(engine, file, part, known, fuel - 1) for part in row[1])),)
    if row[0] != m.T_NAME:
        return v.NOTHING
    name = file.expressions[row[1]]
    if name[0] == m.NAME and name[1] in known:
        return known[name[1]]
    if name[0] != m.GLOBAL:
        return v.known(types.of(engine, file, index, fuel - 1)) if row[2] else v.NOTHING
    if not row[2]:
        return v.NOTHING
    inside = [_filled(engine, file, part, known, fuel - 1) for part in row[2]]
    if name[1] in builtins.PROMISE_TYPES:
        return ((v.PROMISE, inside[0]),)
    if name[1] in builtins.ARRAY_TYPES:
        return ((v.ARRAY, inside[0]),)
    if name[1] in builtins.MAP_TYPES:
        return ((v.MAP, inside[1] if len(inside) > 1 else ()),)
    if name[1] in types.TAKEN_FROM:
        return types.TAKEN_FROM[name[1]](engine, inside[0], fuel)
    return inside[0] if name[1] in builtins.TRANSPARENT_TYPES else v.NOTHING
