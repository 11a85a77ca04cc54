"""Arranges definitions and segments as a tree of line blocks, the shape that chunks follow.

A block owns whole atoms: a definition together with the comments and attributes right above it, or an
embedded segment. Definitions that share a line with their neighbour stay part of the surrounding text, and so do
those that are nested deeper than anybody nests.
"""

from __future__ import annotations

from typing import Final

import msgspec
from tree_sitter import Node

from everdex.parse.definitions import Definition
from everdex.parse.segments import Segment
from everdex.parse.text import Atoms

_MAX_DEPTH: Final = 100  # whoever follows the tree of blocks recurses


class Block(msgspec.Struct):
    first: int  # atoms, both inclusive
    last: int
    node: Node | None
    definition: Definition | None = None
    segment: Segment | None = None
    children: list[Block] = msgspec.field(default_factory=list)


class Leads:
    """Which atoms are taken by comments and attributes that stand alone on their lines."""

    def __init__(self, data: bytes, atoms: Atoms, spans: list[tuple[int, int]]) -> None:
        self._ending: dict[int, tuple[int, int]] = {}  # last atom -> (first atom, start byte)
        starts, at = atoms.starts, atoms.at
        for start, end in spans:
            first = at(start)
            begin = starts[first]
            if begin == start or not data[begin:start].strip():
                # Line comments of some grammars include their line end.
                self._ending[at(end - 1)] = (first, start)

    def above(self, atom: int) -> tuple[int, int] | None:
        """(first atom, first byte) of the unbroken run of leads that ends right above this atom."""
        found = None
        while (lead := self._ending.get(atom - 1)) is not None and lead[0] < atom:
            found = lead
            atom = lead[0]
        return found


def build(
    definitions: list[Definition],
    segments: list[Segment],
    roots: dict[int, Node],
    leads: Leads,
    data: bytes,
    atoms: Atoms,
) -> list[Block]:
    """Top-level blocks in order; `roots` maps a segment's index (-1: the file) to its syntax tree."""
    starts, at = atoms.starts, atoms.at
    entries: list[Block] = []
    for item in definitions:
        first, last = at(item.start), at(item.end - 1)
        if first == last or data[starts[first] : item.start].strip():
            continue
        above = leads.above(first)
        entries.append(Block(above[0] if above else first, last, item.node, definition=item))
    for index, segment in enumerate(segments):
        first, last = at(segment.start), at(segment.end - 1)
        entries.append(Block(first, last, roots.get(index), segment=segment))
    if segments:
        entries.sort(key=lambda block: (block.first, -block.last))
    top: list[Block] = []
    stack: list[Block] = []
    for entry in entries:
        while stack and stack[-1].last < entry.first:
            stack.pop()
        if len(stack) >= _MAX_DEPTH:
            continue
        parent = stack[-1] if stack else None
        siblings = parent.children if parent else top
        if parent is not None and (entry.last > parent.last or (entry.first <= parent.first and not entry.segment)):
            continue
        if siblings and entry.first <= siblings[-1].last:
            continue
        siblings.append(entry)
        stack.append(entry)
    return top
