"""Pass 5, continued: `functools.reduce` and `itertools.accumulate`: what the function is given in each round.

The first argument is what there is at the beginning, or what the round before has made; the second is the next member.
Where the members stand written in order the rounds are told apart.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.python.builtins import builtin_calls
from everdex.graph.python.calls import calls, rounds
from everdex.graph.python.engine.contexts import Argument, Keywords, Positional
from everdex.graph.python.engine.engine import CALL_STEP, Engine
from everdex.graph.python.engine.values import NOTHING, Value, Values, is_known, union

REDUCE: Final = "functools.reduce"


def result(engine: Engine, positional: Positional, keywords: Keywords, fuel: int) -> Values:
    """What `reduce` gives: what the last round makes."""
    functions = builtin_calls.first(engine, positional, fuel)
    chains = _chains(engine, functions, positional, fuel)
    if chains:
        return union(made for _, made in chains)
    return union(_made(engine, functions, each, fuel) for each in given(engine, REDUCE, positional, keywords, fuel))


def given(engine: Engine, dotted: str, positional: Positional, keywords: Keywords, fuel: int) -> list[Positional]:
    """What the function is given: of `reduce` round by round where these can be told apart."""
    place = int(dotted == REDUCE)  # of what is gone through; the function stands at the other
    functions = builtin_calls.nth(engine, positional, 1 - place, fuel)
    chains = _chains(engine, functions, positional, fuel) if place else []
    if chains:
        return [each for arguments, _ in chains for each in arguments]
    members = builtin_calls.elements(engine, builtin_calls.nth(engine, positional, place, fuel), fuel)
    first = builtin_calls.nth(engine, positional, 2, fuel)
    for key, value in keywords:
        first = builtin_calls.nth(engine, (value,), 0, fuel) if key == "initial" else first
    begun = _pair(first if is_known(first) else members, members)
    made = _made(engine, functions, begun, fuel - CALL_STEP)
    return [_pair(union((begun[0].values, made)) if is_known(made) else begun[0].values, members)]


def together(several: list[tuple[Values, Positional]]) -> list[tuple[Values, Positional]]:
    """Calls of the same functions as one, with what any of them is given."""
    found: dict[Values, Positional] = {}
    for functions, arguments in several:
        known = found.get(functions)
        if known is None or not len(known) == len(arguments) == 2:
            found[functions] = arguments
        else:
            before, member = [union((old.values, new.values)) for old, new in zip(known, arguments, strict=True)]
            found[functions] = _pair(before, member)
    return list(found.items())


def _pair(before: Values, member: Values) -> Positional:
    return (Argument("", -1, 0, before), Argument("", -1, 0, member))


def _made(engine: Engine, functions: Values, arguments: Positional, fuel: int) -> Values:
    return union(calls.result(engine, each, arguments, (), fuel) for each in functions)


def _chains(
    engine: Engine, functions: Values, positional: Positional, fuel: int
) -> list[tuple[list[Positional], Values]]:
    """The rounds over each sequence that may be gone through, and what the last makes; none when one is not known."""
    if len(functions) != 1 or len(positional) < 2 or positional[1].starred or positional[1].expression < 0:
        return []
    path, expression, context = positional[1][:3]

    def answer(fuel: int) -> list[tuple[list[Positional], Values]]:
        found: list[tuple[list[Positional], Values]] = []
        for members in rounds.layers(engine, engine.file(path), expression, context, fuel):
            first = builtin_calls.nth(engine, positional, 2, fuel) if len(positional) > 2 else NOTHING
            found.append(_rounds(engine, functions, first, members, fuel))
        return found

    chains: list[tuple[list[Positional], Values]] = engine.ask(("fold", functions, positional), fuel, answer, [])
    return chains


def _rounds(
    engine: Engine, functions: Values, first: Values, members: list[Value], fuel: int
) -> tuple[list[Positional], Values]:
    made, rest = (first, members) if first else (frozenset(members[:1]), members[1:])
    arguments: list[Positional] = []
    for member in rest:
        arguments.append(_pair(made, frozenset((member,))))
        made = _made(engine, functions, arguments[-1], fuel)
    return arguments, made
