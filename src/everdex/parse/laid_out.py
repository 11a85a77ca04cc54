"""Files that are broken at some place, read by how they are laid out.

A grammar that meets a bracket too many or too few gives up what follows: the next functions become part of a broken
one, or a class loses its members. People see where a definition ends all the same, because its lines are indented. So
a file with errors is cut into the blocks that its indentation shows, and each is read alone, between the heads and
ends of what is around it. One that cannot be read is cut further. What is left of it in the end is blanked, and an end
that is missing is put into a blank: all bytes keep their places. That reading is taken where nothing is broken any more
and more was won than blanked; what has many broken places is beyond the grammar, and is left as it is. Every byte is
read a few times at most. Knows nothing of what a block means.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from tree_sitter import Node, Tree

from everdex.parse import grammar
from everdex.parse.indentation import BRACES, Block, Lines, unclosed

_WORDS: Final = {"ruby": b"end", "lua": b"end"}
LANGUAGES: Final = BRACES | {"python"} | frozenset(_WORDS)
_FRONT: Final = {"php": b"<?php\n"}
_MAX_BYTES: Final = 400_000  # more is data, or made by a program
_MAX_DEPTH: Final = 12
_MAX_BLOCKS: Final = 4_000
_PARSES: Final = 8  # how often every byte may be read, on average
_MAX_MENDED: Final = 8  # places
_MAX_ERRORS: Final = 1_000
_MAX_JOINED: Final = 3
_MAX_LOOKED: Final = 200  # blocks behind one that a text may end in
_GAP: Final = 2_000  # bytes between what is inside and what follows

_MARK: Final = re.compile(rb"^(?:<{7} |\|{7} |={7}\r?$|>{7} )[^\n]*", re.MULTILINE)
_NOT_BLANK: Final = re.compile(rb"[^\s]")
_ENDS: Final = (b"}", b"};", b"})", b"});")
_NAMED: Final = re.compile(rb"(?:async[ \t]+)?(def|class)[ \t]+\w+")
_ANYWAY: Final = b"if 1:"
# Around what is not indented for it.
_LOOSE: Final = frozenset(
    ("preproc_if", "preproc_ifdef", "preproc_else", "preproc_elif", "preproc_elifdef", "linkage_specification",
     "namespace_definition", "declaration_list")
)  # fmt: skip


class _Around(NamedTuple):
    """What a block is read between."""

    front: bytes
    back: bytes
    depth: int


class _Way(NamedTuple):
    """How the head and the end of a block may be read."""

    head: bytes
    opener: bytes = b""  # put behind the head
    closer: bytes | None = None  # put in the place of the end


_Shape = tuple[str, ...]  # the types of the nodes that hold a byte, the outermost first


def read(language: str, tree: Tree, data: bytes) -> Tree:
    """A tree of a file with errors in which more blocks are parsed as they would be alone; else the tree given."""
    if len(data) > _MAX_BYTES:
        return tree
    text = _one_side(data)
    if text != data:
        again = grammar.parse_tree(language, text)
        if again is None or not again.root_node.has_error:
            return again or tree
        tree, data = again, text
    mending = _Mending(language, data)
    mending.region(0, len(mending.lines.indents), _Around(_FRONT.get(language, b""), b"", 0))
    if mending.out == data or mending.places > _MAX_MENDED:
        return tree
    before = mending.well_read(tree)
    if before == mending.readable:
        return tree
    again = grammar.parse_tree(language, bytes(mending.out))
    if again is None or again.root_node.has_error:
        return tree
    return again if mending.well_read(again) - before > mending.given_up(tree) else tree


def _one_side(data: bytes) -> bytes:
    """Of a merge that was left in conflict our side, with neither marks nor theirs."""
    if b"<<<<<<< " not in data or b"\n>>>>>>> " not in data:
        return data
    made = bytearray(data)
    marks: list[re.Match[bytes]] = []  # of one conflict
    for mark in _MARK.finditer(data):
        kind = mark[0][:1]
        if kind == b"<":
            marks = [mark]
        elif marks and kind in b"|=":
            marks.append(mark)
        elif len(marks) > 1:
            made[marks[0].start() : marks[0].end()] = b" " * len(marks[0][0])
            made[marks[1].start() : mark.end()] = _NOT_BLANK.sub(b" ", data[marks[1].start() : mark.end()])
            marks = []
    return bytes(made)


class _Mending:
    def __init__(self, language: str, data: bytes) -> None:
        self.language = language
        self.lines = Lines(language, data)
        self.out = bytearray(data)
        self.places = 0
        self._shapes: list[tuple[int, int, _Shape]] = []  # of blocks that can be read alone: first byte, size
        self._blanked: list[tuple[int, int]] = []
        self._left = _PARSES * len(data) + 65_536
        self._blocks_left = _MAX_BLOCKS
        self._latest = Block(0, 0, 0)  # the last one that was looked at

    @property
    def readable(self) -> int:
        """How many bytes the blocks have that can be read alone."""
        return sum(size for _, size, _ in self._shapes)

    def well_read(self, tree: Tree) -> int:
        """How many bytes the blocks have that are in this tree what they are alone."""
        return sum(size for start, size, shape in self._shapes if _shape(tree.root_node, start) == shape)

    def given_up(self, tree: Tree) -> int:
        """How many bytes were blanked that are outside of this tree's errors."""
        errors = _errors(tree.root_node)
        return sum(
            end - start - sum(max(0, min(end, last) - max(start, first)) for first, last in errors)
            for start, end in self._blanked
        )

    def region(self, first: int, last: int, around: _Around) -> None:
        """Lines that stand between a head and an end: each block is read alone, or mended."""
        blocks, unended = self.lines.blocks(first, last)
        number = 0
        while number < len(blocks) and self._blocks_left > 0 and self._left > 0 and self.places <= _MAX_MENDED:
            block = blocks[number]
            number += 1
            self._blocks_left -= 1
            self._latest = block
            if self._healthy(block.first, block.last, around):
                continue
            joined = self._joined(blocks, number - 1, around)
            if joined:
                number += joined
            else:
                self._inside(block, around)
        if unended and last == len(self.lines.indents):  # the file is cut off
            for _ in range(min(unended, _MAX_DEPTH)):
                self._close(b"}", self.lines.starts[first], self.lines.starts[last])

    def _healthy(self, first: int, last: int, around: _Around) -> bool:
        text = self.lines.text(first, last)
        root = self._parsed(around.front + text + (b"" if text.endswith(b"\n") else b"\n") + around.back)
        if root is None or root.has_error:
            return False
        blank = len(text) - len(text.lstrip())
        size = len(text.strip())
        self._shapes.append((self.lines.starts[first] + blank, size, _shape(root, len(around.front) + blank)))
        return True

    def _parsed(self, text: bytes) -> Node | None:
        self._left -= len(text)
        tree = grammar.parse_tree(self.language, text) if self._left >= 0 else None
        return None if tree is None else tree.root_node

    def _joined(self, blocks: list[Block], number: int, around: _Around) -> int:
        """How many further blocks this one needs to be read: texts and heads may go on in the first column."""
        block = blocks[number]
        text = self.lines.text(block.first, block.last)
        mark = unclosed(text)
        tries = 0
        for more in range(1, min(_MAX_LOOKED, len(blocks) - number)):
            following = blocks[number + more]
            if mark is None and text.rstrip()[-1:] in b";{}:":
                break
            if mark is not None and mark not in self.lines.text(following.first, following.last):
                continue
            if self._healthy(block.first, following.last, around):
                return more
            tries += 1
            if tries == _MAX_JOINED:
                break
        return 0

    def _inside(self, block: Block, around: _Around) -> None:
        """Mend a block that cannot be read: go on with what is inside, or blank it."""
        closing, last = self.lines.ends(block)
        if block.proper > block.first and self._healthy(block.proper, block.last, around):
            self._blank(block.first, block.proper)
            return
        if around.depth < _MAX_DEPTH:
            for head in self.lines.heads(block.proper, closing):
                for way in self._ways(block, head, closing < last):
                    if self._goes_on(way, (block.first, head, closing, last), around):
                        return
        self._blank(block.first, last)
        if self.language == "python" and around.depth:
            start = self.lines.starts[block.first]
            self._put(b"pass", start + self.lines.indents[block.first], self.lines.starts[block.first + 1])

    def _goes_on(self, way: _Way, lines: tuple[int, int, int, int], around: _Around) -> bool:
        first, head, closing, last = lines
        end = self.lines.text(closing, last) if way.closer is None else way.closer + b"\n"
        between = _Around(around.front + way.head + way.opener, end + around.back, around.depth + 1)
        filler = b""
        if self.language == "python":
            filler = b" " * (self.lines.indents[head] if head < closing else self.lines.indents[first] + 4) + b"pass\n"
        root = self._parsed(between.front + filler + between.back)
        if root is None or root.has_error:
            return False
        self.out[self.lines.starts[first] : self.lines.starts[head]] = way.head
        self.region(head, closing, between)
        if way.opener:
            self.places += 1
            self._put(way.opener, self.lines.starts[head], self.lines.starts[head + 1])
        if way.closer is not None:
            self._blank(closing, last)  # counts as a place
            self._close(way.closer, self.lines.starts[head], self.lines.starts[closing])
        return True

    def _ways(self, block: Block, head: int, ended: bool) -> list[_Way]:
        text = self.lines.text(block.first, head)
        ways = [_Way(text)]
        if self.language == "python":
            prefix = self.lines.text(block.first, block.proper)
            return ways + [_Way(prefix + made) for made in _python_heads(text[len(prefix) :])]
        if self.language in _WORDS:
            return [*ways, _Way(text, b"", _WORDS[self.language])]
        if ended:
            ways.append(_Way(text, b"{"))
        return ways + [_Way(text, b"", closer) for closer in _ENDS] + [_Way(text, b"{", b"}")]

    def _close(self, closer: bytes, first: int, after: int) -> None:
        """Put an end behind what is inside: into a blank, before another end, or in the place of the last block."""
        inside = bytes(self.out[first:after]).rstrip()
        start = first + len(inside)
        behind = bytes(self.out[start : start + _GAP])
        if self._put(closer, start, start + len(behind) - len(behind.lstrip())):
            return
        for _ in range(_MAX_DEPTH):
            line = inside.rfind(b"\n") + 1
            if not line or inside[line:].strip() != closer:
                break
            if self._put(closer, first + line, first + inside.rfind(closer)):
                return
            inside = inside[:line].rstrip()
        latest = self.lines.starts[self._latest.first]
        if latest >= first:
            self._blank(self._latest.first, self._latest.last)
            self._put(closer, latest, self.lines.starts[self._latest.last])

    def _put(self, what: bytes, start: int, end: int) -> bool:
        """Write into the first blank that has room; words stand apart."""
        room = rb"(?<=\s)[ \t]{%d}(?=\s|\Z)" if what.isalpha() else rb"[ \t]{%d}"
        found = re.compile(room % len(what)).search(self.out, start, end)
        if found is None:
            return False
        self.out[found.start() : found.end()] = what
        return True

    def _blank(self, first: int, last: int) -> None:
        start, end = self.lines.starts[first], self.lines.starts[last]
        self.out[start:end] = _NOT_BLANK.sub(b" ", bytes(self.out[start:end]))
        self._blanked.append((start, end))
        self.places += 1


def _python_heads(text: bytes) -> list[bytes]:
    """Heads of the same length that can be read where the one that is written cannot."""
    bare = text.lstrip(b" \t")
    indent = text[: len(text) - len(bare)]
    line, _, more = bare.partition(b"\n")
    named = _NAMED.match(line)
    empty = b"\n" + _NOT_BLANK.sub(b" ", more) if len(line) < len(bare) else b""
    begins = [_ANYWAY]
    if named:
        begins.insert(0, named[0] + (b":" if named[1] == b"class" else b"():"))
    made = [indent + begin.ljust(len(line)) + empty for begin in begins if len(begin) <= len(line)]
    if named and named[1] == b"def" and len(named[0]) < len(line) and len(more.strip()) > 1:
        last = len(line) + 1 + more.rstrip().rfind(b"\n") + 1  # the line that ends a head of several
        begun = ((named[0] + b"(").ljust(len(line)) + empty)[:last]
        made.insert(0, indent + begun + b"):" + empty[last + 2 - len(line) :])
    return [head for head in made if len(head) == len(text)]


def _errors(root: Node) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    waiting = [root]
    while waiting and len(found) < _MAX_ERRORS:
        node = waiting.pop()
        if node.is_error:
            found.append((node.start_byte, node.end_byte))
        else:
            waiting += [child for child in node.children if child.has_error]
    return found


def _shape(root: Node, start: int) -> _Shape:
    cursor = root.walk()
    around: list[str] = []
    while cursor.goto_first_child_for_byte(start) is not None:
        node = cursor.node
        if node is None or node.start_byte > start:
            break
        if node.type not in _LOOSE:
            around.append(node.type)
    return tuple(around)
