"""BM25F over the segments of one snapshot, in one global row space.

A row's score depends on the live rows and on nothing else: not on how they are spread over segments, in which
order they stand, or which dead rows lie between. Counts and lengths are summed as integers; every floating
point step is per row, in the order of fields and query terms. Rows that are not live score 0.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from everdex.numeric import np, npt
from everdex.segment.lexical_read import LexicalReader, Postings
from everdex.terms.model import FIELD_COUNT
from everdex.terms.vocabulary import hash_terms

K1: Final = 1.2
B: Final = (0.75,) * FIELD_COUNT
# How many postings (about 12 bytes each) are kept merged between queries.
_MAX_CACHED_POSTINGS: Final = 2_000_000

Floats = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Term:
    """The live postings of one term over all segments."""

    rows: Rows  # distinct live rows that have the term in any field
    fields: tuple[tuple[int, Rows, npt.NDArray[np.uint8]], ...]  # (field, positions in `rows`, frequencies)
    size: int


class Bm25:
    """Scores queries against live rows; row = bases[i] + document of readers[i]."""

    def __init__(self, readers: Sequence[LexicalReader], bases: Sequence[int], live: npt.NDArray[np.bool_]) -> None:
        self._readers = tuple(readers)
        self._bases = tuple(bases)
        self._live = live
        self._all_live = bool(live.all())
        self._n_live = int(np.count_nonzero(live))
        self._lengths: npt.NDArray[np.uint16] | None = None
        self._norms: dict[tuple[int, float], Floats] = {}
        self._groups_normed: Floats | None = None
        self._terms: OrderedDict[str, _Term] = OrderedDict()
        self.cached_postings = 0

    def scores(
        self,
        terms: Sequence[tuple[str, float]],
        field_weights: Sequence[float],
        k1: float = K1,
        b: Sequence[float] = B,
    ) -> Floats:
        """Σ over `(term, weight)` of weight · idf · tf′ / (k1 + tf′), for every row."""
        total = np.zeros(len(self._live), dtype=np.float64)
        merged = self._merged([term for term, _ in terms])
        for (_, weight), term in zip(terms, merged, strict=True):
            if not len(term.rows):
                continue
            frequency = np.zeros(len(term.rows), dtype=np.float64)
            for field, positions, tfs in term.fields:
                if field_weights[field]:
                    norms = self._norm(field, b[field])[term.rows[positions]]
                    frequency[positions] += field_weights[field] * tfs * norms
            idf = math.log(1.0 + (self._n_live - len(term.rows) + 0.5) / (len(term.rows) + 0.5))
            total[term.rows] += (weight * idf) * (frequency / (k1 + frequency))
        return total

    def group_scores(
        self,
        terms: Sequence[str],
        field_weights: Sequence[float],
        groups: npt.NDArray[np.int64],
        n_groups: int,
        length_share: float,
        k1: float = K1,
    ) -> Floats:
        """BM25 of whole groups of rows (files): `groups` gives each row's group, -1 for a dead row.

        Weighted counts are added per group, so the weights must be whole numbers: then every sum is exact.
        """
        total = np.zeros(n_groups, dtype=np.float64)
        norms = self._group_norms(groups, n_groups, length_share)
        for term in self._merged(terms):
            if not len(term.rows):
                continue
            frequency = np.zeros(len(term.rows), dtype=np.float64)
            for field, positions, tfs in term.fields:
                frequency[positions] += field_weights[field] * tfs
            counts = np.bincount(groups[term.rows], weights=frequency, minlength=n_groups)
            having = int(np.count_nonzero(counts))
            idf = math.log(1.0 + (n_groups - having + 0.5) / (having + 0.5))
            relative = counts * norms
            total += idf * (relative / (k1 + relative))
        return total

    def _group_norms(self, groups: npt.NDArray[np.int64], n_groups: int, length_share: float) -> Floats:
        if self._groups_normed is None:
            if self._lengths is None:
                self._lengths = self._gather_lengths()
            alive = np.flatnonzero(groups >= 0)
            lengths = self._lengths.sum(axis=0, dtype=np.int64)[alive]
            summed = np.bincount(groups[alive], weights=lengths, minlength=n_groups)
            average = float(summed.mean()) if n_groups else 0.0
            relative = (1.0 - length_share) + length_share * (summed + 1.0) / (average + 1.0)
            self._groups_normed = np.reciprocal(relative, dtype=np.float64)
        return self._groups_normed

    def rows_with(self, term: str) -> Rows:
        """The live rows that have a term in any field."""
        return self._merged([term])[0].rows

    @property
    def live_count(self) -> int:
        return self._n_live

    def _norm(self, field: int, b: float) -> Floats:
        """1 / (1 - b + b · length / average length of the live rows), by row."""
        known = self._norms.get((field, b))
        if known is None:
            if self._lengths is None:
                self._lengths = self._gather_lengths()
            lengths = self._lengths[field]
            sum_live = int(lengths[self._live].sum(dtype=np.int64))
            # Only a damaged index has postings in a field whose lengths are all zero.
            average = sum_live / self._n_live if sum_live else 1.0
            relative = (1.0 - b) + b * (lengths / average)
            # A row without this field has no posting in it, so whatever its norm is, it is never used.
            known = 1.0 / np.maximum(relative, 1e-9)
            self._norms[field, b] = known
        return known

    def _gather_lengths(self) -> npt.NDArray[np.uint16]:
        lengths = np.zeros((FIELD_COUNT, len(self._live)), dtype=np.uint16)
        for reader, base in zip(self._readers, self._bases, strict=True):
            lengths[:, base : base + reader.n_docs] = reader.lengths.T
        return lengths

    def _merged(self, terms: Sequence[str]) -> list[_Term]:
        missing = list(dict.fromkeys(term for term in terms if term not in self._terms))
        fresh: dict[str, _Term] = {}
        if missing:
            hashes = hash_terms(missing)
            found = [reader.lookup(missing, hashes) for reader in self._readers]
            fresh = {term: self._merge([answers[index] for answers in found]) for index, term in enumerate(missing)}
        result = []
        for term in terms:
            if term in self._terms:
                self._terms.move_to_end(term)
                result.append(self._terms[term])
            else:
                result.append(fresh[term])
        self._remember(fresh)
        return result

    def _remember(self, fresh: dict[str, _Term]) -> None:
        self._terms.update(fresh)
        self.cached_postings += sum(term.size for term in fresh.values())
        while self.cached_postings > _MAX_CACHED_POSTINGS and self._terms:
            _, dropped = self._terms.popitem(last=False)
            self.cached_postings -= dropped.size

    def _merge(self, found: Sequence[dict[int, Postings]]) -> _Term:
        fields: list[tuple[int, Rows, npt.NDArray[np.uint8]]] = []
        for field in range(FIELD_COUNT):
            pieces = [
                (base, *postings[field]) for base, postings in zip(self._bases, found, strict=True) if field in postings
            ]
            if not pieces:
                continue
            lengths = [len(tfs) for _, _, tfs in pieces]
            # Segments of different sizes store documents in two bytes or in four.
            rows = np.concatenate([docs for _, docs, _ in pieces], dtype=np.int64)
            rows += np.repeat([base for base, _, _ in pieces], lengths)
            tfs = np.concatenate([tfs for _, _, tfs in pieces])
            if not self._all_live:
                alive = self._live[rows]
                rows, tfs = rows[alive], tfs[alive]
            fields.append((field, rows, tfs))
        places = np.zeros(len(self._live), dtype=np.int64)
        for _, rows, _ in fields:
            places[rows] = 1
        distinct = np.flatnonzero(places)
        places[distinct] = np.arange(len(distinct))
        return _Term(
            rows=distinct,
            fields=tuple((field, places[rows], tfs) for field, rows, tfs in fields),
            # One more, so that absent terms are bounded too.
            size=1 + sum(len(rows) for _, rows, _ in fields),
        )
