"""Pass 5, continued: functions that `operator` makes from names: attrgetter, itemgetter, methodcaller.

Each is a partial call of itself with the object still missing: what it gives is read from the object when it comes, and
what that runs is said by `ran`. It does not know several names at once.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.python.calls import calls, parameters
from everdex.graph.python.classes import attributes
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.contexts import Keywords, Positional
from everdex.graph.python.engine.engine import CALL_STEP, Engine
from everdex.graph.python.engine.values import (
    EXTERNAL,
    FUNCTION,
    LITERAL,
    NOTHING,
    PARTIAL,
    PROPERTY,
    Value,
    Values,
    union,
    unknown,
)

MAKERS: Final = frozenset(("operator.attrgetter", "operator.itemgetter", "operator.methodcaller"))
MADE: Final = {f"{each}()": each.rpartition(".")[2] for each in MAKERS}



def made(dotted: str, positional: Positional, keywords: Keywords) -> Values:
    return frozenset(((PARTIAL, (EXTERNAL, f"{dotted}()"), positional, keywords),))


def result(engine: Engine, dotted: str, positional: Positional, keywords: Keywords, fuel: int) -> Values:
    """What one gives for an object, which comes after all that it was made with."""
    parts: list[Values] = []
    for value in _found(engine, dotted, positional, fuel):
        if dotted != "operator.methodcaller()":
            parts.append(attributes.taken(engine, frozenset((value,)), fuel))
        elif value[0] == FUNCTION:
            parts.append(calls.result(engine, value, positional[1:-1], keywords, fuel - CALL_STEP))
    return union(parts) or unknown("result of an unknown call")


def ran(engine: Engine, value: Value, positional: Positional, fuel: int) -> Values:
    """The functions of the root that calling it runs: methods, and what reads properties."""
    if value[0] != PARTIAL or value[1][0] != EXTERNAL or value[1][1] not in MADE:
        return NOTHING
    found = _found(engine, value[1][1], (*value[2], *positional), fuel)
    if value[1][1] == "operator.methodcaller()":
        return frozenset(each for each in found if each[0] == FUNCTION)
    getters = [each[1] for each in found if each[0] == PROPERTY and each[1] is not None]
    return frozenset(each for each in getters if attributes.is_bound(each))


def _found(engine: Engine, dotted: str, positional: Positional, fuel: int) -> Values:
    """What stands under the name or key; of a name with dots the last."""
    if len(positional) < 2 or any(each.starred for each in positional):
        return NOTHING
    objects = parameters.argument(engine, positional[-1], fuel)
    keys = parameters.argument(engine, positional[0], fuel)
    if MADE[dotted] == "itemgetter":
        wanted = containers.literals(keys) or {None}
        return union(containers.item(engine, each, key, fuel) for each in objects for key in sorted(wanted, key=str))
    parts: list[Values] = []
    for key in keys:
        if key[0] == LITERAL and isinstance(key[2], str):
            *before, last = key[2].split(".")
            owners = objects
            for name in before:
                owners = union(attributes.read(engine, each, name, fuel, positional[0].path) for each in owners)
            parts.extend(attributes.of(engine, each, last, fuel, positional[0].path) for each in owners)
    return union(parts)
