"""Cuts a file into chunks that follow its definitions and never exceed the configured limits.

Chunks are runs of atoms, so together they cover the file once, in order. Small neighbours of one parent
share a chunk, a large definition has its own, and one that does not fit is cut between its statements.
Which definitions exist, and what they are called, was decided before.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Final

import msgspec
from tree_sitter import Node

from everdex.parse.blocks import Block
from everdex.parse.definitions import Definition
from everdex.parse.segments import Segment
from everdex.parse.text import Atoms

# A definition of more lines than this is searched for by itself.
_OWN_CHUNK_LINES: Final = 12
# Imports, stray lines or a bare header shorter than this join the definition that follows.
_TINY_CHARACTERS: Final = 300
# Nothing longer than this is looked at to see whether it is only blank lines and closing brackets.
_MAX_FILLER_BYTES: Final = 300
# Deeper statements than this are cut by lines; nesting in source people read stays far below.
_MAX_DEPTH: Final = 60


class Span(msgspec.Struct):
    """A chunk in the making; `main` is the definition it starts, `owner` the one around it."""

    first: int
    last: int
    main: Definition | None
    owner: Definition | None
    segment: Segment | None
    closed: bool


class Chunker:
    def __init__(self, data: bytes, atoms: Atoms, max_lines: int, max_characters: int, max_spans: int) -> None:
        self._data = data
        self._atoms = atoms
        self._max_lines = max_lines
        self._max_characters = max_characters
        self._max_spans = max_spans
        self._children: dict[int, tuple[list[int], list[int], list[Node], list[bool]]] = {}
        self.spans: list[Span] = []

    def windows(self, first: int, last: int) -> None:
        """Line windows over a range that nothing else is known about."""
        for begin, end in self._line_windows(first, last):
            if len(self.spans) > self._max_spans:
                return
            self.spans.append(Span(begin, end, None, None, None, True))

    def region(
        self,
        first: int,
        last: int,
        children: list[Block],
        node: Node | None,
        owner: Definition | None,
        segment: Segment | None,
        first_open: bool = False,
    ) -> None:
        """Chunks for the atoms `first..last`, which hold these blocks and belong to `owner`.

        With `first_open` the last span already begins this region and may be continued.
        """
        fence = len(self.spans) - first_open  # spans before this index belong to others
        position = first
        for block in children:
            if block.first > position:
                self._gap(position, block.first - 1, node, owner, segment, fence)
            self._block(block, owner, segment, fence)
            position = block.last + 1
            if len(self.spans) > self._max_spans:
                return
        if position <= last:
            self._gap(position, last, node, owner, segment, fence)

    def _block(self, block: Block, owner: Definition | None, segment: Segment | None, fence: int) -> None:
        first, last = block.first, block.last
        if block.segment is not None:
            if self._whole(block):
                self.spans.append(Span(first, last, None, owner, block.segment, True))
            else:
                self.region(first, last, block.children, block.node, owner, block.segment)
            self.spans[-1].closed = True
            return
        current = self._open_span(fence)
        # Stray lines, or the bare header of the definition around: too little to be a chunk.
        stray = current is not None and current.main in (None, owner) and self._length(current) <= _TINY_CHARACTERS
        if not self._whole(block):
            inner = block.definition
            if current is not None and stray:
                current.main, current.owner = inner, inner
                self.region(first, last, block.children, block.node, inner, segment, first_open=True)
            else:
                self.region(first, last, block.children, block.node, inner, segment)
            self.spans[-1].closed = True
        elif self._atoms.lines[last] - self._atoms.lines[first] >= _OWN_CHUNK_LINES:
            if current is not None and stray and self._fits(current.first, last):
                current.last, current.main, current.closed = last, block.definition, True
            else:
                self.spans.append(Span(first, last, block.definition, owner, segment, True))
        elif current is not None and self._fits(current.first, last):
            current.last = last
        else:
            self.spans.append(Span(first, last, block.definition, owner, segment, False))

    def _gap(
        self, first: int, last: int, node: Node | None, owner: Definition | None, segment: Segment | None, fence: int
    ) -> None:
        if len(self.spans) > fence and self.spans[-1].segment is segment and self._is_filler(first, last):
            before = self.spans[-1]
            if self._fits(before.first, last):
                before.last = last
                return
        pieces = [(first, last)] if self._fits(first, last) else self._statements(node, first, last, 0)
        for begin, end in pieces:
            if len(self.spans) > self._max_spans:
                return
            current = self._open_span(fence)
            if current is not None and self._fits(current.first, end):
                current.last = end
            else:
                main = owner if begin == first and len(self.spans) == fence else None
                self.spans.append(Span(begin, end, main, owner, segment, False))

    def _open_span(self, fence: int) -> Span | None:
        return self.spans[-1] if len(self.spans) > fence and not self.spans[-1].closed else None

    def _whole(self, block: Block) -> bool:
        """Whether the block is one chunk: it fits, holds no segment and at most one large definition."""
        if not self._fits(block.first, block.last):
            return False
        lines = self._atoms.lines
        large = 0
        for child in block.children:
            if child.segment is not None or not self._whole(child):
                return False
            large += lines[child.last] - lines[child.first] >= _OWN_CHUNK_LINES
        return large <= 1 or block.definition is None

    def _fits(self, first: int, last: int) -> bool:
        atoms = self._atoms
        return (
            atoms.characters[last + 1] - atoms.characters[first] <= self._max_characters
            and atoms.lines[last] - atoms.lines[first] < self._max_lines
        )

    def _length(self, span: Span) -> int:
        return self._atoms.characters[span.last + 1] - self._atoms.characters[span.first]

    def _is_filler(self, first: int, last: int) -> bool:
        """Blank lines and closing brackets: nothing that could begin a chunk."""
        starts = self._atoms.starts
        if starts[last + 1] - starts[first] > _MAX_FILLER_BYTES:
            return False
        text = self._data[starts[first] : starts[last + 1]].strip(b" \t\r\n})];,")
        return not text or text == b"end"

    def _statements(self, node: Node | None, first: int, last: int, depth: int) -> list[tuple[int, int]]:
        """Ranges that cover `first..last`, each within the limits, cut where statements begin if possible."""
        if node is None or depth > _MAX_DEPTH:
            return self._line_windows(first, last)
        begins, ends, nodes, comments = self._children_of(node)
        low, high = bisect_left(begins, first), bisect_right(begins, last)
        # Ranges between the starts of children; each remembers the child that reaches furthest.
        ranges: list[tuple[int, int]] = []  # (first atom, index of the child to descend into)
        if low and ends[low - 1] >= first:
            ranges.append((first, low - 1))
        for index in range(low, high):
            begin = begins[index]
            glued = index > low and comments[index - 1] and ends[index - 1] + 1 >= begin
            if ranges and (begin == ranges[-1][0] or glued):
                if ends[index] > ends[ranges[-1][1]]:
                    ranges[-1] = (ranges[-1][0], index)
            elif ranges and begin <= ends[ranges[-1][1]]:
                continue  # shares a line with what comes before it
            else:
                ranges.append((begin if ranges else first, index))
        if not ranges:
            return self._line_windows(first, last)
        pieces: list[tuple[int, int]] = []
        for position, (begin, deepest) in enumerate(ranges):
            end = ranges[position + 1][0] - 1 if position + 1 < len(ranges) else last
            if self._fits(begin, end) and not self._strands(pieces, end):
                pieces.append((begin, end))
            else:
                pieces += self._statements(nodes[deepest], begin, end, depth + 1)
        return pieces

    def _strands(self, pieces: list[tuple[int, int]], end: int) -> bool:
        """Whether a piece up to `end`, kept whole, would leave a bare header before it as a chunk of its own."""
        if len(pieces) != 1:
            return False
        first, last = pieces[0]
        length = self._atoms.characters[last + 1] - self._atoms.characters[first]
        return length <= _TINY_CHARACTERS and not self._fits(first, end)

    def _children_of(self, node: Node) -> tuple[list[int], list[int], list[Node], list[bool]]:
        known = self._children.get(node.id)
        if known is None:
            nodes = node.named_children
            at = self._atoms.at
            # A node that the grammar only supposes to be there may stand at the very end, without width.
            nodes = [child for child in nodes if child.end_byte > child.start_byte]
            begins = [at(child.start_byte) for child in nodes]
            ends = [at(child.end_byte - 1) for child in nodes]
            known = self._children[node.id] = (begins, ends, nodes, ["comment" in child.type for child in nodes])
        return known

    def _line_windows(self, first: int, last: int) -> list[tuple[int, int]]:
        """Windows as large as allowed, ended where the text itself pauses: a blank line, then low indentation."""
        pieces: list[tuple[int, int]] = []
        atoms = self._atoms
        while first <= last:
            by_size = bisect_right(atoms.characters, atoms.characters[first] + self._max_characters) - 2
            by_lines = bisect_left(atoms.lines, atoms.lines[first] + self._max_lines, first) - 1
            end = min(by_size, by_lines, last)
            if end < last:
                end = self._pause(first + (end - first) * 2 // 3, end)
            pieces.append((first, end))
            first = end + 1
        return pieces

    def _pause(self, low: int, high: int) -> int:
        starts, data = self._atoms.starts, self._data
        best, best_rank = high, 1_000_000
        for atom in range(high, low - 1, -1):
            if not data[starts[atom] : starts[atom + 1]].strip():
                return atom
            following = data[starts[atom + 1] : starts[atom + 2]]
            rank = len(following) - len(following.lstrip())
            if following.strip() and rank < best_rank:
                best, best_rank = atom, rank
        return best
