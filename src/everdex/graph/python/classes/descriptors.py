"""Pass 4a, continued: what the language passes to a descriptor: an instance of a class that holds one, or the class.

A class holds what its body binds to a call of the descriptor's class, or of a function that returns one, or decorates
with either. Where such calls are many, or classes, nothing is said. It does not know descriptors that are put into a
class later.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python.calls.call_sites import sites_of
from everdex.graph.python.classes import classes
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import CLASS, INSTANCE, NONE, NOTHING, Value, Values, open_class
from everdex.graph.python.file.files import File

MAX_HOLDERS: Final = 8
MAX_MAKERS: Final = 3  # functions that return one
# By method: the place of the instance among its parameters and that of the class; -1 when it is given none.
_PLACES: Final = {"__get__": (1, 2), "__set__": (1, -1), "__delete__": (1, -1), "__set_name__": (-1, 1)}


def passed(engine: Engine, file: File, scope: int, index: int, fuel: int) -> Values:
    """What a parameter of such a method is; nothing of any other."""
    name, owner = file.scopes[scope].name, file.class_of(scope)
    if owner < 0 or index not in _PLACES.get(name, ()):
        return NOTHING
    kinds = _holding(engine, (CLASS, file.path, owner), fuel)
    if index == _PLACES[name][1]:
        return frozenset(open_class(each[1], each[2]) for each in kinds)
    made = frozenset((INSTANCE, each[1], each[2], True) for each in kinds)
    return made | {NONE} if made and name == "__get__" else made


def _holding(engine: Engine, kind: Value, fuel: int) -> tuple[Value, ...]:
    """The classes that hold instances of a class, or of one below it."""

    def answer(fuel: int) -> tuple[Value, ...]:
        below = classes.subclasses(engine, kind[1], kind[2], fuel - LOOKUP_STEP)
        if below is None or len(below) > MAX_HOLDERS:
            return ()
        first, *others = [engine.file(each[1]).scopes[each[2]].name for each in (kind, *below)]
        sites, is_cut = sites_of(engine, [first], others, kind[1])
        found: dict[Value, None] = {}
        makers: dict[str, None] = {}
        for path, number in sites if not is_cut else ():
            file = engine.file(path)
            around = file.where[number]
            if file.scopes[around].kind == m.CLASS_SCOPE and number in _bound(engine, file, around):
                made = engine.values(path, file.entries[number][1], 0, fuel - LOOKUP_STEP)
                if any(each[0] == CLASS and each[:3] in (kind, *below) for each in made):
                    found[CLASS, path, around] = None
            elif name := _maker(engine, file, number):
                makers[name] = None
        for path, number in sites_of(engine, [], list(makers), kind[1])[0] if len(makers) <= MAX_MAKERS else ():
            file = engine.file(path)
            around = file.where[number]
            if file.scopes[around].kind == m.CLASS_SCOPE and number in _bound(engine, file, around):
                made = engine.values(path, number, 0, fuel - LOOKUP_STEP)
                if any(each[0] == INSTANCE and (CLASS, *each[1:3]) in (kind, *below) for each in made):
                    found[CLASS, path, around] = None
        return tuple(found) if len(found) <= MAX_HOLDERS else ()

    result: tuple[Value, ...] = engine.ask_within(("holding", kind), fuel, answer, ())
    return result


def _maker(engine: Engine, file: File, number: int) -> str:
    """By which calls one has what a function returns that makes one: its own, or those of what a function around it
    gives (`def field(name): def decorate(f): return Field(f)`); '' where it is not returned."""
    engine.seen.append(file.seen_at(number))
    scope = file.scopes[file.owner(file.where[number])]
    if scope.kind != m.FUNCTION_SCOPE or number not in scope.returns:
        return ""
    around = file.scopes[file.owner(scope.parent)]
    return f"{around.name}()" if around.kind == m.FUNCTION_SCOPE else scope.name


def _bound(engine: Engine, file: File, scope: int) -> set[int]:
    """What stands in a class's body for a name: calls, and decorators of definitions."""
    engine.look_at(file.path, scope)
    found: set[int] = set()
    for bindings in file.names[scope].values():
        for each in bindings:
            value = file.bindings[each][2]
            found.add(value)
            while file.entries[value][0] == m.DECORATED:
                value = file.entries[value][2]
                found.add(value)
    return found
