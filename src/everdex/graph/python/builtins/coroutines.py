"""Pass 5, continued: what awaiting gives, and what asyncio's functions give back for coroutines that they are given.

What waits for one to be awaited later is the coroutine itself: awaiting it gives what it returns. It does not know
tasks that are kept and asked for their results.
"""

from __future__ import annotations

from typing import Any, Final

from everdex.graph.python.calls import calls, parameters
from everdex.graph.python.classes import attributes
from everdex.graph.python.containers import containers, iteration
from everdex.graph.python.engine.contexts import Positional
from everdex.graph.python.engine.engine import CALL_STEP, Engine
from everdex.graph.python.engine.values import (
    COROUTINE,
    FUNCTION,
    INSTANCE,
    LIST,
    NOTHING,
    TUPLE,
    Value,
    Values,
    union,
)
from everdex.graph.python.file.files import File

_LATER: Final = ("asyncio.wait_for", "asyncio.create_task", "asyncio.ensure_future")


def result(engine: Engine, dotted: str, positional: Positional, fuel: int) -> Values | None:
    """None of any other function."""
    if dotted == "asyncio.gather":
        return _gathered(engine, positional, fuel)
    is_run = dotted == "asyncio.run" or dotted.endswith("run_until_complete")
    if not is_run and not dotted.endswith(_LATER):
        return None
    given = parameters.argument(engine, positional[0], fuel) if positional and not positional[0].starred else NOTHING
    return _finished(engine, given, fuel) if is_run else given


def _gathered(engine: Engine, positional: Positional, fuel: int) -> Values:
    """What several coroutines give back, in their order."""
    given = [(each.starred, parameters.argument(engine, each, fuel)) for each in positional]
    held = [
        union(containers.elements(engine, each, fuel) for each in values) if starred else values
        for starred, values in given
    ]
    made = [_finished(engine, values, fuel) for values in held]
    if any(starred for starred, _ in given):
        return frozenset(((LIST, union(made)),))
    return frozenset(((TUPLE, tuple(made)),))


def _finished(engine: Engine, values: Values, fuel: int) -> Values:
    return union(finished(engine, value, fuel) for value in values)


def finished(engine: Engine, value: Value, fuel: int) -> Values:
    """What a coroutine returns; anything else as it is."""
    if value[0] != COROUTINE:
        return frozenset((value,))
    file = engine.look_at(value[1], value[2])
    return calls.outcome(engine, file, value[2], value[3], fuel - CALL_STEP)


def awaited(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    parts: list[Values] = []
    for value in engine.values(file.path, entry[1], context, fuel):
        if value[0] == COROUTINE:
            parts.append(finished(engine, value, fuel))
        elif value[0] == INSTANCE:
            made = [
                calls.result(engine, each, (), (), fuel - CALL_STEP)
                for each in attributes.of(engine, value, "__await__", fuel, file.path)
                if each[0] == FUNCTION
            ]
            parts.append(
                union(iteration.outcome_of(engine, each, fuel) for each in union(made)) or frozenset((value,))
            )
        else:
            parts.append(frozenset((value,)))
    return union(parts)
