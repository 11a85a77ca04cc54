"""Pass 4c, continued: what objects hold whose class inherits from a builtin container: `class Registry(dict)`.

What methods put into self counts, and what is stored as an item of such an object, where such places are few. Objects
of one class are not told apart. What a constructor hands to the container is not followed.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.python.builtins.rules import INHERITED_CONTAINERS, INHERITED_MAPPINGS, WRITTEN_MAPPINGS
from everdex.graph.python.calls.operations import MAX_OPERATIONS
from everdex.graph.python.classes import classes
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import CLASS, INSTANCE, NOTHING, Value, Values, union
from everdex.graph.python.file.keys import filled_key, operated_key

SELF: Final = "self"

_Store = tuple[str, int, int]  # path, key or -1 or -2 for all of another, stored value


def inherited(engine: Engine, value: Value, fuel: int) -> str:
    """The container that an object's class inherits from; ''."""
    base = classes.outside(classes.mro(engine, value[1], value[2], fuel))
    return base if base in INHERITED_CONTAINERS else ""


def has_keys(engine: Engine, value: Value, fuel: int) -> bool:
    """Whether an object is a mapping by what the library writes in Python, which is asked for each of its keys."""
    if value[0] != INSTANCE:
        return False
    return classes.outside(classes.mro(engine, value[1], value[2], fuel)) in WRITTEN_MAPPINGS


def item(engine: Engine, value: Value, wanted: int | str | None, fuel: int) -> Values:
    """What it holds under a key, or any; nothing where its class is no such one."""
    if not inherited(engine, value, fuel):
        return NOTHING
    line = classes.mro(engine, value[1], value[2], fuel)
    if classes.raw_attribute(engine, line, "__setitem__", fuel)[1] is not None:
        wanted = None  # which may keep things under other keys
    parts: list[Values] = []
    for path, key, stored in _stores(engine, value, fuel):
        if wanted is not None and key >= 0:
            known = containers.literals(engine.values(path, key, 0, fuel - LOOKUP_STEP))
            if known is not None and wanted not in known:
                continue
        held = engine.values(path, stored, 0, fuel - LOOKUP_STEP)
        if key == -2:  # extended with, or updated from, another container
            held = union(containers.item(engine, each, wanted, fuel - LOOKUP_STEP) for each in held)
        parts.append(held)
    return union(parts)


def elements(engine: Engine, value: Value, fuel: int) -> Values:
    """What going through it gives."""
    base = inherited(engine, value, fuel)
    if not base or base not in INHERITED_MAPPINGS:
        return item(engine, value, None, fuel) if base else NOTHING
    stores = _stores(engine, value, fuel)
    return union(engine.values(path, key, 0, fuel - LOOKUP_STEP) for path, key, _ in stores if key >= 0)


def _stores(engine: Engine, value: Value, fuel: int) -> tuple[_Store, ...]:
    kind = (CLASS, *value[1:3])

    def answer(fuel: int) -> tuple[_Store, ...]:
        line = [each for each in classes.mro(engine, kind[1], kind[2], fuel) if each[0] == CLASS]
        found: list[_Store] = []
        for path in dict.fromkeys(each[1] for each in line):
            file = engine.file(path)
            engine.note(file, filled_key(path, SELF))
            for base, key, stored in file.item_stores_by_name.get(SELF, ()):
                if stored >= 0 and (CLASS, path, file.receiver_class(base)) in line:
                    engine.seen.append(file.seen_at(stored))
                    found.append((path, key, stored))
        files = engine.offering_few(operated_key("__setitem__")) or ()
        places = [(path, *each) for path in files for each in engine.file(path).operations["__setitem__"]]
        for path, base, (key, stored) in places if len(places) <= MAX_OPERATIONS else ():
            file = engine.file(path)
            engine.seen.append(file.seen_at(base))
            if file.receiver_class(base) < 0 and _is_of(engine, path, base, line, kind, fuel):
                found.append((path, key, stored))
        return tuple(found[: containers.MAX_ELEMENTS])

    stores: tuple[_Store, ...] = engine.ask_within(("held by heirs", kind), fuel, answer, ())
    return stores


def _is_of(engine: Engine, path: str, base: int, line: list[Value], kind: Value, fuel: int) -> bool:
    """Whether an expression is an object of the class, of one above or of one below."""
    for each in engine.values(path, base, 0, fuel - LOOKUP_STEP):
        if each[0] == INSTANCE:
            other = (CLASS, *each[1:3])
            if other in line or kind in classes.mro(engine, other[1], other[2], fuel):
                return True
    return False
