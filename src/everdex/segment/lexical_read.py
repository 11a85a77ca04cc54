"""Reads lexical.bin: one mapping, arrays that are views of it, and nothing believed without a bounds check.

The segment's checksum is verified elsewhere; here a damaged or hostile file can only end in `Corrupt` or
`Incompatible`, never in a crash. It knows terms, fields and documents of one segment, nothing of liveness.
"""

from __future__ import annotations

import mmap
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from everdex.errors import Corrupt
from everdex.numeric import distinct, np, npt
from everdex.segment import lexical_format as layout
from everdex.segment.lexical_format import Section
from everdex.terms.model import FIELD_COUNT, Field, TermBatch
from everdex.terms.vocabulary import hash_terms
from everdex.versions import check_readable

Postings = tuple[npt.NDArray[Any], npt.NDArray[np.uint8]]  # documents (u16 or u32, ascending), term frequencies


class LexicalReader:
    """The inverted index of one segment."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with open(path, "rb") as stream:
                self._map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError as error:
            raise Corrupt(f"{path} is missing") from error
        except ValueError as error:  # an empty file cannot be mapped
            raise Corrupt(f"{path} is empty") from error
        self.n_docs, sections = self._read_header()
        self._sections = sections
        self._hashes = sections[Section.HASHES]
        self.n_terms = len(self._hashes)
        self._sound = False
        self._check_sizes()
        self.lengths: npt.NDArray[np.uint16] = sections[Section.LENGTHS].reshape(self.n_docs, FIELD_COUNT)

    def _read_header(self) -> tuple[int, dict[Section, npt.NDArray[Any]]]:
        size = len(self._map)
        if size < layout.HEADER.size:
            raise Corrupt(f"{self._path} is truncated")
        magic, version, count, n_docs, file_size = layout.HEADER.unpack_from(self._map)
        if magic != layout.MAGIC:
            raise Corrupt(f"{self._path} is not an inverted index")
        check_readable("chunk_row", version, str(self._path))
        table_end = layout.HEADER.size + count * layout.SECTION.size
        if file_size != size or count != len(Section) or table_end > size:
            raise Corrupt(f"{self._path} is truncated or damaged: {size} bytes, {file_size} expected")
        sections = {}
        for section in Section:
            number, width, offset, length = layout.SECTION.unpack_from(
                self._map, layout.HEADER.size + section * layout.SECTION.size
            )
            if number != section or width not in layout.ALLOWED[section]:
                raise Corrupt(f"{self._path}: section {section.name} is damaged")
            if not table_end <= offset <= size or length > (size - offset) // width:
                raise Corrupt(f"{self._path}: section {section.name} lies outside the file")
            sections[section] = np.frombuffer(self._map, dtype=layout.DTYPES[width], count=length, offset=offset)
        return n_docs, sections

    def _check_sizes(self) -> None:
        lengths = {section: len(array) for section, array in self._sections.items()}
        if not (
            lengths[Section.TERM_OFFSETS] == lengths[Section.ENTRY_OFFSETS] == self.n_terms + 1
            and lengths[Section.POSTING_OFFSETS] == lengths[Section.ENTRY_FIELDS] + 1
            and lengths[Section.POSTING_DOCS] == lengths[Section.POSTING_TFS]
            and lengths[Section.LENGTHS] == self.n_docs * FIELD_COUNT
            and lengths[Section.OVERLONG] == -(-self.n_docs // 8)
        ):
            raise Corrupt(f"{self._path}: the sections do not fit each other")

    @property
    def overlong(self) -> npt.NDArray[np.bool_]:
        """Documents with a token that the vocabulary knows only in part."""
        bits = np.unpackbits(self._sections[Section.OVERLONG], count=self.n_docs, bitorder="little")
        return bits.astype(np.bool_)

    def _checked(self) -> dict[Section, npt.NDArray[Any]]:
        """The sections, after one look at every number that is used as an index; the first lookup pays."""
        if not self._sound:
            for offsets, target in (
                (Section.TERM_OFFSETS, Section.TERM_TEXT),
                (Section.ENTRY_OFFSETS, Section.ENTRY_FIELDS),
                (Section.POSTING_OFFSETS, Section.POSTING_DOCS),
            ):
                values = self._sections[offsets]
                if values[0] != 0 or values[-1] != len(self._sections[target]) or (values[1:] < values[:-1]).any():
                    raise Corrupt(f"{self._path}: {offsets.name} is damaged")
            text = self._sections[Section.TERM_TEXT]
            if len(text) and text[-1] != ord("\n"):
                raise Corrupt(f"{self._path}: the last term has no end")
            if int(self._sections[Section.ENTRY_FIELDS].max(initial=0)) >= FIELD_COUNT:
                raise Corrupt(f"{self._path}: a posting names an unknown field")
            if int(self._sections[Section.POSTING_DOCS].max(initial=0)) >= max(self.n_docs, 1):
                raise Corrupt(f"{self._path}: a posting names a document that does not exist")
            self._sound = True
        return self._sections

    def lookup(self, terms: Sequence[str], hashes: npt.NDArray[np.uint64] | None = None) -> list[dict[int, Postings]]:
        """For each term its postings by field; empty when the segment does not have it."""
        sections = self._checked()
        wanted = hash_terms(terms) if hashes is None else hashes
        docs, tfs = sections[Section.POSTING_DOCS], sections[Section.POSTING_TFS]
        found: list[dict[int, Postings]] = [{} for _ in terms]
        for place, number in self._find(terms, wanted):
            found[place] = {field: (docs[start:stop], tfs[start:stop]) for field, start, stop in self._entries(number)}
        return found

    def _find(self, terms: Sequence[str], wanted: npt.NDArray[np.uint64]) -> Iterator[tuple[int, int]]:
        """(index in `terms`, term number) of those that exist; anybody can craft a hash collision."""
        if self.n_terms == 0:
            return
        starts = self._hashes.searchsorted(wanted)
        hits = self._hashes[np.minimum(starts, self.n_terms - 1)] == wanted
        for place, (number, hit) in enumerate(zip(starts.tolist(), hits.tolist(), strict=True)):
            text = terms[place].encode() if hit else b""
            while hit:
                if self.term_bytes(number) == text:
                    yield place, number
                    break
                number += 1
                hit = number < self.n_terms and self._hashes[number] == wanted[place]

    def term_bytes(self, number: int) -> bytes:
        sections = self._sections if self._sound else self._checked()
        start, stop = sections[Section.TERM_OFFSETS][number : number + 2].tolist()
        return sections[Section.TERM_TEXT][start : max(start, stop - 1)].tobytes()

    def _entries(self, number: int) -> Iterator[tuple[int, int, int]]:
        """(field, first posting, end of postings) for every field of a term."""
        # Plain slices: for the few fields of one term they are several times faster than gathering.
        first, last = self._sections[Section.ENTRY_OFFSETS][number : number + 2].tolist()
        fields = self._sections[Section.ENTRY_FIELDS][first:last].tolist()
        bounds = self._sections[Section.POSTING_OFFSETS][first : last + 1].tolist()
        return zip(fields, bounds, bounds[1:], strict=False)

    def vocabulary_places(
        self, needle: bytes
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], npt.NDArray[np.uint8]]:
        """Where these bytes (of folded UTF-8 text) stand in the vocabulary, in order: number of the term, the
        byte before and the byte after; a line feed where the term begins or ends."""
        if not needle or b"\n" in needle:
            raise ValueError("a needle is a non-empty piece of one term")
        sections = self._checked()
        text = sections[Section.TERM_TEXT]
        hits = np.fromiter(_every_place(text.tobytes(), needle), dtype=np.int64)
        numbers = np.searchsorted(sections[Section.TERM_OFFSETS], hits, side="right").astype(np.int64) - 1
        before = np.where(hits > 0, text[hits - 1], ord("\n")).astype(np.uint8)
        return numbers, before, text[hits + len(needle)]

    def postings_of(
        self, numbers: npt.NDArray[np.int64], fields: Collection[int] = tuple(Field)
    ) -> npt.NDArray[np.bool_]:
        """Which documents have any of these terms in any of these fields: one flag per document."""
        docs = self._checked()[Section.POSTING_DOCS]
        has = np.zeros(self.n_docs, dtype=np.bool_)
        for number in numbers.tolist():
            for field, start, stop in self._entries(number):
                if field in fields:
                    has[docs[start:stop]] = True
        return has

    def read_batch(self, keep: npt.NDArray[np.int64]) -> TermBatch:
        """The postings of some documents as if freshly extracted; new document i is old `keep[i]`."""
        sections = self._checked()
        renumbered = np.full(self.n_docs, -1, dtype=np.int64)
        renumbered[keep] = np.arange(len(keep), dtype=np.int64)
        docs = renumbered[sections[Section.POSTING_DOCS]]
        kept = np.flatnonzero(docs >= 0)
        entry_of = _owners(sections[Section.POSTING_OFFSETS])[kept]
        term_of_entry = _owners(sections[Section.ENTRY_OFFSETS])
        terms = term_of_entry[entry_of]
        used = distinct(terms)
        places = np.zeros(self.n_terms, dtype=np.int64)
        places[used] = np.arange(len(used), dtype=np.int64)
        fields = sections[Section.ENTRY_FIELDS][entry_of]
        docs = docs[kept]
        if (keep[1:] > keep[:-1]).all():
            order = np.arange(len(kept), dtype=np.int64)
        else:  # within an entry the new numbers stand in another order than the old ones
            order = np.lexsort((docs, entry_of))
        return TermBatch(
            n_docs=len(keep),
            vocabulary=self._texts(used),
            posting_terms=places[terms][order].astype(np.uint32),
            posting_fields=fields[order],
            posting_docs=docs[order].astype(np.uint32),
            posting_tfs=sections[Section.POSTING_TFS][kept][order].astype(np.uint16),
            lengths=self.lengths[keep].astype(np.uint32),
            overlong=self.overlong[keep],
        )

    def _texts(self, numbers: npt.NDArray[np.int64]) -> list[str]:
        text = self._sections[Section.TERM_TEXT].tobytes()
        starts = self._sections[Section.TERM_OFFSETS][numbers].tolist()
        stops = self._sections[Section.TERM_OFFSETS][numbers + 1].tolist()
        try:
            return [text[start : stop - 1].decode() for start, stop in zip(starts, stops, strict=True)]
        except UnicodeDecodeError as error:
            raise Corrupt(f"{self._path}: a term is not UTF-8") from error


def _every_place(text: bytes, needle: bytes) -> Iterator[int]:
    """Offsets of a needle, those that overlap included."""
    at = text.find(needle)
    while at >= 0:
        yield at
        at = text.find(needle, at + 1)


def _owners(offsets: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
    """Which owner each element belongs to, when owner i has elements offsets[i] to offsets[i+1]."""
    lengths = offsets[1:].astype(np.int64) - offsets[:-1]
    return np.repeat(np.arange(len(lengths), dtype=np.int64), lengths)
