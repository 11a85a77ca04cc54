"""From what somebody names to evidence that can be put on a board: a place, an answer, or the tree as it is.

An answer (a search, an impact) stands on what it named. Evidence that is looked at again follows what it stood on,
not the words it was named by: lines move, and a name may come to mean two things.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from everdex.canvas.board.anchors import anchored, lines_anchor, symbol_anchor
from everdex.canvas.board.edits import IMPACT, PREFIXES, RESULTS, RUN, SEARCH, Draft
from everdex.canvas.board.look import CHANGED, GONE, Looking
from everdex.canvas.board.model import Anchor, Evidence, FileAnchor, LinesAnchor, SymbolAnchor, TreeAnchor
from everdex.errors import QueryError, UsageError
from everdex.view import SnapshotView
from everdex.wording import plural

_MOST_SUMMARY: Final = 300
_MOST_LISTED: Final = 5
_KINDS: Final[dict[type, str]] = {FileAnchor: "file", LinesAnchor: "lines", SymbolAnchor: "symbol"}

Ask = Callable[[str], dict[str, Any]]  # the body of an answer


class Sources(msgspec.Struct, frozen=True):
    """Where evidence comes from: a view, and who answers a search or a question of impact over that view."""

    view: SnapshotView
    search: Ask
    impact: Ask


def drafted(sources: Sources, target: str) -> Draft:
    """The evidence that a target means; `QueryError` when it means nothing, or several things."""
    view = sources.view
    if target.startswith(SEARCH):
        return _searched(view, target, sources.search(target.removeprefix(SEARCH)))
    if target.startswith(IMPACT):
        asked = target.removeprefix(IMPACT).strip()
        return _affected(view, target, asked, sources.impact(asked))
    if target.startswith(RUN):
        return Draft("run", target, "", (TreeAnchor(view.manifest.digest),))
    return _of(anchored(view, target), target)


def drafted_again(sources: Sources, item: Evidence) -> Draft:
    """The same evidence taken from the current snapshot; `UsageError` when what it stood on cannot be found."""
    if item.target.startswith(PREFIXES):
        return drafted(sources, item.target)
    (anchor,) = item.anchors
    view, seen = sources.view, Looking(sources.view).anchor(anchor)
    if seen.state == GONE or seen.path is None:
        raise UsageError(f"{item.id} is gone: there is nothing to look at again", hint=f"drop it: board drop {item.id}")
    if isinstance(anchor, LinesAnchor):
        if seen.state == CHANGED or seen.start_line is None or seen.end_line is None:
            hint = "add the lines that you looked at as new evidence, and cite that"
            raise UsageError(f"the lines of {item.id} changed: nobody can say which they are now", hint=hint)
        moved = lines_anchor(view, seen.path, seen.start_line, seen.end_line)
        return _of(moved, place(moved))
    if isinstance(anchor, SymbolAnchor):
        rows = [row for row in view.symbols_of(seen.path) if row.qualified_name == anchor.qualified_name]
        (row,) = [row for row in rows if (row.start_line, row.end_line) == (seen.start_line, seen.end_line)][:1]
        return _of(symbol_anchor(view, row), item.target)
    return _of(anchored(view, seen.path), seen.path)


def _of(anchor: FileAnchor | LinesAnchor | SymbolAnchor, target: str) -> Draft:
    return Draft(_KINDS[type(anchor)], target, place(anchor), (anchor,))


def place(anchor: Anchor) -> str:
    """Where an anchor is, as people write it."""
    if isinstance(anchor, TreeAnchor):
        return ""
    if isinstance(anchor, FileAnchor):
        return anchor.path
    return f"{anchor.path}:{anchor.start_line}-{anchor.end_line}"


def _searched(view: SnapshotView, target: str, found: dict[str, Any]) -> Draft:
    anchors: tuple[Anchor, ...] = tuple(
        lines_anchor(view, item["path"], item["start_line"], item["end_line"]) for item in found["results"][:RESULTS]
    )
    weak = "no strong match; " if found["no_strong_match"] else ""
    said = weak + (", ".join(map(place, anchors)) or "nothing found")
    short = said if len(said) <= _MOST_SUMMARY else said[: _MOST_SUMMARY - 1] + "…"
    # That nothing was found is true of the whole tree.
    return Draft("search", target, short, anchors or (TreeAnchor(view.manifest.digest),))


def _affected(view: SnapshotView, target: str, asked: str, found: dict[str, Any]) -> Draft:
    if found["symbol"] is None:
        several = ", ".join(f"{item['path']}:{item['name_line']}" for item in found["matches"][:_MOST_LISTED])
        what = f"several definitions fit: {several}" if several else "no definition is called so"
        raise QueryError(f"{asked[:200]!r}: {what}", hint="name one by path:line or path::name")
    affected = found["affected"]
    anchors = tuple(dict.fromkeys(_defined(view, item) for item in (found["symbol"], *affected)))
    uncertain, tests = found["counts"]["uncertain"], len(found["tests"])
    said = f"{found['total']:,} affected ({uncertain:,} uncertain), {plural(tests, 'test file')}"
    if found["total"] > len(affected):
        said += f"; stands on the first {len(affected):,}"
    return Draft("impact", target, said, anchors)


def _defined(view: SnapshotView, item: dict[str, Any]) -> Anchor:
    """A definition of the graph as the snapshot's symbols have it; the code of a module itself by its file."""
    for row in view.symbols_of(item["path"]):
        if (row.name, row.name_line) == (item["name"], item["name_line"]):
            return symbol_anchor(view, row)
    return anchored(view, item["path"])
