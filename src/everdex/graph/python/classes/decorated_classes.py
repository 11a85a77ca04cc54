"""Pass 3, continued: what decorators of a class assign to it, from whichever file they are.

A decorator is a function that is given the class: what its body assigns to an attribute of that parameter, by name or
by `setattr` with a name that is known, the class has. What it gives back in the class's place is the name's business.
"""

from __future__ import annotations

from collections.abc import Iterator

from everdex.facts.python import model as m
from everdex.graph.python.engine.contexts import Argument, Context
from everdex.graph.python.engine.engine import CALL_STEP, LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import CLASS, FUNCTION, LITERAL, NOTHING, Value, Values, ordered, union
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import computed_stores_key


def assigned(engine: Engine, line: tuple[Value, ...], wanted: str, fuel: int) -> Values:
    """What decorators give the first class of a line that has the attribute by one, before any has it otherwise."""
    owners = [owner for owner in line if owner[0] == CLASS]
    if not any(engine.file(owner[1]).scopes[owner[2]].decorators for owner in owners):  # the line was read with them
        return NOTHING
    for owner in owners:
        file = engine.file(owner[1])
        found = union(_assigned(engine, owner, wanted, fuel)) if file.scopes[owner[2]].decorators else NOTHING
        if found or wanted in engine.look_up(owner[1], owner[2], wanted).names[owner[2]]:
            return found
    return NOTHING


def _assigned(engine: Engine, owner: Value, wanted: str, fuel: int) -> Iterator[Values]:
    home = engine.file(owner[1])
    given = Argument("", -1, 0, frozenset((owner[:3],)))
    for number in home.scopes[owner[2]].decorators:
        for value in ordered(engine.values(owner[1], home.entries[number][1], 0, fuel - CALL_STEP)):
            if value[0] != FUNCTION:
                continue
            file = engine.look_at(value[1], value[2])
            engine.seen.extend(file.seen_parameters(value[2]))
            stores = list(_stores(engine, file, value[2], int(value[4] is not None), wanted, fuel))
            if stores:
                receiver = () if value[4] is None else (Argument("", -1, 0, frozenset((value[4],))),)
                context = engine.contexts.enter(Context(value[1], value[2], value[3], (*receiver, given), ()))
                yield from (engine.values(value[1], each, context, fuel - LOOKUP_STEP) for each in stores)


def _stores(engine: Engine, file: File, scope: int, place: int, wanted: str, fuel: int) -> Iterator[int]:
    """The values that a function assigns to an attribute of a parameter."""
    engine.seen.append(file.seen_stores(wanted))
    engine.note(file, computed_stores_key(file.path))
    for base, value in file.other_stores.get(wanted, ()):
        if _is_parameter(file, base, scope, place):
            yield value
    for base, name, value in file.computed_stores:
        if _is_parameter(file, base, scope, place):
            names = engine.values(file.path, name, 0, fuel - LOOKUP_STEP)
            if (LITERAL, "str", wanted) in names:
                yield value


def _is_parameter(file: File, expression: int, scope: int, place: int) -> bool:
    entry = file.entries[expression]
    return entry[0] == m.NAME and any(
        file.entries[file.bindings[each][2]] == (m.PARAMETER, scope, place) for each in entry[2]
    )
