"""The graph of a repository as a stream of bytes in a format other programs read, with the envelope of the answer.

Large graphs are never held as one document: pieces are made as they are written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from everdex.durable import file_of_the_user
from everdex.errors import UsageError
from everdex.graph.definitions.atlas import Atlas
from everdex.graph.export.lists import Exporter
from everdex.graph.export.scip import scip
from everdex.graph.export.text import ctags, dot
from everdex.service import coverage
from everdex.service.answers import Answer
from everdex.service.index import Index, Reading
from everdex.service.opening import open_for
from everdex.sync.model import SyncOptions

FORMATS: Final = ("json", "dot", "scip", "ctags")
_PIECE: Final = 1 << 16



@dataclass(frozen=True, slots=True)
class Printing:
    """How a surface makes text safe to print: a JSON document in one line, and a line of text."""

    document: Callable[[Any], str]
    line: Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Export:
    answer: Answer
    pieces: Iterator[bytes]


@contextmanager
def export(index: Index, form: str, reading: Reading, options: SyncOptions, printing: Printing) -> Iterator[Export]:
    """The graph of a pinned snapshot, to be read inside the block."""
    if form not in FORMATS:
        raise UsageError(f"unknown format {form!r}; known are {', '.join(FORMATS)}")
    with index.view(reading, options) as (view, freshness):
        opened = open_for(view, options)
        atlas = opened.atlas
        missing = (*coverage.of_files(atlas), *coverage.of_left_out(atlas, nothing_found=False))
        warnings = (*reading.warnings, *opened.warnings, *missing)
        answer = index.answer(view, freshness, {"coverage": atlas.coverage}, warnings=warnings)
        yield Export(answer, _pieces(atlas, form, answer, printing))


def _pieces(atlas: Atlas, form: str, answer: Answer, printing: Printing) -> Iterator[bytes]:
    if form == "json":
        return _json(atlas, answer, printing.document)
    if form == "scip":
        return scip(atlas, Path(atlas.view.manifest.canonical_root).as_uri())
    lines = dot(atlas) if form == "dot" else ctags(atlas)
    return (printing.line(line).encode("utf-8", "backslashreplace") + b"\n" for line in lines)


def _json(atlas: Atlas, answer: Answer, encode: Callable[[Any], str]) -> Iterator[bytes]:
    """The envelope, then the lists one after the other."""
    exporter = Exporter(atlas)
    yield encode(answer.to_dict()).removesuffix("}").encode()
    yield from _list("nodes", map(encode, exporter.nodes()))
    unresolved: list[str] = []
    external: list[str] = []

    def edges() -> Iterator[str]:
        for found in exporter.edges():
            unresolved.extend(map(encode, found.unresolved))
            external.extend(map(encode, found.external))
            yield from map(encode, found.edges)

    yield from _list("edges", edges())
    yield from _list("unresolved", iter(unresolved))
    yield from _list("external", iter(external))
    yield from _list("files", map(encode, exporter.files()))
    yield b"}\n"


def _list(name: str, items: Iterator[str]) -> Iterator[bytes]:
    separator = f',"{name}":['
    for item in items:
        yield (separator + item).encode()
        separator = ","
    yield b"]" if separator == "," else f"{separator}]".encode()


def to_stdout(pieces: Iterable[bytes]) -> None:
    _write(pieces, sys.stdout.buffer)


def to_file(pieces: Iterable[bytes], path: Path) -> int:
    """Write a file of the user's; the number of bytes."""
    with file_of_the_user(path) as stream:
        return _write(pieces, stream)


def _write(pieces: Iterable[bytes], stream: IO[bytes]) -> int:
    waiting, size, written = [], 0, 0
    for piece in pieces:
        waiting.append(piece)
        size += len(piece)
        if size >= _PIECE:
            stream.write(b"".join(waiting))
            written, waiting, size = written + size, [], 0
    stream.write(b"".join(waiting))
    stream.flush()
    return written + size
