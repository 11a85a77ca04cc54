"""Of which classes `self` may be in a method: of those that have it from here, or whose own one calls it.

A class below that overrides the method, and does not call what it overrides, never runs it. What an override calls is
told by names in the files of the classes between: `super().name(…)`, `Base.name(self, …)`.
"""

from __future__ import annotations

from typing import Final

from everdex.facts.python import model as m
from everdex.graph.python import classes, living
from everdex.graph.python.engine import LOOKUP_STEP, Engine
from everdex.graph.python.values import CLASS, INSTANCE, NOTHING, Value, Values

MAX_RUNNING: Final = 6  # one by one; more are told by the class above them


def receivers(engine: Engine, path: str, owner: int, method: str, fuel: int) -> Values:
    """The instances that run a method of a class; nothing when all below it do, when they are many or not known."""

    own = (CLASS, path, owner)
    below = classes.subclasses(engine, path, owner, fuel - LOOKUP_STEP)
    if not below or len(below) > living.MAX_FAMILY:
        return NOTHING
    if not engine.once(("having", below, method), lambda: classes.owners_of(engine, below, method, only_first=False)):
        return NOTHING

    def answer(fuel: int) -> Values:
        heirs = classes.subclasses(engine, path, owner, fuel - LOOKUP_STEP) or ()
        everyone = living.family(engine, path, owner, fuel) or (own, *heirs)
        running = [each for each in everyone if _runs(engine, each, own, method, fuel)]
        if not 0 < len(running) < len(everyone) or len(running) > MAX_RUNNING:
            return NOTHING
        return frozenset((INSTANCE, *each[1:3], False) for each in running)

    found: Values = engine.ask_within(("running", path, owner, method), fuel, answer, NOTHING)
    return found


def _runs(engine: Engine, kind: Value, own: Value, method: str, fuel: int) -> bool:
    line = classes.mro(engine, kind[1], kind[2], fuel)
    _, found = classes.raw_attribute(engine, line, method, fuel)
    if found is None or found == own or own not in line:
        return True
    between = line[: line.index(own)]
    return any(each[0] != CLASS or _calls_up(engine, each[1], method) for each in between)


def _calls_up(engine: Engine, path: str, method: str) -> bool:
    """Whether a file calls a method of `super()`, or of something by its name that may be a class."""
    file = engine.file(path)
    engine.note_calls(file, method)
    for number in file.calls_by_name.get(method, ()):
        engine.seen.append(file.seen_at(number))  # the key says where such calls stand, not what they are calls of
        callee = file.entries[file.entries[number][1]]
        base = file.entries[callee[1]] if callee[0] == m.ATTRIBUTE else callee
        if base[0] == m.CALL and file.last_name(base[1]) == "super":
            return True
        if base[0] in (m.NAME, m.ATTRIBUTE) and callee[0] == m.ATTRIBUTE and _may_be_class(file.last_name(callee[1])):
            return True
    return False


def _may_be_class(name: str) -> bool:
    return name[:1].isupper()
