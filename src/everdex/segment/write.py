"""Writing segments into a staging directory: rows, vectors, inverted index and file list together.

Row n of rows.db, row n of vectors.i8 and document n of lexical.bin are the same chunk; the writer is
the only place where that is made true. The words of a segment are in memory until it is complete, so a large job fills
one segment after another: what it takes does not grow with the tree.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from everdex import limits
from everdex.durable import storage_errors
from everdex.errors import StorageFailure
from everdex.numeric import np
from everdex.segment.files import FileLine, encode_lines, file_line
from everdex.segment.lexical_write import write_lexical
from everdex.segment.model import FILES_NAME, LEXICAL_NAME, ROWS_NAME, VECTORS_NAME, RecordBatch
from everdex.segment.read import SegmentReader
from everdex.segment.rows import RowsWriter
from everdex.segment.vectors import VectorsWriter
from everdex.terms.model import TermBatch


@contextmanager
def _writing(directory: Path) -> Iterator[None]:
    """SQLite reports a full disk in its own words."""
    try:
        with storage_errors(directory):
            yield
    except sqlite3.OperationalError as error:
        raise StorageFailure(f"{directory / ROWS_NAME}: {error}") from error


Live = tuple[FileLine, int, int]  # a file's line, its number and its first row in the segment that holds it


class SegmentsWriter:
    """Fills directories `name`_0 and so on, each with at most `limits.SEGMENT_ROWS` rows; `close` completes the last.

    As a context manager it lets go of its files when the block fails: a full disk must get its space back.
    """

    def __init__(self, parent: Path, name: str, dim: int) -> None:
        self._parent, self._name, self._dim = parent, name, dim
        self._open: _SegmentWriter | None = None
        self._complete: list[tuple[Path, tuple[FileLine, ...]]] = []

    def add(self, batch: RecordBatch) -> None:
        """Append a batch of processed files."""
        if batch.files:
            self._with_room(batch.terms.n_docs).add(batch)

    def copy(self, segment: SegmentReader, lines: Sequence[Live]) -> None:
        """Append live files of an older segment: what compaction does."""
        piece: list[Live] = []
        rows = 0
        for live in lines:
            if rows + live[0].rows > self._room():
                if piece:
                    self._with_room(rows).copy(segment, piece)
                self._complete_open()
                piece, rows = [], 0
            piece.append(live)
            rows += live[0].rows
        if piece:
            self._with_room(rows).copy(segment, piece)

    def close(self) -> tuple[tuple[Path, tuple[FileLine, ...]], ...]:
        """Every segment that was filled, with the files in it."""
        self._complete_open()
        return tuple(self._complete)

    def _room(self) -> int:
        return limits.SEGMENT_ROWS - (self._open.rows if self._open is not None else 0)

    def _with_room(self, rows: int) -> _SegmentWriter:
        """The segment that takes so many more; one that holds nothing takes any number: a file is never divided."""
        if rows > self._room():
            self._complete_open()
        if self._open is None:
            self._open = _SegmentWriter(self._parent / f"{self._name}_{len(self._complete)}", self._dim)
        return self._open

    def _complete_open(self) -> None:
        if self._open is not None:
            self._complete.append((self._open.directory, self._open.close()))
            self._open = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None and self._open is not None:
            self._open.abandon()


class _SegmentWriter:
    """Fills one segment directory; `close` completes it and returns its file list."""

    def __init__(self, directory: Path, dim: int) -> None:
        self.directory = directory
        with _writing(directory):
            directory.mkdir()
            self._rows = RowsWriter(directory / ROWS_NAME)
            self._vectors = VectorsWriter(directory / VECTORS_NAME, dim)
        self._terms: list[tuple[int, TermBatch]] = []
        self._lines: list[FileLine] = []

    @property
    def rows(self) -> int:
        return self._rows.rows

    def add(self, batch: RecordBatch) -> None:
        with _writing(self.directory):
            self._terms.append((self._rows.rows, batch.terms))
            self._rows.add(batch.files)
            self._vectors.add(batch.vectors)
        self._lines.extend(file_line(record.file, len(record.parsed.chunks)) for record in batch.files)

    def copy(self, segment: SegmentReader, lines: Sequence[Live]) -> None:
        stored = [(line, file_no, first) for line, file_no, first in lines if file_no >= 0]
        rows = np.concatenate(
            [np.arange(first, first + line.rows) for line, _, first in stored] or [np.zeros(0, np.int64)]
        )
        files = np.array([file_no for _, file_no, _ in stored], dtype=np.int64)
        with _writing(self.directory):
            self._terms.append((self._rows.rows, segment.lexical.read_batch(rows)))
            self._rows.copy(segment.rows, files.tolist())
            self._vectors.add(segment.vectors.take(rows, files))
        self._lines.extend(line for line, _, _ in lines)

    def close(self) -> tuple[FileLine, ...]:
        with _writing(self.directory):
            total = self._rows.rows
            self._rows.close()
            self._vectors.close()
            write_lexical(self.directory / LEXICAL_NAME, self._terms, total)
            (self.directory / FILES_NAME).write_bytes(encode_lines(self._lines))
        return tuple(self._lines)

    def abandon(self) -> None:
        self._rows.abandon()
        self._vectors.abandon()
