"""Keys that are members of a type: of struct literals, of designated initializers, of patterns that take things apart.

Which literals and keys there are, the query says; here each key is put to the innermost literal around it, and to the
type that is stated there. A literal that states none is an item or a member of the one around it. Resolves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Literal(NamedTuple):
    start: int
    end: int
    type: str  # as written; '' where it is the item of what is around it, `.name` where it is a member of that


class Key(NamedTuple):
    start: int
    end: int
    role: int


def owned(literals: list[Literal], keys: list[Key]) -> Iterator[tuple[Key, str]]:
    """Each key with the chain of what it is a member of; those are left out whose literal has a type without a name."""
    waiting = sorted(literals, key=lambda item: (item.start, -item.end), reverse=True)
    stack: list[tuple[int, str]] = []  # where it ends, its chain
    for key in sorted(keys):
        while waiting and waiting[-1].start <= key.start:
            literal = waiting.pop()
            while stack and stack[-1][0] <= literal.start:
                stack.pop()
            around = stack[-1][1] if stack else ""
            stack.append((literal.end, _chain(literal.type, around)))
        while stack and stack[-1][0] <= key.start:
            stack.pop()
        if stack and stack[-1][1]:
            yield key, stack[-1][1]


def _chain(stated: str, around: str) -> str:
    if stated.startswith("."):
        return f"{around}{stated}" if around else ""
    if stated:
        return "" if "{" in stated else f"@{{{stated}}}"
    return f"{around}[]" if around else ""
