"""Who uses a definition, and what it uses: occurrences, callers and callees, with what could be missing from them.

No site is left out of the counts: what resolution could not decide is counted beside what it could, by the name that
the site asks for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from everdex.graph.atlas import Atlas, Definition
from everdex.graph.columns import Columns
from everdex.graph.model import Role, Site, Status, Target
from everdex.graph.postings import key32


@dataclass(frozen=True, slots=True)
class Use:
    """A site that has the definition among its targets, and what is around the site."""

    site: Site
    source: Definition
    target: Target  # the one that was asked for

    @property
    def path(self) -> str:
        return self.source.path

    @property
    def order(self) -> tuple[str, int, int, str]:
        return self.source.path, self.site.line, self.site.column, self.site.role


@dataclass(frozen=True, slots=True)
class CouldAdd:
    """Sites elsewhere that ask for the same name and may mean this definition, or never will."""

    ambiguous: int = 0  # other candidates were found
    external: int = 0  # taken for something outside the root
    unresolved: int = 0
    unnamed: int = 0  # calls of a value without a name, anywhere: they may call anything
    overriding: int = 0  # calls that lead to a method which replaces this one, and may be made through it


@dataclass(frozen=True, slots=True)
class Edge:
    """One caller (or callee) with the sites that make it one."""

    definition: Definition
    status: Status
    uses: tuple[Use, ...]


@dataclass(frozen=True, slots=True)
class Callees:
    edges: tuple[Edge, ...]
    external: tuple[Use, ...]
    unresolved: tuple[Use, ...]


def uses(atlas: Atlas, targets: Collection[Target], roles: Collection[Role] | None = None) -> list[Use]:
    """Every site with one of these targets, by place."""
    wanted = frozenset(targets)
    found = [
        _use(columns.site(number), atlas.definition(file, columns.sources[number]), wanted)
        for file, columns, number in _sites(atlas, wanted)
        if roles is None or columns.role(number) in roles
    ]
    return sorted(found, key=lambda use: use.order)


def _sites(atlas: Atlas, wanted: frozenset[Target]) -> Iterator[tuple[int, Columns, int]]:
    """The sites with one of these targets: file, its columns, number."""
    for file in atlas.referring(wanted):
        columns = atlas.columns(file)
        for number in columns.sites_to(wanted):
            yield file, columns, number


def _use(site: Site, source: Definition, wanted: frozenset[Target]) -> Use:
    return Use(site, source, next(target for target in site.targets if target in wanted))


def called_as(atlas: Atlas, definition: Definition) -> list[Target]:
    """The targets that a call of this definition may have: calling a class runs its constructor."""
    return [definition.target, *(item.target for item in atlas.constructors(definition))]


@dataclass(frozen=True, slots=True)
class Callers:
    """Definitions (or files) that call one, by place: counted all, made only as far as they are listed."""

    counts: dict[Status, int]  # of the sites
    _atlas: Atlas
    _wanted: frozenset[Target]
    _groups: tuple[tuple[int, int, tuple[int, ...]], ...]  # file, caller and sites there, in order

    def __len__(self) -> int:
        return len(self._groups)

    def __getitem__(self, listed: slice) -> list[Edge]:
        return [self._edge(*group) for group in self._groups[listed]]

    def _edge(self, file: int, number: int, sites: tuple[int, ...]) -> Edge:
        source = self._atlas.definition(file, number)
        columns = self._atlas.columns(file)
        found = [_use(columns.site(each), source, self._wanted) for each in sites]
        return _edge(source, sorted(found, key=lambda use: use.order))


def callers(atlas: Atlas, definition: Definition) -> Callers:
    """The calls of a definition; also those that only name it: what a variable holds runs, or what implements
    a declared method, but whoever asks for callers means the name in the call."""
    wanted = frozenset(called_as(atlas, definition))
    counts = dict.fromkeys(Status, 0)
    grouped: dict[tuple[int, int], list[int]] = {}  # files are numbered by path
    for file, columns, number in _sites(atlas, wanted):
        role = columns.role(number)
        if role is Role.CALL or (role is Role.REFERENCE and _called_there(columns, number)):
            grouped.setdefault((file, columns.sources[number]), []).append(number)
            counts[columns.status(number)] += 1
    groups = tuple((*place, tuple(sites)) for place, sites in sorted(grouped.items()))
    return Callers(counts, atlas, wanted, groups)


def _called_there(columns: Columns, number: int) -> bool:
    """Whether a call has the very same place; sites are kept by place."""
    beside = (near for near in (number - 1, number + 1) if 0 <= near < columns.site_count)
    return any(columns.role(near) is Role.CALL and columns.span(near) == columns.span(number) for near in beside)


def callees(atlas: Atlas, definition: Definition) -> Callees:
    """What is called in a definition and in everything defined in it, in order of first call."""
    columns = atlas.columns(definition.file)
    within = {item.number: item for item in atlas.inside(definition)}
    grouped: dict[Target, list[Use]] = {}
    external, unresolved = [], []
    for number, source in enumerate(columns.sources):
        if source not in within or columns.role(number) is not Role.CALL:
            continue
        site = columns.site(number)
        if site.status is Status.EXTERNAL:
            external.append(Use(site, within[source], site.targets[0] if site.targets else Target("", site.text)))
        elif site.status is Status.UNRESOLVED:
            unresolved.append(Use(site, within[source], Target("", "")))
        for target in site.targets if site.status in (Status.RESOLVED, Status.AMBIGUOUS) else ():
            grouped.setdefault(target, []).append(Use(site, within[source], target))
    found = [(atlas.at(target), list_of) for target, list_of in grouped.items()]
    edges = tuple(_edge(item, list_of) for item, list_of in found if item is not None)
    return Callees(edges, tuple(external), tuple(unresolved))


def _edge(definition: Definition, found: list[Use]) -> Edge:
    resolved = any(use.site.status is Status.RESOLVED for use in found)
    return Edge(definition, Status.RESOLVED if resolved else Status.AMBIGUOUS, tuple(found))


def could_add(atlas: Atlas, definitions: Collection[Definition], roles: Collection[Role] | None = None) -> CouldAdd:
    """Sites that ask for one of these definitions' names and were not resolved to it."""
    targets = {item.target for item in definitions}
    names = {name for item in definitions for name in _asked_as(atlas, item)}
    counts = dict.fromkeys(Status, 0)
    for columns, number in _loose(atlas, names):
        if (roles is None or columns.role(number) in roles) and targets.isdisjoint(columns.targets_of(number)):
            counts[columns.status(number)] += 1
    overriding = sum(
        columns.role(number) is Role.CALL and targets.isdisjoint(columns.targets_of(number))
        for _, columns, number in _sites(atlas, frozenset(overriders(atlas, targets)))
    )
    return CouldAdd(
        counts[Status.AMBIGUOUS], counts[Status.EXTERNAL], counts[Status.UNRESOLVED], atlas.unnamed_calls, overriding
    )


def overriders(atlas: Atlas, targets: Collection[Target]) -> set[Target]:
    """The methods that replace one of these, or one that does; none of these themselves."""
    found: set[Target] = set()
    waiting = set(targets)
    while waiting:
        above = {
            atlas.definition(file, columns.sources[number]).target
            for file, columns, number in _sites(atlas, frozenset(waiting))
            if columns.role(number) is Role.OVERRIDE
        }
        waiting = above - found - set(targets)
        found |= waiting
    return found


def _asked_as(atlas: Atlas, definition: Definition) -> set[str]:
    """The names by which a definition is asked for: a constructor also by that of its class."""
    around = atlas.constructed(definition)
    return {definition.node.name} | ({around.node.name} if around else set())


def _loose(atlas: Atlas, names: Collection[str]) -> Iterator[tuple[Columns, int]]:
    """Sites with one of these last names that are not resolved."""
    table = atlas.graph.tables["loose"]
    for name in names:
        for file in table.holders(key32(name)):
            columns = atlas.columns(file)
            for number in columns.loose_sites(name):
                yield columns, number
