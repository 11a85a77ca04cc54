"""Pass 3, continued: classes that `type` makes where it is called, and their objects.

`type("Name", (Base,), {"run": run})`: such a class is the place of the call. It has what its dictionary holds, where
that is written there, and what its bases have; so have its objects, and objects that may be of a class below a base.
What methods assign to such an object is not followed.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.classes import attributes
from everdex.graph.python.classes.binding import bind_class, bind_instance
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    EXTERNAL,
    FUNCTION,
    INSTANCE,
    MADE,
    NOTHING,
    OBJECT,
    UNKNOWN,
    Value,
    Values,
    ordered,
    union,
    unknown,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import MADE_KEY

MAX_MADE: Final = 8  # classes made from one that are looked at
_NO_ATTRIBUTE: Final = unknown("no such attribute of a class made at run time")


def at(file: File, expression: int, context: int) -> Values:
    """The class that a call of `type` makes; nothing when its dictionary is not written there."""
    return frozenset(((MADE, file.path, expression, context),)) if expression in file.made else NOTHING


def object_of(kind: Value) -> Value:
    return (OBJECT, *kind[1:])


def bases(engine: Engine, kind: Value, fuel: int) -> list[Value]:
    """The classes of the root that a class was made from."""
    _, path, expression, context = kind
    file = engine.file(path)
    engine.seen.append(file.seen_at(expression))
    given = engine.values(path, file.entries[expression][2][1], context, fuel - LOOKUP_STEP)
    found = union(containers.elements(engine, each, fuel - LOOKUP_STEP) for each in given)
    return [each[:3] for each in ordered(found) if each[0] == CLASS]


def constructors(engine: Engine, kind: Value, fuel: int) -> list[Value]:
    """What runs when an object of it is made: a method of its own, or the classes that it was made from."""
    own = bind_instance(_own(engine, kind, "__init__", fuel), object_of(kind), kind)
    return list(ordered(own)) or bases(engine, kind, fuel) or [(EXTERNAL, "builtins.object")]


def _own(engine: Engine, kind: Value, wanted: str, fuel: int) -> Values:
    """What its dictionary holds."""
    _, path, expression, context = kind
    file = engine.file(path)
    engine.seen.append(file.seen_at(expression))
    given = engine.values(path, file.entries[expression][2][2], context, fuel - LOOKUP_STEP)
    found = union(containers.item(engine, each, wanted, fuel - LOOKUP_STEP) for each in given)
    return frozenset(each for each in found if each[0] != UNKNOWN)


def attribute(engine: Engine, value: Value, wanted: str, fuel: int, importer: str) -> Values:
    """An attribute of such a class, or of an object of one."""
    kind = (MADE, *value[1:])
    own = _own(engine, kind, wanted, fuel)
    if own:
        return bind_instance(own, value, kind) if value[0] == OBJECT else bind_class(own, kind)
    found: list[Values] = []
    for each in bases(engine, kind, fuel):
        above = (INSTANCE, *each[1:], False) if value[0] == OBJECT else each
        having = attributes.of(engine, above, wanted, fuel - LOOKUP_STEP, importer)
        found.append(frozenset((*one[:4], value) if one[0] == FUNCTION and one[4] == above else one for one in having))
    return union(found) or _NO_ATTRIBUTE


def below(engine: Engine, path: str, scope: int, wanted: str, fuel: int) -> Values:
    """What classes that are made from one have under a name."""
    made = engine.once(("made from", path, scope), lambda: _made_from(engine, path, scope))
    found: list[Values] = []
    for kind in made:
        if (CLASS, path, scope) in bases(engine, kind, fuel):
            found.append(bind_instance(_own(engine, kind, wanted, fuel), object_of(kind), kind))
    return union(found)


def _made_from(engine: Engine, path: str, scope: int) -> tuple[Value, ...]:
    """The classes that may be made from one, by its name; none of many."""
    name = engine.file(path).scopes[scope].name
    files = engine.offering_few(MADE_KEY + name) or ()
    found = [(MADE, other, each, 0) for other in files for each in made_by_base(engine.file(other)).get(name, ())]
    return tuple(found) if len(found) <= MAX_MADE else ()


def made_by_base(file: File) -> dict[str, list[int]]:
    """Last names of bases -> the calls that make classes from them."""
    found: dict[str, list[int]] = {}
    for number in file.made:
        given = file.entries[file.entries[number][2][1]]
        for each in given[2] if given[0] == m.SEQUENCE else ():
            found.setdefault(file.last_name(each), []).append(number)
    return found
