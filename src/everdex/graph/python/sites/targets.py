"""From the values of a callee to a site's answer: its targets, its status, its reason.

Calling a class means its __init__ (and __new__) wherever that is inherited from, the class itself when the root has
none. When nothing is known of a receiver, a method name that at most three classes have is offered as ambiguous.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from everdex.facts.python import model as m
from everdex.graph.model import Status, Target
from everdex.graph.python.builtins import methods
from everdex.graph.python.builtins.rules import COMMON_METHODS
from everdex.graph.python.classes import classes, decorated_classes, made_classes, metaclasses, overrides
from everdex.graph.python.engine.engine import FUEL, LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    CLASSMETHOD,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    FORM,
    FUNCTION,
    HANDED_OUT,
    IMPOSSIBLE,
    INSTANCE,
    KEEPING,
    MADE,
    MANAGED,
    MANAGER,
    MANY,
    METHOD,
    MODULE,
    OBJECT,
    PARTIAL,
    STATIC,
    UNKNOWN,
    Value,
    Values,
    is_open,
)
from everdex.graph.python.file.keys import METHOD_KEY

MAX_BY_NAME: Final = 3


class Answer(NamedTuple):
    status: Status
    targets: tuple[Target, ...]
    reason: str


_UNKNOWN: Final = Answer(Status.UNRESOLVED, (), "too many steps")


def node_of(engine: Engine, value: Value) -> Target:
    return Target(value[1], engine.file(value[1]).scopes[value[2]].key)


class _Found:
    def __init__(self) -> None:
        self.inside: set[tuple[str, str]] = set()
        self.outside: set[str] = set()
        self.reasons: set[str] = set()
        self.many = False
        self.doubts: set[str] = set()  # why something else may be called, too


def called(engine: Engine, values: Values, name: str = "") -> Answer:
    """What a call of these values runs; `name` is the attribute it was read by."""
    found: Answer = engine.ask(("called", values, name), FUEL, lambda fuel: _called(engine, values, name), _UNKNOWN)
    return found


def _called(engine: Engine, values: Values, name: str) -> Answer:
    found = _Found()
    for value in values:
        _collect(engine, value, found, FUEL)
    if found.inside:
        targets = tuple(Target(path, key) for path, key in sorted(found.inside))
        if HANDED_OUT[1] in found.doubts:
            return Answer(Status.AMBIGUOUS, targets, HANDED_OUT[1])
        targets += tuple(Target("", each) for each in sorted(found.outside)[:4])
        if found.many:
            return Answer(Status.AMBIGUOUS, targets, "too many candidates")
        return Answer(Status.RESOLVED, targets, min(found.doubts, default=""))
    if found.outside and not found.doubts:
        return Answer(Status.EXTERNAL, tuple(Target("", each) for each in sorted(found.outside)[:4]), "")
    reason = min(found.reasons | found.doubts, default="nothing is known of it")
    if name:
        candidates = by_method_name(engine, name)
        if candidates:
            return Answer(Status.AMBIGUOUS, candidates, reason)
    return Answer(Status.UNRESOLVED, (), reason)


def _collect(engine: Engine, value: Value, found: _Found, fuel: int) -> None:
    if fuel < 0:
        found.doubts.add("too many steps")
        return
    kind = value[0]
    if kind == FUNCTION:
        target = node_of(engine, value)
        found.inside.add((target.path, target.key))
    elif kind == CLASS:
        _constructor(engine, value, found, fuel)
    elif kind in (STATIC, CLASSMETHOD, MANAGER, PARTIAL):
        _collect(engine, value[1], found, fuel - LOOKUP_STEP)
    elif kind == EXTERNAL:
        found.outside.add(value[1])
    elif kind == INSTANCE:
        for each in classes.instance_attribute(engine, value, "__call__", fuel - LOOKUP_STEP):
            if each[0] == UNKNOWN:
                found.reasons.add("instance is not callable")
            else:
                _collect(engine, each, found, fuel - LOOKUP_STEP)
    elif kind == METHOD:
        found.outside.add(f"{methods.type_path(engine, value[1])}.{value[2]}")
    elif kind == EXTERNAL_INSTANCE:
        found.outside.add(f"{value[1]}()")
    elif kind == FORM:
        entry = engine.file(value[1]).entries[value[2]]
        if entry[0] != m.SUBSCRIPT:  # X | Y, which nobody can call
            found.reasons.add("not callable")
            return
        for each in engine.values(value[1], entry[1], value[3], fuel - LOOKUP_STEP):
            _collect(engine, each, found, fuel - LOOKUP_STEP)
    elif kind == MADE:
        for each in made_classes.constructors(engine, value, fuel):
            _collect(engine, each, found, fuel - LOOKUP_STEP)
    elif kind == OBJECT:
        for each in made_classes.attribute(engine, value, "__call__", fuel, ""):
            _collect(engine, each, found, fuel - LOOKUP_STEP)
    elif kind == KEEPING:
        found.outside.add(f"{value[1]}()")
    elif kind == MANAGED:
        found.outside.add("contextlib.contextmanager()")
    elif value in IMPOSSIBLE:
        found.reasons.add(value[1])
    elif kind == UNKNOWN:
        found.doubts.add(value[1])
    elif kind == MANY:
        found.many = True
    else:
        found.reasons.add("not callable")


def _constructor(engine: Engine, value: Value, found: _Found, fuel: int) -> None:
    line = classes.mro(engine, value[1], value[2], fuel)
    for meta in classes.metaclasses(engine, line, fuel):
        values, owner = classes.raw_attribute(
            engine, classes.mro(engine, meta[1], meta[2], fuel), "__call__", fuel
        )
        if owner is not None:
            for each in values:
                _collect(engine, each, found, fuel - LOOKUP_STEP)
            if metaclasses.made_with(engine, owner[1], owner[2], fuel):
                return  # it is the metaclass that constructs
    ran = False
    for name in ("__new__", "__init__"):
        values, owner = classes.raw_attribute(engine, line, name, fuel)
        below = overrides.overriding(engine, value[1], value[2], name, values, owner, fuel)[0] if is_open(value) else ()
        given = decorated_classes.assigned(engine, line, name, fuel)
        for each in (*values, *below, *given):
            if each[0] in (FUNCTION, STATIC, PARTIAL, MANY):
                _collect(engine, each, found, fuel - LOOKUP_STEP)
                ran = ran or each in values or each in given
    post, owner = classes.raw_attribute(engine, line, "__post_init__", fuel)
    for each in post:
        if each[0] == FUNCTION:
            _collect(engine, each, found, fuel - LOOKUP_STEP)
            ran = True
    if not ran:
        target = node_of(engine, value)
        found.inside.add((target.path, target.key))


def constructed(engine: Engine, values: Values, ran: Answer) -> tuple[Target, ...]:
    """The classes that a call names although what it runs is none of theirs: an inherited __init__, a __post_init__."""
    classes = [value for value in values if value[0] == CLASS]
    if not classes:
        return ()
    own = {each for each in ran.targets if each.key.rpartition(".")[2].partition("~")[0] in ("__init__", "__new__")}
    known = {*ran.targets, *(Target(each.path, each.key.rpartition(".")[0]) for each in own)}
    found = {node_of(engine, value) for value in classes} - known
    return tuple(sorted(found, key=lambda each: (each.path, each.key)))


def by_method_name(engine: Engine, name: str) -> tuple[Target, ...]:
    """The methods of that name, when there are so few that the name says something."""
    if name in COMMON_METHODS or (name.startswith("__") and name.endswith("__")):
        return ()
    found: list[Target] = []
    for path in engine.offering_few(METHOD_KEY + name, MAX_BY_NAME) or ():
        file = engine.file(path)
        found.extend(Target(path, file.scopes[number].key) for number in file.methods.get(name, ()))
    return tuple(found) if len(found) <= MAX_BY_NAME else ()


def named(engine: Engine, values: Values) -> Answer:
    """What a reference that is not a call names: definitions and modules."""
    found: Answer = engine.ask(("named", values), FUEL, lambda fuel: _named(engine, values), _UNKNOWN)
    return found


def _named(engine: Engine, values: Values) -> Answer:
    inside: set[tuple[str, str]] = set()
    outside: set[str] = set()
    reasons: set[str] = set()
    for value in values:
        kind = value[0]
        while kind in (STATIC, CLASSMETHOD, MANAGER, "property") and value[1] is not None:
            value = value[1]
            kind = value[0]
        if kind in (FUNCTION, CLASS):
            target = node_of(engine, value)
            inside.add((target.path, target.key))
        elif kind == MODULE:
            inside.add((value[1], ""))
        elif kind == EXTERNAL:
            outside.add(value[1])
        elif kind == UNKNOWN:
            reasons.add(value[1])
        else:
            reasons.add("a value")
    if inside:
        return Answer(Status.RESOLVED, tuple(Target(path, key) for path, key in sorted(inside)), "")
    if outside:
        return Answer(Status.EXTERNAL, tuple(Target("", each) for each in sorted(outside)[:4]), "")
    return Answer(Status.UNRESOLVED, (), min(reasons, default="nothing is known of it"))
