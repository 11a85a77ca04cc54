"""What parsing hands to identity, embedding and storage. Bytes are half-open, lines 1-based inclusive."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class ParseStatus(StrEnum):
    PARSED = "parsed"
    PARTIAL = "partial"  # the grammar recovered from errors: symbols outside them are right
    WINDOWS = "windows"  # no grammar, or it failed: line windows


class Symbol(msgspec.Struct, frozen=True):
    """A definition."""

    name: str
    qualified_name: str  # container chain inside the file, joined with '.'
    kind: str  # function, method, class, interface, struct, enum, type, module, constant, variable, field, heading, …
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    name_line: int  # where the name itself stands
    name_column: int  # 0-based, in bytes
    signature: str  # one line, whitespace collapsed, at most 240 characters
    doc: str  # first sentence of docstring or leading comment, at most 240 characters
    public: bool


class Chunk(msgspec.Struct, frozen=True):
    """A span of the file. The `text` chunks of a file cover it exactly once, in order."""

    ordinal: int
    kind: str  # 'text'
    start_byte: int
    end_byte: int
    start_line: int
    end_line: int
    language: str  # of this span: a fenced block's own language
    segment_id: str  # '' or 'md:fence:3', 'html:script:0', …
    breadcrumb: tuple[str, ...]  # enclosing definitions or headings, outermost first, its own name last
    symbol: int | None  # index into ParsedFile.symbols of the definition this chunk starts or continues
    defines: tuple[int, ...]  # indices of every symbol whose definition starts inside this chunk


class ParsedFile(msgspec.Struct, frozen=True):
    language: str
    status: ParseStatus
    chunks: tuple[Chunk, ...]
    symbols: tuple[Symbol, ...]  # in order of start_byte
    doc_ranges: tuple[tuple[int, int], ...]  # byte ranges of comments and docstrings, sorted, disjoint
