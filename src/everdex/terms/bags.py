"""Counting: files become postings for the inverted index and word counts for embedding.

A batch's result is a pure function of its files: ids of the process-wide token table never leave. Python
runs once per piece of text; everything per occurrence is numpy. It knows nothing of scores or vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import Final

from everdex.errors import InternalError
from everdex.numeric import np
from everdex.parse.model import ParsedFile
from everdex.terms import split
from everdex.terms.model import FIELD_COUNT, Bags, Field, TermBatch, WordBags
from everdex.terms.vocabulary import Ints, TokenTable, hash_terms, order_by_hash

_COUNT_BITS: Final = 16
_MAX_COUNT: Final = (1 << _COUNT_BITS) - 1
# Bytes that can stand inside a word; those of a longer UTF-8 sequence are taken to, so that it stays whole.
_WORD_BYTES: Final = frozenset(byte for byte in range(256) if byte >= 128 or split.WORD.match(chr(byte)))


class BagExtractor:
    """Extracts bags batch after batch, remembering tokens between batches up to a bound."""

    def __init__(self) -> None:
        self._table = TokenTable()

    def extract(self, files: Iterable[tuple[str, bytes, ParsedFile]]) -> Bags:
        """Count `(path_key, data, parsed)` files; documents are their chunks in order."""
        if self._table.full:
            self._table = TokenTable()
        return _Batch(files).count(self._table)


class _Batch:
    """The tokens of a batch, flat, with one (slot, length) per piece of text.

    A slot is document × FIELD_COUNT + field, so one number says where a token stands.
    """

    def __init__(self, files: Iterable[tuple[str, bytes, ParsedFile]]) -> None:
        self.tokens: list[str] = []
        self.slots: list[int] = []
        self.lengths: list[int] = []
        self.path_tokens: list[str] = []
        self.path_lengths: list[int] = []
        self.doc_files: list[int] = []
        self.crumb_tokens: list[str] = []
        self.crumb_lengths: list[int] = []
        self.cut_docs: list[int] = []  # the edge of a chunk goes through a word of theirs
        for path_key, data, parsed in files:
            self._add_file(path_key, data, parsed)

    def _add(self, slot: int, words: Sequence[str]) -> None:
        if words:
            self.tokens.extend(words)
            self.slots.append(slot)
            self.lengths.append(len(words))

    def _add_file(self, path_key: str, data: bytes, parsed: ParsedFile) -> None:
        find = split.WORD.findall
        path_words = find(path_key)
        repeated_stem = path_words + find(PurePosixPath(path_key).stem)
        first = len(self.doc_files) * FIELD_COUNT
        for start, end, chunk, is_doc in _pieces(data, parsed):
            text = data[start:end].decode("utf-8", "replace")
            self._add(first + chunk * FIELD_COUNT + (Field.DOC if is_doc else Field.BODY), find(text))
        for index, chunk_ in enumerate(parsed.chunks):
            slot = first + index * FIELD_COUNT
            edge = chunk_.start_byte
            if edge and data[edge - 1] in _WORD_BYTES and edge < len(data) and data[edge] in _WORD_BYTES:
                document = len(self.doc_files) + index
                self.cut_docs += (document - 1, document) if index else (document,)
            crumbs = find("\n".join(chunk_.breadcrumb))
            self.crumb_tokens.extend(crumbs)
            self.crumb_lengths.append(len(crumbs))
            defined = [parsed.symbols[number] for number in chunk_.defines]
            self._add(slot + Field.NAME, crumbs + find("\n".join([symbol.name for symbol in defined])))
            self._add(slot + Field.PATH, repeated_stem)
            self._add(slot + Field.SIGNATURE, find("\n".join([symbol.signature for symbol in defined])))
        self.doc_files.extend([len(self.path_lengths)] * len(parsed.chunks))
        self.path_tokens.extend(path_words)
        self.path_lengths.append(len(path_words))

    def count(self, table: TokenTable) -> Bags:
        n_docs = len(self.doc_files)
        slots = np.repeat(np.array(self.slots, dtype=np.int64), np.array(self.lengths, dtype=np.int64))
        slots, ids, counts = _distinct(slots, table.ids(self.tokens))
        crumb_docs = np.repeat(np.arange(n_docs, dtype=np.int64), np.array(self.crumb_lengths, dtype=np.int64))
        crumbs = table.ids(self.crumb_tokens)
        path_files = np.repeat(
            np.arange(len(self.path_lengths), dtype=np.int64), np.array(self.path_lengths, dtype=np.int64)
        )
        paths = table.ids(self.path_tokens)
        text = np.isin(slots % FIELD_COUNT, (Field.BODY, Field.DOC))
        return Bags(
            terms=_term_batch(table, n_docs, slots, ids, counts, self.cut_docs),
            chunk_words=_word_bags(
                table,
                n_docs,
                np.concatenate([slots[text] // FIELD_COUNT, crumb_docs]),
                np.concatenate([ids[text], crumbs]),
                np.concatenate([counts[text], np.ones(len(crumbs), dtype=np.int64)]),
            ),
            path_words=_word_bags(
                table, len(self.path_lengths), path_files, paths, np.ones(len(paths), dtype=np.int64)
            ),
            doc_files=np.array(self.doc_files, dtype=np.uint32),
        )


def _pieces(data: bytes, parsed: ParsedFile) -> Iterator[tuple[int, int, int, bool]]:
    """(start, end, chunk index, is documentation): every chunk cut at the edges of the doc ranges."""
    ranges = parsed.doc_ranges
    at = 0
    for index, chunk in enumerate(parsed.chunks):
        position, end = chunk.start_byte, chunk.end_byte
        while at and ranges[at - 1][1] > position:  # chunks may restart inside a range they share
            at -= 1
        while position < end:
            while at < len(ranges) and ranges[at][1] <= position:
                at += 1
            if at == len(ranges) or ranges[at][0] >= end:
                yield position, end, index, False
                break
            start, stop = ranges[at]
            if start > position:
                cut = _past_word(data, start, end)
                yield position, cut, index, False
                position = cut
            else:
                cut = _past_word(data, min(stop, end), end)
                yield position, cut, index, True
                position = cut


def _past_word(data: bytes, cut: int, end: int) -> int:
    """Move a cut to the end of the word it would split: half a token would hide from a regex."""
    if data[cut - 1] in _WORD_BYTES:
        while cut < end and data[cut] in _WORD_BYTES:
            cut += 1
    return cut


def _distinct(groups: Ints, ids: Ints) -> tuple[Ints, Ints, Ints]:
    """Distinct (group, id) pairs, ascending, with how often each occurs."""
    keys = np.sort(groups << 32 | ids)
    edges = np.flatnonzero(np.diff(keys, prepend=-1))
    counts = np.diff(np.append(edges, len(keys)))
    keys = keys[edges]
    return keys >> 32, keys & 0xFFFFFFFF, counts


def _summed(keys: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Distinct keys, ascending, with the sum of their counts (each at most 65,535)."""
    if len(keys) == 0:
        return keys, counts
    if int(keys.max()) >> (62 - _COUNT_BITS):
        raise InternalError("a batch of files is too large to count; hand over fewer files at a time")
    # The count rides in the low bits: sorting plain integers is several times faster than an argsort.
    packed = np.sort(keys << _COUNT_BITS | np.minimum(counts, _MAX_COUNT))
    keys = packed >> _COUNT_BITS
    edges = np.flatnonzero(np.diff(keys, prepend=-1))
    return keys[edges], np.add.reduceat(packed & _MAX_COUNT, edges)


def _used(ids: Ints, size: int) -> Ints:
    seen = np.zeros(size, dtype=np.bool_)
    seen[ids] = True
    return np.flatnonzero(seen)


def _renumber(used: Ints, order: Ints, size: int) -> Ints:
    """table id -> place among the used ids after sorting them by `order`."""
    places = np.zeros(size, dtype=np.int64)
    places[used[order]] = np.arange(len(used), dtype=np.int64)
    return places


def _term_batch(table: TokenTable, n_docs: int, slots: Ints, ids: Ints, counts: Ints, cut_docs: list[int]) -> TermBatch:
    positions, terms = table.term_lists.expand(ids)
    slots_of, counts_of = slots[positions], counts[positions]
    names = list(table.terms)
    used = _used(terms, len(names))
    vocabulary = [names[number] for number in used.tolist()]
    order = order_by_hash(vocabulary, hash_terms(vocabulary))
    places = _renumber(used, order, len(names))
    span = max(n_docs, 1)
    keys, tfs = _summed(
        (places[terms] * FIELD_COUNT + slots_of % FIELD_COUNT) * span + slots_of // FIELD_COUNT, counts_of
    )
    entries = keys // span
    overlong = np.zeros(n_docs, dtype=np.bool_)
    # Only the text can be asked for by regex; a long path or signature hides nothing in it.
    in_text = np.isin(slots % FIELD_COUNT, (Field.BODY, Field.DOC))
    overlong[slots[table.overlong()[ids] & in_text] // FIELD_COUNT] = True
    overlong[cut_docs] = True
    lengths = np.bincount(slots_of, weights=counts_of, minlength=n_docs * FIELD_COUNT)
    return TermBatch(
        n_docs=n_docs,
        vocabulary=[vocabulary[place] for place in order.tolist()],
        posting_terms=(entries // FIELD_COUNT).astype(np.uint32),
        posting_fields=(entries % FIELD_COUNT).astype(np.uint8),
        posting_docs=(keys % span).astype(np.uint32),
        posting_tfs=np.minimum(tfs, _MAX_COUNT).astype(np.uint16),
        lengths=lengths.astype(np.uint32).reshape(n_docs, FIELD_COUNT),
        overlong=overlong,
    )


def _word_bags(table: TokenTable, n_items: int, items: Ints, ids: Ints, counts: Ints) -> WordBags:
    positions, words = table.word_lists.expand(ids)
    names = list(table.words)
    used = _used(words, len(names))
    vocabulary = [names[number] for number in used.tolist()]
    order = np.array(sorted(range(len(vocabulary)), key=vocabulary.__getitem__), dtype=np.int64)
    places = _renumber(used, order, len(names))
    span = max(len(vocabulary), 1)
    keys, totals = _summed(items[positions] * span + places[words], counts[positions])
    offsets = np.zeros(n_items + 1, dtype=np.int64)
    np.cumsum(np.bincount(keys // span, minlength=n_items), out=offsets[1:])
    return WordBags(
        vocabulary=[vocabulary[place] for place in order.tolist()],
        offsets=offsets,
        ids=(keys % span).astype(np.uint32),
        counts=totals.astype(np.uint32),
    )
