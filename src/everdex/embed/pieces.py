"""Words cut into pieces of a fixed vocabulary: the longest known beginning first, then the longest continuations.

A piece that continues a word is written with `##` before it. A word depends on itself only; characters that no piece
covers are left out. Most words of code are in the vocabulary whole, so cutting is a look-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

CONTINUES: Final = "##"
_MAX_CACHED_WORDS: Final = 200_000


class WordPieces:
    """Cuts words, remembering what it has cut."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._vocabulary = vocabulary
        self._known: dict[str, list[int]] = {}

    @cached_property
    def _ids(self) -> dict[str, int]:
        # On the first word: a question that no vector answers (a regular expression, a literal) has none.
        return {piece: number for number, piece in enumerate(self._vocabulary)}

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._vocabulary), default=0)

    def cut(self, words: Sequence[str]) -> list[list[int]]:
        """The ids of each word's pieces, first to last."""
        known = self._known
        if len(known) + len(words) > _MAX_CACHED_WORDS:
            # Not cleared: another thread may be reading it.
            self._known = known = {}
        ids = self._ids
        cuts = []
        for word in words:
            whole = ids.get(word)
            if whole is not None:
                cuts.append([whole])
                continue
            pieces = known.get(word)
            if pieces is None:
                pieces = known[word] = self._cut(word)
            cuts.append(pieces)
        return cuts

    def _cut(self, word: str) -> list[int]:
        ids, found, start, prefix = self._ids, [], 0, ""
        while start < len(word):
            for end in range(min(len(word), start + self._longest), start, -1):
                number = ids.get(prefix + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                start += 1
            prefix = CONTINUES
        return found
