"""What a value of a declared type may be: instances of classes, things with an interface, containers of such."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import applied, augmented, beside, builtins, members
from everdex.graph.javascript import values as v
from everdex.graph.javascript.bound import lacks
from everdex.graph.javascript.files import File
from everdex.graph.javascript.values import Value, Values

if TYPE_CHECKING:
    from everdex.graph.javascript.engine import Engine

_JUMP = 4
_MAX_ABOVE = 16
_OF_THE_ROOT = frozenset((v.CLASS, v.FUNCTION, v.INSTANCE, v.MADE, v.OBJECT, v.TYPED))


def agreed(given: Values, declared: Values) -> Values:
    """What was assigned where that is known to the last, and otherwise what was declared, with what is known of it."""
    typed = v.kept(declared)
    if not typed or (typed != declared and not v.said(declared)):  # `T | object` may have any members
        return given or declared
    if v.concrete(given):
        return given
    # a function type says less than any function, also one from outside
    wanted = "FCINOME" if all(value[0] == v.CALLABLE for value in v.known(typed)) else "FCINOM"
    return v.union((tuple(value for value in given if value[0] in wanted), typed))


def narrows(engine: Engine, given: Values, declared: Values, fuel: int) -> bool:
    """Whether a cast says more than was known: that an instance of a class is one of a class below it, or of several
    classes one of some of them."""
    wanted = [value[:3] for value in declared if value[0] == v.INSTANCE]
    known = {value[:3]: None for value in given}
    if not wanted:
        return False
    if any(value in known for value in wanted):
        others = [value for value in known if value[0] == v.INSTANCE and value not in wanted]
        return any(not set(above(engine, each, fuel)) & set(wanted) for each in others)
    return any(value in known for each in wanted for value in above(engine, each, fuel))


def above(engine: Engine, value: Value, fuel: int) -> Values:
    """Instances of the classes above the one of which something is."""
    found: dict[Value, None] = {}
    waiting = [value]
    while waiting and len(found) < _MAX_ABOVE:
        _, path, index = waiting.pop()
        file = engine.files[path]
        row = file.classes[index]
        engine.touch(file, file.home(row.node))
        bases = engine.evaluate(file, row.extends, fuel - _JUMP) if row.extends else ()
        next_ones = [(v.INSTANCE, *base[1:]) for base in bases if base[0] == v.CLASS]
        waiting += [each for each in next_ones if each not in found]
        found |= dict.fromkeys(next_ones)
    return tuple(found)


def of(engine: Engine, file: File, index: int, fuel: int) -> Values:
    answer: Values = engine.remember(file, ("t", index), fuel, _of, engine, file, index)
    return answer


def _of(engine: Engine, file: File, index: int, fuel: int) -> Values:
    row = file.types[index]
    code = row[0]
    if code == m.T_NAME:
        return _named(engine, file, row[1], row[2], fuel)
    if code == m.T_ARRAY:
        return ((v.ARRAY, of(engine, file, row[1], fuel - 1)),)
    if code == m.T_UNION:
        return v.union(of(engine, file, part, fuel - 1) for part in row[1])
    if code == m.T_FUNCTION:
        return ((v.CALLABLE, file.path, index),)
    if code == m.T_OBJECT:
        return ((v.TYPED, file.path, row[1]),)
    if code == m.T_BUILTIN:
        name = builtins.PRIMITIVES.get(row[1])
        return ((v.EXTERNAL, name),) if name else v.unknown("untyped value") if row[1] in ("any", "unknown") else ()
    if code == m.T_PREDICATE:
        return ((v.EXTERNAL, "Boolean"),)
    if code == m.T_QUERY:
        return engine.evaluate(file, row[1], fuel - 1)
    if code == m.T_TUPLE:
        return ((v.TUPLE, tuple(of(engine, file, part, fuel - 1) for part in row[1])),)
    if code == m.T_LOOKUP:
        return v.union(members.get(engine, value, row[2], fuel - 1) for value in of(engine, file, row[1], fuel - 1))
    return v.unknown("type")


def _named(engine: Engine, file: File, name: int, arguments: list[int], fuel: int) -> Values:
    row = file.expressions[name]
    entities = engine.of_package(file, row, fuel) if row[0] == m.GLOBAL else v.NOTHING
    if row[0] == m.GLOBAL and not entities:
        return _global(engine, file, row[1], arguments, fuel)
    if row[0] == m.NAME and file.bindings[row[1]].kind == m.GENERIC:
        constraint = engine.touch_name(file, row[1]).more[0]
        found = of(engine, file, constraint, fuel - 1) if constraint else v.NOTHING
        return v.kept(found) or v.unknown("type parameter")
    entities = entities or engine.evaluate(file, name, fuel - 1)
    if arguments and all(entity[0] == v.EXTERNAL for entity in entities):
        last = entities[0][1].rpartition(".")[2] if entities else ""
        if last in builtins.TRANSPARENT_TYPES or last in builtins.PROMISE_TYPES:
            return _global(engine, file, last, arguments, fuel)
        if any(value[0] in _OF_THE_ROOT for part in arguments for value in of(engine, file, part, fuel - 1)):
            return tuple((*entity[:2], v.LENT) for entity in entities)
    if any(entity[0] in (v.NAMED_TYPE, v.CLASS) for entity in entities):
        # a function of the same name is a value, not the type
        entities = tuple(entity for entity in entities if entity[0] != v.FUNCTION)
    return v.union(_applied(engine, file, entity, arguments, fuel) for entity in entities)


def _applied(engine: Engine, file: File, entity: Value, arguments: list[int], fuel: int) -> Values:
    """A value of the type that something names, with the types that it is given."""
    found = _instance(engine, entity, fuel)
    if not arguments or entity[0] != v.NAMED_TYPE or not lacks(found):
        return found
    return applied.alias(engine, file, entity, arguments, fuel) or found


def _instance(engine: Engine, entity: Value, fuel: int) -> Values:
    """A value of the type that something names."""
    kind = entity[0]
    if kind == v.NAMED_TYPE:
        file = engine.files[entity[1]]
        interface = file.interfaces[entity[2]]
        if interface.alias:
            return of(engine, file, interface.alias, fuel - _JUMP)
        return augmented.whole(engine, file, entity[2], fuel) or ((v.TYPED, *entity[1:]),)
    if kind == v.CLASS:
        meant = beside.implementing(engine, entity, fuel) or (entity,)
        return tuple((v.INSTANCE, *each[1:]) for each in meant)
    if kind == v.FUNCTION:
        return ((v.MADE, *entity[1:]),)
    if kind == v.ENUM:
        return ((v.EXTERNAL, "Number"),)
    return (entity,) if kind in (v.EXTERNAL, v.UNKNOWN) else v.NOTHING


def _global(engine: Engine, file: File, name: str, arguments: list[int], fuel: int) -> Values:
    def argument(index: int) -> Values:
        return of(engine, file, arguments[index], fuel - 1) if index < len(arguments) else v.NOTHING

    if name in builtins.PROMISE_TYPES:
        return ((v.PROMISE, argument(0)),)
    if name in builtins.ARRAY_TYPES:
        return ((v.ARRAY, argument(0)),)
    if name in builtins.MAP_TYPES:
        return ((v.MAP, argument(1)),)
    if name in TAKEN_FROM:
        return TAKEN_FROM[name](engine, argument(0), fuel)
    if name in builtins.TRANSPARENT_TYPES:
        return argument(0)
    if name in builtins.GLOBALS:
        return ((v.EXTERNAL, name),)
    found = engine.global_name(name, fuel)
    if not v.known(found):
        return ((v.EXTERNAL, name),)  # a type that nothing in the root declares is the host's or a library's
    return v.union(_instance(engine, entity, fuel) for entity in found)


def contained(engine: Engine, file: File, outside: Value, arguments: list[int], fuel: int) -> Values:
    """Something of the language that is given types: a container of such, or itself where it is none."""
    is_container = outside[1] in builtins.ARRAY_TYPES or outside[1] in builtins.MAP_TYPES
    return _global(engine, file, outside[1], arguments, fuel) if is_container else (outside,)


def as_container(engine: Engine, value: Value, fuel: int) -> Values:
    """What somebody goes through where that is an instance of a class that extends a container."""
    if value[0] != v.INSTANCE:
        return (value,)
    if fuel <= 0:
        return engine.exhausted()
    engine.came_to(fuel)
    file = engine.files[value[1]]
    row = file.classes[value[2]]
    engine.touch(file, file.home(row.node))
    found: list[Values] = []
    for base in engine.evaluate(file, row.extends, fuel - _JUMP) if row.extends else ():
        if base[0] == v.CLASS:
            found.append(as_container(engine, (v.INSTANCE, *base[1:]), fuel - _JUMP))
        elif base[0] == v.EXTERNAL and row.arguments:
            found.append(contained(engine, file, base, row.arguments, fuel - 1))
    return v.union(found) or (value,)


def result_of(engine: Engine, value: Value, fuel: int) -> Values:
    """What calling something gives, whatever the arguments."""
    from everdex.graph.javascript import calls  # calls need types

    return calls.returned(engine, value, fuel)


def _results(engine: Engine, values: Values, fuel: int) -> Values:
    return v.union(result_of(engine, value, fuel - _JUMP) for value in values)


def _instances(engine: Engine, values: Values, fuel: int) -> Values:
    return v.union(_instance(engine, value, fuel) for value in values)


def _awaited(engine: Engine, values: Values, fuel: int) -> Values:
    from everdex.graph.javascript import calls  # calls need types

    return calls.settled(values)


# types of the language that say what another type gives
TAKEN_FROM: Final = {"ReturnType": _results, "InstanceType": _instances, "Awaited": _awaited}


def parameter_type(engine: Engine, value: Value, number: int, fuel: int) -> Values:
    """The declared type of a parameter of something with a function type."""
    if value[0] == v.CALLABLE:
        file = engine.files[value[1]]
        return _nth(engine, file, file.types[value[2]], number, fuel - 1)
    if value[0] == v.TYPED:
        file = engine.files[value[1]]
        for name, row, _ in file.interfaces[value[2]].members:
            if not name and file.types[row][0] == m.T_FUNCTION:
                found = v.known(_nth(engine, file, file.types[row], number, fuel - 1))
                if found:  # the first signature that says anything of it
                    return found
    return v.NOTHING


def _nth(engine: Engine, file: File, row: m.Row, number: int, fuel: int) -> Values:
    """What a function type says of one of its parameters; the last may stand for all that follow."""
    _, rows, _, _, rest, _ = row
    last = len(rows) - 1
    if not rest or number < last:
        return of(engine, file, rows[number], fuel) if number <= last else v.NOTHING
    return v.union(_one_of(value, number - last) for value in of(engine, file, rows[last], fuel))


def _one_of(value: Value, number: int) -> Values:
    if value[0] == v.TUPLE:
        found: Values = value[1][number] if number < len(value[1]) else v.NOTHING
        return found
    inner: Values = value[1] if value[0] == v.ARRAY else (value,)
    return inner
