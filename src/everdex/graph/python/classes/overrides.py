"""Pass 3, continued: what subclasses have instead of a method or attribute that was found on an open instance.

An instance is open when it may be of a subclass (`classes` explains). Only subclasses that may have instances count,
where that is known; a base method that is only a stub gives way to what overrides it.
"""

from __future__ import annotations

from everdex.graph.python.classes import classes, living, protocols, stored
from everdex.graph.python.classes.binding import bind_instance
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    CLASSMETHOD,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MANY,
    NOTHING,
    PROPERTY,
    STATIC,
    UNKNOWN,
    Value,
    Values,
    union,
)


def stored_below(engine: Engine, path: str, scope: int, wanted: str, fuel: int) -> list[Values]:
    """What methods of classes below assign to an attribute: self may be one of theirs."""
    below = classes.subclasses(engine, path, scope, fuel - LOOKUP_STEP) or ()
    if len(below) > classes.MAX_OVERRIDES:
        return []
    own, _ = engine.once(("stored", below, wanted, ""), lambda: stored.stores(engine, below, wanted, ""))
    return [engine.values(path, value, 0, fuel - LOOKUP_STEP) for path, value in own]


def replaced_below(engine: Engine, path: str, scope: int, wanted: str, fuel: int) -> Values:
    """What is assigned to an attribute of classes below by their names, in their own files."""
    below = classes.subclasses(engine, path, scope, fuel - LOOKUP_STEP) or ()
    if len(below) > classes.MAX_OVERRIDES:
        return NOTHING
    _, others = engine.once(("stored", below, wanted, ""), lambda: stored.stores(engine, below, wanted, ""))
    return union(
        engine.values(path, value, 0, fuel - LOOKUP_STEP)
        for path, base, name, value in others
        if name < 0 and any(each in below for each in engine.values(path, base, 0, fuel - 2 * LOOKUP_STEP))
    )


def only_below(engine: Engine, path: str, scope: int, wanted: str, fuel: int) -> Values:
    """An attribute of self that only classes below have, as their own or from another base: this one is mixed in."""
    below = classes.subclasses(engine, path, scope, fuel - LOOKUP_STEP) or ()
    parts = []
    for each in below[: classes.MAX_AMBIGUOUS_OVERRIDES + 1]:
        values = classes.instance_attribute(engine, (INSTANCE, each[1], each[2], False), wanted, fuel - LOOKUP_STEP)
        known = frozenset(value for value in values if value[0] not in (UNKNOWN, EXTERNAL))
        if known and known not in parts:
            parts.append(known)
    if len(parts) > classes.MAX_AMBIGUOUS_OVERRIDES:
        return NOTHING
    return union((*parts, frozenset(((MANY,),)) if len(parts) > classes.MAX_OVERRIDES else NOTHING))


def overriding(
    engine: Engine, path: str, scope: int, wanted: str, base_values: Values, owner: Value | None, fuel: int
) -> tuple[Values, bool]:
    """What classes below have in its place, and whether some that has instances has it as it is."""
    found: list[Values] = []
    stub = are_stubs(engine, base_values)
    below = classes.subclasses(engine, path, scope, fuel - LOOKUP_STEP)
    if below is None:
        return NOTHING, True
    declared = below
    is_inherited = True
    alive = living.family(engine, path, scope, fuel)
    if alive is not None:
        found, is_inherited = _of_family(engine, (CLASS, path, scope), alive, wanted, owner, fuel)
        below = ()
    is_protocol = protocols.is_protocol(engine, path, scope)
    if is_protocol:
        met_by = protocols.meeting(engine, path, scope, fuel)
        if met_by is None or (stub and not met_by and protocols.are_all(engine, declared)):
            found.append(frozenset(((MANY,),)))
        for each in met_by or ():
            values, _ = classes.raw_attribute(engine, classes.mro(engine, each[1], each[2], fuel), wanted, fuel)
            found.append(bind_instance(values, (INSTANCE, each[1], each[2], False), each))
    for each, bindings in engine.once(
        ("having", below, wanted), lambda: classes.owners_of(engine, below, wanted, only_first=False)
    ):
        values = engine.bound(engine.file(each[1]), bindings, 0, fuel)
        found.append(bind_instance(values, (INSTANCE, each[1], each[2], True), each))
    if owner is not None:
        found.extend(_mixed_before(engine, (CLASS, path, scope), below, wanted, owner, fuel))
    is_declared = stub and bool(base_values) and not is_protocol
    if len(found) > (classes.MAX_AMBIGUOUS_DEFINING if is_declared else classes.MAX_AMBIGUOUS_OVERRIDES):
        return (frozenset(((MANY,),)) if is_protocol else NOTHING), True
    if len(found) > (classes.MAX_DEFINING if stub else classes.MAX_OVERRIDES):
        found.append(frozenset(((MANY,),)))
    return union(found), is_inherited


def _of_family(
    engine: Engine, base: Value, alive: tuple[Value, ...], wanted: str, owner: Value | None, fuel: int
) -> tuple[list[Values], bool]:
    """What the classes that have instances find under a name, each in its own line: all but the base's, and whether
    one of them finds that."""
    found: dict[Value, Values] = {}
    is_inherited = False
    for each in alive:
        line = classes.mro(engine, each[1], each[2], fuel)
        values, other = classes.raw_attribute(engine, line, wanted, fuel)
        if other == owner or base not in line:  # a line that ran out of steps says nothing
            is_inherited = True
        elif other is not None and other not in found:
            found[other] = bind_instance(values, (INSTANCE, other[1], other[2], True), other)
    return list(found.values()), is_inherited


def _mixed_before(
    engine: Engine, base: Value, below: tuple[Value, ...], wanted: str, owner: Value, fuel: int
) -> list[Values]:
    """What classes beside this one have under a name, where they stand before it in the line of one that mixes both."""
    found: dict[Value, Values] = {}
    for each in below:
        if len(engine.file(each[1]).scopes[each[2]].bases) < 2:
            continue
        line = classes.mro(engine, each[1], each[2], fuel)
        values, other = classes.raw_attribute(engine, line, wanted, fuel)
        if other is not None and other != owner and other not in below and base in line:
            found[other] = bind_instance(values, (INSTANCE, other[1], other[2], True), other)
    return list(found.values())


def are_stubs(engine: Engine, values: Values) -> bool:
    # Every one is looked at, or what was looked at would depend on the order of a set.
    stubs = [_is_stub(engine, value) for value in values]
    return all(stubs)


def _is_stub(engine: Engine, value: Value) -> bool:
    if value[0] in (STATIC, CLASSMETHOD, PROPERTY):
        if value[1] is None:  # a descriptor that only takes
            return False
        value = value[1]
    return value[0] == FUNCTION and engine.look_for_stub(value[1], value[2])
