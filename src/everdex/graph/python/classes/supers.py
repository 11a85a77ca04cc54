"""`super()`: the next class after the one it is written in, in the receiver's own method resolution order.

A subclass with several bases may put another class in between; what that one has is reached, too. Where it is known
which classes have instances, only their orders count.
"""

from __future__ import annotations

from everdex.graph.python.calls import parameters
from everdex.graph.python.classes import classes, living, metaclasses
from everdex.graph.python.classes.binding import bind_class, bind_instance
from everdex.graph.python.engine.contexts import Argument
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    NOTHING,
    SUPER,
    Value,
    Values,
    union,
    unknown,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.names import standard


def super_of(
    engine: Engine, file: File, expression: int, context: int, positional: tuple[Argument, ...], fuel: int
) -> Values:
    """super() itself: the class around, and the receiver of the method around."""
    method = file.method_around(file.where[expression])
    if method <= 0:
        return unknown("super outside a class")
    owner = file.class_of(method)
    path = file.path
    if positional and not positional[0].starred:
        named = sorted(each for each in parameters.argument(engine, positional[0], fuel) if each[0] == CLASS)
        if named:
            path, owner = named[0][1], named[0][2]
    own = file.scopes[method]
    receivers: Values = NOTHING
    if own.params:
        for number in file.names[method].get(own.params[0][0], ())[:1]:
            receivers = engine.values(file.path, file.bindings[number][2], context, fuel)
    usable = [each for each in receivers if each[0] in (INSTANCE, CLASS)]
    return frozenset((SUPER, path, owner, each) for each in usable) or frozenset(((SUPER, path, owner, None),))


def _beside(engine: Engine, start: Value, wanted: str, owner: Value | None, fuel: int) -> Values:
    """What super() reaches in lines where a class with several bases puts another class behind this one."""
    parts: list[Values] = []
    seen = {owner}
    for each in classes.subclasses(engine, start[1], start[2], fuel - LOOKUP_STEP) or ():
        if len(engine.file(each[1]).scopes[each[2]].bases) < 2:
            continue
        line = classes.mro(engine, each[1], each[2], fuel)
        if start in line:
            values, other = classes.raw_attribute(engine, line[line.index(start) + 1 :], wanted, fuel)
            if other not in seen and len(seen) <= classes.MAX_OVERRIDES:
                seen.add(other)
                parts.append(values)
    return union(parts)


def _behind(engine: Engine, start: Value, alive: tuple[Value, ...], wanted: str, fuel: int) -> Values:
    """What super() reaches in the lines of the classes that have instances."""
    found: dict[Value, Values] = {}
    for each in alive:
        line = classes.mro(engine, each[1], each[2], fuel)
        rest = line[line.index(start) + 1 :] if start in line else ()
        values, other = classes.raw_attribute(engine, rest, wanted, fuel)
        if other is not None:
            found[other] = values
    return union(found.values())


def super_attribute(engine: Engine, value: Value, wanted: str, fuel: int) -> Values:
    """super().name: the next in the receiver's own line after the class it is written in."""
    _, path, scope, receiver = value
    start = (CLASS, path, scope)
    line: tuple[Value, ...] = ()
    if receiver is not None and receiver[0] in (INSTANCE, CLASS):
        line = classes.mro(engine, receiver[1], receiver[2], fuel)
    if start not in line:
        line = classes.mro(engine, path, scope, fuel)
    rest = line[line.index(start) + 1 :]
    values, owner = classes.raw_attribute(engine, rest, wanted, fuel)
    if receiver is None or receiver[-1] is not False:
        alive = living.family(engine, path, scope, fuel)
        if alive is None:
            values = union((values, _beside(engine, start, wanted, owner, fuel)))
        else:
            values = _behind(engine, start, alive, wanted, fuel) or values
        owner = owner or (start if values else None)
    if owner is not None:
        if receiver is not None and receiver[0] == INSTANCE:
            return bind_instance(values, receiver, (CLASS, receiver[1], receiver[2]))
        bound = bind_class(values, receiver or start)
        if receiver is not None and receiver[0] == CLASS and wanted != "__new__":
            return frozenset((*each[:4], None) if each[0] == FUNCTION and each[4] is None else each for each in bound)
        return bound
    if wanted == "__call__" and (EXTERNAL, "builtins.type") in rest:
        made = metaclasses.constructors(engine, path, scope, fuel)
        if made:
            return made
    base = classes.outside(rest) or ("builtins.object" if wanted in standard.OBJECT else "")
    return frozenset(((EXTERNAL, f"{base}.{wanted}"),)) if base else unknown("no such attribute")
