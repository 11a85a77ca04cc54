"""What every match of a pattern must contain: pieces of words, joined by and and or.

Weaker than the pattern, never stronger: a file without them cannot match, one with them may. It knows how text is
cut into tokens (terms/split.py), nothing of indexes.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import msgspec

from everdex.search.regex_tree import Characters, Choice, Edge, Node, Repeat, Sequence, Text
from everdex.terms.split import WORD, fold


class Side(IntEnum):
    """What is known of the place beside a fragment."""

    OPEN = 0  # the token may go on
    BOUNDARY = 1  # no ASCII word character follows; rg's idea of a word differs from ours beyond ASCII
    CLOSED = 2  # the token ends here


class Fragment(msgspec.Struct, frozen=True):
    """A folded piece of one token."""

    text: str
    left: Side
    right: Side


class AllOf(msgspec.Struct, frozen=True):
    parts: tuple[Requirement, ...]


class AnyOf(msgspec.Struct, frozen=True):
    parts: tuple[Requirement, ...]


Requirement = Fragment | AllOf | AnyOf

NOTHING: Final = AllOf(())
_SIDES: Final = {"^": Side.CLOSED, "$": Side.CLOSED, "\\b": Side.BOUNDARY, "\\B": Side.OPEN}


def required(node: Node) -> Requirement:
    """What a text must contain to match; NOTHING when no word is certain."""
    match node:
        case Sequence(nodes):
            return _of_sequence(nodes)
        case Choice(nodes):
            parts = tuple(map(required, nodes))
            return NOTHING if NOTHING in parts else AnyOf(parts)
        case Repeat(inner, low, _):
            return required(inner) if low else NOTHING
        case _:
            return _of_sequence((node,))


def _of_sequence(nodes: tuple[Node, ...]) -> Requirement:
    parts: list[Requirement] = []
    run = _Run(Side.OPEN)
    for node in _flattened(nodes):
        character = _certain(node)
        if character is not None:
            run.text += character
        elif isinstance(node, Edge):
            side = _SIDES[node.kind]
            parts += run.fragments(side)
            run = _Run(side if run.text or side > run.before else run.before)
        else:
            parts += run.fragments(Side.OPEN)
            run = _Run(Side.OPEN)
            inner = NOTHING if isinstance(node, Characters | Text) else required(node)
            if inner != NOTHING:
                parts.append(inner)
    parts += run.fragments(Side.OPEN)
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _flattened(nodes: tuple[Node, ...]) -> list[Node]:
    flat: list[Node] = []
    for node in nodes:
        flat += _flattened(node.nodes) if isinstance(node, Sequence) else [node]
    return flat


def _certain(node: Node) -> str | None:
    """The one character, case aside, that a node stands for."""
    if isinstance(node, Text):
        characters, folds = node.character, node.fold
    elif isinstance(node, Characters) and node.members:
        characters, folds = node.members, node.fold
    else:
        return None
    # Beyond ASCII another case of a letter need not be a letter: a mark can be one (U+0345 is an iota).
    if (folds or len(characters) > 1) and not characters.isascii():
        return None
    first = characters[0]
    return first if all(fold(other) == fold(first) for other in characters) else None


class _Run:
    """Certain characters one after the other, and what stands before them."""

    def __init__(self, before: Side) -> None:
        self.before = before
        self.text = ""

    def fragments(self, after: Side) -> list[Fragment]:
        text = self.text
        found: list[Fragment] = []
        for match in WORD.finditer(text):
            start, end = match.span()
            left = _side(text[start], self.before if start == 0 else Side.CLOSED)
            right = _side(text[end - 1], after if end == len(text) else Side.CLOSED)
            found.append(Fragment(fold(match.group()), left, right))
        return found


def _side(edge: str, known: Side) -> Side:
    # Only where rg and we agree that the edge of the fragment is a word does its \b say that the word ends.
    return known if known is not Side.BOUNDARY or edge.isascii() else Side.OPEN
