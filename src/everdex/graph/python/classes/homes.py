"""Pass 3, continued: which methods something has that may be very many objects, such as a handler out of a registry.

Objects whose classes have a method or property from one class are told by that: it is one, of an object of that class
or of one below. What is neither is looked for of each object by itself, which is not this module's business.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.python.classes import classes
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import FUNCTION, INSTANCE, PROPERTY, Value, Values, is_open, order

_BOUND: Final = frozenset((FUNCTION, PROPERTY))


def gathered(engine: Engine, receivers: Values, wanted: str, fuel: int) -> dict[Value, Value | None]:
    """One object for each class that has the method, with that class where several objects have it from there."""
    alike: dict[Value, list[Value]] = {}
    chosen: dict[Value, Value | None] = {}
    for receiver in receivers:
        home = _home(engine, receiver, wanted, fuel) if receiver[0] == INSTANCE and not is_open(receiver) else None
        if home is None:
            chosen[receiver] = None
        else:
            alike.setdefault(home, []).append(receiver)
    for home, same in alike.items():
        chosen[min(same, key=order)] = home if len(same) > 1 else None
    return chosen


def of_any(found: Values, receiver: Value, home: Value) -> Values:
    """A method as all objects have it of which one was asked."""
    return frozenset(_of(each, receiver, (INSTANCE, home[1], home[2], True)) for each in found)


def _of(value: Value, receiver: Value, whole: Value) -> Value:
    if value[0] == PROPERTY:
        return (PROPERTY, *(part if part is None else _of(part, receiver, whole) for part in value[1:]))
    return (*value[:4], whole) if value[0] == FUNCTION and value[4] == receiver else value


def _home(engine: Engine, receiver: Value, wanted: str, fuel: int) -> Value | None:
    line = classes.mro(engine, receiver[1], receiver[2], fuel - LOOKUP_STEP)
    values, home = classes.raw_attribute(engine, line, wanted, fuel - LOOKUP_STEP)
    return home if values and all(value[0] in _BOUND for value in values) else None
