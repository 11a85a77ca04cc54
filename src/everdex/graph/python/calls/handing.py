"""Pass 4a, continued: where classes call the constructor of one above them, or make one of themselves.

Nearly every class has such a call and all of them have one name, so they are not looked for by that: only classes below
hand something up to a constructor, by `super()` or by the name of the class, and only classes of one line make each
other without naming each other.
"""

from __future__ import annotations

from everdex.facts.python import model as m
from everdex.graph.python.classes import classes
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import CLASS, Value
from everdex.graph.python.file.files import File
from everdex.graph.python.file.keys import OWN_CALLS, calls_key


def up(engine: Engine, owner: Value, name: str, fuel: int) -> list[tuple[str, int]]:
    """The calls of a constructor of this name in the classes below, and in those that they have before it."""
    below = dict.fromkeys(classes.subclasses(engine, owner[1], owner[2], fuel - LOOKUP_STEP) or ())
    for each in tuple(below):
        if len(engine.file(each[1]).scopes[each[2]].bases) > 1:
            line = classes.mro(engine, each[1], each[2], fuel)
            before = line[: line.index(owner)] if owner in line else ()
            below.update(dict.fromkeys(other for other in before if other[0] == CLASS))
    named = classes.names_of(engine, engine.file(owner[1]).scopes[owner[2]].name)
    found: list[tuple[str, int]] = []
    for path in dict.fromkeys((owner[1], *(each[1] for each in below))):
        file = engine.file(path)
        engine.note(file, calls_key(path, name))
        if name not in file.defined:
            continue
        for number in file.calls_by_name.get(name, ()):
            engine.seen.append(file.seen_at(number))  # also of one that is left out
            entry = file.entries[number]
            callee = file.entries[entry[1]]
            if callee[0] != m.ATTRIBUTE:
                continue
            around = _class_around(file, number)
            if file.entries[callee[1]][0] == m.CALL:  # super()
                if (CLASS, path, around) in below:
                    found.append((path, number))
            elif file.last_name(callee[1]) in named or around < 0:
                found.append((path, number))
    return found


def to_constructor(engine: Engine, path: str, scope: int, fuel: int) -> frozenset[tuple[str, int]]:
    """The calls of a function by the classes below, where it is a constructor."""
    owner = engine.file(path).class_of(scope)
    if owner < 0 or engine.file(path).scopes[scope].name != "__init__":
        return frozenset()
    return frozenset(up(engine, (CLASS, path, owner), "__init__", fuel))


def by_own(engine: Engine, owner: Value, fuel: int) -> list[tuple[str, int]]:
    """The calls by which methods of a class, of those above and of those below make one of whichever class it is."""
    line = classes.mro(engine, owner[1], owner[2], fuel)
    below = classes.subclasses(engine, owner[1], owner[2], fuel - LOOKUP_STEP) or ()
    related = {each for each in (*line, *below) if each[0] == CLASS}
    found: list[tuple[str, int]] = []
    for path in dict.fromkeys(each[1] for each in (*line, *below) if each[0] == CLASS):
        file = engine.file(path)
        for name in OWN_CALLS:
            engine.note_calls(file, name)
            for number in file.calls_by_name.get(name, ()):
                if (CLASS, path, _class_around(file, number)) in related:
                    found.append((path, number))
    return found


def _class_around(file: File, number: int) -> int:
    scope = file.owner(file.where[number])
    while scope > 0:
        if file.class_of(scope) >= 0:
            return file.class_of(scope)
        scope = file.owner(file.scopes[scope].parent)
    return -1
