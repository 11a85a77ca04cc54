"""The graph as a SCIP index: protocol buffers, written by hand because four kinds of field are all it needs.

Only what is resolved becomes an occurrence: SCIP has no way to say perhaps. Positions count UTF-8 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from everdex import __version__
from everdex.graph.atlas import CONTAINERS, Atlas
from everdex.graph.columns import Columns
from everdex.graph.model import Node, Role, Status, Target
from everdex.languages import role_of

_SIMPLE: Final = re.compile(r"[A-Za-z0-9_+\-$]+")
_TWIN: Final = re.compile(r"~(\d+)\Z")
_DEFINITION, _IMPORT, _WRITE, _READ, _TEST = 1, 2, 4, 8, 32
_ROLES: Final = {Role.IMPORT: _IMPORT, Role.WRITE: _WRITE}
# SymbolInformation.Kind of scip.proto
_KINDS: Final = {
    "class": 7, "constant": 8, "constructor": 9, "enum": 11, "field": 15, "function": 17, "interface": 21, "macro": 25,
    "method": 26, "module": 29, "namespace": 30, "property": 41, "struct": 49, "trait": 53, "type": 54, "union": 59,
    "variable": 61,
}  # fmt: skip
_UTF8_OFFSETS: Final = 1


def scip(atlas: Atlas, project_root: str) -> Iterator[bytes]:
    """Pieces of the index: its metadata, then a document a file."""
    tool = _text(1, "everdex") + _text(2, __version__)
    yield _bytes(1, _bytes(2, tool) + _text(3, project_root) + _number(4, _UTF8_OFFSETS))
    symbols = _Symbols(atlas)
    for file in range(len(atlas.graph.files)):
        yield _bytes(2, _document(atlas, file, symbols))


class _Symbols:
    """SCIP's names of definitions."""

    def __init__(self, atlas: Atlas) -> None:
        self._atlas = atlas
        self._known: dict[int, list[str]] = {}

    def of(self, file: int, number: int) -> str:
        found = self._known.get(file)
        if found is None:
            found = self._known[file] = _names(self._atlas.graph.paths[file], self._atlas.columns(file).nodes)
        return found[number]

    def to(self, target: Target) -> str | None:
        item = self._atlas.at(target) if target.path else None
        return self.of(item.file, item.number) if item is not None else None


def _names(path: str, nodes: Iterable[Node]) -> list[str]:
    names: list[str] = []
    for node in nodes:
        if node.parent < 0:
            names.append(f"everdex . . . {_identifier(path)}/")
            continue
        twin = _TWIN.search(node.key)
        name = _identifier(node.name)
        if node.kind in CONTAINERS:
            descriptor = f"{_identifier(node.name + (twin[0] if twin else ''))}#"
        elif node.kind in ("function", "method", "constructor", "lambda"):
            descriptor = f"{name}({'+' + str(int(twin[1]) - 1) if twin else ''})."
        else:
            descriptor = f"{_identifier(node.name + (twin[0] if twin else ''))}."
        names.append(names[node.parent] + descriptor)
    return names


def _identifier(name: str) -> str:
    return name if _SIMPLE.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def _document(atlas: Atlas, file: int, symbols: _Symbols) -> bytes:
    entry, columns = atlas.entry(file), atlas.columns(file)
    test = _TEST if role_of(entry.path) == "test" else 0
    pieces = [_text(1, entry.path)]
    related = _relations(columns, symbols)
    for number, node in enumerate(columns.nodes):
        name = symbols.of(file, number)
        end = node.name_column + (len(node.name.encode("utf-8", "replace")) if number else 0)
        pieces.append(_bytes(2, _occurrence((node.name_line, node.name_column, node.name_line, end), name,
                                            _DEFINITION | test)))  # fmt: skip
        around = _text(8, symbols.of(file, node.parent)) if node.parent >= 0 else b""
        pieces.append(
            _bytes(3, _text(1, name) + b"".join(related.get(number, ())) + _number(5, _KINDS.get(node.kind, 0))
                   + _text(6, node.name) + around)
        )  # fmt: skip
    for site in columns.sites():
        if site.status is not Status.RESOLVED or site.role is Role.OVERRIDE:
            continue
        place = (site.line, site.column, site.end_line, site.end_column)
        for target in site.targets:
            referred = symbols.to(target)
            if referred is not None:
                pieces.append(_bytes(2, _occurrence(place, referred, _ROLES.get(site.role, _READ) | test)))
    return b"".join((*pieces, _text(4, entry.language), _number(6, _UTF8_OFFSETS)))


def _relations(columns: Columns, symbols: _Symbols) -> dict[int, list[bytes]]:
    """Of each node, whom it implements: bases and overridden methods."""
    found: dict[int, list[bytes]] = {}
    for site in columns.sites():
        if site.status is Status.RESOLVED and site.role in (Role.INHERIT, Role.OVERRIDE):
            for target in site.targets:
                name = symbols.to(target)
                if name is not None:
                    found.setdefault(site.source, []).append(_bytes(4, _text(1, name) + _number(3, 1)))
    return found


def _occurrence(place: tuple[int, int, int, int], symbol: str, roles: int) -> bytes:
    line, column, end_line, end_column = place
    span = (line - 1, column, end_column) if line == end_line else (line - 1, column, end_line - 1, end_column)
    return _bytes(1, b"".join(map(_varint, span))) + _text(2, symbol) + _number(3, roles)


# -- protocol buffers --------------------------------------------------------------------------


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field: int, value: int) -> bytes:
    """Zero is what a missing field means."""
    return _varint(field << 3) + _varint(value) if value else b""


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode("utf-8", "replace")) if value else b""
