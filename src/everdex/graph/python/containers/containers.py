"""Pass 4c: what lists, tuples, sets, dicts, comprehensions and generators hold.

A container is the place where it is written; what is put into it later counts when the receiver may be that place: in
the same file, and for one that a module, class or object has, in files that reach it by its name. Literal keys and
places are told apart, everything else is any of its elements. It does not follow order of insertion or removal.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins import builtin_calls
from everdex.graph.python.builtins.rules import CONTAINERS
from everdex.graph.python.calls import calls
from everdex.graph.python.classes import declared, members
from everdex.graph.python.containers import iteration, own_keys, sums, unpacking
from everdex.graph.python.engine.engine import LOOKUP_STEP, WORTH_HELD, Engine
from everdex.graph.python.engine.values import (
    AFFIXES,
    ANNOTATED,
    BUILTIN,
    CLASS,
    DISPLAY,
    EXTERNAL,
    EXTERNAL_INSTANCE,
    GENERATOR,
    INSTANCE,
    KEYED,
    LIST,
    LITERAL,
    MODULE,
    NOTHING,
    PAIRS,
    ROW,
    TEXT,
    TUPLE,
    UNKNOWN,
    Value,
    Values,
    alike,
    union,
    unknown,
)
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import filled_key, fills_key
from everdex.graph.python.names import names

MAX_STORES: Final = 128
MAX_ELEMENTS: Final = 128
MAX_ROWS_APART: Final = 16  # of a table with more rows each column is any of its cells
MAX_FILLING_FILES: Final = 8  # a name that more files fill says too little
MAX_KEYS: Final = 16  # more keys than that are looked up as any
_TOO_DEEP: Final = unknown("too many steps")
_TOO_MANY: Final = unknown("any name of a module")


def display(engine: Engine, file: File, entry: Any, expression: int, context: int, fuel: int) -> Values:
    return frozenset(((DISPLAY, file.path, expression, context),))


_RANGE: Final = (BUILTIN, "range")
_NUMBERS: Final = frozenset(((BUILTIN, "int"),))


def elements(engine: Engine, value: Value, fuel: int) -> Values:
    """What iterating a value gives."""
    kind = value[0]
    if kind == TUPLE:
        return union(value[1])
    if kind == LIST:
        return frozenset(value[1])
    if kind in (UNKNOWN, BUILTIN, EXTERNAL, EXTERNAL_INSTANCE):
        return _elements(engine, value, fuel)
    fuel = fuel - LOOKUP_STEP  # a container is known by its place: going there may come back to here
    found: Values = engine.ask_within(
        ("elements", value), fuel, lambda fuel: alike(_elements(engine, value, fuel)), _TOO_DEEP, WORTH_HELD
    )
    return found


def _elements(engine: Engine, value: Value, fuel: int) -> Values:
    kind = value[0]
    if kind == DISPLAY:
        return _display_elements(engine, value, fuel)
    if kind == GENERATOR:
        return iteration.yielded(engine, value, fuel)
    if kind == INSTANCE:
        return iteration.iterated(engine, value, fuel)
    if kind == ANNOTATED:
        return declared.element(engine, value, fuel)
    if kind in (KEYED, LITERAL, AFFIXES) or value in TEXT:
        return TEXT
    if kind == PAIRS:
        return union(unpacking.unpack(engine, each, 0, fuel) for each in value[1])
    if kind == ROW:
        return union(value[2])
    if kind == CLASS:
        is_enum = members.is_enum(engine, value, fuel)
        return frozenset(((INSTANCE, *value[1:3], False),)) if is_enum else iteration.of_class(engine, value, fuel)
    if value == _RANGE:
        return _NUMBERS
    if kind in (EXTERNAL_INSTANCE, EXTERNAL, BUILTIN):
        return unknown("element of an external value")
    return frozenset((value,)) if kind == UNKNOWN else unknown("element of an unknown value")


def _display_elements(engine: Engine, value: Value, fuel: int) -> Values:
    _, path, expression, context = value
    file = engine.file(path)
    engine.seen.append(file.seen_at(expression))
    entry = file.entries[expression]
    parts: list[Values] = []
    if entry[0] == m.SEQUENCE:
        row = _columns(engine, file, entry[2], context, fuel)
        for each in entry[2][:MAX_ELEMENTS] if row is None else ():
            parts.append(maybe_starred(engine, file, each, context, fuel))
        parts.append(row or NOTHING)
        parts.extend(put(engine, value, None, True, fuel))
    elif entry[0] == m.DICT:
        for key, item_value in entry[1][:MAX_ELEMENTS]:
            if key >= 0:
                parts.append(engine.values(path, key, context, fuel))
            else:
                spread = engine.values(path, item_value, context, fuel)
                parts.append(union(elements(engine, each, fuel) for each in spread))
        parts.append(_keys_put(engine, value, fuel))
    elif entry[0] == m.COMPREHENSION:
        parts.append(engine.values(path, entry[3] if entry[3] >= 0 else entry[2], context, fuel))
        parts.extend(put(engine, value, None, True, fuel))
    elif entry[0] == m.BINARY:
        parts.append(sums.members(engine, value, None, fuel))
        parts.extend(put(engine, value, None, True, fuel))
    else:
        made = _begun(engine, value, fuel)
        parts.extend(elements(engine, each, fuel) for each in made)
        if any(each[0] in (KEYED, PAIRS) for each in made):
            parts.append(_keys_put(engine, value, fuel))
        else:
            parts.extend(put(engine, value, None, True, fuel))
    return union(parts)


def _columns(engine: Engine, file: File, members: list[int], context: int, fuel: int) -> Values | None:
    """A table that is written out, tuple by tuple, as one row of what stands in its columns; None when it is none."""
    if len(members) <= MAX_ROWS_APART:
        return None
    rows = [file.entries[each] for each in members]
    width = len(rows[0][2]) if rows[0][0] == m.SEQUENCE else 0
    if not all(row[0] == m.SEQUENCE and row[1] == "tuple" and len(row[2]) == width for row in rows):
        return None
    if any(file.entries[cell][0] == m.STAR for row in rows for cell in row[2]):
        return None
    cells = [[row[2][place] for row in rows[: 4 * MAX_ELEMENTS]] for place in range(width)]
    columns = [union(engine.values(file.path, cell, context, fuel) for cell in column) for column in cells]
    return frozenset(((TUPLE, tuple(columns)),))


def _keys_put(engine: Engine, value: Value, fuel: int) -> Values:
    parts: list[Values] = []
    for path, key, stored in _stores_into(engine, value, fuel):
        if key >= 0:
            parts.append(engine.values(path, key, 0, fuel - LOOKUP_STEP))
        elif key == -2:  # updated from another
            others = engine.values(path, stored, 0, fuel - LOOKUP_STEP)
            parts.extend(elements(engine, each, fuel - LOOKUP_STEP) for each in others if is_mapping(engine, each))
    return union(parts)


def _begun(engine: Engine, value: Value, fuel: int) -> Values:
    """What a container holds when a call has made it; the factory of a default, written as a name, begins empty."""
    _, path, expression, context = value
    file = engine.file(path)
    entry = file.entries[expression]
    if entry[0] != m.CALL:
        return NOTHING
    positional, keywords = calls.arguments(file, expression, context)
    callees = engine.values(path, entry[1], context, fuel)
    return union(
        builtin_calls.container(engine, each[1], positional, keywords, fuel)
        for each in callees
        if each[0] == EXTERNAL and each[1] in CONTAINERS
    )


def maybe_starred(engine: Engine, file: File, expression: int, context: int, fuel: int) -> Values:
    entry = file.entries[expression]
    if entry[0] == m.STAR:
        inner = engine.values(file.path, entry[1], context, fuel)
        return union(elements(engine, each, fuel) for each in inner)
    return engine.values(file.path, expression, context, fuel)


def _stores_into(engine: Engine, value: Value, fuel: int) -> tuple[tuple[str, int, int], ...]:
    """(path, key, stored value) of assignments to items of a container, in its own file and in those that reach it."""
    _, path, expression, _ = value
    key, look = ("filling", path, expression), partial(_filling, engine, path, expression)

    def answer(fuel: int) -> tuple[tuple[str, int, int], ...]:
        found: list[tuple[str, int, int]] = []
        for other, base, item_key, stored in engine.once(key, look):
            bases = engine.values(other, base, 0, fuel - LOOKUP_STEP)
            if any(each[0] == DISPLAY and each[1] == path and each[2] == expression for each in bases):
                found.append((other, item_key, stored))
        return tuple(found)

    if not engine.once(key, look):
        return ()
    stores: tuple[tuple[str, int, int], ...] = engine.ask_within(("stores", path, expression), fuel, answer, ())
    return stores


def _filling(engine: Engine, path: str, expression: int) -> list[tuple[str, int, int, int]]:
    """The assignments that may be to items of a container: (path, base, key, stored value); none of too many."""
    file = engine.file(path)
    known = sorted(file.display_names.get(expression, ()))
    own: dict[tuple[int, int, int], None] = {}
    for name in ("", *(known or ("[]",))):
        engine.note(file, filled_key(path, name))
        own.update(dict.fromkeys(file.item_stores_by_name.get(name, ())))
    candidates = [(path, *each) for each in own if each[2] >= 0]
    is_shared = file.scopes[file.where[expression]].kind in (m.MODULE_SCOPE, m.CLASS_SCOPE)
    outer = sorted(file.outer_names.get(expression, ()))
    if is_shared or outer or expression in file.held_displays:
        others = _filled_elsewhere(engine, path, known or outer)
        candidates += others if len(candidates) + len(others) <= MAX_STORES else []
    return candidates if len(candidates) <= MAX_STORES else []


def _filled_elsewhere(engine: Engine, path: str, known: list[str]) -> list[tuple[str, int, int, int]]:
    """What other files may put into a container that a module or class has under these names."""
    found: list[tuple[str, int, int, int]] = []
    for name in known:
        for other in engine.offering_few(fills_key(name), MAX_FILLING_FILES) or ():
            if other != path:
                found += ((other, *each) for each in engine.file(other).foreign_fills.get(name, ()))
    return found


def put(
    engine: Engine, value: Value, wanted: int | str | None, anything: bool, fuel: int, after: tuple[str, int] = ("", 0)
) -> list[Values]:
    """What is put into it under a key, or under any; in the body of an expression only after it."""
    parts: list[Values] = []
    for path, key, stored in _stores_into(engine, value, fuel)[:MAX_ELEMENTS]:
        file = engine.file(path)
        engine.seen.append(file.seen_at(stored))
        if path == after[0] and stored <= after[1] and file.where[stored] == file.where[after[1]]:
            continue
        is_slice = key >= 0 and file.entries[key][0] == m.SLICE
        if key == -2 or is_slice:  # extended with, or updated from, another container, or given it in a slice's place
            inner, place = engine.values(path, stored, 0, fuel - LOOKUP_STEP), None if is_slice else wanted
            if file.entries[stored][0] == m.STAR:
                parts.append(inner)
            else:
                parts.append(union(_added(engine, value, each, place, fuel - LOOKUP_STEP) for each in inner))
            continue
        if not anything and key >= 0 and wanted is not None:
            known = literals(engine.values(path, key, 0, fuel - LOOKUP_STEP))
            if known is not None and wanted not in known:
                continue
        parts.append(own_keys.held(engine, file, key, stored, 0, None if anything else wanted, fuel - LOOKUP_STEP))
    return parts


def _added(engine: Engine, value: Value, other: Value, wanted: int | str | None, fuel: int) -> Values:
    """What a container has of another that it was extended with; a mapping of pairs their second place."""
    if is_mapping(engine, value) and other[0] in (DISPLAY, LIST, GENERATOR) and not is_mapping(engine, other):
        return union(unpacking.unpack(engine, each, 1, fuel) for each in elements(engine, other, fuel))
    return item(engine, other, wanted, fuel)


def literals(values: Values) -> set[Any] | None:
    """The literal keys, when all of them are."""
    if values and all(value[0] == LITERAL for value in values):
        return {value[2] for value in values}
    return None


def keys(values: Values) -> list[int | str | None]:
    """The keys that are wanted, or only None, which is any, where one is not known or they are many."""
    known = literals(values)
    return sorted(known, key=str) if known and len(known) <= MAX_KEYS and None not in known else [None]


def item(engine: Engine, value: Value, wanted: int | str | None, fuel: int, key_type: str = "") -> Values:
    """What stands at a place or key; None when it is not known, though perhaps of which builtin type."""
    if value[0] == INSTANCE:
        fuel = fuel - LOOKUP_STEP
        key = ("item", value, wanted, key_type)
        found: Values = engine.ask_within(
            key, fuel, lambda fuel: iteration.got(engine, value, wanted, key_type, fuel), _TOO_DEEP, WORTH_HELD
        )
        return found
    if value[0] in (DISPLAY, ANNOTATED):
        fuel = fuel - LOOKUP_STEP
        made: Values = engine.ask_within(
            ("item", value, wanted), fuel, lambda fuel: alike(_item(engine, value, wanted, fuel)), _TOO_DEEP, WORTH_HELD
        )
        return made
    return _item(engine, value, wanted, fuel)


def _item(engine: Engine, value: Value, wanted: int | str | None, fuel: int) -> Values:
    kind = value[0]
    if kind == DISPLAY:
        return _display_item(engine, value, wanted, fuel)
    if kind == TUPLE:
        places = value[1]
        if isinstance(wanted, int):
            found: Values = places[wanted] if -len(places) <= wanted < len(places) else NOTHING
            return found
        return union(places)
    if kind == LIST:
        return elements(engine, value, fuel)
    if kind == KEYED:
        return union(values for key, values in value[1] if wanted is None or key == wanted)
    if kind == PAIRS:
        return union(unpacking.unpack(engine, each, 1, fuel) for each in value[1])
    if kind == ROW:
        return value[2][wanted] if isinstance(wanted, int) and wanted < len(value[2]) else union(value[2])
    if kind == MODULE:
        return names.attribute_of(engine, value, wanted, fuel, value[1]) if isinstance(wanted, str) else _TOO_MANY
    if kind == ANNOTATED:
        return declared.item(engine, value, wanted, fuel)
    if kind in (LITERAL, AFFIXES) or value in TEXT:
        return TEXT
    if kind == CLASS:
        is_enum = members.is_enum(engine, value, fuel)
        return frozenset(((INSTANCE, value[1], value[2], False) if is_enum else value,))
    return frozenset((value,)) if kind == UNKNOWN else unknown("item of an external value")


def by_key(engine: Engine, value: Value, name: str, fuel: int) -> Values:
    """What ** passes under a name."""
    if value[0] == KEYED:
        return union(values for key, values in value[1] if key == name)
    if value[0] == DISPLAY and engine.file(value[1]).entries[value[2]][0] in (m.DICT, m.CALL):
        return item(engine, value, name, fuel)
    return NOTHING


def _display_item(engine: Engine, value: Value, wanted: int | str | None, fuel: int) -> Values:
    _, path, expression, context = value
    file = engine.file(path)
    engine.seen.append(file.seen_at(expression))
    entry = file.entries[expression]
    parts: list[Values] = []
    if entry[0] == m.SEQUENCE:
        members = entry[2]
        starred = next((n for n, each in enumerate(members) if file.entries[each][0] == m.STAR), len(members))
        exact = isinstance(wanted, int) and (
            0 <= wanted < starred or (starred == len(members) and -len(members) <= wanted < 0)
        )
        if exact and isinstance(wanted, int) and not (entry[1] == "list" and sums.is_moved(engine, value, fuel)):
            parts.append(engine.values(path, members[wanted], context, fuel))
            parts.extend(put(engine, value, wanted, False, fuel) if entry[1] == "list" else ())
            return union(parts)
        return _display_elements(engine, value, fuel)
    if entry[0] == m.BINARY:
        return union((sums.members(engine, value, wanted, fuel), *put(engine, value, wanted, False, fuel)))
    if entry[0] == m.DICT:
        row = _columns(engine, file, [stored for _, stored in entry[1]], context, fuel) if wanted is None else None
        parts.append(row or NOTHING)
        for key, stored in entry[1][: 4 * MAX_ELEMENTS] if row is None else ():
            if key < 0:
                spread = engine.values(path, stored, context, fuel)
                parts.append(union(item(engine, each, wanted, fuel) for each in spread))
                continue
            if wanted is not None:
                known = literals(engine.values(path, key, context, fuel))
                if known is not None and wanted not in known:
                    continue
            parts.append(engine.values(path, stored, context, fuel))
        parts.extend(put(engine, value, wanted, False, fuel))
        return union(parts)
    if entry[0] == m.COMPREHENSION:
        parts.append(own_keys.held(engine, file, entry[3], entry[2], context, wanted, fuel))
    else:
        parts.extend(item(engine, each, wanted, fuel) for each in _begun(engine, value, fuel))
    parts.extend(put(engine, value, wanted, False, fuel))
    return union(parts)


def length(engine: Engine, value: Value) -> int:
    """How many members a display is written with."""
    entry = engine.file(value[1]).entries[value[2]]
    return len(entry[2]) if entry[0] == m.SEQUENCE else 0


def is_mapping(engine: Engine, value: Value) -> bool:
    if value[0] != DISPLAY:
        return value[0] in (ANNOTATED, UNKNOWN)
    file = engine.file(value[1])
    entry = file.entries[value[2]]
    if entry[0] == m.CALL:
        return file.last_name(entry[1]) in ("dict", "OrderedDict", "defaultdict", "fromkeys")
    return bool(entry[0] == m.DICT or (entry[0] == m.COMPREHENSION and entry[3] >= 0))
