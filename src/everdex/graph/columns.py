"""One file's graph as a compact blob, and back: columns of small numbers and one table of strings, compressed.

A blob names other files by path and definitions by key, never by number, so it stays right wherever it is copied.
It is read without its source, which may have changed since. Reading materialises only what is asked for: looking for
a target costs a scan of one column.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import accumulate
from typing import Final

import msgspec

from everdex.graph.model import Dependency, FileGraph, Node, Role, Site, Status, Target

_LAST: Final = re.compile(r"[^\W\d][\w$]*[?!]?\Z")
_LEVEL: Final = 6
# A site's mark is one byte: its role, its status, and whether a call has the very same place.
_BY_MARK: Final = tuple((role, status) for role in Role for status in Status)
_MARKS: Final = {pair: mark for mark, pair in enumerate(_BY_MARK)}
_CALLED: Final = 1 << 7


def marked(roles: Collection[Role] | None, statuses: Collection[Status] = tuple(Status)) -> frozenset[int]:
    """The marks of sites with one of these roles (None: any) and statuses."""
    plain = {_MARKS[role, status] for role in (Role if roles is None else roles) for status in statuses}
    return frozenset({*plain, *(mark | _CALLED for mark in plain)})


# Calls, and what is only named by one: who asks for callers means both.
CALLING: Final = marked({Role.CALL}) | {mark for mark in marked({Role.REFERENCE}) if mark & _CALLED}
_OF_DEFINITIONS: Final = marked({Role.INHERIT, Role.OVERRIDE, Role.DECORATE})
_LOOSE: Final = marked(None, set(Status) - {Status.RESOLVED})


def by_status(marks: Iterable[int]) -> dict[Status, int]:
    """How many of these marks say what."""
    counts = dict.fromkeys(Status, 0)
    for mark, count in Counter(marks).items():
        counts[_BY_MARK[mark & ~_CALLED][1]] += count
    return counts


def last_name(text: str) -> str:
    """The name that a site asks for: `open` in `self.store.open`; '' when what it names has no name of its own."""
    found = _LAST.search(text)
    return found[0] if found else ""


class _Packed(msgspec.Struct, array_like=True, gc=False):
    """The stored form. Deltas and differences are small, and small numbers compress."""

    strings: list[str]  # kinds, site texts, reasons, target paths, target keys
    node_keys: list[str]  # '' where the key is the parent's and the name
    node_names: list[str]
    node_qualified: list[str]  # '' where it is the parent's and the name
    node_kinds: list[int]
    node_parents: list[int]
    node_starts: list[int]
    node_lengths: list[int]
    node_lines: list[int]
    node_heights: list[int]
    node_name_lines: list[int]
    node_name_columns: list[int]
    node_signatures: list[str]
    node_public: list[int]
    targets: list[int]  # path, key, path, key, …
    target_sets: list[list[int]]  # the first is empty
    site_marks: bytes
    site_sources: list[int]
    site_lines: list[int]
    site_columns: list[int]
    site_heights: list[int]
    site_ends: list[int]
    site_texts: list[int]
    site_targets: list[int]
    site_reasons: list[int]
    dependencies: list[tuple[int, int, list[int]]]  # target, line, names


_DECODER: Final = msgspec.msgpack.Decoder(_Packed)
_ENCODER: Final = msgspec.msgpack.Encoder()


class _Table:
    """Numbers for strings, in order of first use."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def encode(graph: FileGraph) -> bytes:
    """The blob of a file's graph; the same graph gives the same bytes."""
    strings = _Table()
    targets: dict[Target, int] = {}
    target_sets: dict[tuple[int, ...], int] = {(): 0}

    def target_number(target: Target) -> int:
        return targets.setdefault(target, len(targets))

    nodes, sites = graph.nodes, graph.sites
    known: dict[int, int] = {}  # sites share their targets: most need not be looked into

    def target_set(chosen: tuple[Target, ...]) -> int:
        number = known.get(id(chosen))
        if number is None:
            numbers = tuple(map(target_number, chosen))
            number = known[id(chosen)] = target_sets.setdefault(numbers, len(target_sets))
        return number

    site_targets = [target_set(site.targets) for site in sites]
    dependencies = [
        (target_number(item.target), item.line, [strings(name) for name in item.names]) for item in graph.dependencies
    ]
    packed = _Packed(
        [],
        ["" if node.key == _child(nodes, node, "key") else node.key for node in nodes],
        [node.name for node in nodes],
        ["" if node.qualified_name == _child(nodes, node, "qualified_name") else node.qualified_name for node in nodes],
        [strings(node.kind) for node in nodes],
        [node.parent for node in nodes],
        [node.start_byte for node in nodes],
        [node.end_byte - node.start_byte for node in nodes],
        [node.start_line for node in nodes],
        [node.end_line - node.start_line for node in nodes],
        [node.name_line - node.start_line for node in nodes],
        [node.name_column for node in nodes],
        [node.signature for node in nodes],
        [int(node.public) for node in nodes],
        [number for target in targets for number in (strings(target.path), strings(target.key))],
        [list(numbers) for numbers in target_sets],
        _marks(sites),
        _deltas(site.source for site in sites),
        _deltas(site.line for site in sites),
        [site.column for site in sites],
        [site.end_line - site.line for site in sites],
        # Most sites end on their line, right behind their text.
        [site.end_column - site.column - len(site.text) for site in sites],
        [strings(site.text) for site in sites],
        site_targets,
        [strings(site.reason) for site in sites],
        dependencies,
    )
    packed.strings = list(strings.numbers)
    return zlib.compress(_ENCODER.encode(packed), _LEVEL)


def _marks(sites: Sequence[Site]) -> bytes:
    calls = {(site.line, site.column, site.end_line, site.end_column) for site in sites if site.role is Role.CALL}
    return bytes(
        _MARKS[site.role, site.status]
        | (_CALLED if site.role is Role.REFERENCE
           and (site.line, site.column, site.end_line, site.end_column) in calls else 0)
        for site in sites
    )  # fmt: skip


def _child(nodes: Sequence[Node], node: Node, attribute: str) -> str | None:
    """What a name is called inside its parent; None for the file, which has no parent."""
    if node.parent < 0:
        return None
    prefix: str = getattr(nodes[node.parent], attribute)
    return f"{prefix}.{node.name}" if prefix else node.name


def _deltas(numbers: Iterable[int]) -> list[int]:
    deltas, before = [], 0
    for number in numbers:
        deltas.append(number - before)
        before = number
    return deltas


class Columns:
    """A decoded blob."""

    __slots__ = ("__dict__", "_packed")

    def __init__(self, blob: bytes) -> None:
        self._packed = _DECODER.decode(zlib.decompress(blob))

    # -- definitions ---------------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        return len(self._packed.node_names)

    @property
    def node_names(self) -> Sequence[str]:
        return self._packed.node_names

    @property
    def node_parents(self) -> Sequence[int]:
        return self._packed.node_parents

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        packed = self._packed
        nodes: list[Node] = []
        for number, name in enumerate(packed.node_names):
            parent = packed.node_parents[number]
            key, qualified = packed.node_keys[number], packed.node_qualified[number]
            if parent >= 0:
                above = nodes[parent]
                key = key or (f"{above.key}.{name}" if above.key else name)
                qualified = qualified or (f"{above.qualified_name}.{name}" if above.qualified_name else name)
            start, line = packed.node_starts[number], packed.node_lines[number]
            nodes.append(
                Node(
                    key, qualified, name, packed.strings[packed.node_kinds[number]], parent,
                    start, start + packed.node_lengths[number], line, line + packed.node_heights[number],
                    line + packed.node_name_lines[number], packed.node_name_columns[number],
                    packed.node_signatures[number], bool(packed.node_public[number]),
                )
            )  # fmt: skip
        return tuple(nodes)

    @cached_property
    def by_key(self) -> dict[str, int]:
        return {node.key: number for number, node in enumerate(self.nodes)}

    # -- sites ---------------------------------------------------------------------------------

    @property
    def site_count(self) -> int:
        return len(self._packed.site_marks)

    @property
    def marks(self) -> bytes:
        """Of each site, the byte that tells its role and status."""
        return self._packed.site_marks

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """Every target that a site or a dependency of this file has."""
        strings, flat = self._packed.strings, self._packed.targets
        return tuple(Target(strings[path], strings[key]) for path, key in zip(flat[::2], flat[1::2], strict=True))

    @cached_property
    def sources(self) -> tuple[int, ...]:
        """Of each site, the node around it."""
        return tuple(accumulate(self._packed.site_sources))

    @cached_property
    def _lines(self) -> tuple[int, ...]:
        return tuple(accumulate(self._packed.site_lines))

    @cached_property
    def _by_set(self) -> dict[int, list[int]]:
        """Set of targets -> the sites that have it, in order."""
        found: dict[int, list[int]] = {}
        for number, chosen in enumerate(self._packed.site_targets):
            found.setdefault(chosen, []).append(number)
        return found

    @cached_property
    def _sets_with(self) -> dict[Target, list[int]]:
        """Target -> the sets with it."""
        targets = self.targets
        found: dict[Target, list[int]] = {target: [] for target in targets}
        for number, each in enumerate(self._packed.target_sets):
            for target in each:
                found[targets[target]].append(number)
        return found

    def sites_to(self, wanted: AbstractSet[Target]) -> list[int]:
        """Numbers of the sites that have one of these targets, in order."""
        known = self._sets_with
        fewer: Iterable[Target] = wanted if len(wanted) <= len(known) else known
        sets = {number for target in fewer if target in wanted and target in known for number in known[target]}
        lists = [self._by_set[number] for number in sets if number in self._by_set]
        return lists[0] if len(lists) == 1 else sorted([number for each in lists for number in each])

    @cached_property
    def _by_source(self) -> dict[tuple[Role, int], list[int]]:
        """Definition -> its sites, of the roles that say something of the definition itself."""
        found: dict[tuple[Role, int], list[int]] = {}
        for number, mark in enumerate(self._packed.site_marks):
            if mark in _OF_DEFINITIONS:
                found.setdefault((self.role(number), self.sources[number]), []).append(number)
        return found

    def sites_of(self, node: int, role: Role) -> Sequence[int]:
        """Where a definition says what it inherits, overrides or is decorated with."""
        return self._by_source.get((role, node), ())

    def above(self, node: int, role: Role) -> list[Target]:
        """What a definition inherits from, or overrides."""
        return [target for number in self.sites_of(node, role) for target in self.targets_of(number)]

    @cached_property
    def _loose(self) -> dict[str, list[int]]:
        """Name that is asked for -> the sites that are ambiguous, external or unresolved."""
        strings, texts = self._packed.strings, self._packed.site_texts
        found: dict[str, list[int]] = {}
        names: dict[int, str] = {}
        for number, mark in enumerate(self._packed.site_marks):
            if mark in _LOOSE:
                text = texts[number]
                name = names.get(text)
                if name is None:
                    name = names[text] = last_name(strings[text])
                found.setdefault(name, []).append(number)
        return found

    def loose_sites(self, names: AbstractSet[str]) -> list[int]:
        """The sites that ask for one of these names and are ambiguous, external or unresolved; in order."""
        known = self._loose
        fewer: Iterable[str] = names if len(names) <= len(known) else known
        return sorted([number for name in fewer if name in names and name in known for number in known[name]])

    @cached_property
    def _sets(self) -> dict[int, tuple[Target, ...]]:
        return {}

    def targets_of(self, number: int) -> tuple[Target, ...]:
        """The targets of a site; those with the same have one tuple."""
        chosen = self._packed.site_targets[number]
        found = self._sets.get(chosen)
        if found is None:
            found = self._sets[chosen] = tuple([self.targets[index] for index in self._packed.target_sets[chosen]])
        return found

    def site(self, number: int) -> Site:
        packed = self._packed
        role, status = _BY_MARK[packed.site_marks[number] & ~_CALLED]
        text = packed.strings[packed.site_texts[number]]
        line, column = self._lines[number], packed.site_columns[number]
        return Site(
            role,
            self.sources[number],
            line,
            column,
            line + packed.site_heights[number],
            column + len(text) + packed.site_ends[number],
            text,
            status,
            self.targets_of(number),
            packed.strings[packed.site_reasons[number]],
        )

    def span(self, number: int) -> tuple[int, int, int, int]:
        """Where a site stands: line and column of its begin and of its end."""
        packed = self._packed
        line, column = self._lines[number], packed.site_columns[number]
        length = len(packed.strings[packed.site_texts[number]]) + packed.site_ends[number]
        return line, column, line + packed.site_heights[number], column + length

    def role(self, number: int) -> Role:
        return _BY_MARK[self._packed.site_marks[number] & ~_CALLED][0]

    def sites(self) -> Iterator[Site]:
        return map(self.site, range(self.site_count))

    def tally(self) -> Iterator[tuple[Role, Status, list[Target], int]]:
        """How many sites have the same role, status and targets."""
        packed = self._packed
        alike = Counter(
            (mark & ~_CALLED, chosen) for mark, chosen in zip(packed.site_marks, packed.site_targets, strict=True)
        )
        for (mark, chosen), count in alike.items():
            yield *_BY_MARK[mark], [self.targets[index] for index in packed.target_sets[chosen]], count

    def dependencies(self) -> Iterator[Dependency]:
        strings = self._packed.strings
        for target, line, names in self._packed.dependencies:
            yield Dependency(self.targets[target], line, tuple(strings[name] for name in names))
