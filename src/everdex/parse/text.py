"""A file's bytes as a sequence of atoms: the smallest spans that a chunk may be made of.

An atom is a line, except where a line is longer than a chunk may be or an embedded segment begins inside a
line: there it is a piece of a line, cut between characters. Chunks are runs of atoms, so a chunk can
neither break a character nor overlap another. This module knows nothing of languages.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, pairwise

import msgspec


class Atoms(msgspec.Struct, frozen=True):
    """Parallel arrays; `starts` and `characters` have one more entry than there are atoms."""

    starts: list[int]  # byte offset of each atom, then the length of the data
    characters: list[int]  # characters before each atom, then the number of characters
    lines: list[int] | range  # 1-based line of each atom

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    def at(self, byte: int) -> int:
        """The atom that holds this byte (which must be inside the data)."""
        return bisect_right(self.starts, byte) - 1


def split_atoms(data: bytes, max_characters: int, cuts: tuple[int, ...] = ()) -> Atoms:
    """Atoms of valid UTF-8 data; `cuts` are byte offsets (between characters) that must be boundaries."""
    pieces = data.split(b"\n")
    widths = [len(piece) + 1 for piece in pieces]
    widths[-1] -= 1
    if data.isascii():
        lengths = widths
    else:
        lengths = [len(piece.decode()) + 1 for piece in pieces]
        lengths[-1] -= 1
    if not widths[-1]:
        widths.pop()
        lengths = widths if lengths is widths else lengths[:-1]
    starts = list(accumulate(widths, initial=0))
    inner = [cut for cut in cuts if 0 < cut < len(data) and starts[bisect_right(starts, cut) - 1] != cut]
    if not inner and (not lengths or max(lengths) <= max_characters):
        characters = starts if lengths is widths else list(accumulate(lengths, initial=0))
        return Atoms(starts, characters, range(1, len(starts)))
    return _split_inside_lines(data, starts, sorted(inner), max_characters)


def _split_inside_lines(data: bytes, starts: list[int], cuts: list[int], max_characters: int) -> Atoms:
    bounds = sorted({*starts, *cuts})
    new_starts, characters, lines = [0], [0], list[int]()
    line = 0
    line_starts = frozenset(starts)
    for begin, end in pairwise(bounds):
        line += begin in line_starts
        for piece in _pieces(data[begin:end].decode(), max_characters):
            new_starts.append(new_starts[-1] + len(piece.encode()))
            characters.append(characters[-1] + len(piece))
            lines.append(line)
    return Atoms(new_starts, characters, lines)


def _pieces(text: str, limit: int) -> list[str]:
    """Cut an over-long line, after a separator when there is one in the last quarter of a piece."""
    pieces: list[str] = []
    begin = 0
    while len(text) - begin > limit:
        end = begin + limit
        late = end - limit // 4
        separator = max(text.rfind(mark, late, end) for mark in ("; ", ";", ", ", ",", " ", "}"))
        cut = separator + 1 if separator >= late else end
        pieces.append(text[begin:cut])
        begin = cut
    pieces.append(text[begin:])
    return pieces
