"""Pass 5, continued: what a program finds by going through all that something has: `dir()`, `vars()`, `getmembers()`.

Who goes through methods looks for those that are marked, and a mark is put on by a decorator: only what a decorator of
the root stands before counts, not every method. Of a class's namespace all that is no plain method counts. It does not
look at the marks themselves.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.classes import attributes, classes
from everdex.graph.python.engine.contexts import Argument
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import (
    CLASS,
    EXTERNAL,
    INSTANCE,
    LIST,
    MODULE,
    NOTHING,
    TEXT,
    TUPLE,
    UNKNOWN,
    Value,
    Values,
    union,
)
from everdex.graph.python.file.files import File

MAX_MARKED: Final = 24  # more than that are no answer
_WITHIN: Final = frozenset(("sorted", "list", "tuple", "set", "reversed"))
_SAYS_NOTHING: Final = frozenset((EXTERNAL, UNKNOWN))


def is_any_name(engine: Engine, given: Argument) -> bool:
    """Whether an argument is a name that a loop takes from `dir()` or `vars()`."""
    if given.expression < 0:
        return False
    file = engine.file(given.path)
    entry = file.entries[given.expression]
    if entry[0] == m.NAME and len(entry[2]) == 1:
        entry = file.entries[file.bindings[entry[2][0]][2]]
    entry = file.entries[entry[1]] if entry[0] == m.ELEMENT else (m.UNKNOWN,)
    while entry[0] == m.CALL and entry[2] and file.entries[entry[1]][0] == m.NAME:
        name = file.entries[entry[1]][1]
        if name in ("dir", "vars"):
            return True
        entry = file.entries[entry[2][0]] if name in _WITHIN else (m.UNKNOWN,)
    return False


def members(engine: Engine, value: Value, fuel: int) -> Values:
    """What of an instance, class or module may be marked."""
    if value[0] == MODULE:
        names = _decorated(engine, engine.look_over(value[1], 0), 0, fuel)
    elif value[0] in (INSTANCE, CLASS):
        line = [each for each in classes.mro(engine, value[1], value[2], fuel) if each[0] == CLASS]
        below = classes.subclasses(engine, value[1], value[2], fuel - LOOKUP_STEP) if value[3:] == (True,) else ()
        names = {
            name: None for each in (*line, *(below or ()))
            for name in _decorated(engine, engine.look_over(each[1], each[2]), each[2], fuel)
        }  # fmt: skip
    else:
        return NOTHING
    if len(names) > MAX_MARKED:
        return NOTHING
    found = union(attributes.of(engine, value, each, fuel, value[1]) for each in names)
    return frozenset(each for each in found if each[0] not in _SAYS_NOTHING)


def pairs(engine: Engine, values: Values, fuel: int) -> Values:
    """What `inspect.getmembers` gives: names, each with what may be marked."""
    held = union(members(engine, each, fuel) for each in values)
    return frozenset(((LIST, frozenset(((TUPLE, (TEXT, held)),))),)) if held else NOTHING


def _decorated(engine: Engine, file: File, scope: int, fuel: int) -> dict[str, None]:
    """The functions of a module or class that something of the root decorates."""
    found: dict[str, None] = {}
    for name, bindings in file.names[scope].items():
        entry = file.entries[file.bindings[bindings[-1]][2]]
        while entry[0] == m.DECORATED:
            decorators = engine.values(file.path, entry[1], 0, fuel - LOOKUP_STEP)
            if any(each[0] not in _SAYS_NOTHING for each in decorators):
                found[name] = None
            entry = file.entries[entry[2]]
    return found


def written(engine: Engine, kind: Value, fuel: int) -> list[Values]:
    """What stands in a class, but for plain methods."""
    file = engine.look_over(kind[1], kind[2])
    values = [file.bindings[number][2] for found in file.names[kind[2]].values() for number in found]
    held = [value for value in values if file.entries[value][0] != m.DEFINITION]
    return [engine.values(kind[1], value, 0, fuel - LOOKUP_STEP) for value in held[: 4 * MAX_MARKED]]
