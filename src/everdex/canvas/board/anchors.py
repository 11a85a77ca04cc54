"""What evidence stands on, taken from a snapshot: a file, lines of one, or a definition, with the hashes that prove it.

Never guesses: a place that is not there, or a name that several definitions have, is refused with what to say instead.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

import msgspec

from everdex.canvas.board.model import FileAnchor, LinesAnchor, SymbolAnchor
from everdex.errors import QueryError
from everdex.graph.definitions.spelling import in_file
from everdex.identity.symbols import SymbolNames, names_of
from everdex.parse.interface import interface_of
from everdex.segment.model import SymbolRow
from everdex.view import SnapshotView

_SEPARATORS: Final = ("::", "->", "#")
_PLACE: Final = re.compile(r"(.+?):(\d{1,9})(?:-(\d{1,9}))?", re.DOTALL)
_MOST_LISTED: Final = 5


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def anchored(view: SnapshotView, target: str) -> FileAnchor | LinesAnchor | SymbolAnchor:
    """What a target means: PATH, PATH:LINE, PATH:FIRST-LAST, PATH::NAME, or the NAME of a definition."""
    line = view.file_line(target)
    if line is not None:
        return FileAnchor(target, line.content_hash)
    place = _PLACE.fullmatch(target)
    if place is not None and view.file_line(place[1]) is not None:
        return lines_anchor(view, place[1], int(place[2]), int(place[3] or place[2]))
    return symbol_anchor(view, _definition(view, target))


def lines_anchor(view: SnapshotView, path: str, first: int, last: int) -> LinesAnchor:
    """Lines of a live file, 1-based and inclusive."""
    lines = lines_of(source_of(view, path))
    if not 1 <= first <= last:
        raise QueryError(f"{path}:{first}-{last} are no lines", hint="lines count from 1, the first one first")
    if last > len(lines):
        raise QueryError(f"{path} has {len(lines):,} lines, so {last:,} is none of them", hint="name lines it has")
    known = view.file_line(path)
    assert known is not None
    span = lines[first - 1 : last]
    return LinesAnchor(path, known.content_hash, first, last, sha256(b"\n".join(span)), sha256(span[0]))


def symbol_anchor(view: SnapshotView, row: SymbolRow) -> SymbolAnchor:
    """A live definition."""
    known, source = view.file_line(row.path_key), source_of(view, row.path_key)
    assert known is not None
    names = named(view, row.path_key)[row.place]
    return SymbolAnchor(
        path=row.path_key,
        content_hash=known.content_hash,
        start_line=row.start_line,
        end_line=row.end_line,
        qualified_name=row.qualified_name,
        symbol_kind=row.kind,
        symbol_key=names.symbol_key,
        scoped_id=names.scoped_id,
        interface_hash=interface_hash(row.path_key, source, row.qualified_name),
        span_hash=sha256(source[row.start_byte : row.end_byte]),
    )


def named(view: SnapshotView, path: str) -> dict[int, SymbolNames]:
    """IDENTITY's names of a live file's definitions, by place."""
    rows = view.symbols_of(path)
    names = names_of(path, ((row.qualified_name, row.kind, view.description(row)[0]) for row in rows))
    return {row.place: found for row, found in zip(rows, names, strict=True)}


def interface_hash(path: str, source: bytes, qualified_name: str) -> str:
    """Of what other files may rely on in a definition: its own signature, and what is public inside it."""
    found = interface_of(path, source)
    if found is None:
        return ""
    inside = f"{qualified_name}."
    own = [entry for entry in (*found.public, *found.private) if entry.name == qualified_name]
    entries = sorted({*own, *(entry for entry in found.public if entry.name.startswith(inside))})
    return sha256(msgspec.msgpack.encode(entries))


def source_of(view: SnapshotView, path: str) -> bytes:
    try:
        return view.source(path)
    except KeyError:
        raise QueryError(
            f"{path} has no indexed lines", hint="`everdex explain PATH` says why a file is out; name the file itself"
        ) from None


def lines_of(source: bytes) -> list[bytes]:
    """As parsers count lines: a line feed ends one, nothing else does."""
    lines = source.split(b"\n")
    return lines[:-1] if not lines[-1] else lines


def _definition(view: SnapshotView, target: str) -> SymbolRow:
    path, separator, name = in_file(view, target).partition("::")
    inside = bool(separator) and view.file_line(path) is not None
    dotted = _dotted(name if inside else target)
    last = dotted.rpartition(".")[2]
    rows = _symbols_of(view, path) if inside else view.symbols_named(last)
    found = [row for row in rows if f".{row.qualified_name}".endswith(f".{dotted}")] if last else []
    whole = [row for row in found if row.qualified_name == dotted]
    chosen = whole or found
    if len(chosen) == 1:
        return chosen[0]
    if not chosen:
        raise QueryError(
            f"neither an indexed file nor a definition is called {target[:200]!r}",
            hint="name PATH, PATH:FIRST-LAST, PATH::NAME, a definition, search:QUERY, impact:NAME or run:COMMAND",
        )
    places = ", ".join(f"{row.path_key}:{row.start_line}-{row.end_line}" for row in chosen[:_MOST_LISTED])
    more = f" and {len(chosen) - _MOST_LISTED:,} more" if len(chosen) > _MOST_LISTED else ""
    raise QueryError(
        f"{len(chosen):,} definitions fit {target[:200]!r}: {places}{more}", hint="name one by PATH::NAME or its lines"
    )


def _symbols_of(view: SnapshotView, path: str) -> list[SymbolRow]:
    try:
        return view.symbols_of(path)
    except KeyError:
        return []


def _dotted(name: str) -> str:
    for separator in _SEPARATORS:
        name = name.replace(separator, ".")
    return name.strip().removesuffix("()").strip(".")
