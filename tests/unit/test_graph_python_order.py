"""The order of values is that of what they are: an edit that only moves things keeps it."""

from __future__ import annotations

import pytest

from everdex.graph.python.engine.contexts import Argument, Context, Contexts
from everdex.graph.python.engine.values import FUNCTION, Value, ordered
from everdex.graph.python.file.files import File
from support.worlds import facts

_TAKEN_OUT_AND_REPLACED = """
def forget(table, names):
    for name in names:
        del table[name]

def through_members(cls):
    for name, value in vars(cls).items():
        setattr(cls, name, logged(value))
"""


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


@pytest.mark.parametrize("is_complete", [False, True])
def test_what_is_taken_out_in_a_loop_is_replaced_by_nothing(is_complete: bool) -> None:
    """`del table[name]` stores no expression: none is looked for without an end, nor is it the file's last."""
    file = File("a.py", facts("a.py", _TAKEN_OUT_AND_REPLACED.encode()))
    if is_complete:
        file.complete()
    replaced = {file.scopes[scope].name for scope in file.replacing}
    assert replaced == {"through_members"}


def test_there_is_no_expression_before_the_first() -> None:
    """Nothing is -1, and whoever asks for it by mistake hears so at once."""
    with pytest.raises(IndexError):
        File("a.py", facts("a.py", b"x = 1")).entries[-1]
