"""What the type parameters of a class, an interface or an alias stand for, where something of it is at hand.

A value does not say what its class was given: of a `Signal<Shape>` it is known that it is a Signal. So where a member
of it has the type of a parameter, the expression that it is asked of is followed once more, by the types that are
written on the way: of names, members, results, and what `new` is given.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from everdex.facts import javascript_model as m
from everdex.graph.javascript import generics, types
from everdex.graph.javascript import values as v
from everdex.graph.javascript.bound import (
    Bound,
    Bounds,
    Given,
    container,
    lacks,
    leaves,
    of_language,
    plain,
    settled,
    some,
)
from everdex.graph.javascript.exports import locate
from everdex.graph.javascript.files import File
from everdex.graph.javascript.keys import member_key
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_JUMP: Final = 4
_MAX_BASES: Final = 8
_MAX_ALIASES: Final = 2  # inside each other: types that are worked out may name themselves, several times over

Call: TypeAlias = tuple[File, int]


def member(engine: Engine, file: File, row: m.Row, values: Values, fuel: int) -> Values:
    """What a property is, where its type is a parameter of what it is asked of."""
    found = _of_members(engine, _of(engine, file, row[1], fuel - 1), row[2], None, fuel)
    return _instead(values, found)


def result(engine: Engine, file: File, call: int, values: Values, fuel: int) -> Values:
    """What a call gives, where its type is a parameter of what the method is called on."""
    return _instead(values, _given(engine, file, call, fuel))


def alias(engine: Engine, file: File, entity: Value, arguments: Sequence[int], fuel: int) -> Values:
    """What a type stands for that is another name for one with its parameters in it; nothing where that says less."""
    target = engine.files[entity[1]]
    row = target.interfaces[entity[2]]
    engine.touch(target, target.home(row.node))
    if not row.alias or not row.generics:
        return v.NOTHING
    given = [_of_type(engine, file, each, (), fuel - 1) for each in arguments]
    bound = _bind(engine, target, row.generics, given, fuel)
    return plain(_of_type(engine, target, row.alias, bound, fuel - _JUMP))


def inferred(engine: Engine, target: File, type_: int, binding: int, file: File, argument: int, fuel: int) -> Values:
    """What a type parameter of a function is, where it takes something of a type that is given it."""
    found = _of(engine, file, argument, fuel - 1)
    return plain(
        each
        for bound in found
        for each in _matched(engine, target, type_, binding, bound, fuel - _JUMP)
    )


def _instead(values: Values, found: Bounds) -> Values:
    known = v.said(plain(found))
    return v.union((known, v.said(values))) if known and not lacks(known) else values


# -- expressions --------------------------------------------------------------------------------


def _of(engine: Engine, file: File, index: int, fuel: int) -> Bounds:
    """By what is written, what an expression is."""
    if fuel <= 0:
        engine.exhausted()
        return ()
    answer: Bounds = engine.remember(file, ("applied", index), fuel, _of_expression, engine, file, index)
    return () if answer == (v.DEEP,) else answer


def _of_expression(engine: Engine, file: File, index: int, fuel: int) -> Bounds:
    row = file.expressions[index]
    code = row[0]
    if code == m.NAME:
        return _of_name(engine, file, row[1], fuel)
    if code == m.CAST:
        stated = _of_type(engine, file, row[2], (), fuel - 1)
        return stated or (_of(engine, file, row[1], fuel - 1) if row[1] else ())
    if code == m.AWAIT:
        return settled(_of(engine, file, row[1], fuel - 1))
    if code == m.CHOICE:
        return some(each for part in row[1] for each in _of(engine, file, part, fuel - 1))
    if code == m.MEMBER:
        return _of_members(engine, _of(engine, file, row[1], fuel - 1), row[2], None, fuel)
    if code == m.CALL:
        return _given(engine, file, index, fuel)
    if code == m.NEW:
        return _made(engine, file, index, fuel)
    if code == m.PARAMETER:
        function = engine.touch_takes(file, row[1], row[2])
        engine.touch(file, file.home(function.node))
        return _of_type(engine, file, function.parameters[row[2]][1], (), fuel - 1)
    if code == m.THIS:
        return tuple((value, ()) for value in engine.this(file, row[1], fuel - 1) if value[0] in (v.INSTANCE, v.TYPED))
    return ()


def _of_name(engine: Engine, file: File, index: int, fuel: int) -> Bounds:
    binding = engine.touch_name(file, index)
    if binding.kind == m.IMPORTED:
        path, _ = engine.modules.find(file.path, binding.more[0], engine.reads)
        places = locate(engine, path, binding.more[1]) if path and binding.more[1] != "*" else ()
        return some(
            each
            for kind, where, expression in places
            if kind == "value"
            for each in _of(engine, engine.files[where], expression, fuel - _JUMP)
        )
    if binding.type:
        return _of_type(engine, file, binding.type, (), fuel - 1)
    return some(each for value in binding.values for each in _of(engine, file, value, fuel - _JUMP))


def _given(engine: Engine, file: File, call: int, fuel: int) -> Bounds:
    """What a call gives: by the method's result, or that of the function."""
    callee = file.expressions[call][1]
    row = file.expressions[callee]
    if row[0] == m.MEMBER:
        found = _of_members(engine, _of(engine, file, row[1], fuel - 1), row[2], (file, call), fuel)
        if found:
            return found
    return some(
        each
        for value in engine.evaluate(file, callee, fuel - 1)
        if value[0] == v.FUNCTION
        for each in _result(engine, engine.files[value[1]], value[2], (), (file, call), fuel)
    )


def _made(engine: Engine, file: File, index: int, fuel: int) -> Bounds:
    stated = file.facts.typed.get(index, ())
    given = [_of_type(engine, file, each, (), fuel - 1) for each in stated]
    found: list[Bound] = []
    for value in engine.evaluate(file, file.expressions[index][1], fuel - 1):
        if value[0] == v.CLASS:
            target = engine.files[value[1]]
            row = target.classes[value[2]]
            engine.touch(target, target.home(row.node))
            found.append(((v.INSTANCE, *value[1:]), _bind(engine, target, row.generics, given, fuel)))
    return some(found)


def _result(engine: Engine, file: File, function: int, bound: Given, call: Call | None, fuel: int) -> Bounds:
    """What a function gives, by the types that are written for it, or what it returns where there are none."""
    row = file.functions[function]
    engine.touch(file, file.home(row.node))
    stated = [number for number in row.overloads if file.functions[number].result] or [function]
    found: list[Bound] = []
    is_stated = bool(file.functions[stated[0]].result)
    for number in stated if is_stated else ():
        each = file.functions[number]
        given = call[0].expressions[call[1]][2] if call is not None and each.generics else []
        if given:
            engine.touch_takes(file, number, *range(len(given)))
        engine.touch(file, file.home(each.node))
        own = _own(engine, file, each.generics, [type_ for _, type_, _ in each.parameters], call, fuel)
        found += _of_type(engine, file, each.result, (*bound, *own), fuel - 1)
    if is_stated:
        return some(found)
    if row.flags & (m.ASYNC | m.GENERATOR):
        return ()
    return some(each for value in row.returns for each in _of(engine, file, value, fuel - _JUMP))


def _own(
    engine: Engine, file: File, generics_: Sequence[int], parameters: Sequence[int], call: Call | None, fuel: int
) -> Given:
    """What the type parameters of a function are at a call: by the types that it is given, or by the arguments."""
    if not generics_ or call is None:
        return ()
    caller, index = call
    stated = caller.facts.typed.get(index, ())
    arguments = caller.expressions[index][2]
    found: list[tuple[tuple[str, int], Bounds]] = []
    for place, generic in enumerate(generics_):
        given: Bounds = ()
        if place < len(stated):
            given = _of_type(engine, caller, stated[place], (), fuel - 1)
        else:
            for type_, argument in zip(parameters, arguments, strict=False):
                if generics.names(file, type_, generic, 0) and caller.expressions[argument][0] != m.SPREAD:
                    values = engine.evaluate(caller, argument, fuel - 1)
                    known = v.known(generics.inferred(engine, file, type_, generic, values, fuel))
                    given += leaves(known) or tuple(
                        each
                        for bound in _of(engine, caller, argument, fuel - 1)
                        for each in _matched(engine, file, type_, generic, bound, fuel - _JUMP)
                    )
        default = engine.touch_name(file, generic).more[1:]
        if not given and default:
            given = _of_type(engine, file, default[0], tuple(found), fuel - 1)
        found.append(((file.path, generic), some(given)))
    return tuple(found)


# -- types --------------------------------------------------------------------------------------


def _bind(
    engine: Engine, file: File, own: Sequence[int], given: Sequence[Bounds], fuel: int, aliases: int = _MAX_ALIASES
) -> Given:
    """Type parameters with what they are given; without that, what they are by default."""
    bound: list[tuple[tuple[str, int], Bounds]] = []
    for place, generic in enumerate(own):
        if place < len(given):
            bound.append(((file.path, generic), given[place]))
        elif default := engine.touch_name(file, generic).more[1:]:
            bound.append(((file.path, generic), _of_type(engine, file, default[0], tuple(bound), fuel - 1, aliases)))
    return tuple(bound)


def _of_type(
    engine: Engine, file: File, index: int, bound: Given, fuel: int, aliases: int = _MAX_ALIASES
) -> Bounds:
    """A type, with what type parameters in it are bound to."""
    if fuel <= 0:
        engine.exhausted()
        return ()
    engine.came_to(fuel)
    row = file.types[index]
    if row[0] == m.T_UNION:
        return some(each for part in row[1] for each in _of_type(engine, file, part, bound, fuel - 1, aliases))
    if row[0] == m.T_ARRAY:
        return (container(v.ARRAY, _of_type(engine, file, row[1], bound, fuel - 1, aliases)),)
    if row[0] != m.T_NAME:
        return leaves(types.of(engine, file, index, fuel - 1))
    name, arguments = file.expressions[row[1]], row[2]
    if name[0] == m.NAME and file.bindings[name[1]].kind == m.GENERIC:
        return dict(bound).get((file.path, name[1]), ())
    given = [_of_type(engine, file, each, bound, fuel - 1, aliases) for each in arguments]
    if name[0] == m.GLOBAL and given:
        return of_language(name[1], given) or leaves(types.of(engine, file, index, fuel - 1))
    found: list[Bound] = []
    for entity in engine.evaluate(file, row[1], fuel - 1):
        if entity[0] == v.NAMED_TYPE:
            target = engine.files[entity[1]]
            interface = target.interfaces[entity[2]]
            engine.touch(target, target.home(interface.node))
            inner = _bind(engine, target, interface.generics, given, fuel, aliases)
            if interface.alias and aliases:
                found += _of_type(engine, target, interface.alias, inner, fuel - _JUMP, aliases - 1)
            elif not interface.alias:
                found.append(((v.TYPED, *entity[1:]), inner))
        elif entity[0] == v.CLASS:
            target = engine.files[entity[1]]
            engine.touch(target, target.home(target.classes[entity[2]].node))
            inner = _bind(engine, target, target.classes[entity[2]].generics, given, fuel, aliases)
            found.append(((v.INSTANCE, *entity[1:]), inner))
    return some(found) or leaves(types.of(engine, file, index, fuel - 1))


def _matched(
    engine: Engine, file: File, index: int, binding: int, bound: Bound, fuel: int, aliases: int = _MAX_ALIASES
) -> Bounds:
    """What a type parameter is bound to in something that has to be of a type with it in it."""
    row = file.types[index]
    if fuel <= 0:
        engine.exhausted()
        return ()
    if row[0] == m.T_UNION:
        parts = (_matched(engine, file, part, binding, bound, fuel - 1, aliases) for part in row[1])
        return some(each for part in parts for each in part)
    if row[0] != m.T_NAME or not row[2]:
        return ()
    places = [at for at, part in enumerate(row[2]) if _is(file, part, binding)]
    found: list[Bound] = []
    for entity in engine.evaluate(file, row[1], fuel - 1) if places else ():
        if entity[0] not in (v.NAMED_TYPE, v.CLASS):
            continue
        target = engine.files[entity[1]]
        of = target.classes[entity[2]] if entity[0] == v.CLASS else target.interfaces[entity[2]]
        engine.touch(target, target.home(of.node))
        own = [of.generics[place] for place in places if place < len(of.generics)]
        if isinstance(of, m.Interface) and of.alias:
            for one in own if aliases else ():
                found += _matched(engine, target, of.alias, one, bound, fuel - _JUMP, aliases - 1)
        elif bound[0][1:3] == entity[1:] and bound[0][0] in (v.INSTANCE, v.TYPED):
            known = dict(bound[1])
            found += [each for one in own for each in known.get((target.path, one), ())]
    return some(found)


def _is(file: File, type_: int, binding: int) -> bool:
    row = file.types[type_]
    return bool(row[0] == m.T_NAME and file.expressions[row[1]] == (m.NAME, binding))


# -- members ------------------------------------------------------------------------------------


def _of_members(engine: Engine, found: Bounds, name: str, call: Call | None, fuel: int) -> Bounds:
    """What a property of bound types is, or what a call of it gives."""
    given: list[Bound] = []
    for each in found:
        for code, file, type_, value, bound in _slots(engine, each, name, _MAX_BASES, fuel - 1):
            row = file.expressions[value]
            if row[0] == m.FUNCTION:
                if call is not None or code == "g":
                    this = file.types[file.functions[row[1]].result][0] == m.T_THIS
                    given += [each] if this else _result(engine, file, row[1], bound, call, fuel - 1)
            elif call is not None and file.types[type_][0] == m.T_FUNCTION:
                _, parameters, result, _, _, own = file.types[type_]
                this = file.types[result][0] == m.T_THIS
                more = _own(engine, file, own, parameters, call, fuel)
                given += [each] if this else _of_type(engine, file, result, (*bound, *more), fuel - 1)
            elif call is not None:
                continue
            elif type_:
                given += _of_type(engine, file, type_, bound, fuel - 1)
            elif value:
                given += _of(engine, file, value, fuel - _JUMP)
    return some(given)


def _slots(
    engine: Engine, of: Bound, name: str, most: int, fuel: int
) -> Iterator[tuple[str, File, int, int, Given]]:
    """Where a bound type has a property: its kind, file, type, value, and what is bound there."""
    (kind, path, index), bound = (of[0][:3], of[1]) if len(of[0]) > 2 else (("", "", -1), ())
    if kind not in (v.INSTANCE, v.TYPED) or most <= 0:
        return
    if fuel <= 0:
        engine.exhausted()
        return
    file = engine.files[path]
    if kind == v.TYPED:
        interface = file.interfaces[index]
        if interface.node >= 0:
            engine.touch(file, file.home(interface.node))
            engine.reads.add(member_key(file.path, file.keys[interface.node], name))
        own = [("t", file, type_, 0, bound) for each, type_, _ in interface.members if each == name]
        yield from own
        for part in () if own else interface.extends:
            for above in _of_type(engine, file, part, bound, fuel - _JUMP):
                yield from _slots(engine, above, name, most - 1, fuel - _JUMP)
        return
    row = file.classes[index]
    engine.touch(file, file.home(row.node))
    engine.reads.add(member_key(file.path, file.keys[row.node], name))
    fields = [(code, file, type_, value, bound) for each, code, static, value, type_, _ in row.members
               if each == name and not static and code != "s"]  # fmt: skip
    yield from fields
    if fields or not row.extends:
        return
    given = [_of_type(engine, file, each, bound, fuel - 1) for each in row.arguments]
    for base in engine.evaluate(file, row.extends, fuel - _JUMP):
        if base[0] == v.CLASS:
            target = engine.files[base[1]]
            engine.touch(target, target.home(target.classes[base[2]].node))
            inner = _bind(engine, target, target.classes[base[2]].generics, given, fuel)
            yield from _slots(engine, ((v.INSTANCE, *base[1:]), inner), name, most - 1, fuel - _JUMP)
