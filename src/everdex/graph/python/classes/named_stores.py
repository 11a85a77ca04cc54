"""Pass 3, continued: what decorators put on a class under the name of what they decorate, from whichever file they are.

`setattr(cls, name or function.__name__, wrapper)` in a decorator: who asks a class for a name that nothing in its line
binds looks for definitions of that name, or whose decorators are given it, and follows each for itself: a name does not
lead to what has another. What is put on a class otherwise is the business of `stored` and `decorated_classes`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from everdex.graph.python.classes.binding import bind_class, bind_instance
from everdex.graph.python.engine.contexts import Argument, Context
from everdex.graph.python.engine.engine import CALL_STEP, LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    FUNCTION,
    INSTANCE,
    LITERAL,
    NOTHING,
    Value,
    Values,
    ordered,
    union,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import NAMING_KEY, computed_stores_key, named_key


class _Store(NamedTuple):
    """What one decorator puts on classes under a name, in the call that decorates."""

    path: str
    owners: Values
    value: int
    context: int


def given(engine: Engine, line: tuple[Value, ...], wanted: str, fuel: int, receiver: Value) -> Values:
    """What decorators put on the first class of a line that has the attribute by one."""
    if wanted.startswith("__") or not engine.is_offered(NAMING_KEY):
        return NOTHING
    if any(wanted in engine.look_up(each[1], each[2], wanted).names[each[2]] for each in line if each[0] == CLASS):
        return NOTHING
    found: dict[Value, list[Values]] = {}
    for path in engine.offering_few(named_key(wanted)) or ():
        file = engine.file(path)
        for scope in file.decorated_by_name.get(wanted, ()):
            for store in _stores(engine, file, scope, wanted, fuel):
                stored = engine.values(store.path, store.value, store.context, fuel - LOOKUP_STEP)
                for owner in store.owners:
                    found.setdefault(owner[:3], []).append(stored)
    first = next((each for each in line if each in found), None)
    if first is None:
        return NOTHING
    values = union(found[first])
    return bind_instance(values, receiver, first) if receiver[0] == INSTANCE else bind_class(values, receiver)


def holders(engine: Engine, file: File, scope: int, fuel: int) -> Values:
    """What a function takes first that decorators put on a class: an instance of it."""
    own = file.scopes[scope]
    if not own.decorators or not engine.is_offered(NAMING_KEY):
        return NOTHING
    found: set[Value] = set()
    for store in _stores(engine, file, scope, "", fuel):
        stored = engine.values(store.path, store.value, store.context, fuel - LOOKUP_STEP)
        if any(value[0] == FUNCTION and value[4] is None for value in stored):
            found.update((INSTANCE, *owner[1:3], True) for owner in store.owners)
    return frozenset(found)


def _stores(engine: Engine, file: File, scope: int, wanted: str, fuel: int) -> Iterator[_Store]:
    """What the decorators of a definition put on classes under a name, or under any."""
    for number in file.scopes[scope].decorators:
        _, decorator, inner = file.entries[number]
        for maker in ordered(engine.values(file.path, decorator, 0, fuel - CALL_STEP)):
            if maker[0] != FUNCTION:
                continue
            there = engine.look_at(maker[1], maker[2])
            engine.note(there, computed_stores_key(there.path))
            receiver = () if maker[4] is None else (Argument("", -1, 0, frozenset((maker[4],))),)
            passed = (*receiver, Argument(file.path, inner, 0))
            context = engine.contexts.enter(Context(maker[1], maker[2], maker[3], passed, ()))
            for base, name, value in there.computed_stores:
                if there.owner(there.where[base]) == maker[2]:
                    names = engine.values(there.path, name, context, fuel - LOOKUP_STEP) if wanted else NOTHING
                    if not wanted or (LITERAL, "str", wanted) in names:
                        bases = engine.values(there.path, base, context, fuel - LOOKUP_STEP)
                        owners = frozenset(each for each in bases if each[0] == CLASS)
                        yield _Store(there.path, owners, value, context)
