"""How much of a body stands behind a value: behind what a function gives back, and behind one name.

What a body does beside that takes no time of who asks for its result, and changes no answer when it is edited.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.file.layout import Layout

# Of each kind of expression the items of its entry that name other expressions, in lists or not; -1 is none.
OPERANDS: Final[dict[int, tuple[int, ...]]] = {
    m.ATTRIBUTE: (1,), m.CALL: (1, 2, 3), m.SUBSCRIPT: (1, 2), m.SEQUENCE: (2,), m.DICT: (1,), m.EITHER: (1,),
    m.AWAIT: (1,), m.YIELD: (1,), m.YIELD_FROM: (1,), m.STAR: (1,), m.COMPREHENSION: (2, 3), m.BINARY: (2, 3),
    m.UNARY: (2,), m.COMPARE: (2,), m.FORMATTED: (1,), m.ELEMENT: (1,), m.ITEM: (1,), m.ENTERED: (1,),
    m.INSTANCE: (1, 2), m.DECORATED: (1, 2), m.TYPED: (1, 2), m.STORE: (1,), m.STORE_ITEM: (1, 2, 3),
    m.NARROWED: (1, 2), m.NARROWED_CLASS: (1, 2), m.MATCHED: (1,), m.SLICE: (1,), m.LITERAL: (), m.IMPORTED: (),
    m.FROM: (), m.UNKNOWN: (), m.TESTED: (1,), m.RAISED: (1,), m.STORE_PAST: (1,),
}  # fmt: skip


def is_larger(file: Layout, scope: int, limit: int) -> bool:
    """Whether more than some expressions of a function itself stand behind what it gives back; literals are none."""
    own = file.scopes[scope]
    found: set[int] = set()
    waiting = [*own.returns, *own.yields]
    while waiting and len(found) <= limit:
        number = waiting.pop()
        entry = file.entries[number]
        if number in found or file.where[number] != scope or entry[0] == m.LITERAL:
            continue
        found.add(number)
        if entry[0] == m.NAME:
            waiting += [file.bindings[each][2] for each in entry[2]]
        else:
            waiting += [each for place in OPERANDS.get(entry[0], ()) for each in _expressions(entry[place])]
    return len(found) > limit


def names_behind(file: Layout, expression: int, known: dict[int, int]) -> int:
    """Through how many names at most an expression is made from others that stand before it in the same body.

    What a display holds, and what a name with several bindings is, is not followed: it costs who asks for it.
    """
    entries = file.entries
    waiting = [expression]
    while waiting:
        current = waiting[-1]
        entry = entries[current]
        inner: list[int]
        if entry[0] == m.NAME:
            bound = [file.bindings[each][2] for each in entry[2]]
            inner = [each for each in bound if each < current and entries[each][0] != m.PARAMETER and len(bound) == 1]
        elif entry[0] in _DISPLAYS:
            inner = []
        else:
            inner = [each for place in OPERANDS.get(entry[0], ()) for each in _expressions(entry[place])]
        missing = [each for each in inner if each not in known]
        if missing:
            waiting += missing
        else:
            known[current] = max([known[each] for each in inner], default=0) + (entry[0] == m.NAME)
            waiting.pop()
    return known[expression]


_DISPLAYS: Final = frozenset((m.SEQUENCE, m.DICT, m.COMPREHENSION))


def _expressions(operand: Any) -> Iterator[int]:
    if isinstance(operand, int):
        if operand >= 0:
            yield operand
    elif isinstance(operand, (list, tuple)):
        for each in operand:
            yield from _expressions(each)
