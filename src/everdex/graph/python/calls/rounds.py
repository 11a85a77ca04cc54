"""What a loop makes of what it made in the round before: a chain of layers, each around the next.

`for layer in layers: handler = layer(handler)`: where the layers stand written in order, each of them is given what the
one before has made, the first what there was before the loop, and after it the name is what the last has made. Which
assignments are such is known from the facts. Layers that are registered one by one may come in any order: of these
nothing is said here.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from everdex.facts.python import model as m
from everdex.graph.python.calls import calls
from everdex.graph.python.containers import containers
from everdex.graph.python.engine.contexts import Argument, Keywords, Positional
from everdex.graph.python.engine.engine import LOOKUP_STEP, NAME_STEP, Engine
from everdex.graph.python.engine.values import DISPLAY, EXTERNAL, TUPLE, Value, Values, ordered, union
from everdex.graph.python.file.files import File

MAX_ROUNDS: Final = 8  # layers of one chain that are told apart


class Round(NamedTuple):
    """One call in a loop: what is called, and with what."""

    layer: Value
    positional: Positional
    keywords: Keywords


class Chain(NamedTuple):
    """The rounds of a loop in order, and what the last has made."""

    rounds: tuple[Round, ...]
    made: Values


def made(engine: Engine, file: File, binding: int, context: int, fuel: int) -> Values | None:
    """What a name is after the loop that makes it in rounds; None when these cannot be told apart."""
    chains = of(engine, file, binding, context, fuel)
    return union(each.made for each in chains) if chains else None


def of(engine: Engine, file: File, binding: int, context: int, fuel: int) -> tuple[Chain, ...]:
    """The chains that a loop may make; none when the rounds cannot be told apart."""
    found: tuple[Chain, ...] = engine.ask(
        ("rounds", file.path, binding, context),
        fuel - NAME_STEP,
        lambda fuel: _chains(engine, file, binding, context, fuel),
        (),
    )
    return found


def _chains(engine: Engine, file: File, binding: int, context: int, fuel: int) -> tuple[Chain, ...]:
    _, name, call, _ = file.bindings[binding]
    engine.seen.append(file.seen_at(call))
    taken = file.entries[file.bindings[file.entries[file.entries[call][1]][2][0]][2]]
    if taken[0] != m.ELEMENT:
        return ()
    several = layers(engine, file, taken[1], context, fuel)
    argument = _argument(file, name, call)
    first = engine.bound(file, before(file, binding), context, fuel)
    found: list[Chain] = []
    for each in several:
        values, rounds = first, []
        for layer in each:
            positional, keywords = _with(file, call, context, argument, values)
            rounds.append(Round(layer, positional, keywords))
            values = calls.result(engine, layer, positional, keywords, fuel)
        found.append(Chain(tuple(rounds), values))
    return tuple(found)


def before(file: File, binding: int) -> list[int]:
    """The bindings that the name has when the loop begins."""
    _, name, call, _ = file.bindings[binding]
    return [each for each in file.entries[_argument(file, name, call)][2] if each != binding]


def _argument(file: File, name: str, call: int) -> int:
    return next(each for each in _given(file.entries[call]) if file.entries[each][:2] == (m.NAME, name))


def _given(entry: Any) -> list[int]:
    return [*entry[2], *(value for _, value in entry[3])]


def _with(file: File, call: int, context: int, argument: int, values: Values) -> tuple[Positional, Keywords]:
    """The arguments of a call, one of them with other values."""
    positional, keywords = calls.arguments(file, call, context)
    known = Argument("", -1, 0, values)
    return (
        tuple([known if each.expression == argument else each for each in positional]),
        tuple([(key, known if each.expression == argument else each) for key, each in keywords]),
    )


def layers(engine: Engine, file: File, iterable: int, context: int, fuel: int) -> list[list[Value]]:
    """What a loop goes through, one after the other, for each that it may go through; none when one is not known."""
    entry = file.entries[iterable]
    is_backwards = False
    while entry[0] == m.CALL and len(entry[2]) == 1 and not entry[3]:
        callees = engine.values(file.path, entry[1], context, fuel)
        if callees not in (_BACKWARDS, *_AS_IT_IS):
            break
        is_backwards ^= callees == _BACKWARDS
        iterable = entry[2][0]
        entry = file.entries[iterable]
    found: list[list[Value]] = []
    for value in ordered(engine.values(file.path, iterable, context, fuel)):
        members = places(engine, value, fuel)
        if not 0 < len(members) <= MAX_ROUNDS or any(len(each) != 1 for each in members):
            return []
        in_order = [layer for each in members for layer in each]
        found.append(in_order[::-1] if is_backwards else in_order)
    return found


_BACKWARDS: Final = frozenset(((EXTERNAL, "builtins.reversed"),))
_AS_IT_IS: Final = tuple(frozenset(((EXTERNAL, f"builtins.{each}"),)) for each in ("list", "tuple", "iter"))


def places(engine: Engine, value: Value, fuel: int) -> list[Values]:
    """The members of a sequence that is written out and stays so."""
    if value[0] == TUPLE:
        return list(value[1][: MAX_ROUNDS + 1])
    if value[0] != DISPLAY:
        return []
    _, path, expression, context = value
    file = engine.file(path)
    engine.seen.append(file.seen_at(expression))
    entry = file.entries[expression]
    if entry[0] != m.SEQUENCE or entry[1] == "set" or len(entry[2]) > MAX_ROUNDS:
        return []
    is_counted = all(file.entries[each][0] != m.STAR for each in entry[2])
    if not is_counted or union(containers.put(engine, value, None, True, fuel)):
        return []
    return [engine.values(path, each, context, fuel - LOOKUP_STEP) for each in entry[2]]
