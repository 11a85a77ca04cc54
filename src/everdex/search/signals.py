"""Numbers for every live document and file of a view: lexical, dense, and what a file adds to its chunks.

Whole-array numpy only; whatever needs a name or a path is left to features.py, for the candidates alone.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import msgspec

from everdex.embed.base import Embedder
from everdex.numeric import np, npt
from everdex.search import weights
from everdex.search.bm25 import Bm25
from everdex.search.dense import DenseScorer
from everdex.search.query import Query
from everdex.terms.model import Field
from everdex.view import SnapshotView

# A chunk of so many words of code does something; more say no more of it.
_MUCH_CODE: Final = 300

Floats = npt.NDArray[np.float64]


class Signals(msgspec.Struct, frozen=True):
    """By docId and by file; each array but `code` is scaled so that its best value is 1 (or all are 0)."""

    lexical: Floats
    file_lexical: Floats
    dense: Floats
    alone: Floats  # dense, of the text without its path and file
    code: Floats  # how much code a document has, from 0 to 1: the same for every query
    best_cosine: float


class SignalSource:
    """Computes signals for queries over one view; keeps what does not depend on the query."""

    def __init__(self, view: SnapshotView, mean_share: float) -> None:
        self._view = view
        self.bm25 = Bm25(
            [segment.lexical for segment in view.segments], view.bases, view.doc_rows, view.doc_files, len(view.paths),
            weights.BM25,
        )  # fmt: skip
        self._dense = DenseScorer(view)
        self._mean_share = mean_share
        counts = np.diff(view.file_offsets)
        self._filled = np.flatnonzero(counts)
        self.file_sizes: Floats = np.log1p(counts) / 6.0

    @cached_property
    def _code(self) -> Floats:
        words = np.log1p(self.bm25.lengths(Field.BODY), dtype=np.float64)
        share: Floats = np.minimum(words / np.log1p(float(_MUCH_CODE)), 1.0)
        return share

    def by_file(self, values: Floats) -> Floats:
        """The largest value among the documents of each file; none is below 0."""
        largest = np.zeros(len(self._view.paths))
        if len(self._filled):
            largest[self._filled] = np.maximum.reduceat(values, self._view.file_offsets[self._filled])
        return largest

    def compute(
        self, query: Query, embedder: Embedder | None, *, lexical: bool, dense_if_needed: bool = False
    ) -> Signals:
        view = self._view
        scores = np.zeros(view.doc_count)
        by_file = np.zeros(len(view.paths))
        if lexical:
            scores, by_file = self.bm25.scores(query.terms)
        wanted = embedder is not None and not (dense_if_needed and scores.any())
        cosines = None
        if wanted and embedder is not None:
            share = self._mean_share * weights.FILE_MEAN[query.intent]
            cosines = self._dense.cosines(embedder, query.text, share)
        near, alone = (np.maximum(found, 0.0) for found in cosines or (np.zeros(view.doc_count),) * 2)
        return Signals(
            lexical=_scaled(scores),
            file_lexical=_scaled(by_file),
            dense=_scaled(near),
            alone=_scaled(alone),
            code=self._code,
            best_cosine=float(near.max(initial=0.0)),
        )


def _scaled(values: Floats) -> Floats:
    largest = values.max(initial=0.0)
    return values / largest if largest > 0 else values
