"""Which classes can have instances: a base class that is only inherited from is never a receiver.

A class that the tree names nowhere as a value (called, passed on, asked for an attribute, exported, written in a dotted
text) cannot be instantiated by the tree, so its methods are reached only through subclasses that inherit them. What may
make a class without naming it (a metaclass, a decorator, a framework, `__subclasses__`) keeps it alive. When no class
of a family has instances, nothing is left out: somebody outside will make them.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins.rules import IDENTITY
from everdex.graph.python.classes import classes
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import CLASS, EXTERNAL, Value
from everdex.graph.python.file.keys import used_key
from everdex.graph.python.names import standard

MAX_FAMILY: Final = 64  # who has more classes below is not looked through
_DISCOVERED: Final = "Test"  # pytest makes classes by their names
# The standard library makes what it is given, but for its own loader of tests.
_PASSIVE: Final = standard.MODULES - {"unittest"} | {"typing_extensions"}


def family(engine: Engine, path: str, scope: int, fuel: int) -> tuple[Value, ...] | None:
    """Of a class and those below it the ones that may have instances; None when all may, or when it cannot be told."""

    def answer(fuel: int) -> tuple[Value, ...] | None:
        below = classes.subclasses(engine, path, scope, fuel - LOOKUP_STEP)
        if not below or len(below) > MAX_FAMILY or engine.is_offered(used_key("__subclasses__")):
            return None
        everyone = ((CLASS, path, scope), *below)
        alive = tuple(each for each in everyone if _may_be_made(engine, each, fuel))
        return alive if 0 < len(alive) < len(everyone) else None

    found: tuple[Value, ...] | None = engine.ask_within(("family", path, scope), fuel, answer, None)
    return found


def _may_be_made(engine: Engine, value: Value, fuel: int) -> bool:
    _, path, scope = value
    file = engine.file(path)
    engine.seen.append(file.seen_head(scope))
    own = file.scopes[scope]
    if own.parent or own.name.startswith(_DISCOVERED):
        return True
    if any(engine.is_offered(used_key(name)) for name in classes.names_of(engine, own.name)):
        return True
    for each in own.decorators:
        decorator = file.entries[each][1]
        entry = file.entries[decorator]
        named = entry[1] if entry[0] == m.CALL else decorator
        if any(found[0] != EXTERNAL or found[1] not in IDENTITY for found in engine.values(path, named, 0, fuel)):
            return True
    line = classes.mro(engine, path, scope, fuel)
    if any(each[0] == EXTERNAL and each[1].partition(".")[0] not in _PASSIVE for each in line):
        return True
    if classes.metaclasses(engine, line, fuel):
        return True
    return classes.raw_attribute(engine, line[1:], "__init_subclass__", fuel)[1] is not None
