"""A pinned snapshot with its live documents in one canonical order.

Documents are the live rows ordered by path and place in the file, numbered from 0: the docId. The
numbering does not depend on how rows are spread over segments, so neither does anything computed in it.
Nobody outside this module sees a dead row (IDX.MUST.001).
"""

from __future__ import annotations

import string
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Final

import msgspec

from everdex.errors import Corrupt
from everdex.memory import remembering
from everdex.numeric import np, npt
from everdex.segment.files import FileLine
from everdex.segment.model import ChunkRow, SymbolRow
from everdex.segment.read import SegmentReader
from everdex.snapshot import active
from everdex.snapshot.guard import hold_shared
from everdex.snapshot.live import LiveFile, live_map
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.store import Store

# Documents whose definitions are kept in memory: a few hundred bytes each.
_MAX_REMEMBERED: Final = 20_000
# A segment of so few rows is asked for a name only when it has it.
_SMALL_ROWS: Final = 512
_ASCII_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
# Whole documents: a few thousand bytes each.
_MAX_DOCUMENTS: Final = 2_000


class Document(msgspec.Struct, frozen=True):
    """A live chunk and its docId."""

    doc_id: int
    row: ChunkRow


class SnapshotView:
    """Everything a query may know of one snapshot. Opened by `open_view` and `open_kept_view` only."""

    def __init__(self, store: Store, manifest: Manifest, warnings: tuple[str, ...]) -> None:
        self.store = store
        self.manifest = manifest
        self.warnings = warnings
        live = live_map(store.path, manifest)
        if sum(live.live_rows) != manifest.counts.chunks_indexed:
            raise Corrupt(
                f"snapshot {manifest.snapshot_id} has {sum(live.live_rows)} live rows; "
                f"its manifest says {manifest.counts.chunks_indexed}"
            )
        self.segments = tuple(SegmentReader(store.path / reference.path) for reference in manifest.segments)
        rows = [reference.rows for reference in manifest.segments]
        self.bases: tuple[int, ...] = tuple(int(n) for n in np.cumsum([0, *rows])[:-1])
        self.row_count: int = sum(rows)
        self._live = live.files
        self._definitions: dict[int, list[tuple[str, str, str]]] = {}
        self._document = remembering(self._read_document, _MAX_DOCUMENTS)
        self.paths: tuple[str, ...] = tuple(sorted(key for key, file in live.files.items() if file.file_no >= 0))
        self._files: list[LiveFile] = [live.files[path_key] for path_key in self.paths]
        counts = np.array([file.line.rows for file in self._files], dtype=np.int64)
        starts = np.array(
            [self.bases[file.segment] + file.first_row for file in self._files], dtype=np.int64
        )
        # first document of each file, and one past the last
        self.file_offsets: npt.NDArray[np.int64] = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        self.doc_files: npt.NDArray[np.int64] = np.repeat(np.arange(len(counts)), counts)
        self.doc_rows: npt.NDArray[np.int64] = (
            np.arange(len(self.doc_files)) - np.repeat(self.file_offsets[:-1] - starts, counts)
        )

    @property
    def doc_count(self) -> int:
        return len(self.doc_rows)

    def close(self) -> None:
        self._document.cache_clear()
        for segment in self.segments:
            segment.close()

    def document(self, doc_id: int) -> Document:
        """A live chunk; remembered for a while."""
        return self._document(doc_id)

    def _read_document(self, doc_id: int) -> Document:
        file = self._files[int(self.doc_files[doc_id])]
        local = int(self.doc_rows[doc_id]) - self.bases[file.segment]
        return Document(doc_id, self.segments[file.segment].rows.chunk(local))

    def documents_of(self, path_key: str) -> list[Document]:
        """Every chunk of a live file, in order."""
        index = self.file_index(path_key)
        file = self._files[index]
        first = int(self.file_offsets[index])
        rows = self.segments[file.segment].rows.chunks(file.file_no)
        return [Document(first + number, row) for number, row in enumerate(rows)]

    def chunk_starts(self, path_key: str) -> tuple[int, list[int]]:
        """The docId of a live file's first chunk, and where each of its chunks begins."""
        index = self.file_index(path_key)
        file = self._files[index]
        starts = self.segments[file.segment].rows.row_starts(range(file.first_row, file.first_row + file.line.rows))
        return int(self.file_offsets[index]), starts

    def file_index(self, path_key: str) -> int:
        """Place of a live file in `paths`; KeyError when it has none."""
        index = bisect_left(self.paths, path_key)
        if index == len(self.paths) or self.paths[index] != path_key:
            raise KeyError(path_key)
        return index

    def source(self, path_key: str) -> bytes:
        """A live file's bytes as they were indexed."""
        file = self._files[self.file_index(path_key)]
        return self.segments[file.segment].rows.source(file.file_no)

    @cached_property
    def file_places(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Of each file of `paths`: its segment, and its file_no there."""
        segments = np.array([file.segment for file in self._files], dtype=np.int64)
        return segments, np.array([file.file_no for file in self._files], dtype=np.int64)

    def file_line(self, path_key: str) -> FileLine | None:
        """What the snapshot knows of one file, also of one that was skipped for its content; None for any other."""
        file = self._live.get(path_key)
        return None if file is None else file.line

    def file_lines(self) -> Iterator[FileLine]:
        """Every file the snapshot knows, also those skipped for their content, by path."""
        for path_key in sorted(self._live):
            yield self._live[path_key].line

    @cached_property
    def file_languages(self) -> tuple[str, ...]:
        """Language of each file of `paths`."""
        by_segment = [
            {file_no: language for file_no, _, language, *_ in segment.rows.files()} for segment in self.segments
        ]
        return tuple(by_segment[file.segment][file.file_no] for file in self._files)

    @cached_property
    def file_contents(self) -> tuple[str, ...]:
        """Content hash of each file of `paths`."""
        return tuple([file.line.content_hash for file in self._files])

    def symbols_named(self, name: str) -> list[SymbolRow]:
        """Live definitions with this name (ASCII case ignored), by path and place."""
        large, by_name = self._named
        found = [
            symbol
            for index in (*large, *by_name.get(name.translate(_ASCII_LOWER), ()))
            for symbol in self.segments[index].rows.symbols_named(name)
            if self._is_live(index, symbol.path_key)
        ]
        return sorted(found, key=lambda symbol: (symbol.path_key, symbol.start_byte, symbol.end_byte))

    def symbols_like(self, is_wanted: Callable[[str], bool]) -> list[SymbolRow]:
        """Live definitions whose name is wanted, by path and place."""
        found: list[SymbolRow] = []
        for index, segment in enumerate(self.segments):
            names = list(filter(is_wanted, {name for _, name in segment.rows.all_symbols()}))
            found += [row for row in segment.rows.symbols_with(names) if self._is_live(index, row.path_key)]
        return sorted(found, key=lambda row: (row.path_key, row.start_byte, row.end_byte))

    @cached_property
    def _named(self) -> tuple[list[int], dict[str, list[int]]]:
        """Segments that must be asked for any name, and small ones by the names they hold: asking each takes long."""
        large: list[int] = []
        by_name: dict[str, list[int]] = {}
        for index, (segment, reference) in enumerate(zip(self.segments, self.manifest.segments, strict=True)):
            if reference.rows > _SMALL_ROWS:
                large.append(index)
            else:
                for folded in {name.translate(_ASCII_LOWER) for _, name in segment.rows.all_symbols()}:
                    by_name.setdefault(folded, []).append(index)
        return large, by_name

    def symbols_of(self, path_key: str) -> list[SymbolRow]:
        """Definitions of one live file, in order."""
        file = self._files[self.file_index(path_key)]
        return self.segments[file.segment].rows.symbols_of(file.file_no)

    def symbols_in(self, doc_id: int) -> list[SymbolRow]:
        """Definitions that begin in one document, in order."""
        segment = self._files[int(self.doc_files[doc_id])].segment
        return self.segments[segment].rows.symbols_in(int(self.doc_rows[doc_id]) - self.bases[segment])

    def description(self, symbol: SymbolRow) -> tuple[str, str]:
        """Signature and first sentence of documentation of a live definition."""
        file = self._files[self.file_index(symbol.path_key)]
        return self.segments[file.segment].rows.descriptions(file.file_no)[symbol.place]

    def definitions(self, doc_ids: Sequence[int]) -> dict[int, list[tuple[str, str, str]]]:
        """docId -> (name, container, kind) of every definition that starts in it; remembered for a while."""
        # Several threads may ask at once: what is remembered is complete before it can be seen.
        if len(self._definitions) > _MAX_REMEMBERED:
            self._definitions = {}
        remembered = self._definitions
        found = {doc_id: remembered[doc_id] for doc_id in doc_ids if doc_id in remembered}
        fresh: dict[int, list[tuple[str, str, str]]] = {doc_id: [] for doc_id in doc_ids if doc_id not in found}
        by_segment: dict[int, dict[int, int]] = {}
        wanted = list(fresh)
        for doc_id, file, row in zip(
            wanted, self.doc_files[wanted].tolist(), self.doc_rows[wanted].tolist(), strict=True
        ):
            segment = self._files[file].segment
            by_segment.setdefault(segment, {})[row - self.bases[segment]] = doc_id
        for segment, rows in by_segment.items():
            for row_no, name, container, kind in self.segments[segment].rows.names_defined(tuple(rows)):
                fresh[rows[row_no]].append((name, container, kind))
        remembered.update(fresh)
        return {**found, **fresh}

    def all_symbol_names(self) -> Iterator[tuple[int, str]]:
        """(docId, name) of every live definition."""
        rows_to_docs = np.full(self.row_count, -1, dtype=np.int64)
        rows_to_docs[self.doc_rows] = np.arange(self.doc_count)
        for base, segment in zip(self.bases, self.segments, strict=True):
            for row_no, name in segment.rows.all_symbols():
                doc_id = int(rows_to_docs[base + row_no])
                if doc_id >= 0:
                    yield doc_id, name

    def doc_of(self, path_key: str, row_no: int) -> int:
        """The docId of a row number as stored with a live file's symbols."""
        index = self.file_index(path_key)
        return int(self.file_offsets[index]) + row_no - self._files[index].first_row

    def compressed_sources(self, indexes: Iterable[int]) -> Iterator[tuple[int, bytes]]:
        """(file index, zlib bytes) of these live files."""
        for index in indexes:
            file = self._files[index]
            for _, blob in self.segments[file.segment].rows.sources((file.file_no,)):
                yield index, blob

    def _is_live(self, segment: int, path_key: str) -> bool:
        file = self._live.get(path_key)
        return file is not None and file.segment == segment


@contextmanager
def open_view(store: Store, snapshot_id: str | None = None) -> Iterator[SnapshotView]:
    """Pin a snapshot for as long as the block runs; GC waits meanwhile (IDX.MUST.005)."""
    with hold_shared(store.readers_lock, store.permissions):
        pinned = active.pin(store, snapshot_id)
        view = SnapshotView(store, pinned.manifest, pinned.warnings)
        try:
            yield view
        finally:
            view.close()


def open_kept_view(store: Store) -> SnapshotView:
    """A view of the active snapshot for a reader that lives on between questions; the caller closes it.

    The readers' lock is not kept, or no daemon would ever let GC run: each question takes it again and makes
    sure, under it, that this snapshot is still the active one, which GC never touches.
    """
    with hold_shared(store.readers_lock, store.permissions):
        pinned = active.pin(store)
        return SnapshotView(store, pinned.manifest, pinned.warnings)
