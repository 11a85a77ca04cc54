"""Of which classes `self` may be in a method: of those that have it from here, or whose own one calls it.

A class below that overrides the method, and does not call what it overrides, never runs it. What an override calls is
told by calls in the files of the classes between: `super().name(…)`, `Base.name(self, …)`; each leads to the next class
that has the method, and counts where it is reached itself.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from everdex.facts.python import model as m
from everdex.graph.python.classes import classes, living
from everdex.graph.python.engine.engine import LOOKUP_STEP, Engine
from everdex.graph.python.engine.values import CLASS, INSTANCE, NOTHING, Value, Values, ordered
from everdex.graph.python.file.files import File

MAX_RUNNING: Final = 6  # one by one; more are told by the class above them


def receivers(engine: Engine, path: str, owner: int, method: str, fuel: int, *, of_class: bool = False) -> Values:
    """The instances that run a method of a class; nothing when all below it do, when they are many or not known. A
    method of the class itself is called on what it is called by: only `super()` calls it on another one."""

    own = (CLASS, path, owner)
    below = classes.subclasses(engine, path, owner, fuel - LOOKUP_STEP)
    if not below or len(below) > living.MAX_FAMILY:
        return NOTHING
    if not engine.once(("having", below, method), lambda: classes.owners_of(engine, below, method, only_first=False)):
        return NOTHING

    def answer(fuel: int) -> Values:
        heirs = classes.subclasses(engine, path, owner, fuel - LOOKUP_STEP) or ()
        everyone = living.family(engine, path, owner, fuel) or (own, *heirs)
        running = [each for each in everyone if _runs(engine, each, own, method, fuel, of_class)]
        if not 0 < len(running) < len(everyone) or len(running) > MAX_RUNNING:
            return NOTHING
        return frozenset((INSTANCE, *each[1:3], False) for each in running)

    found: Values = engine.ask_within(("running", path, owner, method, of_class), fuel, answer, NOTHING)
    return found


def _runs(engine: Engine, kind: Value, own: Value, method: str, fuel: int, of_class: bool) -> bool:
    """Whether instances of a class come to a method of one above: at once, or on ways that calls between them lead."""
    line = classes.mro(engine, kind[1], kind[2], fuel)
    _, found = classes.raw_attribute(engine, line, method, fuel)
    if found is None or found == own or own not in line:
        return True
    between = line[: line.index(own)]
    if any(each[0] != CLASS for each in between):
        return True
    ways: list[_Way] = []
    for path in dict.fromkeys(each[1] for each in between):
        leading = _ways(engine, path, line, between, method, fuel, of_class)
        if leading is None:
            return True
        ways.extend(leading)
    reached = {found}
    for _ in ways:
        reached.update(way.leads_to for way in ways if way.stands_in is None or way.stands_in in reached)
    return own in reached


class _Way(NamedTuple):
    """A call of what stands above: in the method itself of a class, or anywhere else; and whose method it calls."""

    stands_in: Value | None
    leads_to: Value


def _ways(
    engine: Engine,
    path: str,
    line: tuple[Value, ...],
    between: tuple[Value, ...],
    method: str,
    fuel: int,
    of_class: bool,
) -> list[_Way] | None:
    """A file's calls of a method of `super()`, or of something by its name that may be a class; None where it is not
    known what one is called of."""
    file = engine.file(path)
    engine.note_calls(file, method)
    found: list[_Way] = []
    for number in file.calls_by_name.get(method, ()):
        engine.seen.append(file.seen_at(number))  # the key says where such calls stand, not what they are calls of
        callee = file.entries[file.entries[number][1]]
        base = file.entries[callee[1]] if callee[0] == m.ATTRIBUTE else callee
        inner = file.method_around(file.where[number])
        around = (CLASS, path, file.class_of(inner))
        if base[0] == m.CALL and file.last_name(base[1]) == "super":
            if around not in between:
                continue
            behind = _classes(engine, file, base[2][0], fuel) if base[2] else [around]
            above = [line[line.index(each) + 1 :] if each in line else () for each in behind]
        elif not of_class and _may_be_class(file, callee):
            above = [classes.mro(engine, each[1], each[2], fuel) for each in _classes(engine, file, callee[1], fuel)]
        else:
            continue
        if not above:
            return None
        is_own = around in between and file.scopes[inner].name == method
        owners = [classes.raw_attribute(engine, each, method, fuel)[1] for each in above]
        found.extend(_Way(around if is_own else None, owner) for owner in owners if owner is not None)
    return found


def _classes(engine: Engine, file: File, expression: int, fuel: int) -> list[Value]:
    named = engine.values(file.path, expression, 0, fuel - LOOKUP_STEP)
    return [each for each in ordered(named) if each[0] == CLASS]


def _may_be_class(file: File, callee: Any) -> bool:
    """Whether something with a name is asked for the method that might be a class, by the looks of it."""
    is_named = callee[0] == m.ATTRIBUTE and file.entries[callee[1]][0] in (m.NAME, m.ATTRIBUTE)
    return is_named and file.last_name(callee[1])[:1].isupper()
