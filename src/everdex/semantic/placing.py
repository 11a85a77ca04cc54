"""Turns an indexer's lines and characters into bytes of the file that we have, and so proves that it speaks of it.

A document is about our bytes when each of its ranges begins and ends where a name does: after an edit they do not.
One range outside the file or inside a name puts the whole document out. Where nobody vouches for the content, what is
named has to be written there as well: a definition that is called otherwise puts the document out, another place (an
alias, mostly) only itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate
from typing import Final, NamedTuple

from everdex import limits
from everdex.semantic import scip
from everdex.semantic.model import DEFINITION, MISPLACED, NOT_UTF8, UNCLEAR, UNPROVEN
from everdex.semantic.reading import Occurrence

# Bytes of names: letters, digits, `_`, and all that is beyond ASCII.
_WORD: Final = bytes(int(byte >= 0x80 or byte == 0x5F or chr(byte).isalnum()) for byte in range(256))
_BEYOND_ASCII: Final = re.compile(rb"[\x80-\xff]")


class Placed(NamedTuple):
    """An occurrence by bytes."""

    start: int
    end: int
    symbol: str
    roles: int


class LeftOut(Exception):
    """The document is not about these bytes; its only argument is the reason, of `everdex.semantic.model`."""


class Lines:
    """The lines of a file, as positions of one encoding count them."""

    def __init__(self, source: bytes, encoding: int) -> None:
        self._source = source
        self._encoding = encoding
        self._ascii = source.isascii() or encoding == scip.UTF8
        # As parsers count lines: a line feed ends one, nothing else does.
        self._starts = list(accumulate((len(piece) + 1 for piece in source.split(b"\n")), initial=0))
        self._known: dict[int, list[int] | None] = {}
        self._plain: dict[int, int] = {}  # line -> its first byte beyond ASCII

    def byte(self, line: int, character: int) -> int | None:
        """The byte offset of a position; None when the index does not say how it counts characters and that matters."""
        if line + 1 >= len(self._starts):
            raise LeftOut(MISPLACED)
        start, end = self._starts[line], self._starts[line + 1] - 1
        if self._ascii:
            if character > end - start:
                raise LeftOut(MISPLACED)
            return start + character
        units = self._units(line, start, end)
        if character > (end - start if units is None else len(units) - 1):
            raise LeftOut(MISPLACED)
        if units is not None:
            return start + units[character]
        return start + character if start + character <= self._plain_until(line, start, end) else None

    def _plain_until(self, line: int, start: int, end: int) -> int:
        """Up to which byte of a line all encodings agree."""
        if line not in self._plain:
            beyond = _BEYOND_ASCII.search(self._source, start, end)
            self._plain[line] = end if beyond is None else beyond.start()
        return self._plain[line]

    def _units(self, line: int, start: int, end: int) -> list[int] | None:
        """Where each unit of a line begins, and the last one ends; None when that goes without saying, or cannot be."""
        if line not in self._known:
            piece = self._source[start:end]
            if piece.isascii() or self._encoding not in (scip.UTF16, scip.UTF32):
                self._known[line] = None
            else:
                self._known[line] = _unit_starts(piece, 2 if self._encoding == scip.UTF16 else 1)
        return self._known[line]


def _unit_starts(piece: bytes, most: int) -> list[int]:
    """`most` units stand for a character beyond the first 65,536; one for any other."""
    try:
        text = piece.decode()
    except UnicodeDecodeError as error:
        raise LeftOut(NOT_UTF8) from error
    starts, at = [], 0
    for character in text:
        starts += [at] * (most if ord(character) > 0xFFFF else 1)
        at += len(character.encode())
    return [*starts, at]


def placed(
    occurrences: Iterable[Occurrence], source: bytes, encoding: int, *, by_name: bool
) -> tuple[list[Placed], dict[str, int]]:
    """The occurrences by place, and how many were left out why; `LeftOut` when they are not about this source."""
    lines = Lines(source, encoding)
    mask = source.translate(_WORD)
    found: list[Placed] = []
    left = {UNCLEAR: 0, UNPROVEN: 0}
    for line, character, end_line, end_character, symbol, roles in occurrences:
        start, end = lines.byte(line, character), lines.byte(end_line, end_character)
        if start is None or end is None:
            left[UNCLEAR] += 1
            continue
        if not _is_whole(mask, start, end):
            raise LeftOut(MISPLACED)
        if end - start > limits.MAX_SCIP_SYMBOL_BYTES:  # around a name, perhaps; not one
            left[UNPROVEN] += 1
            continue
        if by_name and not _is_named(source[start:end], symbol):
            if roles & DEFINITION and start != end:
                raise LeftOut(MISPLACED)
            left[UNPROVEN] += 1
            continue
        found.append(Placed(start, end, symbol, roles))
    found.sort()
    return found, left


def _is_whole(mask: bytes, start: int, end: int) -> bool:
    """Whether a range begins and ends where names do; an empty one stands for the file, at its beginning."""
    if start >= end:
        return start == end == 0
    inside_begin = start > 0 and mask[start - 1] and mask[start]
    return not inside_begin and not (end < len(mask) and mask[end - 1] and mask[end])


def _is_named(text: bytes, symbol: str) -> bool:
    """Whether what is written is a name in the symbol, or part of the last one: `<get>size`, `name0`, `"x-y"`."""
    written = text.strip(b"\"'`").decode("utf-8", "replace")
    known = scip.parsed(symbol)
    assert known is not None
    return written in known.names or written in known.names[-1] or written.rpartition(".")[2] in known.names
