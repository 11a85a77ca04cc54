"""What goes into a segment and what comes out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

# Names of types only: whoever wants a file's name from here must not pay for numpy and the grammars.
if TYPE_CHECKING:
    from everdex.changes.model import IndexedFile
    from everdex.identity.chunks import ChunkIdentity
    from everdex.parse.model import ParsedFile
    from everdex.segment.source import PackedSource
    from everdex.segment.vectors import VectorBatch
    from everdex.terms.model import TermBatch

ROWS_NAME = "rows.db"
VECTORS_NAME = "vectors.i8"
LEXICAL_NAME = "lexical.bin"
FILES_NAME = "files.jsonl"


class FileRecord(msgspec.Struct, frozen=True):
    """One file, ready to be stored. A file skipped by its content has no chunks and no source."""

    file: IndexedFile
    parsed: ParsedFile
    identities: tuple[ChunkIdentity, ...]
    source: PackedSource


class RecordBatch(msgspec.Struct, frozen=True):
    """Some files with the words and vectors of all their chunks, row by row in file order."""

    files: tuple[FileRecord, ...]
    terms: TermBatch
    vectors: VectorBatch


class ChunkRow(msgspec.Struct, frozen=True):
    """STORE's ChunkRow, as read back. Derived ids are computed, not stored twice."""

    row_id: str
    chunk_id: str
    path_key: str
    path_key_ci: str
    ordinal: int
    file_hash: str
    chunk_hash: str
    chunker_version: str
    kind: str
    text: str
    start_line: int
    end_line: int
    byte_start: int
    byte_end: int
    language: str
    segment_id: str
    symbol: str
    symbol_kind: str
    breadcrumb: tuple[str, ...]
    range_id: str  # IDENTITY's chunkId
    chunk_uid: str
    span_hash: str
    pre_hash: str
    post_hash: str
    collision_of: str | None


class SymbolRow(msgspec.Struct, frozen=True):
    """A definition as stored, with the row that holds its start."""

    path_key: str
    name: str
    qualified_name: str
    kind: str
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    name_line: int
    name_column: int
    public: bool
    row_no: int
    place: int  # among its file's definitions
