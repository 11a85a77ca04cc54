"""Cuts a Python file into parts that are resolved by themselves: each function with all that is in it, and the rest.

The rest (part 0) holds the statements of the module and its classes, and the heads of definitions; what the whole file
defines and imports goes with it. A part with the same text has the same facts wherever it stands, unless the file has
syntax errors: then the text around it may change how it is read.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterator, Sequence
from typing import Final

import xxhash
from msgspec.structs import replace

from everdex.facts.python import model as m
from everdex.graph.model import LEFT, RESOLVED, Kept, Node, Part, Parts, Site
from everdex.graph.python.edits.grown import Grown, Growth
from everdex.graph.python.engine.seen import Gathered
from everdex.graph.python.file.files import File
from everdex.graph.python.sites.variables import key_of

# Functions that are parts, in their order; the others are part of the rest. What each part read is a table of parts and
# keys: 40,000 functions that somebody's program wrote took 10 GB.
MAX_PARTS: Final = 2_000
_MAX_GROWN: Final = 50  # functions; of a file in which more are others all are resolved
_SILENT: Final = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\r?\n)+")  # what is left of a line, and lines, that say nothing


class FileParts:
    """The parts of one file; `imports` is the text of what it imports."""

    def __init__(self, file: File, source: bytes, imports: str) -> None:
        self.of_scope = [0] * len(file.scopes)
        self.scopes = [0]  # of each part, the outermost
        for number, scope in enumerate(file.scopes):
            if number and self.of_scope[scope.parent]:
                self.of_scope[number] = self.of_scope[scope.parent]
            elif scope.kind == m.FUNCTION_SCOPE and len(self.scopes) <= MAX_PARTS:
                self.of_scope[number] = len(self.scopes)
                self.scopes.append(number)
        self.keys = [file.scopes[scope].key for scope in self.scopes]
        bodies = [file.scopes[scope] for scope in self.scopes[1:]]
        self.digests = [_digest_of_rest(file, source, bodies, imports), *(_digest(source, each) for each in bodies)]
        self.entries: list[list[int]] = [[] for _ in self.scopes]
        for where, numbers in file.stretches():
            self.entries[self.of_scope[where]].extend(numbers)
        self.inner: list[list[int]] = [[] for _ in self.scopes]  # of each part the definitions of which it has the head
        for number, scope in enumerate(file.scopes):
            if number:
                self.inner[self.of_scope[scope.parent]].append(number)
        self._bodies, self._source = bodies, source

    def writing(self, is_written: Callable[[bytes], bool]) -> frozenset[int]:
        """The parts in whose text something is written; the head of a definition is also that of what it stands in."""
        source = self._source
        found = [
            part for part, body in enumerate(self._bodies, start=1) if is_written(source[body.start : body.end])
        ]
        edges = [0, *(edge for each in sorted((body.body, body.end) for body in self._bodies) for edge in each)]
        rest = zip(edges[::2], [*edges[1::2], len(source)], strict=True)
        return frozenset(found) | ({0} if any(is_written(source[start:end]) for start, end in rest) else set())


def _digest(source: bytes, scope: m.Scope) -> int:
    """From the begin of its line: what stands on the same line is as far from the margin as it was."""
    line = source.rfind(b"\n", 0, scope.start) + 1
    return xxhash.xxh3_64_intdigest(source[line : scope.end])


def _digest_of_rest(file: File, source: bytes, bodies: Sequence[m.Scope], imports: str) -> int:
    """Of the text between the bodies; and of what is asked with it for the whole file.

    That is where it imports from, and to which class an attribute belongs that a method gives to self.
    """
    stored = [key_of(file, owner, name) for owner, names in file.self_stores.items() for name in names]
    digest = xxhash.xxh3_64("\n".join((imports, *sorted(stored))).encode("utf-8", "surrogatepass"))
    for text in _between(source, bodies):
        digest.update(b"\n%d\n" % len(text))
        digest.update(text)
    return digest.intdigest()


def _between(source: bytes, bodies: Sequence[m.Scope]) -> Iterator[bytes]:
    """The text before each body and after the last, without the lines next to a body that say nothing: where such a
    line is added or taken, all that has sites in that text moves as one."""
    start = 0
    for begin, end in sorted((each.body, each.end) for each in bodies):
        lines = _said(source, start, begin).split(b"\n")
        while len(lines) > 1 and _says_nothing(lines[-1]):
            lines.pop()
        yield b"\n".join(lines)
        start = end
    yield _said(source, start, len(source))


def _said(source: bytes, start: int, end: int) -> bytes:
    silent = _SILENT.match(source, start, end)
    return source[silent.end() if silent is not None else start : end]


def _says_nothing(line: bytes) -> bool:
    """Not with quotes: it may be the end of a string, and of what stands before the body."""
    line = line.strip()
    return not line or (line.startswith(b"#") and b'"' not in line and b"'" not in line)


class Again:
    """Which parts of a file are resolved, and which are as they were in an earlier resolution, or have only grown.

    `growth` compares the file with what it was, of which there may be nothing any more. Of parts that would have to be
    resolved those are left out that are not `needed`."""

    def __init__(
        self, kept: Kept | None, parts: FileParts, is_partial: bool, growth: Callable[[], Growth | None],
        needed: Container[int] | None = None,
    ) -> None:  # fmt: skip
        self._parts = parts
        self._from = [RESOLVED] * len(parts.scopes)  # of each part, the one it is taken from
        self._kept = kept
        self.grown: dict[int, Grown] = {}
        if kept is not None and (kept.same or not (is_partial or kept.partial)):
            before = {each: number for number, each in enumerate(kept.parts) if number not in kept.stale}
            self._from = [before.get(each, RESOLVED) for each in zip(parts.keys, parts.digests, strict=True)]
            if not kept.same:
                self._grow(before, growth)
        if needed is not None:
            self._from = [
                LEFT if number == RESOLVED and part not in needed else number
                for part, number in enumerate(self._from)
            ]  # fmt: skip
        self.resolved = [part for part, number in enumerate(self._from) if number == RESOLVED]

    def _grow(self, before: dict[tuple[str, int], int], growth: Callable[[], Growth | None]) -> None:
        """Take what has grown from what it was."""
        digests = {key: (digest, number) for (key, digest), number in before.items() if number}
        asked = [part for part, number in enumerate(self._from) if number < 0 and self._parts.keys[part] in digests]
        compared = growth() if 0 < len(asked) <= _MAX_GROWN else None
        if compared is None:
            return
        for part in asked:
            digest, number = digests[self._parts.keys[part]]
            found = compared.of(self._parts.keys[part], digest, self._parts.entries[part])
            if found is not None:
                self._from[part], self.grown[part] = number, found

    @property
    def rest_is_kept(self) -> bool:
        return self._from[0] >= 0

    @property
    def rest_is_left(self) -> bool:
        return self._from[0] == LEFT

    @property
    def waits(self) -> bool:
        return LEFT in self._from

    def sites_kept(self, nodes: Sequence[Node]) -> list[tuple[Site, int]]:
        """Sites of the parts that are as they were, where they stand now, each with its part."""
        kept = self._kept
        if kept is None:
            return []
        number_of = {node.key: number for number, node in enumerate(nodes)}
        now = {number: part for part, number in enumerate(self._from) if number >= 0}
        before = {node.key: node for node in kept.nodes}
        moved = [
            nodes[number_of[key]].start_line - before[key].start_line if key in number_of else 0
            for key, _ in kept.parts
        ]
        # What stands between two bodies moves with the head of the second, after the last one with the file's end.
        ordered = sorted([(before[key].end_line, number) for number, (key, _) in enumerate(kept.parts) if number])
        ends = [end for end, _ in ordered]
        between = [*(moved[number] for _, number in ordered), nodes[0].end_line - kept.nodes[0].end_line]
        renumbered = [number_of.get(node.key, -1) for node in kept.nodes]
        found = []
        for site, number in zip(kept.sites, kept.of_sites, strict=True):
            if number in now:
                lines = last = moved[number] if number else between[bisect_left(ends, site.line)]
                if (grown := self.grown.get(now[number])) is not None:
                    lines, last = lines + grown.moved(site.line), last + grown.moved(site.end_line)
                source = renumbered[site.source]
                if lines or last or source != site.source:
                    site = replace(site, source=source, line=site.line + lines, end_line=site.end_line + last)
                found.append((site, now[number]))
        return found

    def parts(self, index_of: Sequence[int], gathered: Gathered, of_sites: tuple[int, ...]) -> Parts:
        """`index_of` has the node of each scope; `gathered` is of what is resolved, and then of what has grown."""
        looked = dict(zip((*self.resolved, *self.grown), gathered.looked, strict=True))
        found = [
            Part(index_of[scope], digest, looked.get(number, 0), kept)
            for number, (scope, digest, kept) in enumerate(
                zip(self._parts.scopes, self._parts.digests, self._from, strict=True)
            )
        ]
        return Parts(gathered.keys, gathered.own, tuple(found), of_sites)
