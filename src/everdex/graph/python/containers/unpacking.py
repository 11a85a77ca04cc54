"""Pass 4c, continued: the expressions that take containers apart: loops, unpacking, items, `with`, `yield`."""

from __future__ import annotations

from typing import Any

from everdex.facts.python import model as m
from everdex.graph.python.builtins import coroutines
from everdex.graph.python.calls import asked, calls
from everdex.graph.python.classes import attributes, declared, records
from everdex.graph.python.containers import containers, iteration, sums
from everdex.graph.python.engine.contexts import Argument
from everdex.graph.python.engine.engine import CALL_STEP, LOOKUP_STEP, NAME_STEP, Engine
from everdex.graph.python.engine.values import (
    AFFIXES,
    ANNOTATED,
    COROUTINE,
    DISPLAY,
    EXTERNAL,
    FORM,
    FUNCTION,
    GENERATOR,
    INSTANCE,
    LIST,
    MANAGED,
    MODULE,
    NOTHING,
    ROW,
    TUPLE,
    Value,
    Values,
    ordered,
    union,
    unknown,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.names import loading


def element(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    values = engine.values(file.path, entry[1], context, fuel)
    return union(containers.elements(engine, each, fuel) for each in values)


def starred(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    return element(engine, file, entry, expression, context, fuel)


def unpacked(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    values = engine.values(file.path, entry[1], context, fuel)
    if isinstance(entry[2], list):
        return union(_rest(engine, each, entry[2][0], entry[2][1], fuel) for each in values)
    return union(unpack(engine, value, entry[2], fuel) for value in values)


def unpack(engine: Engine, value: Value, place: int, fuel: int) -> Values:
    """What one target of several takes."""
    keyed = value[0] == DISPLAY and engine.file(value[1]).entries[value[2]][0] == m.DICT
    if value[0] in (DISPLAY, TUPLE, LIST, ANNOTATED, ROW) and not keyed:
        return containers.item(engine, value, place, fuel)
    if value[0] == INSTANCE:
        found = records.place(engine, value, place, fuel)
        if found:
            return found
    return containers.elements(engine, value, fuel)


def _rest(engine: Engine, value: Value, before: int, after: int, fuel: int) -> Values:
    """What a starred target takes."""
    many = sums.count(engine, value, fuel)
    if many < 0:
        return frozenset(((LIST, containers.elements(engine, value, fuel)),))
    places = range(before, many - after)
    return frozenset(((TUPLE, tuple(containers.item(engine, value, place, fuel) for place in places)),))


def subscript(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    values = engine.values(file.path, entry[1], context, fuel)
    if values == loading.LOADED:
        if file.entries[entry[2]] == (m.NAME, "__name__", []):
            return frozenset(((MODULE, file.path),))
        return loading.module(engine, (Argument(file.path, entry[2], context),), (), fuel - NAME_STEP)
    if any(value[0] == EXTERNAL for value in values):
        form = frozenset(((FORM, file.path, expression, context),))
        rest = frozenset(value for value in values if value[0] != EXTERNAL)
        return union((form, _subscripted(engine, file, entry, rest, context, fuel)))
    return _subscripted(engine, file, entry, values, context, fuel)


def _subscripted(engine: Engine, file: File, entry: Any, values: Values, context: int, fuel: int) -> Values:
    if not values:
        return NOTHING
    named = engine.values(file.path, entry[2], context, fuel - NAME_STEP)
    partly = [each for each in named if each[0] == AFFIXES]
    if partly and any(value[0] == MODULE for value in values):  # globals()["handle_" + name]
        return union(attributes.fitting(engine, value, each, fuel) for value in values for each in partly)
    if file.entries[entry[2]][0] == m.SLICE and any(value[0] in (DISPLAY, LIST, TUPLE) for value in values):
        between = _bounds(engine, file, file.entries[entry[2]][1], context, fuel)
        return frozenset(_sliced(engine, each, between, fuel) for each in values)
    wanted = containers.keys(named)
    stored = _last_stored(engine, file, entry, context, wanted, fuel)
    if stored >= 0 and all(value[0] == DISPLAY for value in values):
        parts = [engine.values(file.path, stored, context, fuel - NAME_STEP)]
        for value in values:
            parts += containers.put(engine, value, wanted[0], False, fuel, (file.path, stored))
        return union(parts)
    key_type = asked.type_of_all(engine, named)
    return union(containers.item(engine, value, each, fuel, key_type) for value in values for each in wanted)


def _last_stored(
    engine: Engine, file: File, entry: Any, context: int, wanted: list[int | str | None], fuel: int
) -> int:
    """What a statement before this one has put under the only key that is wanted, in any case; -1."""
    stores = file.stored_before(entry[1]) if len(wanted) == 1 and wanted != [None] else []
    if stores:  # it matters in which order they stand
        engine.seen.append(file.seen_scope(file.where[entry[1]]))
    found = -1
    for key, value in stores:
        if containers.literals(engine.values(file.path, key, context, fuel - NAME_STEP)) == {*wanted}:
            found = value
    return found


def _bounds(engine: Engine, file: File, written: list[int], context: int, fuel: int) -> slice | None:
    """A slice whose numbers are known."""
    bounds: list[int | None] = []
    for each in written:
        known = containers.literals(engine.values(file.path, each, context, fuel - NAME_STEP)) if each >= 0 else {None}
        number = known.pop() if known and len(known) == 1 else ""
        if isinstance(number, str):
            return None
        bounds.append(number)
    return slice(*bounds) if bounds[2] != 0 else None


def _sliced(engine: Engine, value: Value, between: slice | None, fuel: int) -> Value:
    many = sums.count(engine, value, fuel)
    added = union(containers.put(engine, value, None, True, fuel)) if value[0] == DISPLAY else NOTHING
    if between is None or many < 0 or added:  # what is put into a list may move the others
        return (LIST, containers.elements(engine, value, fuel))
    return (TUPLE, tuple(containers.item(engine, value, place, fuel) for place in range(many)[between]))


def managed(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """What `with … as x` binds."""
    values = engine.values(file.path, entry[1], context, fuel)
    return union(entered(engine, value, bool(entry[2]), fuel) for value in values)


def entered(engine: Engine, value: Value, asynchronous: bool, fuel: int) -> Values:
    """What entering one context manager gives."""
    if value[0] == MANAGED:
        return containers.elements(engine, value[1], fuel)
    if value[0] != INSTANCE:
        return frozenset((value,))
    found = attributes.of(engine, value, "__aenter__" if asynchronous else "__enter__", fuel, value[1])
    functions = [each for each in found if each[0] in (FUNCTION, "manager")]
    made = union(calls.result(engine, each, (), (), fuel - CALL_STEP) for each in functions)
    if asynchronous:
        made = union(coroutines.finished(engine, each, fuel) for each in made)
    return made or unknown("context manager")


def delegated(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """What `yield from` gives back: what the generator returns."""
    values = engine.values(file.path, entry[1], context, fuel)
    made = [iteration.outcome_of(engine, value, fuel) for value in values if value[0] == GENERATOR]
    return union(made) or unknown("result of an iterator")


def sent(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    """What a `yield` gives back: what the function says it is sent, else what comes of a coroutine that it hands out,
    which nobody does but to have it run, and what callers in its file send."""
    scope = file.owner(file.where[expression])
    declared_type = file.scopes[scope].annotation
    if declared_type >= 0 and file.entries[declared_type][0] == m.SUBSCRIPT:
        name, inner = declared.parts_of(file, declared_type)
        if name in ("Generator", "AsyncGenerator") and len(inner) > 1:
            said = declared.instances(engine, file, inner[1], context, fuel - NAME_STEP)
            if any(each[0] == INSTANCE for each in said):
                return said
    parts: list[Values] = []
    if entry[1] >= 0 and file.entries[entry[1]][0] == m.CALL:
        handed_out = engine.values(file.path, entry[1], context, fuel - NAME_STEP)
        parts.extend(coroutines.finished(engine, each, fuel) for each in handed_out if each[0] == COROUTINE)
        parts.extend(iteration.outcome_of(engine, each, fuel) for each in handed_out if each[0] == GENERATOR)
    if file.path not in engine.offering("py:call:send"):
        return union(parts) or unknown("sent value")
    for number in engine.calls_in(file.path, "send")[:containers.MAX_STORES]:
        engine.seen.append(file.seen_at(number))
        call = file.entries[number]
        if file.entries[call[1]][0] == m.ATTRIBUTE and call[2]:
            made = engine.values(file.path, file.entries[call[1]][1], 0, fuel - LOOKUP_STEP)
            wanted = (GENERATOR, file.path, scope)
            if any(_comes_to(engine, each, wanted, fuel - LOOKUP_STEP) for each in ordered(made)):
                parts.append(engine.values(file.path, call[2][0], 0, fuel - LOOKUP_STEP))
    return union(parts) or unknown("sent value")


def _comes_to(engine: Engine, value: Value, wanted: Value, fuel: int) -> bool:
    """Whether a generator is this one, or hands on to it what it is sent: `yield from worker()`."""
    if value[0] != GENERATOR or value[:3] == wanted:
        return bool(value[:3] == wanted)
    key = ("handing on", value, wanted)
    return bool(engine.ask(key, fuel, lambda fuel: _hands_on(engine, value, wanted, fuel), False))


def _hands_on(engine: Engine, value: Value, wanted: Value, fuel: int) -> bool:
    _, path, scope, context = value
    file = engine.look_at(path, scope)
    handed = [file.entries[each][1] for each in file.of_kind(m.YIELD_FROM) if file.where[each] == scope]
    inner = union(engine.values(path, each, context, fuel - LOOKUP_STEP) for each in handed)
    return any(_comes_to(engine, each, wanted, fuel - LOOKUP_STEP) for each in ordered(inner))
