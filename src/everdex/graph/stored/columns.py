"""Reads the stored form of one file's graph (`packed.py`) and decodes only the columns that are asked for.

The file's source is not needed, and may have changed since. Whether a file has a site for some target is one look into
one table.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import accumulate
from typing import Final

import msgspec

from everdex.graph.model import Dependency, Node, Role, Site, Status, Target
from everdex.graph.stored.packed import BY_MARK, PLAIN, SEMANTIC, Packed, last_name, marked
from everdex.numeric import np, npt

_DECODER: Final = msgspec.msgpack.Decoder(Packed)
_OF_DEFINITIONS: Final = marked(frozenset({Role.INHERIT, Role.OVERRIDE, Role.DECORATE}))
_LOOSE: Final = marked(None, frozenset(Status) - {Status.RESOLVED})


def _numbers(data: bytes) -> memoryview[int]:
    return memoryview(data)[1:].cast(chr(data[0]))  # type: ignore[call-overload, no-any-return]


def _array(data: bytes) -> npt.NDArray[np.int64]:
    return np.frombuffer(data, np.dtype(chr(data[0])), offset=1)


class Columns:
    """A decoded blob."""

    __slots__ = ("__dict__", "_packed")

    def __init__(self, blob: bytes) -> None:
        self._packed = packed = _DECODER.decode(zlib.decompress(blob))
        self._site_columns = _numbers(packed.site_columns)
        self._site_heights = _numbers(packed.site_heights)
        self._site_ends = _numbers(packed.site_ends)
        self._site_texts = _numbers(packed.site_texts)
        self._site_targets = _numbers(packed.site_targets)
        self._site_reasons = _numbers(packed.site_reasons)

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
        places = zip(accumulate(packed.node_starts), accumulate(packed.node_lines), strict=True)
        for number, (name, (start, line)) in enumerate(zip(packed.node_names, places, strict=True)):
            parent = packed.node_parents[number]
            key, qualified = packed.node_keys[number], packed.node_qualified[number]
            if parent >= 0:
                above = nodes[parent]
                key = key or (f"{above.key}.{name}" if above.key else name)
                qualified = qualified or (f"{above.qualified_name}.{name}" if above.qualified_name else name)
            nodes.append(
                Node(
                    key, qualified, name, packed.strings[packed.node_kinds[number]], parent,
                    start, start + packed.node_lengths[number], line, line + packed.node_heights[number],
                    line + packed.node_name_lines[number], packed.node_name_columns[number],
                    packed.node_signatures[number], bool(packed.node_public[number]),
                )
            )  # fmt: skip
        return tuple(nodes)

    @property
    def symbols(self) -> Sequence[str]:
        """Of each node an indexer's name, '' where it has none; empty where none has."""
        return self._packed.node_symbols

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
        strings = self._packed.strings
        numbers = zip(accumulate(self._packed.target_paths), accumulate(self._packed.target_keys), strict=True)
        return tuple(Target(strings[path], strings[key]) for path, key in numbers)

    @cached_property
    def sources(self) -> Sequence[int]:
        """Of each site, the node around it."""
        found: list[int] = np.cumsum(_array(self._packed.site_sources)).tolist()
        return found

    @cached_property
    def _lines(self) -> Sequence[int]:
        found: list[int] = np.cumsum(_array(self._packed.site_lines)).tolist()
        return found

    @cached_property
    def _by_set(self) -> tuple[npt.NDArray[np.int64], list[int]]:
        """The sites by their set of targets, each set's in order; and where each set begins, and the last ends."""
        chosen = _array(self._packed.site_targets)
        ends: list[int] = np.cumsum(np.bincount(chosen, minlength=len(self._packed.target_sets))).tolist()
        return np.argsort(chosen, kind="stable"), [0, *ends]

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
        if len(wanted) <= len(known):
            sets = {number for target in wanted for number in known.get(target, ())}
        else:
            sets = {number for target, having in known.items() if target in wanted for number in having}
        if not sets:
            return []
        sites, starts = self._by_set
        found: list[int] = [n for number in sets for n in sites[starts[number] : starts[number + 1]].tolist()]
        return found if len(sets) == 1 else sorted(found)

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

    def sites_in(self, node: int) -> list[int]:
        """Every site that a definition is the innermost one around, in order."""
        return [number for number, source in enumerate(self.sources) if source == node]

    def above(self, node: int, role: Role) -> list[Target]:
        """What a definition inherits from, overrides or is decorated with."""
        return [target for number in self.sites_of(node, role) for target in self.targets_of(number)]

    @cached_property
    def _loose(self) -> dict[str, list[int]]:
        """Name that is asked for -> the sites that are ambiguous, external, unresolved, or resolved in part."""
        strings, texts, reasons = self._packed.strings, self._site_texts, self._site_reasons
        found: dict[str, list[int]] = {}
        names: dict[int, str] = {}
        for number, mark in enumerate(self._packed.site_marks):
            if mark in _LOOSE or strings[reasons[number]]:
                text = texts[number]
                name = names.get(text)
                if name is None:
                    name = names[text] = last_name(strings[text])
                found.setdefault(name, []).append(number)
        return found

    def loose_sites(self, names: AbstractSet[str]) -> list[int]:
        """The sites that ask for one of these names and may mean something else than was found; in order."""
        known = self._loose
        if len(names) <= len(known):
            return sorted([number for name in names for number in known.get(name, ())])
        return sorted([number for name, having in known.items() if name in names for number in having])

    @cached_property
    def _sets(self) -> dict[int, tuple[Target, ...]]:
        return {}

    def targets_of(self, number: int) -> tuple[Target, ...]:
        """The targets of a site; those with the same have one tuple."""
        chosen = self._site_targets[number]
        found = self._sets.get(chosen)
        if found is None:
            found = self._sets[chosen] = tuple([self.targets[index] for index in self._packed.target_sets[chosen]])
        return found

    def site(self, number: int) -> Site:
        packed = self._packed
        role, status = BY_MARK[packed.site_marks[number] & PLAIN]
        text = packed.strings[self._site_texts[number]]
        line, column = self._lines[number], self._site_columns[number]
        return Site(
            role,
            self.sources[number],
            line,
            column,
            line + self._site_heights[number],
            column + len(text) + self._site_ends[number],
            text,
            status,
            self.targets_of(number),
            packed.strings[self._site_reasons[number]],
            bool(packed.site_marks[number] & SEMANTIC),
        )

    def text(self, number: int) -> str:
        return self._packed.strings[self._site_texts[number]]

    def span(self, number: int) -> tuple[int, int, int, int]:
        """Where a site stands: line and column of its begin and of its end."""
        packed = self._packed
        line, column = self._lines[number], self._site_columns[number]
        length = len(packed.strings[self._site_texts[number]]) + self._site_ends[number]
        return line, column, line + self._site_heights[number], column + length

    def sites_ending(self, lines: AbstractSet[int]) -> list[int]:
        """The sites that end on one of these lines, in order."""
        ends = np.cumsum(_array(self._packed.site_lines)) + _array(self._packed.site_heights)
        wanted = np.zeros(max(int(ends.max(initial=0)), max(lines, default=0)) + 1, dtype=np.bool_)
        wanted[list(lines)] = True
        found: list[int] = np.flatnonzero(wanted[ends]).tolist()
        return found

    def status(self, number: int) -> Status:
        return BY_MARK[self._packed.site_marks[number] & PLAIN][1]

    def role(self, number: int) -> Role:
        return BY_MARK[self._packed.site_marks[number] & PLAIN][0]

    def sites(self) -> Iterator[Site]:
        return map(self.site, range(self.site_count))

    def tally(self) -> Iterator[tuple[Role, Status, list[Target], int]]:
        """How many sites have the same role, status and targets."""
        packed = self._packed
        alike = Counter(
            (mark & PLAIN, chosen) for mark, chosen in zip(packed.site_marks, self._site_targets, strict=True)
        )
        for (mark, chosen), count in alike.items():
            yield *BY_MARK[mark], [self.targets[index] for index in packed.target_sets[chosen]], count

    def flows(self) -> Iterator[tuple[Role, Status, bool, int, tuple[Target, ...], int, int]]:
        """The same by the node around the sites as well, and by whether an indexer says so.

        Role, status, semantic, node, targets, how many, and the first line.
        """
        alike: dict[tuple[int, int, int], list[int]] = {}
        columns = zip(self._packed.site_marks, self.sources, self._site_targets, strict=True)
        for number, (mark, source, chosen) in enumerate(columns):
            alike.setdefault((mark & (PLAIN | SEMANTIC), source, chosen), []).append(number)
        for (mark, source, _), numbers in alike.items():
            first = numbers[0]
            role, status = BY_MARK[mark & PLAIN]
            yield role, status, bool(mark & SEMANTIC), source, self.targets_of(first), len(numbers), self._lines[first]

    def dependencies(self) -> Iterator[Dependency]:
        strings = self._packed.strings
        for target, line, names in self._packed.dependencies:
            yield Dependency(self.targets[target], line, tuple(strings[name] for name in names))
