"""BM25F of the live documents of one snapshot, and of the files they make up.

A document's score depends on the live documents and on nothing else: not on how they are spread over segments, in
which order they stand, or which dead rows lie between. Counts and lengths are summed as integers; every floating
point step is per document or file, in the order of fields and query terms.
"""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import msgspec

from everdex.numeric import np, npt
from everdex.segment.lexical_read import LexicalReader, Postings
from everdex.terms.model import FIELD_COUNT, Field
from everdex.terms.vocabulary import hash_terms

# How many numbers (12 bytes each) are kept between queries.
_MAX_CACHED: Final = 4_000_000

Floats = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


class Bm25Settings(msgspec.Struct, frozen=True):
    """The formula's numbers. Field weights must be whole: then every sum over a file is exact in any order."""

    field_weights: tuple[float, ...]  # a field of weight 0 might as well not exist
    file_length_share: float  # how much a file's length discounts its counts
    length_share: float = 0.75
    k1: float = 1.2


class _Term(msgspec.Struct, frozen=True):
    """What one term adds to scores. Only what has the term is listed, by number."""

    docs: Places
    doc_gains: Floats
    files: Places
    file_gains: Floats

    @property
    def size(self) -> int:
        # One more, so that absent terms are bounded too.
        return 1 + len(self.docs) + len(self.files)


class _Scratch(msgspec.Struct, frozen=True):
    """Numbers by document that come and go as zeros: to make them anew for each term takes longer than to use them."""

    flags: npt.NDArray[np.bool_]
    counts: Floats


class Bm25:
    """Scores queries against live documents. `doc_rows` gives each document's row: bases[i] + row of readers[i]."""

    def __init__(
        self,
        readers: Sequence[LexicalReader],
        bases: Sequence[int],
        doc_rows: Places,
        doc_files: Places,
        n_files: int,
        settings: Bm25Settings,
    ) -> None:
        self._readers = tuple(readers)
        self._bases = tuple(bases)
        self._doc_rows = doc_rows
        self._doc_files = doc_files
        self._n_files = n_files
        self._settings = settings
        rows = sum(reader.n_docs for reader in self._readers)
        self._row_docs = np.full(rows, -1, dtype=np.int32)
        self._row_docs[doc_rows] = np.arange(len(doc_rows), dtype=np.int32)
        self._all_live = len(doc_rows) == rows
        self._lengths: npt.NDArray[np.uint16] | None = None
        self._doc_norms: dict[int, Floats] = {}
        self._file_norms: Floats | None = None
        self._lock = threading.Lock()  # one engine may answer several questions at once
        self._terms: OrderedDict[str, _Term] = OrderedDict()
        self.cached = 0

    def scores(self, terms: Sequence[str]) -> tuple[Floats, Floats]:
        """Σ over the terms of idf · tf′ / (k1 + tf′): of every document, and of every file."""
        by_doc = np.zeros(len(self._doc_rows), dtype=np.float64)
        by_file = np.zeros(self._n_files, dtype=np.float64)
        for term in self._known(terms):
            by_doc[term.docs] += term.doc_gains
            by_file[term.files] += term.file_gains
        return by_doc, by_file

    def documents_with(self, term: str) -> Places:
        """The documents that have a term in any field, ascending."""
        return self._known([term])[0].docs

    def is_in_any(self, files: Places, term: str) -> bool:
        """Whether one of these files has a term in any field."""
        having = self._known([term])[0].files
        return bool(len(having)) and bool((having.take(having.searchsorted(files), mode="clip") == files).any())

    def lengths(self, field: Field) -> npt.NDArray[np.uint16]:
        """Words of each document in a field."""
        words: npt.NDArray[np.uint16] = self._field_lengths()[field]
        return words

    def idf(self, term: str) -> float:
        return _idf(len(self._doc_rows), len(self.documents_with(term)))

    def _known(self, terms: Sequence[str]) -> list[_Term]:
        with self._lock:
            known = {term: self._terms[term] for term in terms if term in self._terms}
        missing = list(dict.fromkeys(term for term in terms if term not in known))
        if missing:
            hashes = hash_terms(missing)
            found = [reader.lookup(missing, hashes) for reader in self._readers]
            scratch = _Scratch(np.zeros(len(self._doc_rows), np.bool_), np.zeros(len(self._doc_rows), np.float64))
            for index, term in enumerate(missing):
                known[term] = self._weigh([answers[index] for answers in found], scratch)
        self._remember(known)
        return [known[term] for term in terms]

    def _remember(self, used: dict[str, _Term]) -> None:
        with self._lock:
            for term, weighed in used.items():
                if term not in self._terms:
                    self._terms[term] = weighed
                    self.cached += weighed.size
                self._terms.move_to_end(term)
            while self.cached > _MAX_CACHED:
                self.cached -= self._terms.popitem(last=False)[1].size

    def _weigh(self, found: Sequence[dict[int, Postings]], scratch: _Scratch) -> _Term:
        """What a term adds, from its postings in every segment."""
        settings, counts = self._settings, scratch.counts
        fields = [
            (field, settings.field_weights[field], *self._live_postings(found, field))
            for field in sorted({field for postings in found for field in postings})
            if settings.field_weights[field]
        ]
        for _, weight, having, tfs in fields:
            scratch.flags[having] = True
            counts[having] += weight * tfs
        docs = np.flatnonzero(scratch.flags)  # many times faster to look through than the counts
        scratch.flags[docs] = False
        by_file = np.bincount(self._doc_files[docs], weights=counts[docs], minlength=self._n_files)
        counts[docs] = 0.0
        for field, weight, having, tfs in fields:
            counts[having] += weight * tfs * self._norms(field)[having]
        frequency = counts[docs]
        counts[docs] = 0.0
        files = np.flatnonzero(by_file)
        relative = by_file[files] * self._norms_of_files()[files]
        return _Term(
            docs,
            _idf(len(self._doc_rows), len(docs)) * (frequency / (settings.k1 + frequency)),
            files,
            _idf(self._n_files, len(files)) * (relative / (settings.k1 + relative)),
        )

    def _live_postings(
        self, found: Sequence[dict[int, Postings]], field: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint8]]:
        """Documents that have the term in a field, and how often."""
        pieces = [
            (base, *postings[field]) for base, postings in zip(self._bases, found, strict=True) if field in postings
        ]
        # Segments of different sizes store documents in two bytes or in four.
        rows = np.concatenate([docs for _, docs, _ in pieces], dtype=np.int64)
        if len(self._bases) > 1:
            rows += np.repeat([base for base, _, _ in pieces], [len(tfs) for _, _, tfs in pieces])
        tfs = np.concatenate([tfs for _, _, tfs in pieces])
        docs = self._row_docs[rows]
        if not self._all_live:
            alive = docs >= 0
            docs, tfs = docs[alive], tfs[alive]
        return docs, tfs

    def _norms(self, field: int) -> Floats:
        """1 / (1 - b + b · length / average length), by document."""
        known = self._doc_norms.get(field)
        if known is None:
            lengths = self._field_lengths()[field]
            total = int(lengths.sum(dtype=np.int64))
            # Only a damaged index has postings in a field whose lengths are all zero.
            average = total / len(lengths) if total else 1.0
            b = self._settings.length_share
            # A document without this field has no posting in it, so whatever its norm is, it is never used.
            known = self._doc_norms[field] = 1.0 / np.maximum((1.0 - b) + b * (lengths / average), 1e-9)
        return known

    def _norms_of_files(self) -> Floats:
        if self._file_norms is None:
            lengths = self._field_lengths().sum(axis=0, dtype=np.int64)
            summed = np.bincount(self._doc_files, weights=lengths, minlength=self._n_files)
            average = float(summed.mean()) if self._n_files else 0.0
            share = self._settings.file_length_share
            relative = (1.0 - share) + share * (summed + 1.0) / (average + 1.0)
            self._file_norms = np.reciprocal(relative, dtype=np.float64)
        return self._file_norms

    def _field_lengths(self) -> npt.NDArray[np.uint16]:
        """Words of each document, field by field."""
        if self._lengths is None:
            lengths = np.zeros((FIELD_COUNT, len(self._row_docs)), dtype=np.uint16)
            for reader, base in zip(self._readers, self._bases, strict=True):
                lengths[:, base : base + reader.n_docs] = reader.lengths.T
            self._lengths = lengths[:, self._doc_rows]
        return self._lengths


def _idf(of: int, having: int) -> float:
    return math.log(1.0 + (of - having + 0.5) / (having + 0.5))
