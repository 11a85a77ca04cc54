"""The graph as a SCIP index.

Only what is resolved becomes an occurrence: SCIP has no way to say perhaps. Positions count UTF-8 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from everdex import __version__
from everdex.graph.definitions.atlas import CONTAINERS, Atlas
from everdex.graph.model import Node, Role, Status, Target
from everdex.graph.stored.columns import Columns
from everdex.languages import role_of
from everdex.semantic import scip as form
from everdex.semantic.protobuf import block, number, text, varint
from everdex.semantic.scip import identifier

_TWIN: Final = re.compile(r"~(\d+)\Z")
_DEFINITION, _IMPORT, _WRITE, _READ, _TEST = 1, 2, 4, 8, 32
_ROLES: Final = {Role.IMPORT: _IMPORT, Role.WRITE: _WRITE}
# SymbolInformation.Kind of scip.proto
_KINDS: Final = {
    "class": 7, "constant": 8, "constructor": 9, "enum": 11, "field": 15, "function": 17, "interface": 21, "macro": 25,
    "method": 26, "module": 29, "namespace": 30, "property": 41, "struct": 49, "trait": 53, "type": 54, "union": 59,
    "variable": 61,
}  # fmt: skip


def scip(atlas: Atlas, project_root: str) -> Iterator[bytes]:
    """Pieces of the index: its metadata, then a document a file."""
    tool = text(form.TOOL_NAME, "everdex") + text(form.TOOL_VERSION, __version__)
    metadata = block(form.TOOL_INFO, tool) + text(form.PROJECT_ROOT, project_root)
    yield block(form.METADATA, metadata + number(form.TEXT_ENCODING, form.UTF8_TEXT))
    symbols = _Symbols(atlas)
    for file in range(len(atlas.graph.files)):
        yield block(form.DOCUMENTS, _document(atlas, file, symbols))


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


def _names(path: str, nodes: Sequence[Node]) -> list[str]:
    """Of each definition; no two have the same, because no two keys are."""
    names: list[str] = []
    for node in nodes:
        if node.parent < 0:
            names.append(f"everdex . . . {identifier(path)}/")
            continue
        twin = _TWIN.search(node.key)
        name = identifier(node.name)
        # `first.find.id = …` inside a function: the key alone says of what `id` is a member
        within = node.key.removeprefix(f"{nodes[node.parent].key}.").removesuffix(node.name + (twin[0] if twin else ""))
        owner = f"{identifier(within.strip('.'))}." if within.strip(".") else ""
        if node.kind in CONTAINERS:
            descriptor = f"{identifier(node.name + (twin[0] if twin else ''))}#"
        elif node.kind in ("function", "method", "constructor", "lambda"):
            descriptor = f"{name}({'+' + str(int(twin[1]) - 1) if twin else ''})."
        else:
            descriptor = f"{identifier(node.name + (twin[0] if twin else ''))}."
        names.append(names[node.parent] + owner + descriptor)
    return names


def _document(atlas: Atlas, file: int, symbols: _Symbols) -> bytes:
    entry, columns = atlas.entry(file), atlas.columns(file)
    test = _TEST if role_of(entry.path) == "test" else 0
    pieces = [text(form.RELATIVE_PATH, entry.path)]
    related, written = _relations(columns, symbols), atlas.text(entry.path)
    for index, node in enumerate(columns.nodes):
        name = symbols.of(file, index)
        width = len(node.name.encode("utf-8", "replace")) if index else 0
        start = written.byte(node.name_line, node.name_column)
        if not index or written.between(start, start + width) == node.name:  # a lambda's name stands nowhere
            place = (node.name_line, node.name_column, node.name_line, node.name_column + width)
            pieces.append(block(form.OCCURRENCES, _occurrence(place, name, _DEFINITION | test)))
        around = text(form.ENCLOSING_SYMBOL, symbols.of(file, node.parent)) if node.parent >= 0 else b""
        known = number(form.KIND, _KINDS.get(node.kind, 0)) + text(form.DISPLAY_NAME, node.name) + around
        relations = b"".join(related.get(index, ()))
        pieces.append(block(form.SYMBOLS, text(form.INFORMATION_SYMBOL, name) + relations + known))
    uses: dict[bytes, None] = {}  # a place may do in two ways what is one role of SCIP's: inherit, and name the base
    for site in columns.sites():
        if site.status is not Status.RESOLVED or site.role is Role.OVERRIDE:
            continue
        place = (site.line, site.column, site.end_line, site.end_column)
        for target in site.targets:
            referred = symbols.to(target)
            if referred is not None:
                uses[_occurrence(place, referred, _ROLES.get(site.role, _READ) | test)] = None
    pieces += [block(form.OCCURRENCES, use) for use in uses]
    return b"".join((*pieces, text(form.LANGUAGE, entry.language), number(form.POSITION_ENCODING, form.UTF8)))


def _relations(columns: Columns, symbols: _Symbols) -> dict[int, list[bytes]]:
    """Of each node, whom it implements: bases and overridden methods."""
    found: dict[int, list[bytes]] = {}
    for site in columns.sites():
        if site.status is Status.RESOLVED and site.role in (Role.INHERIT, Role.OVERRIDE):
            for target in site.targets:
                name = symbols.to(target)
                if name is not None:
                    relation = text(form.RELATED_SYMBOL, name) + number(form.IS_IMPLEMENTATION, 1)
                    found.setdefault(site.source, []).append(block(form.RELATIONSHIPS, relation))
    return found


def _occurrence(place: tuple[int, int, int, int], symbol: str, roles: int) -> bytes:
    line, column, end_line, end_column = place
    span = (line - 1, column, end_column) if line == end_line else (line - 1, column, end_line - 1, end_column)
    return block(form.RANGE, b"".join(map(varint, span))) + text(form.SYMBOL, symbol) + number(form.SYMBOL_ROLES, roles)
