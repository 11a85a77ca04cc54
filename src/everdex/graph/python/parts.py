"""The parts of a file that are resolved by themselves: each function or method with all that is inside, and the rest.

The rest (part 0) are the module's and its classes' own statements, with everything of a definition that stands before
its body. A part whose text is what it was has the same facts, wherever in the file it stands, unless the file has
syntax errors: then what is around it may change how it is read.
"""

from __future__ import annotations

from collections.abc import Sequence

import xxhash
from msgspec.structs import replace

from everdex.facts.python import model as m
from everdex.graph.model import Kept, Node, Part, Parts, Site
from everdex.graph.python.files import File
from everdex.graph.python.seen import Gathered


class FileParts:
    """The parts of one file."""

    def __init__(self, file: File, source: bytes) -> None:
        self.of_scope = [0] * len(file.scopes)
        self.scopes = [0]  # of each part, the outermost
        for number, scope in enumerate(file.scopes):
            if number and self.of_scope[scope.parent]:
                self.of_scope[number] = self.of_scope[scope.parent]
            elif scope.kind == m.FUNCTION_SCOPE:
                self.of_scope[number] = len(self.scopes)
                self.scopes.append(number)
        self.keys = [file.scopes[scope].key for scope in self.scopes]
        self.digests = [0, *(_digest(source, file.scopes[scope]) for scope in self.scopes[1:])]
        self.entries: list[list[int]] = [[] for _ in self.scopes]
        for number, where in enumerate(file.where):
            self.entries[self.of_scope[where]].append(number)
        self.inner: list[list[int]] = [[] for _ in self.scopes]  # of each part the definitions of which it has the head
        for number, scope in enumerate(file.scopes):
            if number:
                self.inner[self.of_scope[scope.parent]].append(number)


def _digest(source: bytes, scope: m.Scope) -> int:
    """From the begin of its line: what stands on the same line is as far from the margin as it was."""
    line = source.rfind(b"\n", 0, scope.start) + 1
    return xxhash.xxh3_64_intdigest(source[line : scope.end])


class Again:
    """Which parts of a file are resolved, and which are as they were in an earlier resolution."""

    def __init__(self, kept: Kept | None, parts: FileParts, is_partial: bool) -> None:
        self._parts = parts
        self._from = [-1] * len(parts.scopes)  # of each part, the one it is taken from
        self._kept = kept
        if kept is not None and (kept.same or not (is_partial or kept.partial)):
            before = {each: number for number, each in enumerate(kept.parts) if number not in kept.stale}
            self._from = [before.get(each, -1) for each in zip(parts.keys, parts.digests, strict=True)]
            if not kept.same:
                self._from[0] = -1  # its text is all around the others', so it has no digest
        self.resolved = [part for part, number in enumerate(self._from) if number < 0]

    @property
    def rest_is_kept(self) -> bool:
        return self._from[0] >= 0

    def sites_kept(self, nodes: Sequence[Node]) -> list[tuple[Site, int]]:
        """Sites of the parts that are as they were, where they stand now, each with its part."""
        kept = self._kept
        if kept is None:
            return []
        number_of = {node.key: number for number, node in enumerate(nodes)}
        now = {number: part for part, number in enumerate(self._from) if number >= 0}
        begins = {node.key: node.start_line for node in kept.nodes}
        moved = {
            number: nodes[number_of[key]].start_line - begins[key] for number in now for key in kept.parts[number][:1]
        }
        renumbered = [number_of.get(node.key, -1) for node in kept.nodes]
        found = []
        for site, number in zip(kept.sites, kept.of_sites, strict=True):
            if number in now:
                lines, source = moved[number], renumbered[site.source]
                if lines or source != site.source:
                    site = replace(site, source=source, line=site.line + lines, end_line=site.end_line + lines)
                found.append((site, now[number]))
        return found

    def parts(self, index_of: Sequence[int], gathered: Gathered, of_sites: tuple[int, ...]) -> Parts:
        """`index_of` has the node of each scope."""
        looked = dict(zip(self.resolved, gathered.looked, strict=True))
        found = [
            Part(index_of[scope], digest, looked.get(number, 0), kept)
            for number, (scope, digest, kept) in enumerate(
                zip(self._parts.scopes, self._parts.digests, self._from, strict=True)
            )
        ]
        return Parts(gathered.keys, gathered.own, tuple(found), of_sites)
