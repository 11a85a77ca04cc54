"""Bytes to chunks and symbols: a pure function of a file's path, bytes and the chunking limits.

    file                the whole way, in the order below
    a tree              grammar (parse within a budget) · comment_runs · macros, conditionals (C, C++ and others, made
                        readable) · lacking (JavaScript) · unended (TypeScript) · annotated (Kotlin) · laid_out,
                        indentation (errors)
    what it defines     definitions (by query, run by matching) · segments (embedded languages) · exports
    chunks              text (atoms) → blocks (a tree of lines) → chunker
    symbols             symbols · headers (a head on one line) · interface (what other files rely on)
    model, interface_model
                        what all of this hands on

Knows grammars and file formats; knows nothing of stores, ids or vectors. The parser itself is loaded when it is
first asked for: whoever only reads chunks back needs their model, not the grammars.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from everdex.parse.model import Chunk, ParsedFile, ParseStatus, Symbol

if TYPE_CHECKING:
    from everdex.parse.file import Read, Trees, parse_file, trees_of

__all__ = [
    "Chunk",
    "ParseStatus",
    "ParsedFile",
    "Read",
    "Symbol",
    "Trees",
    "parse_file",
    "trees_of",
]

_OF_THE_PARSER: Final = ("Read", "Trees", "parse_file", "trees_of")


def __getattr__(name: str) -> Any:
    if name not in _OF_THE_PARSER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("everdex.parse.file"), name)
