"""Definitions by name or by a place in a file, and the outline of a file, as the body of an answer.

The names that were asked for and the names that are merely like them never share a list: several matches are all
listed, those of a pattern too, and a guess is always called one. Reads one view and opens nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from everdex import limits
from everdex.errors import QueryError
from everdex.graph.definitions import spelling
from everdex.languages import language_of, role_of
from everdex.nearby import nearby, not_indexed
from everdex.search.names import NameHit, SymbolNames
from everdex.segment.model import SymbolRow
from everdex.service import paging, starred
from everdex.view import SnapshotView

_MAX_DEFINITIONS: Final = 50
_MAX_SUGGESTIONS: Final = 10
_MAX_PLACES: Final = 4  # of each
_MAX_OUTLINE: Final = 2_000
_PATHS: Final = ("./", "../")  # so begins a path, and no name
_SEPARATORS: Final = ("::", "->", "#", "/")


@dataclass(frozen=True, slots=True)
class Found:
    """The body of a symbols answer, and what had to be left out of it."""

    body: dict[str, Any]
    limits_hit: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def find(view: SnapshotView, names: SymbolNames, root: Path, asked: str, offset: int) -> Found:
    """The outline of the live file `asked`, or else every definition that the name fits; from `offset` on."""
    wanted = asked.strip()
    if not wanted:
        raise QueryError("which symbol or file? the name is empty")
    if len(wanted.encode("utf-8", "replace")) > limits.MAX_PATH_BYTES:
        raise QueryError(f"the name is longer than {limits.MAX_PATH_BYTES} bytes")
    path_key = _live_path(view, root, wanted)
    if path_key is not None:
        outline = _outline(view, path_key, offset)
        end = offset + len(outline["symbols"])
        return _found(view, wanted, "path", end, outline=outline, omitted=outline["omitted"])
    wanted = spelling.in_file(view, wanted)
    home, matches = _in_file(view, root, wanted)
    if not matches and not wanted.startswith(_PATHS):
        wanted = spelling.as_known(view, wanted)
        matches = _definitions(view, wanted)
    if not matches and starred.STAR in wanted:
        found, how = starred.fitting(view, home, _dotted(wanted if home is None else wanted.partition("::")[2]))
        matches = [(row, how) for row in (_code_first(found) if home is None else found)]
    return _by_name(view, names, wanted, home, matches, offset)


def _live_path(view: SnapshotView, root: Path, wanted: str) -> str | None:
    """The path key of a live file, also for `./x` and for an absolute path below the root."""
    path = Path(wanted)
    if path.is_absolute():
        if not path.is_relative_to(root):
            return None
        path = path.relative_to(root)
    key = PurePosixPath(path).as_posix()
    try:
        view.file_index(key)
    except KeyError:
        return None
    return key


def _in_file(view: SnapshotView, root: Path, wanted: str) -> tuple[str | None, list[tuple[SymbolRow, str]]]:
    """What is meant by `path::name`, or by `path:line`: the file, and the innermost definition around a line."""
    path, separator, name = wanted.partition("::")
    key = _live_path(view, root, path) if separator else None
    if key is not None:
        ending = f".{_dotted(name)}"
        inside = [row for row in view.symbols_of(key) if f".{row.qualified_name}".endswith(ending)]
        whole = [row for row in inside if f".{row.qualified_name}" == ending]
        return key, [(row, "exact") for row in whole or inside]
    place = spelling.PLACE.fullmatch(wanted)
    key = _live_path(view, root, place[1]) if place else None
    if place is None or key is None:
        return None, []
    around = [row for row in view.symbols_of(key) if row.start_line <= int(place[2]) <= row.end_line]
    return key, [(max(around, key=lambda row: row.start_byte), "exact")] if around else []


def _by_name(
    view: SnapshotView, names: SymbolNames, wanted: str, home: str | None, matches: Sequence[tuple[SymbolRow, str]],
    offset: int,
) -> Found:  # fmt: skip
    shown = matches[offset : offset + _MAX_DEFINITIONS]
    sources, cut = _sources(view, shown)
    definitions = [
        {**symbol_dict(view, row), "match": how, "source": source}
        for (row, how), source in zip(shown, sources, strict=True)
    ]
    limits_hit = ("max_snippet_bytes_total",) if cut else ()
    files = {row.path_key for row, _ in matches}
    # With one file there is no doubt whose outline is meant.
    outline = _outline(view, files.pop()) if len(files) == 1 else None
    place = spelling.PLACE.fullmatch(path := wanted.partition("::")[0])
    path = place[1] if place else path
    as_path = not matches and home is None and ("/" in path or language_of(path) is not None)
    close = [] if matches or (as_path and nearby(path, view.paths)) else suggestions(view, names, wanted)
    warnings: tuple[str, ...] = ()
    if not matches and home is not None:
        warnings = (f"{home} is in the index, and nothing that it defines is at {wanted}",)
    elif as_path:
        warnings = (not_indexed(path, view.paths),)
    elif matches and all(how == "case" for _, how in matches):
        warnings = (f"nothing is called {wanted}; what is listed is written in other letters (case)",)
    end = offset + len(shown)
    rest = max(0, len(matches) - end)
    return _found(
        view, wanted, "name", end, definitions, close, outline=outline, omitted=rest, limits_hit=limits_hit,
        warnings=warnings,
    )  # fmt: skip


def _found(
    view: SnapshotView, wanted: str, by: str, end: int, definitions: Sequence[dict[str, Any]] = (),
    suggestions: Sequence[dict[str, Any]] = (), *, outline: dict[str, Any] | None, omitted: int,
    limits_hit: tuple[str, ...] = (), warnings: tuple[str, ...] = (),
) -> Found:  # fmt: skip
    body = {
        "query": wanted,
        "by": by,
        "definitions": list(definitions),
        "suggestions": list(suggestions),
        "outline": outline,
        "omitted": omitted,
        "cursor": {"snapshot_id": view.manifest.snapshot_id, "offset": end} if omitted else None,
    }
    return Found(body, limits_hit, warnings)


def _definitions(view: SnapshotView, wanted: str) -> list[tuple[SymbolRow, str]]:
    """Definitions called `wanted`, the same letters first, and of those the code's own before tests and documents.

    `Container.name` asks for those inside it.
    """
    rows = view.symbols_named(wanted)
    dotted = _dotted(wanted)
    if dotted != wanted or "." in dotted:
        ending = f".{dotted}".lower()
        inner = view.symbols_named(dotted.rpartition(".")[2])
        rows += [row for row in inner if row not in rows and f".{row.qualified_name}".lower().endswith(ending)]
    rows = _code_first(rows)
    same = [row for row in rows if wanted == row.name or f".{row.qualified_name}".endswith(f".{dotted}")]
    return [(row, "exact") for row in same] + [(row, "case") for row in rows if row not in same]


def _code_first(rows: Sequence[SymbolRow]) -> list[SymbolRow]:
    return sorted(rows, key=lambda row: (row.kind == "heading", role_of(row.path_key) != "source"))


def _dotted(wanted: str) -> str:
    """`Index::search` and `Index#search` are how other languages write Index.search."""
    for separator in _SEPARATORS:
        wanted = wanted.replace(separator, ".")
    return wanted.removesuffix("()").strip(".")


def _sources(view: SnapshotView, shown: Sequence[tuple[SymbolRow, str]]) -> tuple[list[str], bool]:
    """Each definition's own lines, within the caps on snippets; whether any was cut."""
    left, cut = limits.MAX_SNIPPET_BYTES_TOTAL, False
    sources = []
    for row, _ in shown:
        data = view.source(row.path_key)
        # From the start of its first line, so that the indentation is whole.
        start = data.rfind(b"\n", 0, row.start_byte) + 1
        room = min(limits.MAX_SNIPPET_BYTES, left)
        piece = data[start : row.end_byte]
        cut = cut or len(piece) > room
        text = piece[:room].decode("utf-8", "ignore")
        left -= len(text.encode())
        sources.append(text)
    return sources, cut


def _outline(view: SnapshotView, path_key: str, offset: int = 0) -> dict[str, Any]:
    rows = view.symbols_of(path_key)
    language = view.file_languages[view.file_index(path_key)]
    room = paging.Room()
    shown = room.fill((_brief(view, row) for row in rows[offset : offset + _MAX_OUTLINE]), least=1)
    rest = max(0, len(rows) - offset - len(shown))
    return {"path": path_key, "language": language, "symbols": shown, "omitted": rest}


def suggestions(view: SnapshotView, names: SymbolNames, wanted: str) -> list[dict[str, Any]]:
    """Names like the one asked for, each with how it is like it and where it is defined: those of the owner that was
    named before others, then the closest first."""
    owner, _, last = _dotted(wanted).rpartition(".")
    near = {hit.name: hit for hit in reversed(names.near(last))}
    called = {name: _called(view, name, owner) for name in near}
    ranked = sorted(
        near.values(),
        key=lambda hit: (not _is_of(called[hit.name], owner), -hit.closeness, len(hit.name), hit.name),
    )
    return [
        {"name": hit.name, "how": _how(hit, last), "places": [_place(row) for row in called[hit.name][:_MAX_PLACES]]}
        for hit in ranked[:_MAX_SUGGESTIONS]
    ]


def _how(hit: NameHit, last: str) -> str:
    if hit.name == last:
        return "owner"  # nobody has it who was named, but others have
    return "case" if hit.name.lower() == last.lower() else hit.how


def _called(view: SnapshotView, name: str, owner: str) -> list[SymbolRow]:
    """The definitions of a name, those of an owner first."""
    found = [row for row in view.symbols_named(name) if row.name == name]
    return sorted(found, key=lambda row: not _is_of([row], owner)) if owner else found


def _is_of(rows: Sequence[SymbolRow], owner: str) -> bool:
    """Whether the first of these stands in the owner that was named."""
    return bool(rows and owner) and f".{rows[0].qualified_name.rpartition('.')[0]}".endswith(f".{owner}")


def _place(row: SymbolRow) -> dict[str, Any]:
    return {"path": row.path_key, "start_line": row.start_line, "kind": row.kind, "qualified_name": row.qualified_name}


def _brief(view: SnapshotView, row: SymbolRow) -> dict[str, Any]:
    signature, doc = view.description(row)
    return {
        "name": row.name,
        "qualified_name": row.qualified_name,
        "kind": row.kind,
        "start_line": row.start_line,
        "end_line": row.end_line,
        "signature": signature,
        "doc": doc,
        "public": row.public,
    }


def symbol_dict(view: SnapshotView, row: SymbolRow) -> dict[str, Any]:
    """A definition with its place."""
    return {
        "path": row.path_key,
        **_brief(view, row),
        "name_line": row.name_line,
        "name_column": row.name_column,
        "byte_start": row.start_byte,
        "byte_end": row.end_byte,
    }
