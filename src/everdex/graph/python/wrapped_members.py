"""Pass 3, continued: decorators that go through what a class has and put something else in its place.

`for name, member in vars(cls).items(): setattr(cls, name, wrap(member))`: a method of the class is then what the call
makes of it. Names that the decorator tells apart by a first `_` are left out; of other conditions nothing is known.
What is put there is followed where it is a call that is given the member.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from everdex.facts.python import model as m
from everdex.graph.python.contexts import Argument, Context
from everdex.graph.python.decorated_classes import is_parameter
from everdex.graph.python.engine import CALL_STEP, LOOKUP_STEP, Engine
from everdex.graph.python.files import File
from everdex.graph.python.keys import computed_stores_key
from everdex.graph.python.values import (
    CLASS,
    FUNCTION,
    KEYED,
    LITERAL,
    NOTHING,
    Value,
    Values,
    is_known,
    ordered,
    union,
)

MAX_MEMBERS: Final = 24  # methods of a class that somebody goes through: more are no answer
_PRIVATE: Final = ("_", "__")
_WITHIN: Final = frozenset(("list", "tuple", "sorted", "dict"))
_OF_ALL: Final = frozenset(("items", "keys", "copy"))
_LISTING: Final = frozenset(("vars", "dir", "getmembers", "getmembers_static"))


class Going(NamedTuple):
    """A decorator that goes through a class: the function, and what it stores under each name."""

    function: Value
    name: int
    stored: int


def replaced(engine: Engine, owner: Value, wanted: str, members: Values, fuel: int) -> Values:
    """What decorators of a class put in the place of a method that its body has; nothing where they leave it."""
    if not any(each[0] == FUNCTION for each in members):
        return NOTHING
    found: list[Values] = []
    for going in _goings(engine, owner, fuel):
        file = engine.file(going.function[1])
        if not is_left_out(file, going.function[2], wanted):
            found.append(_put(engine, file, going, owner, wanted, members, fuel - CALL_STEP))
    made = union(found)
    return made if is_known(made) else NOTHING


def namespace(engine: Engine, values: Values, file: File, expression: int, fuel: int) -> Values:
    """The methods of classes by their names, as a function sees them that stores under names it does not write: who
    only looks for something has marked it."""
    around = file.owner(file.where[expression])
    is_storing = any(file.owner(file.where[base]) == around for base, _, _ in file.computed_stores)
    if not is_storing or file.scopes[around].kind != m.FUNCTION_SCOPE:
        return NOTHING
    return union(_namespace(engine, each, file, around, fuel) for each in values if each[0] == CLASS)


def _namespace(engine: Engine, kind: Value, file: File, around: int, fuel: int) -> Values:
    home = engine.look_over(kind[1], kind[2])
    names = [
        name for name, bindings in home.names[kind[2]].items()
        if home.entries[home.bindings[bindings[-1]][2]][0] == m.DEFINITION and not is_left_out(file, around, name)
    ]  # fmt: skip
    if not 0 < len(names) <= MAX_MEMBERS:
        return NOTHING
    for each in names:
        engine.look_up(kind[1], kind[2], each)
    held = [(each, engine.bound(home, home.names[kind[2]][each][-1:], 0, fuel - LOOKUP_STEP)) for each in names]
    return frozenset(((KEYED, tuple(held)),))


def is_left_out(file: File, scope: int, name: str) -> bool:
    """Whether a function that goes through names asks for a first `_` that this one has."""
    if not name.startswith("_"):
        return False
    for number in file.calls_by_name.get("startswith", ()):
        entry = file.entries[number]
        if entry[0] == m.CALL and len(entry[2]) == 1 and file.owner(file.where[number]) == scope:
            text = file.entries[entry[2][0]]
            if text[:2] == (m.LITERAL, "str") and text[2] in _PRIVATE and name.startswith(text[2]):
                return True
    return False


def _goings(engine: Engine, owner: Value, fuel: int) -> tuple[Going, ...]:
    def answer(fuel: int) -> tuple[Going, ...]:
        home = engine.file(owner[1])
        found: list[Going] = []
        for number in home.scopes[owner[2]].decorators:
            for value in ordered(engine.values(owner[1], home.entries[number][1], 0, fuel - CALL_STEP)):
                if value[0] == FUNCTION:
                    found.extend(_in(engine, value))
        return tuple(found)

    result: tuple[Going, ...] = engine.ask_within(("going through", owner), fuel, answer, ())
    return result


def _in(engine: Engine, function: Value) -> Iterator[Going]:
    """The stores of a function that goes through a class that it is given."""
    file, place = engine.file(function[1]), int(function[4] is not None)
    engine.note(file, computed_stores_key(file.path))
    for base, name, stored in file.computed_stores:
        if is_parameter(file, base, function[2], place):
            engine.look_at(function[1], function[2])
            round_ = _round(file, name)
            if round_ is not None and _is_all_of(file, round_, function[2], place):
                yield Going(function, name, stored)


def _round(file: File, name: int) -> int | None:
    """What a name is taken from in each round: by itself, or as the first of a pair."""
    entry = _bound(file, name)
    if entry is not None and entry[0] == m.ITEM and entry[2] == 0:
        entry = file.entries[entry[1]]
    return int(entry[1]) if entry is not None and entry[0] == m.ELEMENT else None


def _bound(file: File, expression: int) -> Any:
    entry = file.entries[expression]
    return file.entries[file.bindings[entry[2][0]][2]] if entry[0] == m.NAME and len(entry[2]) == 1 else None


def _is_all_of(file: File, expression: int, scope: int, place: int) -> bool:
    """Whether an expression lists what a parameter has."""
    entry = file.entries[expression]
    while entry[0] == m.CALL:
        callee = file.entries[entry[1]]
        if callee[0] == m.ATTRIBUTE and callee[2] in _OF_ALL:
            entry = file.entries[callee[1]]
        elif callee[0] == m.NAME and callee[1] in _WITHIN and entry[2]:
            entry = file.entries[entry[2][0]]
        else:
            name = callee[1] if callee[0] == m.NAME else callee[2] if callee[0] == m.ATTRIBUTE else ""
            return name in _LISTING and bool(entry[2]) and is_parameter(file, entry[2][0], scope, place)
    return bool(entry[0] == m.ATTRIBUTE and entry[2] == "__dict__") and is_parameter(file, entry[1], scope, place)


def _put(engine: Engine, file: File, going: Going, owner: Value, wanted: str, members: Values, fuel: int) -> Values:
    """What is stored in the round of one member."""
    from everdex.graph.python import calls

    stored, entry = going.stored, file.entries[going.stored]
    if entry[0] == m.NAME and len(entry[2]) == 1:
        stored = file.bindings[entry[2][0]][2]
        entry = file.entries[stored]
    if entry[0] != m.CALL:
        return NOTHING
    function = going.function
    receiver = () if function[4] is None else (Argument("", -1, 0, frozenset((function[4],))),)
    given = Argument("", -1, 0, frozenset((owner[:3],)))
    context = engine.contexts.enter(Context(function[1], function[2], function[3], (*receiver, given), ()))

    def told(argument: Argument) -> Argument:
        if _is_same(file, argument.expression, going.name):
            return Argument("", -1, 0, frozenset(((LITERAL, "str", wanted),)))
        return Argument("", -1, 0, members) if _is_member(file, argument.expression, going.name) else argument

    positional, keywords = calls.arguments(file, stored, context)
    positional = tuple(map(told, positional))
    keywords = tuple((key, told(each)) for key, each in keywords)
    callees = engine.values(file.path, entry[1], context, fuel - LOOKUP_STEP)
    return union(calls.result(engine, each, positional, keywords, fuel) for each in callees)


def _is_same(file: File, first: int, second: int) -> bool:
    """Whether two names have the same binding."""
    one, other = file.entries[first], file.entries[second]
    return one[0] == m.NAME == other[0] and one[1] == other[1] and bool(one[2]) and one[2] == other[2]


def _is_member(file: File, expression: int, name: int) -> bool:
    """What stands beside the name in each round, or is asked for by it."""
    entry = file.entries[expression]
    if entry[0] == m.CALL and len(entry[2]) > 1 and file.entries[entry[1]][:2] == (m.NAME, "getattr"):
        return _is_same(file, entry[2][1], name)
    taken, beside = _bound(file, expression), _bound(file, name)
    is_pair = taken is not None and beside is not None and taken[0] == m.ITEM == beside[0]
    return bool(is_pair and taken[1:] == (beside[1], 1))

