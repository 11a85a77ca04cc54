"""The order of values is that of what they are: an edit that only moves things keeps it."""

from __future__ import annotations

from everdex.graph.python.contexts import Argument, Context, Contexts
from everdex.graph.python.values import FUNCTION, Value, ordered


def _function(contexts: Contexts, expression: int, moved: int) -> Value:
    """What a call returned that was told apart by its argument."""
    argument = Argument("a.py", expression + moved, 0)
    return (FUNCTION, "a.py", 3, contexts.enter(Context("a.py", 2, 0, (argument,), ())), None)


def test_values_of_calls_that_are_told_apart_stay_in_order_when_their_file_grows() -> None:
    """The numbers of contexts are hashes, of which the order is any."""
    for moved in range(40):
        contexts = Contexts()
        values = [_function(contexts, number, moved) for number in (7, 11, 100)]
        within = [(FUNCTION, "b.py", 1, contexts.enter(Context("b.py", 1, each[3], (), ())), None) for each in values]
        assert list(ordered(frozenset(values))) == values
        assert list(ordered(frozenset(within))) == within
