"""What is run to find a value in a container of a builtin type: keys are hashed, and compared with those in there, and
what a mapping was made with is called for keys that it has not.

Gives functions of the root only. Members of lists and tuples are compared one after the other; whether a key is found
at once, so that nothing is compared, is not followed.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.builtins.operators import special
from everdex.graph.python.builtins.rules import MAPPING_TYPES
from everdex.graph.python.classes.forms import MAPPINGS
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    ANNOTATED,
    BUILTIN,
    CLASS,
    DISPLAY,
    FUNCTION,
    INSTANCE,
    KEYED,
    LIST,
    NOTHING,
    PAIRS,
    PARTIAL,
    TUPLE,
    Value,
    Values,
    union,
)

_SETS: Final = frozenset(("set", "Set", "frozenset", "FrozenSet", "AbstractSet", "MutableSet", "WeakSet"))
_BY_HASH: Final = MAPPINGS | _SETS | {name.rpartition(".")[2] for name in MAPPING_TYPES}
_FACTORIES: Final = frozenset((FUNCTION, CLASS, PARTIAL))
# Methods of mappings and sets that look their first argument up, and those of lists that look for it.
CONTAINS: Final = "__contains__"
GETITEM: Final = "__getitem__"
HASHING: Final = frozenset(("get", "pop", "setdefault", "add", "discard", "remove", "move_to_end", CONTAINS, GETITEM))
COMPARING: Final = frozenset(("remove", "index", "count", CONTAINS))


def hashes(engine: Engine, holder: Value) -> bool:
    """Whether a container finds what it holds by its hash."""
    kind = holder[0]
    if kind in (DISPLAY, ANNOTATED):
        file = engine.file(holder[1])
        entry = file.entries[holder[2]]
        if entry[0] in (m.CALL, m.SUBSCRIPT):
            return file.last_name(entry[1]) in _BY_HASH
        if entry[0] in (m.SEQUENCE, m.COMPREHENSION):
            return entry[1] in ("set", "dict")
        return bool(entry[0] == m.DICT)
    return kind in (KEYED, PAIRS) or (kind == BUILTIN and holder[1] in ("dict", "set", "frozenset"))


def compares(engine: Engine, holder: Value) -> bool:
    """Whether a container is looked through from its beginning."""
    if holder[0] == DISPLAY:
        entry = engine.file(holder[1]).entries[holder[2]]
        return entry[0] == m.BINARY or (entry[0] in (m.SEQUENCE, m.COMPREHENSION) and entry[1] in ("list", "tuple"))
    return holder[0] in (LIST, TUPLE)


def hashed(engine: Engine, keys: Values, fuel: int, path: str) -> Values:
    """What a look-up of these keys runs: one with a hash of its own is compared by its own method, too."""
    found: list[Values] = []
    for key in keys:
        if key[0] == INSTANCE:
            alone = frozenset((key,))
            hashing = special(engine, alone, "__hash__", fuel, path)
            if hashing:
                found += (hashing, special(engine, alone, "__eq__", fuel, path))
    return union(found)


def missing(engine: Engine, value: Value, fuel: int) -> Values:
    """What a mapping calls for a key that it has not: the functions and classes that it was made with for that."""
    if value[0] != DISPLAY:
        return NOTHING
    file = engine.file(value[1])
    entry = file.entries[value[2]]
    if entry[0] != m.CALL or not entry[2] or file.last_name(entry[1]) != "defaultdict":
        return NOTHING
    engine.seen.append(file.seen_at(value[2]))
    return frozenset(
        each for each in engine.values(value[1], entry[2][0], value[3], fuel - LOOKUP_STEP) if each[0] in _FACTORIES
    )
