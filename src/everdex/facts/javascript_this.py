"""What `this` is in functions that are given it from outside: stored as methods, bound, called or handed over with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from everdex.facts import javascript_model as m

# which argument is the `this` of the function that a method is called on, or that it is handed first
_FIRST: Final = frozenset(("apply", "bind", "call"))
_SECOND: Final = frozenset((
    "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "flatMap", "forEach", "map", "some",
))  # fmt: skip


def lend(
    expressions: Sequence[m.Row], bindings: Sequence[m.Binding], functions: Sequence[m.Function],
    called: Iterable[tuple[int, int]],
) -> None:  # fmt: skip
    """Functions that are given the `this` of who binds, calls or hands them over have the same one."""

    def function_of(value: int) -> int:
        row = expressions[value]
        if row[0] == m.NAME and len(bindings[row[1]].values) == 1:
            row = expressions[bindings[row[1]].values[0]]
        return row[1] if row[0] == m.FUNCTION else -1

    given: dict[int, int] = {}  # function -> the one whose `this` it has
    for callee, call in called:
        row, arguments = expressions[callee], expressions[call][2]
        if row[0] != m.MEMBER or not (row[2] in _FIRST or row[2] in _SECOND):
            continue
        number = 1 if row[2] in _SECOND else 0
        lent: m.Row = expressions[arguments[number]] if number < len(arguments) else (m.UNKNOWN,)
        if lent[0] == m.THIS and lent[1] >= 0 and (function := function_of(arguments[0] if number else row[1])) >= 0:
            given.setdefault(function, lent[1])
    for function in sorted(given):  # what is around comes before what is inside
        if functions[function].this == (m.THIS_SELF, function):
            functions[function].this = functions[given[function]].this


def give(
    expressions: Sequence[m.Row], functions: Sequence[m.Function], value: int, this: tuple[int, int], accessor: bool
) -> None:
    """A function stored on something has that as its `this`; so have the methods of a whole prototype, and accessors
    that were described in an object of their own."""
    row = expressions[value]
    if row[0] == m.FUNCTION:
        function = functions[row[1]]
        if function.this[0] == m.THIS_SELF or (accessor and function.this[0] == m.THIS_OBJECT):
            function.this = this
    elif row[0] == m.OBJECT and this[0] == m.THIS_PROTOTYPE:
        for _, inner, _, _ in row[1]:
            method = expressions[inner]
            if method[0] == m.FUNCTION and functions[method[1]].this[0] == m.THIS_OBJECT:
                functions[method[1]].this = this
