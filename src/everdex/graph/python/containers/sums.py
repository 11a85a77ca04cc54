"""Pass 4c, continued: which places the members of lists have: of sums, `names + [name]`, and after slices are stored.

A sum is a container of its own, with the members of both; where both are written out, each of its places is a place of
one of them.
"""

from __future__ import annotations

from everdex.facts.python import model as m
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import DISPLAY, TUPLE, Value, Values, union
from everdex.graph.python.file.keys import filled_key


def members(engine: Engine, value: Value, wanted: int | str | None, fuel: int) -> Values:
    """What a sum has at a place, or anywhere where that cannot be told."""
    _, path, expression, context = value
    operands = engine.file(path).entries[expression][2:4]
    both = [engine.values(path, each, context, fuel) for each in operands]
    counts = [_count_of(engine, each, fuel) for each in both] if isinstance(wanted, int) else []
    if not isinstance(wanted, int) or -1 in counts:
        return union(containers.elements(engine, each, fuel) for values in both for each in values)
    place = wanted if wanted >= 0 else sum(counts) + wanted
    number = int(place >= counts[0])
    there = place - counts[0] if number else place
    return union(containers.item(engine, each, there, fuel) for each in both[number] if 0 <= place < sum(counts))


def count(engine: Engine, value: Value, fuel: int) -> int:
    """How many members are written, when these are few and known; else -1."""
    found = -1
    if value[0] == TUPLE:
        found = len(value[1])
    elif value[0] == DISPLAY:
        file = engine.file(value[1])
        inside = file.entries[value[2]]
        if inside[0] == m.SEQUENCE and not any(file.entries[each][0] == m.STAR for each in inside[2]):
            found = len(inside[2])
        elif inside[0] == m.BINARY:
            found = engine.ask(("count", value), fuel, lambda fuel: _count_of_sum(engine, value, fuel), -1)
    return found if found <= containers.MAX_ELEMENTS else -1


def _count_of_sum(engine: Engine, value: Value, fuel: int) -> int:
    _, path, expression, context = value
    file = engine.file(path)
    engine.seen.append(file.seen_at(expression))
    both = [engine.values(path, each, context, fuel - LOOKUP_STEP) for each in file.entries[expression][2:4]]
    counts = [_count_of(engine, each, fuel - LOOKUP_STEP) for each in both]
    return -1 if -1 in counts else sum(counts)


def _count_of(engine: Engine, values: Values, fuel: int) -> int:
    """The same of what may be several, where all have as many."""
    counts = {count(engine, each, fuel) for each in values}
    return counts.pop() if len(counts) == 1 else -1


def is_moved(engine: Engine, value: Value, fuel: int) -> bool:
    """Whether its file puts a slice into a list, or deletes from it: what it was written with stands elsewhere then."""
    _, path, expression, _ = value
    file = engine.file(path)
    for name in ("", *(sorted(file.display_names.get(expression, ())) or ("[]",))):
        engine.note(file, filled_key(path, name))
        for base, key, stored in file.item_stores_by_name.get(name, ()):
            if key >= 0 and (stored < 0 or file.entries[key][0] == m.SLICE):
                bases = engine.values(path, base, 0, fuel - LOOKUP_STEP)
                if any(each[0] == DISPLAY and each[1:3] == value[1:3] for each in bases):
                    return True
    return False
