"""Cuts a JavaScript file into parts that are resolved by themselves: each function, class and type in no other function
that has a name, and the rest.

Parts stand in each other: methods in their class, functions without a name in each other (a test's `describe` and each
of its `it`). A part has the text of its definition without the bodies of the parts in it; the rest (part 0) has what is
left. A part of which the text is what it was, and of which the facts say the same, has the same sites unless what these
looked at has changed. So a digest is also of what every expression says, which names the bindings it means; and of
where it stands, for in a file with syntax errors the same text may be read in another way.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Container, Sequence
from typing import Final

import xxhash
from msgspec.structs import replace

from everdex.facts import javascript_model as m
from everdex.graph.javascript.files import File
from everdex.graph.javascript.hashes import Hashes
from everdex.graph.model import LEFT, RESOLVED, Kept, Node, Part, Parts, Site
from everdex.graph.stored.postings import key32

# What each part read is a table of parts and keys: further functions are part of what they stand in.
MAX_PARTS: Final = 2_000
_TYPES: Final = frozenset(("class", "interface", "type"))
_SHOWN: Final = 320  # bytes of what is written before a name that may be in the text of a site


class FileParts:
    """The parts of one file."""

    def __init__(self, file: File, data: bytes) -> None:
        self._file = file
        self._data = data
        nodes = file.facts.nodes
        bodies = {function.node for function in file.functions}
        self.nodes = [0]  # of each part
        self._above = [-1]  # of each part, the one it stands in
        of_node = [0] * len(nodes)
        is_open = [True] * len(nodes)  # whether a function right inside may be a part
        for number, node in enumerate(nodes[1:], start=1):
            of_node[number], is_open[number] = of_node[node.parent], is_open[node.parent]
            if is_open[number] and (number in bodies or node.kind in _TYPES):
                is_open[number] = node.kind == "lambda" or node.kind in _TYPES
                if len(self.nodes) <= MAX_PARTS and self._is_apart(node):
                    self._above.append(of_node[number])
                    of_node[number] = len(self.nodes)
                    self.nodes.append(number)
        self._of_node = of_node
        self.keys = [file.keys[node] for node in self.nodes]
        self.inner: list[list[int]] = [[] for _ in self.nodes]
        for part, above in enumerate(self._above[1:], start=1):
            self.inner[above].append(part)
        edges: dict[int, int] = {0: 0}
        for part in range(1, len(self.nodes)):  # what is inside comes later
            edges[nodes[self.nodes[part]].start] = part
        for part in range(1, len(self.nodes)):
            edges.setdefault(nodes[self.nodes[part]].end, self._above[part])
        self._edges = sorted(edges)
        self._owners = [edges[edge] for edge in self._edges]

    def _is_apart(self, node: m.Definition) -> bool:
        """Whether nothing stands on the last line of a function before its end, so that what follows it there is as far
        from the margin as it was, whatever is in the function."""
        line = self._data.rfind(b"\n", node.signature_end, node.end) + 1
        return line > 0 and self._data[line : node.end].strip() == b"}"

    def at(self, byte: int) -> int:
        """The part in which something stands."""
        return self._owners[bisect_right(self._edges, byte) - 1]

    def writing(self, is_written: Callable[[bytes], bool]) -> frozenset[int]:
        """The parts in whose text something is written; the head of a definition is also that of what it stands in."""
        stretches = zip(self._edges, [*self._edges[1:], len(self._data)], self._owners, strict=True)
        found = {owner for start, end, owner in stretches if is_written(self._data[start:end])}
        rows = [self._file.facts.nodes[node] for node in self.nodes]
        heads = [part for part in found if part and is_written(self._data[rows[part].start : rows[part].signature_end])]
        return frozenset(found) | {self._above[part] for part in heads}

    def _offset(self, byte: int) -> int:
        """From where the part begins, or goes on after another."""
        return byte - self._edges[bisect_right(self._edges, byte) - 1]

    def digests(self, hashes: Hashes, mentions: Sequence[m.Mention]) -> list[int]:
        """Of each part, of its text and of what the facts say of it."""
        file, data, nodes = self._file, self._data, self._file.facts.nodes
        found = [xxhash.xxh3_64() for _ in self.nodes]
        named = [key.encode("utf-8", "replace") for key in file.keys]
        for part, node in enumerate(self.nodes):
            start, end = (nodes[node].start, nodes[node].end) if part else (0, len(data))
            start = data.rfind(b"\n", 0, start) + 1
            for inner in sorted(self.inner[part], key=lambda each: nodes[self.nodes[each]].start):
                row = nodes[self.nodes[inner]]
                found[part].update(data[start : data.find(b"\n", row.signature_end)])
                found[part].update(b"\0%d\0" % (row.end - data.rfind(b"\n", 0, row.end)))
                start = row.end
            found[part].update(data[start:end])
        for number, row in enumerate(nodes[1:], start=1):
            start, end, name = map(self._offset, (row.start, row.end, row.named_at))
            found[self._of_node[row.parent]].update(b"\0%s %d %d %d" % (named[number], start, end, name))
        for node, inherited in hashes.inherited():
            found[self._of_node[node]].update(inherited)
        for mention in mentions:
            part = self.at(mention.start)
            stands = hashes.standing(mention.value) if mention.role in "kK" else 0
            found[part].update(b"\0%s%s %d %d %d %d %d" % (
                mention.role.encode(), named[mention.node], self._offset(mention.start), mention.end - mention.start,
                mention.start - mention.text, hashes.rows[mention.value], stands,
            ))  # fmt: skip
            if mention.text < mention.start and self.inner[part]:
                found[part].update(data[max(mention.text, mention.end - _SHOWN) : mention.end])
        for imported in file.facts.imports:
            found[0].update(b"\0" + imported.specifier.encode("utf-8", "replace"))
        return [each.intdigest() for each in found]


class Again:
    """Which parts of a file are resolved, and which are as they were in an earlier resolution."""

    def __init__(
        self, kept: Kept | None, parts: FileParts, digests: Sequence[int], needed: Container[int] | None = None
    ) -> None:
        """Of parts that would have to be resolved those are left out that are not `needed`."""
        self._kept = kept
        self._parts = parts
        self._digests = digests
        self._from = [RESOLVED] * len(parts.nodes)  # of each part, the one it is taken from
        if kept is not None:
            before = {each: number for number, each in enumerate(kept.parts) if number not in kept.stale}
            self._from = [before.get(each, RESOLVED) for each in zip(parts.keys, digests, strict=True)]
        if needed is not None:
            self._from = [
                LEFT if number == RESOLVED and part not in needed else number
                for part, number in enumerate(self._from)
            ]  # fmt: skip
        self.resolved = frozenset(part for part, number in enumerate(self._from) if number == RESOLVED)

    @property
    def waits(self) -> bool:
        return LEFT in self._from

    def sites_kept(self, nodes: Sequence[Node]) -> list[tuple[Site, int]]:
        """Sites of the parts that are as they were, where they stand now, each with its part."""
        kept, parts = self._kept, self._parts
        if kept is None:
            return []
        number_of = {node.key: number for number, node in enumerate(nodes)}
        before = {node.key: node for node in kept.nodes}
        renumbered = [number_of.get(node.key, -1) for node in kept.nodes]
        now = {number: part for part, number in enumerate(self._from) if number >= 0}
        lines: dict[int, tuple[list[int], list[int]]] = {}  # where parts inside one ended, and by how much that moved
        for part in now.values():
            ended = sorted(
                (was.end_line, nodes[parts.nodes[inner]].end_line - was.end_line)
                for inner in parts.inner[part]
                if (was := before[parts.keys[inner]])
            )
            first = nodes[parts.nodes[part]].start_line - before[parts.keys[part]].start_line if part else 0
            lines[part] = [line for line, _ in ended], [first, *(by for _, by in ended)]
        found = []
        for site, number in zip(kept.sites, kept.of_sites, strict=True):
            part = now.get(number, -1)
            if part >= 0:
                ends, moved = lines[part]
                by, last = moved[bisect_right(ends, site.line)], moved[bisect_right(ends, site.end_line)]
                source = renumbered[site.source]
                if by or last or source != site.source:
                    site = replace(site, source=source, line=site.line + by, end_line=site.end_line + last)
                found.append((site, part))
        return found

    def parts(self, looked: Sequence[set[str]], own: tuple[str, ...], of_sites: tuple[int, ...]) -> Parts:
        """`looked` has what each part that was resolved looked at; the file's own keys begin so."""
        numbers: dict[str, int] = {}
        for keys in looked:
            for key in sorted(keys):
                numbers.setdefault(key, len(numbers))
        found = [
            Part(node, digest, _bits([numbers[key] for key in keys]), kept)
            for node, digest, keys, kept in zip(self._parts.nodes, self._digests, looked, self._from, strict=True)
        ]
        is_own = _bits([number for key, number in numbers.items() if key.startswith(own)])
        return Parts(tuple(map(key32, numbers)), is_own, tuple(found), of_sites)


def _bits(numbers: Sequence[int]) -> int:
    found = bytearray(max(numbers, default=0) // 8 + 1)
    for number in numbers:
        found[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(found, "little")
