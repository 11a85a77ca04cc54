"""Does evidence still hold? Each anchor is looked up in a snapshot and found current, moved, changed or gone.

`current`: the same text at the same place; `moved`: the same text at other lines, or in another file; `changed`: other
text; `gone`: nothing is left of it. Only the last two make evidence stale. Reads one view and writes nothing.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final

import msgspec

from everdex.canvas.board.anchors import interface_hash, lines_of, named, sha256
from everdex.canvas.board.model import Anchor, Evidence, FileAnchor, LinesAnchor, SymbolAnchor, TreeAnchor
from everdex.identity.symbols import SymbolNames, SymbolRef, join
from everdex.segment.model import SymbolRow
from everdex.view import SnapshotView

CURRENT: Final = "current"
MOVED: Final = "moved"
CHANGED: Final = "changed"
GONE: Final = "gone"
STALE: Final = (CHANGED, GONE)
_WORST: Final = (CURRENT, MOVED, CHANGED, GONE)
_MOST_TRIED: Final = 1_000  # places with the first line of a span that are compared in full


class Seen(msgspec.Struct, frozen=True):
    """An anchor as a snapshot has it: where it is now, and of a changed definition what changed."""

    state: str
    path: str | None = None
    start_line: int | None = None
    end_line: int | None = None
    what: str | None = None  # interface or body


class Looking:
    """One snapshot, looked at for any number of anchors."""

    def __init__(self, view: SnapshotView) -> None:
        self.view = view
        self._lines: dict[str, list[bytes]] = {}

    def evidence(self, item: Evidence) -> tuple[str, list[Seen]]:
        """The worst state of an item's anchors, and each of them."""
        seen = [self.anchor(anchor) for anchor in item.anchors]
        return max((found.state for found in seen), key=_WORST.index, default=CURRENT), seen

    def anchor(self, anchor: Anchor) -> Seen:
        if isinstance(anchor, TreeAnchor):
            return Seen(CURRENT if anchor.digest == self.view.manifest.digest else CHANGED)
        if isinstance(anchor, SymbolAnchor):
            return self._symbol(anchor)
        if isinstance(anchor, LinesAnchor):
            return self._span(anchor)
        return self._file(anchor)

    def _same(self, anchor: FileAnchor | LinesAnchor | SymbolAnchor) -> bool:
        line = self.view.file_line(anchor.path)
        return line is not None and line.content_hash == anchor.content_hash

    def _file(self, anchor: FileAnchor) -> Seen:
        if self._same(anchor):
            return Seen(CURRENT, anchor.path)
        if self.view.file_line(anchor.path) is not None:
            return Seen(CHANGED, anchor.path)
        elsewhere = self._renamed(anchor)
        return Seen(GONE) if elsewhere is None else Seen(MOVED, elsewhere)

    def _span(self, anchor: LinesAnchor) -> Seen:
        first, last = anchor.start_line, anchor.end_line
        if self._same(anchor):
            return Seen(CURRENT, anchor.path, first, last)
        if self.view.file_line(anchor.path) is None:
            elsewhere = self._renamed(anchor)
            return Seen(GONE) if elsewhere is None else Seen(MOVED, elsewhere, first, last)
        found = self._found_again(anchor)
        if found is None:
            return Seen(CHANGED, anchor.path)
        return Seen(CURRENT if found == first else MOVED, anchor.path, found, found + last - first)

    def _found_again(self, anchor: LinesAnchor) -> int | None:
        """The line at which the span begins now; of several the nearest to where it was."""
        lines, length = self._lines_of(anchor.path), anchor.end_line - anchor.start_line + 1
        begins = [
            number for number in range(1, len(lines) - length + 2) if sha256(lines[number - 1]) == anchor.first_hash
        ]
        begins.sort(key=lambda number: (abs(number - anchor.start_line), number))
        for number in begins[:_MOST_TRIED]:
            if sha256(b"\n".join(lines[number - 1 : number - 1 + length])) == anchor.span_hash:
                return number
        return None

    def _symbol(self, anchor: SymbolAnchor) -> Seen:
        if self._same(anchor):
            return Seen(CURRENT, anchor.path, anchor.start_line, anchor.end_line)
        rows, names = self._defined(anchor.path)
        kept = SymbolRef(anchor.symbol_key, scoped_id=anchor.scoped_id)
        for row in rows:
            if join(kept, names[row.place]):
                return self._compared(anchor, row)
        group = [row for row in rows if names[row.place].symbol_key == kept.symbol_key]
        if group:
            # Of the same name and kind, with another signature.
            return Seen(CHANGED, anchor.path, group[0].start_line, group[0].end_line, "interface")
        name = anchor.qualified_name.rpartition(".")[2]
        moved = [
            row
            for row in self.view.symbols_named(name)
            if (row.qualified_name, row.kind) == (anchor.qualified_name, anchor.symbol_kind)
            and self._hash(row) == anchor.span_hash
        ]
        if len(moved) != 1:
            return Seen(GONE)
        return Seen(MOVED, moved[0].path_key, moved[0].start_line, moved[0].end_line)

    def _compared(self, anchor: SymbolAnchor, row: SymbolRow) -> Seen:
        place = (row.path_key, row.start_line, row.end_line)
        if self._hash(row) == anchor.span_hash:
            shifted = (row.start_line, row.end_line) != (anchor.start_line, anchor.end_line)
            return Seen(MOVED if shifted else CURRENT, *place)
        now = interface_hash(anchor.path, self.view.source(anchor.path), anchor.qualified_name)
        return Seen(CHANGED, *place, "body" if now == anchor.interface_hash else "interface")

    def _defined(self, path: str) -> tuple[list[SymbolRow], dict[int, SymbolNames]]:
        try:
            return self.view.symbols_of(path), named(self.view, path)
        except KeyError:
            return [], {}

    def _hash(self, row: SymbolRow) -> str:
        return sha256(self.view.source(row.path_key)[row.start_byte : row.end_byte])

    def _lines_of(self, path: str) -> list[bytes]:
        if path not in self._lines:
            try:
                self._lines[path] = lines_of(self.view.source(path))
            except KeyError:
                self._lines[path] = []  # it has become a file whose content is not indexed
        return self._lines[path]

    def _renamed(self, anchor: FileAnchor | LinesAnchor) -> str | None:
        """The one file that has exactly the content which a file had that is gone."""
        found = self._by_content.get(anchor.content_hash, [])
        return found[0] if len(found) == 1 else None

    @cached_property
    def _by_content(self) -> dict[str, list[str]]:
        paths: dict[str, list[str]] = {}
        for line in self.view.file_lines():
            paths.setdefault(line.content_hash, []).append(line.path_key)
        return paths
