"""Joins what a semantic indexer says of one file with what was resolved from its text.

The two answer different questions: an indexer says what a *name* means, a call site says what *runs*. So a call keeps
our targets where they only go further than the indexer's (to the implementation of a declared method, to the function
that a variable holds). Elsewhere the indexer's word counts where we knew less or another definition. That an indexer
found nothing does not take our answer away. A definition in a file whose bytes have changed since is not used. Other
files that are looked at are noted, for `overlay`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import msgspec

from everdex.graph.definitions.atlas import CONTAINERS, VARIABLES, Atlas, Definition
from everdex.graph.definitions.declarations import implementation
from everdex.graph.model import DISAGREES, FileGraph, Node, Role, Site, Status, Target
from everdex.graph.stored.packed import last_name
from everdex.identity.symbols import plain_name
from everdex.memory import remembering
from everdex.semantic import model, scip
from everdex.semantic.model import Document

_FUNCTIONS: Final = frozenset({"function", "method", "constructor", "lambda", "macro"})
# What a symbol's last character says of the kind of what it names.
_KINDS: Final = {"#": CONTAINERS, "()": _FUNCTIONS, ".": VARIABLES, "!": frozenset({"macro"})}
_ONLY_DECLARED: Final = frozenset({"interface", "type", "trait", "protocol"})
_MODULES: Final = frozenset({"/", ":"})
_PYTHON: Final = "python"  # whose packages do not say how a module is called
_INIT: Final = "__init__"
_REMEMBERED: Final = 1_024  # files whose definitions are at hand


class _Meaning(NamedTuple):
    """What some symbols name: definitions here, or else something outside."""

    named: tuple[Definition, ...]
    outside: str


_NOTHING: Final = _Meaning((), "")


class Joined(NamedTuple):
    graph: FileGraph
    looked: tuple[str, ...]  # other files


class Joiner:
    """Joins files of one graph with what is kept of them."""

    def __init__(self, atlas: Atlas, packages: frozenset[tuple[str, str]]) -> None:
        """`packages` are those that some document defines something of: what is called after one is not outside."""
        self.atlas = atlas
        self.packages = packages
        self.by_name = remembering(self._by_name, _REMEMBERED)

    def join(self, file: int, document: Document) -> Joined:
        return _File(self, file, document).joined()

    def definition(self, file: int, byte: int, symbol: scip.Symbol) -> Definition | None:
        """The definition of a symbol whose name begins at a byte, by its kind if there are several."""
        if byte == 0 and symbol.suffix in _MODULES:
            return self.atlas.definition(file, 0)
        # Some indexers place what they made up themselves at a definition that has another name.
        named = [item for item in self.by_name(file).get(byte, ()) if item.node.name in symbol.names[-1]]
        fitting = [item for item in named if item.node.kind in _KINDS.get(symbol.suffix, ())]
        return next(iter(fitting or named), None)

    def _by_name(self, file: int) -> dict[int, list[Definition]]:
        """The definitions of a file by the byte at which their names begin."""
        text = self.atlas.text(self.atlas.graph.paths[file])
        found: dict[int, list[Definition]] = {}
        for item in self.atlas.definitions(file)[1:]:
            found.setdefault(text.byte(item.node.name_line, item.node.name_column), []).append(item)
        return found


class _File:
    def __init__(self, joiner: Joiner, file: int, document: Document) -> None:
        self._joiner = joiner
        self._atlas = atlas = joiner.atlas
        self._file = file
        self._path = atlas.graph.paths[file]
        self._columns = atlas.columns(file)
        self._document = document
        self._text = atlas.text(self._path)
        self._looked: set[str] = set()
        self._known: dict[int, _Meaning] = {}
        self._sites = list(self._columns.sites())

    def joined(self) -> Joined:
        places = self._by_place()
        spans = [self._span(site) for site in self._sites]
        at_place: dict[tuple[int, int], set[Target]] = {}
        for site, span in zip(self._sites, spans, strict=True):
            at_place.setdefault(span, set()).update(site.targets)
        found = [
            self._decided(site, self._meaning(places[span], site.role), at_place[span])
            if span in places and site.role is not Role.OVERRIDE
            else site
            for site, span in zip(self._sites, spans, strict=True)
        ]
        self._sites = found
        for site, span in zip(found, spans, strict=True):
            at_place[span].update(site.targets)
        self._sites = [*found, *self._new(places, at_place)]
        self._implement()
        self._sites.sort(key=lambda site: (site.line, site.column))
        entry = self._atlas.entry(self._file)
        graph = FileGraph(
            self._columns.nodes, tuple(self._sites), tuple(self._columns.dependencies()), frozenset(), entry.interface,
            entry.partial, None, self._symbols(),
        )  # fmt: skip
        return Joined(graph, tuple(sorted(self._looked - {self._path})))

    # -- places --------------------------------------------------------------------------------

    def _by_place(self) -> dict[tuple[int, int], list[int]]:
        """The occurrences at each place."""
        found: dict[tuple[int, int], list[int]] = {}
        document = self._document
        for number, (start, length) in enumerate(zip(document.starts, document.lengths, strict=True)):
            if length:
                found.setdefault((start, start + length), []).append(number)
        return found

    def _span(self, site: Site) -> tuple[int, int]:
        return self._text.byte(site.line, site.column), self._text.byte(site.end_line, site.end_column)

    # -- meanings ------------------------------------------------------------------------------

    def _meaning(self, occurrences: Sequence[int], role: Role) -> _Meaning:
        """What the name at a place means to a site of this role: a definition is an occurrence only of what writes."""
        document = self._document
        wanted = [
            self._of_symbol(document.numbers[number])
            for number in occurrences
            if role is Role.WRITE or not document.roles[number] & model.DEFINITION
        ]
        named = tuple({item.target: item for meaning in wanted for item in meaning.named}.values())
        outside = next((meaning.outside for meaning in wanted if meaning.outside), "")
        return _Meaning(named, "" if named else outside)

    def _of_symbol(self, number: int) -> _Meaning:
        known = self._known.get(number)
        if known is None:
            known = self._known[number] = self._look_up(number)
        return known

    def _look_up(self, number: int) -> _Meaning:
        symbol = scip.parsed(self._document.symbols[number])
        if symbol is None:
            return _NOTHING
        homes = self._document.homes[number]
        if not homes:
            inside = (symbol.manager, symbol.package) in self._joiner.packages
            return _NOTHING if inside else _Meaning((), outside_name(symbol))
        named: list[Definition] = []
        for home in homes:
            path, content = self._document.files[home.file]
            self._looked.add(path)
            file = self._atlas.graph.number(path)
            if file is None or self._atlas.entry(file).content != content:
                return _NOTHING  # its bytes are others by now
            item = self._joiner.definition(file, home.start, symbol)
            if item is not None:
                named += implementation(self._atlas, item) or [item]
        return _Meaning(tuple(named), "")

    # -- sites ---------------------------------------------------------------------------------

    def _decided(self, site: Site, meaning: _Meaning, at_place: set[Target]) -> Site:
        """A site with what an indexer says of its place."""
        if meaning.outside:
            return self._outside(site, meaning.outside)
        named = self._called(meaning.named) if site.role is Role.CALL else meaning.named
        if not named:
            return site
        runs = tuple(dict.fromkeys(target for item in named for target in self._runs(site, item)))
        if site.status is not Status.RESOLVED:
            return _told(site, Status.RESOLVED, runs)
        meant = {*map(_twins, runs), *(_twins(item.target) for item in named)}
        if not meant.isdisjoint(map(_twins, site.targets)):
            return _told(site, Status.RESOLVED, site.targets)
        if not meant.isdisjoint(map(_twins, at_place)) or self._leads_further(site, named):
            return site  # no contradiction; but where it leads is not what the indexer said
        if site.role is Role.WRITE and self._defines_here(site):
            return _told(site, Status.RESOLVED, (*site.targets, *runs))
        if self._is_misnamed(site, named):
            return msgspec.structs.replace(site, reason=DISAGREES)
        return _told(site, Status.RESOLVED, runs, DISAGREES)

    def _is_misnamed(self, site: Site, named: Sequence[Definition]) -> bool:
        """Whether what is written there is what the text's definition is called, and none of the indexer's."""
        written = last_name(site.text)
        read = (plain_name(target.key).rpartition(".")[2] for target in site.targets)
        return written in read and all(item.node.name != written for item in named)

    def _defines_here(self, site: Site) -> bool:
        """Whether what is written is defined by that: it is the one thing, and what a type declares the other."""
        nodes = (self._columns.nodes[self._columns.by_key[target.key]] for target in site.targets
                 if target.path == self._path and target.key in self._columns.by_key)  # fmt: skip
        return any((node.name_line, node.name_column) == (site.line, site.column) for node in nodes)

    def _called(self, named: tuple[Definition, ...]) -> tuple[Definition, ...]:
        """What can run of what is named; nothing where it may be what a variable holds."""
        if any(item.node.kind in VARIABLES for item in named):
            return ()
        return tuple(item for item in named if item.node.kind not in _ONLY_DECLARED and not item.is_file)

    def _runs(self, site: Site, item: Definition) -> list[Target]:
        """What is meant by a name, at a call what runs: a class's own constructor."""
        constructors = self._atlas.constructors(item) if site.role is Role.CALL else []
        return [inner.target for inner in constructors] or [item.target]

    def _leads_further(self, site: Site, named: Sequence[Definition]) -> bool:
        """Whether a site leads to what stands in for what is named: that is only declared, or is replaced by it."""
        if site.role not in (Role.CALL, Role.REFERENCE):
            return False
        around = [self._atlas.definition(item.file, item.node.parent) for item in named if item.node.parent > 0]
        declared = len(around) == len(named) and all(item.node.kind in _ONLY_DECLARED for item in around)
        if declared and site.role is Role.CALL:
            return True
        wanted = {item.target for item in named}
        return all(not wanted.isdisjoint(self._above(target)) for target in site.targets if target.path)

    def _above(self, target: Target) -> set[Target]:
        """What a method replaces, and what that replaces."""
        found: set[Target] = set()
        waiting = [target]
        while waiting:
            item = self._atlas.at(waiting.pop())
            if item is not None:
                self._looked.add(item.path)
                above = set(self._atlas.columns(item.file).above(item.number, Role.OVERRIDE)) - found
                found |= above
                waiting += above
        return found

    def _outside(self, site: Site, name: str) -> Site:
        """A site of something that the indexer did not index. What is read to be in the root is not outside."""
        if site.status is Status.EXTERNAL:
            return _told(site, Status.EXTERNAL, site.targets)
        if site.status is Status.RESOLVED:
            return msgspec.structs.replace(site, reason=DISAGREES)
        return _told(site, Status.EXTERNAL, (Target("", name),))

    def _new(
        self, places: dict[tuple[int, int], list[int]], at_place: dict[tuple[int, int], set[Target]]
    ) -> list[Site]:
        """References that have no site yet: fields, types, what a call only names."""
        found = []
        for (start, end), occurrences in places.items():
            meaning = self._meaning(occurrences, Role.REFERENCE)
            fresh = tuple(
                item.target for item in meaning.named if item.target not in at_place.get((start, end), ())
            )
            if fresh:
                found.append(self._site(start, end, self._role(occurrences), fresh))
        return found

    def _role(self, occurrences: Iterable[int]) -> Role:
        roles = 0
        for number in occurrences:
            roles |= self._document.roles[number]
        return Role.IMPORT if roles & model.IMPORT else Role.WRITE if roles & model.WRITE else Role.REFERENCE

    def _site(self, start: int, end: int, role: Role, targets: tuple[Target, ...]) -> Site:
        line, column = self._text.position(start)
        end_line, end_column = self._text.position(end)
        text = self._text.between(start, end)[-80:]
        return Site(
            role, self._around(start), line, column, end_line, end_column, text, Status.RESOLVED, targets, "", True
        )

    def _around(self, byte: int) -> int:
        """The innermost definition around a byte; variables are around nothing."""
        nodes, (starts, numbers) = self._columns.nodes, self._by_start
        number = numbers[bisect_right(starts, byte) - 1]
        while number > 0 and (nodes[number].end_byte <= byte or nodes[number].kind in VARIABLES):
            number = nodes[number].parent
        return number

    @cached_property
    def _by_start(self) -> tuple[list[int], list[int]]:
        """Where definitions begin, and which; the file comes first."""
        nodes = self._columns.nodes
        inner = [number for number in range(1, len(nodes)) if nodes[number].kind not in VARIABLES]
        numbers = [0, *sorted(inner, key=lambda number: (nodes[number].start_byte, number))]
        return [0, *(nodes[number].start_byte for number in numbers[1:])], numbers

    # -- definitions ---------------------------------------------------------------------------

    def _implement(self) -> None:
        """What the file's definitions implement or inherit, where resolution does not know it yet."""
        said: dict[tuple[int, Role], set[Target]] = {}
        for site in self._sites:
            if site.role in (Role.OVERRIDE, Role.INHERIT):
                said.setdefault((site.source, site.role), set()).update(site.targets)
        for symbol, other in self._document.implements:
            for item in self._of_symbol(symbol).named:
                role = Role.INHERIT if item.node.kind in CONTAINERS else Role.OVERRIDE
                known = said.setdefault((item.number, role), set())
                above = [each.target for each in self._of_symbol(other).named if each.target != item.target]
                fresh = tuple(target for target in above if not self._is_above(known, target, role))
                if item.path == self._path and not item.is_file and fresh:
                    known.update(fresh)
                    self._sites.append(self._at_name(item.node, item.number, role, fresh))

    def _is_above(self, known: Iterable[Target], wanted: Target, role: Role) -> bool:
        """Whether another is known already, or what is known leads up to it."""
        seen = set(known)
        waiting = list(known)
        while waiting:
            item = self._atlas.at(waiting.pop())
            if item is not None:
                self._looked.add(item.path)
                above = set(self._atlas.columns(item.file).above(item.number, role)) - seen
                seen |= above
                waiting += above
        return wanted in seen

    def _at_name(self, node: Node, number: int, role: Role, targets: tuple[Target, ...]) -> Site:
        end = node.name_column + len(node.name.encode())
        return Site(
            role, number, node.name_line, node.name_column, node.name_line, end, node.name[-80:], Status.RESOLVED,
            targets, "", True,
        )  # fmt: skip

    def _symbols(self) -> tuple[str, ...]:
        """Of each definition the indexer's name; the first where one has several."""
        names = [""] * self._columns.node_count
        document = self._document
        for start, number, roles in zip(document.starts, document.numbers, document.roles, strict=True):
            symbol = scip.parsed(document.symbols[number])
            if roles & model.DEFINITION and symbol is not None:
                item = self._joiner.definition(self._file, start, symbol)
                if item is not None and not names[item.number]:
                    names[item.number] = f"scip:{document.symbols[number]}"
        return tuple(names) if any(names) else ()


def _twins(target: Target) -> Target:
    """A definition together with what has the same name in the same place: signatures, getter and setter."""
    return Target(target.path, plain_name(target.key))


def _told(site: Site, status: Status, targets: tuple[Target, ...], reason: str = "") -> Site:
    return msgspec.structs.replace(site, status=status, targets=targets, reason=reason, semantic=True)


def outside_name(symbol: scip.Symbol) -> str:
    """A symbol outside the root as people write it: Python's by its module, any other by its package."""
    if symbol.manager == _PYTHON:
        return ".".join(name for name in symbol.names if name != _INIT)
    return ".".join(filter(None, (symbol.package, *symbol.names[symbol.spaces :])))
