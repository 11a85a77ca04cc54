"""Byte-pair merging of plain words, for the few words that one edited file or one question brings.

Loading the tokenizer library's own structures takes a tenth of a second; reading its merge list takes a tenth of
that. Cuts ASCII letters and digits only, exactly as the library does (a test compares them); what else may stand in
a word, and whole repositories, are the library's business.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Final

import msgspec

from everdex.errors import EmbedderUnavailable

# No byte fallback, no special token, nothing to normalise.
_PLAIN: Final = re.compile(r"[A-Za-z0-9]{1,64}")


class _Model(msgspec.Struct):
    vocab: dict[str, int]
    merges: list[str]


class _File(msgspec.Struct):
    model: _Model


class WordMerger:
    """The merges of a SentencePiece-like BPE tokenizer file, whose words begin with the given mark."""

    def __init__(self, path: Path, mark: str) -> None:
        try:
            model = msgspec.json.decode(path.read_bytes(), type=_File).model
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise EmbedderUnavailable(f"tokenizer {path} cannot be loaded: {error}") from error
        self._mark = mark
        self._ids = model.vocab
        # "left right" -> rank: the file's own notation is the key.
        self._ranks = dict(zip(model.merges, range(len(model.merges)), strict=True))

    @staticmethod
    def can_cut(word: str) -> bool:
        return _PLAIN.fullmatch(word) is not None

    def cut(self, word: str) -> list[int]:
        """The ids of the word's pieces."""
        pieces = [self._mark, *word]
        rank_of = self._ranks.get
        never = len(self._ranks)
        ranks = [rank_of(f"{left} {right}", never) for left, right in pairwise(pieces)]
        while ranks and (lowest := min(ranks)) < never:
            # The leftmost of equals, one at a time: a merge may take away the next one's left half.
            place = ranks.index(lowest)
            pieces[place : place + 2] = [pieces[place] + pieces[place + 1]]
            del ranks[place]
            if place:
                ranks[place - 1] = rank_of(f"{pieces[place - 1]} {pieces[place]}", never)
            if place < len(ranks):
                ranks[place] = rank_of(f"{pieces[place]} {pieces[place + 1]}", never)
        return [self._ids[piece] for piece in pieces]
