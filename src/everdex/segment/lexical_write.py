"""Writes lexical.bin: term batches of any size and order merged into one inverted index.

The bytes depend on the rows alone, not on how they were batched. Nothing is flushed to disk here: the segment
that holds the file is sealed as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from everdex.durable import storage_errors
from everdex.errors import InternalError, LimitExceeded
from everdex.numeric import np, npt
from everdex.segment import lexical_format as layout
from everdex.segment.lexical_format import Section
from everdex.terms.model import FIELD_COUNT, TermBatch
from everdex.terms.vocabulary import hash_terms, order_by_hash
from everdex.versions import ARTIFACTS

_TF_BITS: Final = 8
_FIELD_BITS: Final = 3
_MAX_OFFSET: Final = (1 << 32) - 1

Arrays = dict[Section, npt.NDArray[Any]]


def write_lexical(path: Path, batches: Iterable[tuple[int, TermBatch]], n_docs: int) -> None:
    """Write the index of documents 0 … n_docs-1; each `(doc_base, batch)` holds a run of them."""
    merged = _Merge(n_docs)
    for doc_base, batch in batches:
        merged.add(doc_base, batch)
    _write(path, merged.finish(), n_docs)


class _Merge:
    """Postings as one integer each (term, field, document, tf from high bits to low): sorting is merging."""

    def __init__(self, n_docs: int) -> None:
        self._n_docs = n_docs
        self._doc_bits = max(n_docs, 1).bit_length()
        self._terms: dict[str, int] = {}
        self._keys: list[npt.NDArray[np.uint64]] = []
        self._lengths = np.zeros((n_docs, FIELD_COUNT), dtype=np.uint16)
        self._overlong = np.zeros(n_docs, dtype=np.bool_)
        self._covered = np.zeros(n_docs, dtype=np.bool_)

    @property
    def _term_shift(self) -> int:
        return _TF_BITS + self._doc_bits + _FIELD_BITS

    def add(self, doc_base: int, batch: TermBatch) -> None:
        end = doc_base + batch.n_docs
        if not 0 <= doc_base <= end <= self._n_docs or self._covered[doc_base:end].any():
            raise InternalError(f"term batch covers documents {doc_base} to {end} of {self._n_docs}, or some twice")
        self._covered[doc_base:end] = True
        terms = self._terms
        numbers = np.array([terms.setdefault(term, len(terms)) for term in batch.vocabulary], dtype=np.uint64)
        if len(terms) >> (64 - self._term_shift):
            raise LimitExceeded(f"{len(terms)} terms in {self._n_docs} chunks are more than one index can hold")
        keys = numbers[batch.posting_terms] if len(numbers) else np.zeros(0, dtype=np.uint64)
        keys = (keys << np.uint64(_FIELD_BITS)) | batch.posting_fields
        keys = (keys << np.uint64(self._doc_bits)) | (batch.posting_docs.astype(np.uint64) + np.uint64(doc_base))
        self._keys.append((keys << np.uint64(_TF_BITS)) | np.minimum(batch.posting_tfs, layout.MAX_TF))
        self._lengths[doc_base:end] = np.minimum(batch.lengths, layout.MAX_LENGTH)
        self._overlong[doc_base:end] = batch.overlong

    def finish(self) -> Arrays:
        if not self._covered.all():
            raise InternalError(f"no term batch covers document {int(np.argmin(self._covered))}")
        vocabulary = list(self._terms)
        hashes = hash_terms(vocabulary)
        order = order_by_hash(vocabulary, hashes)
        keys = self._ranked(order)
        tfs = (keys & np.uint64(layout.MAX_TF)).astype(np.uint8)
        keys >>= np.uint64(_TF_BITS)
        small = self._n_docs <= layout.SMALL_DOCS
        docs = (keys & np.uint64((1 << self._doc_bits) - 1)).astype(np.uint16 if small else np.uint32)
        keys >>= np.uint64(self._doc_bits)
        entries = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))
        entry_keys = keys[entries]
        encoded = [vocabulary[number].encode() + b"\n" for number in order.tolist()]
        return {
            Section.HASHES: hashes[order],
            Section.TERM_OFFSETS: _offsets(np.array([len(term) for term in encoded], dtype=np.int64)),
            Section.TERM_TEXT: np.frombuffer(b"".join(encoded), dtype=np.uint8),
            Section.ENTRY_OFFSETS: _offsets(
                np.bincount((entry_keys >> np.uint64(_FIELD_BITS)).astype(np.int64), minlength=len(encoded))
            ),
            Section.ENTRY_FIELDS: (entry_keys & np.uint64((1 << _FIELD_BITS) - 1)).astype(np.uint8),
            Section.POSTING_OFFSETS: _offsets(np.diff(np.append(entries, len(keys)))),
            Section.POSTING_DOCS: docs,
            Section.POSTING_TFS: tfs,
            Section.LENGTHS: self._lengths.reshape(-1),
            Section.OVERLONG: np.packbits(self._overlong, bitorder="little"),
        }

    def _ranked(self, order: npt.NDArray[np.int64]) -> npt.NDArray[np.uint64]:
        """All postings with provisional term numbers replaced by ranks, sorted; frees the batches on the way."""
        ranks = np.zeros(len(order), dtype=np.uint64)
        ranks[order] = np.arange(len(order), dtype=np.uint64)
        shift = np.uint64(self._term_shift)
        below = np.uint64((1 << self._term_shift) - 1)
        merged = np.zeros(sum(map(len, self._keys)), dtype=np.uint64)
        at = 0
        while self._keys:
            keys = self._keys.pop()
            merged[at : at + len(keys)] = (ranks[keys >> shift] << shift) | (keys & below)
            at += len(keys)
        merged.sort()
        return merged


def _offsets(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    if offsets[-1] > _MAX_OFFSET:
        raise LimitExceeded(f"a segment's inverted index has {offsets[-1]} elements; at most {_MAX_OFFSET} fit")
    return offsets.astype(np.uint32)


def _write(path: Path, arrays: Arrays, n_docs: int) -> None:
    at = layout.aligned(layout.HEADER.size + layout.SECTION.size * len(arrays))
    table = b""
    for section, array in arrays.items():
        table += layout.SECTION.pack(section, array.itemsize, at, len(array))
        at = layout.aligned(at + array.nbytes)
    version = ARTIFACTS["chunk_row"].writable
    with storage_errors(path), open(path, "xb") as stream:
        stream.write(layout.HEADER.pack(layout.MAGIC, version, len(arrays), n_docs, at) + table)
        for array in arrays.values():
            stream.write(b"\0" * (layout.aligned(stream.tell()) - stream.tell()))
            stream.write(array.astype(array.dtype.newbyteorder("<"), copy=False).data)
        stream.write(b"\0" * (at - stream.tell()))
