"""How much of a function stands behind what it gives back: its returns and yields, and all that these are made from.

What a body does beside that takes no time of who asks for its result, and changes no answer when it is edited.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from everdex.facts.python import model as m
from everdex.graph.python.layout import Layout

# Of each kind of expression the items of its entry that name other expressions, in lists or not; -1 is none.
OPERANDS: Final[dict[int, tuple[int, ...]]] = {
    m.ATTRIBUTE: (1,), m.CALL: (1, 2, 3), m.SUBSCRIPT: (1, 2), m.SEQUENCE: (2,), m.DICT: (1,), m.EITHER: (1,),
    m.AWAIT: (1,), m.YIELD: (1,), m.YIELD_FROM: (1,), m.STAR: (1,), m.COMPREHENSION: (2, 3), m.BINARY: (2, 3),
    m.UNARY: (2,), m.COMPARE: (2,), m.FORMATTED: (1,), m.ELEMENT: (1,), m.ITEM: (1,), m.ENTERED: (1,), m.INSTANCE: (1,),
    m.DECORATED: (1, 2), m.TYPED: (1, 2), m.STORE: (1,), m.STORE_ITEM: (1, 2, 3), m.NARROWED: (1, 2), m.MATCHED: (1,),
    m.SLICE: (1,), m.LITERAL: (), m.IMPORTED: (), m.FROM: (), m.UNKNOWN: (),
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


def _expressions(operand: Any) -> Iterator[int]:
    if isinstance(operand, int):
        if operand >= 0:
            yield operand
    elif isinstance(operand, (list, tuple)):
        for each in operand:
            yield from _expressions(each)
