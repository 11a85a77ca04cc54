"""What goes in and out of the semantic layer: contexts, what was kept of a document, and what an import came to.

A context is one project as its own tools see it. What is kept of a document says what the names at some of its places
mean; it holds for exactly one content of the file. Bytes are half-open.
"""

from __future__ import annotations

from typing import Final

import msgspec


class Context(msgspec.Struct, frozen=True):
    """A project inside the root, and the tool that knows its meaning."""

    id: str  # stable over runs; letters, digits, `.`, `_` and `-`: it names a file
    name: str
    language: str
    root: str  # directory below the root, '' for the root itself; the tool's paths are relative to it
    config_path: str  # path key of what makes it a project; '' when nothing does
    config_hash: str
    tool: str
    tool_version: str
    enabled: bool = True
    refreshed_at: float | None = None  # seconds since the epoch; None when nothing was imported yet


# Why a document, or some of its occurrences, are left out.
CHANGED: Final = "changed"  # the file is not what it was when the indexer began
NOT_INDEXED: Final = "not_indexed"  # the snapshot has no such file
OUTSIDE: Final = "outside"  # its path leads out of the project, or is none
OTHER_TEXT: Final = "other_text"  # the document carries its text, and it is not ours
MISPLACED: Final = "misplaced"  # a range lies outside the file, or not on a name: it is about other bytes
NOT_UTF8: Final = "not_utf8"
UNCLEAR: Final = "unclear_position"  # occurrences behind other letters than ASCII, and nobody says how those count
UNPROVEN: Final = "unproven_name"  # occurrences that call something by another name, when nothing else is proven


class ImportReport(msgspec.Struct, frozen=True):
    """What an import kept, and what it left out."""

    context: Context  # as it is kept now
    documents: int
    occurrences: int
    symbols: int  # that are defined in these documents
    skipped: dict[str, int]  # why: documents; for the last two reasons above occurrences
    changed: tuple[str, ...]  # path keys whose bytes are not those the index is about: to be indexed again
    kept: int  # documents of earlier imports that still hold


# SCIP's SymbolRole, as far as it matters here.
DEFINITION: Final = 1
IMPORT: Final = 2
WRITE: Final = 4


class Place(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Where a symbol is defined: a file by its number in `Document.files`, and the first byte of the name."""

    file: int
    start: int


class Document(msgspec.Struct, frozen=True, array_like=True):
    """What is kept of one file: its occurrences of symbols that others can see."""

    files: tuple[tuple[str, bytes], ...]  # files that define something it names: path key, and SHA-256 of the content
    symbols: tuple[str, ...]  # in SCIP's own form
    homes: tuple[tuple[Place, ...], ...]  # of each symbol; none when it is defined outside of what was indexed
    starts: tuple[int, ...]  # of each occurrence, by place
    lengths: tuple[int, ...]
    numbers: tuple[int, ...]  # of its symbol
    roles: tuple[int, ...]
    implements: tuple[tuple[int, int], ...]  # symbol, and the one that it implements
