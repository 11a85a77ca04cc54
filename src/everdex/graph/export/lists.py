"""The whole graph for other programs, file by file: definitions, edges, and every site that makes none.

Order and ids depend on the content alone, so two graphs of the same tree export the same bytes. Only the ids of all
definitions are held in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from everdex.graph.definitions.atlas import CONTAINERS, VARIABLES, Atlas, Definition
from everdex.graph.model import SYNTACTIC, Role, Site, Status, Target

_KINDS: Final = {
    Role.CALL: "calls",
    Role.REFERENCE: "references",  # "reads" of variables
    Role.WRITE: "writes",
    Role.IMPORT: "imports",
    Role.INHERIT: "inherits",
    Role.DECORATE: "decorates",
    Role.OVERRIDE: "overrides",
}
_Edge = tuple[int, str, Target, str, str]  # source, kind, target, certainty, layer
_Sites = dict[_Edge, list[list[int]]]  # where each edge comes from


@dataclass(slots=True)
class FileEdges:
    """What one file's sites come to."""

    edges: list[dict[str, Any]] = field(default_factory=list)
    unresolved: list[dict[str, Any]] = field(default_factory=list)
    external: list[dict[str, Any]] = field(default_factory=list)


class Exporter:
    """One export: `nodes` first, which learns the ids that edges need."""

    def __init__(self, atlas: Atlas) -> None:
        self._atlas = atlas
        self._ids: dict[Target, tuple[str, str]] = {}  # id and kind

    def nodes(self) -> Iterator[dict[str, Any]]:
        for item in self._definitions():
            node = item.node
            identity = self._atlas.names(item).symbol_id
            self._ids[item.target] = (identity, node.kind)
            yield {
                "id": identity,
                "kind": node.kind,
                "qualified_name": node.qualified_name,
                "path": item.path,
                "start_line": node.start_line,
                "end_line": node.end_line,
            }

    def files(self) -> Iterator[dict[str, Any]]:
        for entry in self._atlas.graph.files:
            yield {
                "path": entry.path, "language": entry.language, "interface": entry.interface,
                "partial": entry.partial, "failed": entry.failed or None,
            }  # fmt: skip

    def edges(self) -> Iterator[FileEdges]:
        """Of each file, in path order; after all of `nodes`."""
        for file in range(len(self._atlas.graph.files)):
            yield self._of_file(file)

    def _definitions(self) -> Iterator[Definition]:
        for file in range(len(self._atlas.graph.files)):
            yield from self._atlas.definitions(file)

    def _of_file(self, file: int) -> FileEdges:
        found = FileEdges()
        path = self._atlas.graph.paths[file]
        columns = self._atlas.columns(file)
        sites: _Sites = {}
        for node in columns.nodes:
            if node.parent >= 0:
                key = (node.parent, "contains", Target(path, node.key), str(Status.RESOLVED), SYNTACTIC)
                sites[key] = [[node.name_line, node.name_column]]
        for site in columns.sites():
            if site.status is Status.UNRESOLVED:
                found.unresolved.append(_loose(path, site, site.reason))
            elif site.status is Status.EXTERNAL:
                found.external.append(
                    {"path": path, "line": site.line, "column": site.column, "text": site.text,
                     "names": [target.key for target in site.targets]}
                )  # fmt: skip
            else:
                self._add(path, site, sites, found)
        for (source, kind, target, certainty, layer), places in sorted(sites.items(), key=_edge_order):
            found.edges.append(
                {
                    "from": self._ids[Target(path, columns.nodes[source].key)][0],
                    "to": self._ids[target][0],
                    "kind": kind,
                    "layer": layer,
                    "certainty": certainty,
                    "sites": places,
                }
            )
        return found

    def _add(self, path: str, site: Site, sites: _Sites, found: FileEdges) -> None:
        """A site's edges; a target that is no definition is told as unresolved, never lost."""
        known = [target for target in site.targets if target in self._ids]
        if not known:
            found.unresolved.append(_loose(path, site, site.reason or "the target is not a definition"))
        for target in known:
            kind = _KINDS[site.role]
            if kind == "calls" and self._ids[target][1] in CONTAINERS:
                kind = "constructs"
            elif kind == "references" and self._ids[target][1] in VARIABLES:
                kind = "reads"
            edge = (site.source, kind, target, str(site.status), site.layer)
            sites.setdefault(edge, []).append([site.line, site.column])


def _edge_order(item: tuple[_Edge, Any]) -> tuple[int, str, str, str, str, str]:
    source, kind, target, certainty, layer = item[0]
    return source, kind, target.path, target.key, certainty, layer


def _loose(path: str, site: Site, reason: str) -> dict[str, Any]:
    return {"path": path, "line": site.line, "column": site.column, "text": site.text, "reason": reason}
