"""A process's memory of tokens: what each raw token is indexed and embedded as, worked out once.

Ids are private to one table and to its life; whatever leaves a batch is renumbered by content, so results
never depend on what a process has seen before.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from typing import Final

import xxhash

from everdex.numeric import np, npt
from everdex.terms import split

# About 100 bytes each with their terms; a larger vocabulary starts over between batches.
MAX_TOKENS: Final = 300_000

Ints = npt.NDArray[np.int64]


class Lists:
    """Growing lists of ids, one per token, readable as (start, length) into one flat array."""

    def __init__(self) -> None:
        self._starts = array("q", [0])
        self._flat = array("q")

    def append(self, values: Iterable[int]) -> None:
        self._flat.extend(values)
        self._starts.append(len(self._flat))

    def expand(self, tokens: Ints) -> tuple[Ints, Ints]:
        """(position in `tokens`, id) for every id of every token, in order."""
        starts = np.array(self._starts, dtype=np.int64)
        flat = np.array(self._flat, dtype=np.int64)
        lengths = np.diff(starts)[tokens]
        positions = np.repeat(np.arange(len(tokens), dtype=np.int64), lengths)
        within = np.arange(len(positions), dtype=np.int64) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return positions, flat[starts[tokens][positions] + within]


class TokenTable(dict[str, int]):
    """raw token -> token id; a missing token is split, stemmed and numbered on first sight."""

    def __init__(self) -> None:
        super().__init__()
        self.terms: dict[str, int] = {}
        self.words: dict[str, int] = {}
        self.term_lists = Lists()
        self.word_lists = Lists()
        self._overlong = array("b")

    def __missing__(self, token: str) -> int:
        number = len(self)
        self[token] = number
        terms, words = self.terms, self.words
        self.term_lists.append([terms.setdefault(term, len(terms)) for term in split.index_terms(token)])
        self.word_lists.append([words.setdefault(word, len(words)) for word in split.embedding_words(token)])
        self._overlong.append(split.overlong(token))
        return number

    def ids(self, tokens: Sequence[str]) -> Ints:
        return np.fromiter(map(self.__getitem__, tokens), np.int64, len(tokens))

    def overlong(self) -> npt.NDArray[np.bool_]:
        return np.array(self._overlong, dtype=np.bool_)

    @property
    def full(self) -> bool:
        return len(self) > MAX_TOKENS


def hash_terms(terms: Iterable[str]) -> npt.NDArray[np.uint64]:
    """The key by which the inverted index finds a term."""
    digest = xxhash.xxh64_intdigest
    return np.array([digest(term.encode()) for term in terms], dtype=np.uint64)


def order_by_hash(vocabulary: Sequence[str], hashes: npt.NDArray[np.uint64]) -> Ints:
    """The permutation that sorts terms by (hash, string): well defined even when hashes collide."""
    order = np.argsort(hashes, kind="stable")
    ranked = hashes[order]
    ties = np.flatnonzero(ranked[1:] == ranked[:-1])
    if len(ties):
        return np.array(sorted(range(len(vocabulary)), key=lambda i: (int(hashes[i]), vocabulary[i])), dtype=np.int64)
    return order.astype(np.int64)
