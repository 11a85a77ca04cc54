"""Who uses a definition, and what it uses: occurrences, callers, callees, and what could be missing from each list.

Every site is counted. Those that resolution could not decide are counted beside the list, by the name they ask for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from typing import Final

import msgspec

from everdex.graph.definitions.accessors import accessors, properties
from everdex.graph.definitions.atlas import CONTAINERS, VARIABLES, Atlas, Definition
from everdex.graph.definitions.declarations import written_out
from everdex.graph.javascript.keys import HEIRS_KEY, MAX_HEIR_FILES
from everdex.graph.model import Role, Site, Status, Target
from everdex.graph.names.rules import RULES
from everdex.graph.python.file.keys import BASE_KEY, MAX_BASE_FILES
from everdex.graph.stored.packed import CALLING, CALLS, by_status, last_name, marked
from everdex.graph.stored.postings import key32
from everdex.graph.stored.record import asked_key
from everdex.identity.symbols import plain_name
from everdex.languages import C_FAMILY

_CLASSES_AT_HAND: Final = frozenset(("cls", "__class__", "static", "self", "Self", "class", "constructor"))
_FEW: Final = 24  # as many methods in place of one as every resolver lists
# In how many files at most somebody looks for what inherits from a class of some name.
_LOOKED_THROUGH: Final = ((BASE_KEY, MAX_BASE_FILES), (HEIRS_KEY, MAX_HEIR_FILES))
_NAMING: Final = marked(frozenset({Role.REFERENCE, Role.INHERIT})) - CALLING
_NAMED_BY_CALL: Final = CALLING - CALLS
_LOST_CALLS: Final = marked(frozenset({Role.CALL}), frozenset({Status.EXTERNAL, Status.UNRESOLVED}))
_WITHOUT_BODY: Final = CONTAINERS | VARIABLES | {"module", "namespace"}
_HANDING_ON: Final = marked(frozenset({Role.REFERENCE})) - CALLING


class Use(msgspec.Struct, frozen=True, gc=False):
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

    ambiguous: int = 0  # other candidates were found, and it may be more than those
    external: int = 0  # taken for something outside the root
    unresolved: int = 0
    unnamed: int | None = 0  # calls of a value without a name, or under a computed one, anywhere: they may call all
    overriding: int = 0  # calls that lead to a method which replaces this one, and may be made through it
    unknown: int = 0  # places that are no sites and may mean it: it is read of an owner that nobody knows
    overridden: int = 0  # calls that lead to a method which this one replaces, or construct "this class" of one above
    written: int = 0  # places that are no sites and write its name: in strings, symbols, templates, settings
    named: int = 0  # places that name it without calling it: who is given it may call it
    elsewhere: int = 0  # of what no call leads to: calls by its name that lead to others


class Edge(msgspec.Struct, frozen=True, gc=False):
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
    wanted, marks = frozenset(targets), marked(None if roles is None else frozenset(roles))
    found: list[Use] = []
    for file in atlas.referring(wanted):  # by path
        columns = atlas.columns(file)
        here = [number for number in columns.sites_to(wanted) if columns.marks[number] in marks]
        found += sorted(_uses(atlas, file, here, wanted), key=_order_inside)
    return found


def _uses(atlas: Atlas, file: int, sites: Iterable[int], wanted: frozenset[Target]) -> list[Use]:
    """Some sites of a file, each with the first of its targets that is wanted."""
    columns, sources = atlas.columns(file), atlas.definitions(file)
    return [
        Use(site, sources[site.source], next(filter(wanted.__contains__, site.targets)))
        for site in map(columns.site, sites)
    ]


def _order_inside(use: Use) -> tuple[int, int, Role]:
    return use.site.line, use.site.column, use.site.role


def called_as(atlas: Atlas, definition: Definition) -> list[Target]:
    """The targets that a call of this definition may have: calling a class runs its constructor, which in C++ may be
    written out elsewhere."""
    made = atlas.constructors(definition)
    if made and atlas.entry(definition.file).language in C_FAMILY:
        made = [*made, *written_out(atlas, made)]
    return list(dict.fromkeys([definition.target, *(item.target for item in made)]))


@dataclass(frozen=True, slots=True)
class Callers:
    """Definitions (or files) that call one, by place: counted all, made only as far as they are listed."""

    counts: dict[Status, int]  # of the sites
    _atlas: Atlas
    _wanted: frozenset[Target]
    _found: tuple[tuple[int, dict[int, list[int]]], ...]  # files by path: caller -> its sites there

    def __len__(self) -> int:
        return sum(len(callers) for _, callers in self._found)

    def __getitem__(self, listed: slice) -> list[Edge]:
        return [self._edge(*group) for group in islice(self._groups(), listed.start, listed.stop)]

    def end(self, start: int, stop: int, most: int) -> int:
        """Where a page from `start` ends: at `stop`, or behind the caller with whom its sites are so many."""
        sites = 0
        for number, (_, _, here) in enumerate(islice(self._groups(), start, stop), start=start + 1):
            sites += len(here)
            if sites >= most:
                return number
        return stop

    def _groups(self) -> Iterator[tuple[int, int, list[int]]]:
        """File, caller and its sites there, by place."""
        return ((file, *group) for file, callers in self._found for group in sorted(callers.items()))

    def _edge(self, file: int, number: int, sites: list[int]) -> Edge:
        found = _uses(self._atlas, file, sites, self._wanted)
        return _edge(self._atlas.definition(file, number), sorted(found, key=_order_inside))


def callers(atlas: Atlas, definition: Definition) -> Callers:
    """The calls of a definition; also those that only name it: what a variable holds runs, or what implements
    a declared method, but whoever asks for callers means the name in the call."""
    wanted = frozenset(called_as(atlas, definition))
    found: list[tuple[int, dict[int, list[int]]]] = []
    seen: list[int] = []  # the mark of every site
    for file in atlas.referring(wanted):  # by path
        columns = atlas.columns(file)
        marks, sources = columns.marks, columns.sources
        calls = [number for number in columns.sites_to(wanted) if marks[number] in CALLING]
        here: dict[int, list[int]] = {}
        for number in calls:
            here.setdefault(sources[number], []).append(number)
        found.append((file, here))
        seen += [marks[number] for number in calls]
    return Callers(by_status(seen), atlas, wanted, tuple(found))


def callees(atlas: Atlas, definition: Definition) -> Callees:
    """What is called in a definition and in everything defined in it, in order of first call."""
    columns = atlas.columns(definition.file)
    within = {item.number: item for item in atlas.inside(definition)}
    grouped: dict[Target, list[Use]] = {}
    external, unresolved = [], []
    for number, source in enumerate(columns.sources):
        if source not in within or columns.marks[number] not in CALLS:
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


def could_add(atlas: Atlas, definitions: Collection[Definition], roles: frozenset[Role] | None) -> CouldAdd:
    """Sites that ask for one of these definitions' names and were not resolved to it."""
    targets = {item.target for item in definitions}
    names = {name for item in definitions for name in _asked_as(atlas, item)}
    called = targets.union(*(called_as(atlas, item) for item in definitions))
    ambiguous, external, unresolved = _asked(atlas, called, names, roles)
    made = {name for item in definitions for name in accessors(atlas, item)} - names
    if made:
        more = _asked(atlas, targets, made, frozenset({Role.CALL, Role.REFERENCE}))
        ambiguous, external, unresolved = ambiguous + more[0], external + more[1], unresolved + more[2]
    used = {name for item in definitions for name in properties(atlas, item)}
    if used:
        more = _asked(atlas, targets, used, frozenset({Role.WRITE, Role.REFERENCE}))
        ambiguous, external, unresolved = ambiguous + more[0], external + more[1], unresolved + more[2]
    held = _held(atlas, definitions, names) if roles is None or Role.CALL in roles else {}
    external, unresolved = external - held.get(Status.EXTERNAL, 0), unresolved - held.get(Status.UNRESOLVED, 0)
    return CouldAdd(
        ambiguous, external, unresolved, atlas.unnamed_calls,
        _calls(atlas, overriders(atlas, targets), targets),
        overridden=_calls(atlas, _replaced(atlas, definitions), targets, may_be_below)
        + _calls(atlas, _constructed_above(atlas, definitions), targets, is_class_at_hand),
    )  # fmt: skip


def _asked(
    atlas: Atlas, targets: AbstractSet[Target], names: AbstractSet[str], roles: frozenset[Role] | None
) -> tuple[int, int, int]:
    """Sites that ask for names and lead to none of the targets: ambiguous, external, unresolved."""
    asked = atlas.graph.asked
    keys = {
        status: [asked_key(status, role, name) for role in roles or Role for name in names]
        for status in Status
    }
    # What is outside, or nowhere, is none of these definitions; only candidates have to be looked at.
    wanted = marked(roles, frozenset({Status.AMBIGUOUS, Status.RESOLVED}))
    ambiguous = 0
    for file in asked.offering_any([*keys[Status.AMBIGUOUS], *keys[Status.RESOLVED]]):
        columns = atlas.columns(file)
        loose = columns.loose_sites(names)
        ambiguous += sum(
            columns.marks[number] in wanted and targets.isdisjoint(columns.targets_of(number)) for number in loose
        )
    return ambiguous, asked.total(keys[Status.EXTERNAL]), asked.total(keys[Status.UNRESOLVED])


def _held(atlas: Atlas, definitions: Collection[Definition], names: AbstractSet[str]) -> Counter[Status]:
    """Calls of what variables hold that lead outside or nowhere: who names the variable there is listed already."""
    variables = {item.target for item in definitions if item.node.kind in VARIABLES}
    found: Counter[Status] = Counter()
    for file in atlas.referring(variables) if variables else ():
        columns = atlas.columns(file)
        named = [number for number in columns.sites_to(variables) if columns.marks[number] in _NAMED_BY_CALL]
        places = {(site.line, site.column) for site in map(columns.site, named)}
        for number in columns.loose_sites(names) if places else ():
            if columns.marks[number] in _LOST_CALLS:
                site = columns.site(number)
                found[site.status] += (site.line, site.column) in places
    return found


def elsewhere(atlas: Atlas, definition: Definition) -> int:
    """How many calls by a definition's name lead to others of that name, where receivers or the platform decide."""
    language = atlas.entry(definition.file).language
    through_module = language not in RULES and _owner(atlas, definition) is None
    if through_module and not _is_handed_on(atlas, definition):
        return 0
    name = definition.node.name
    twins = {
        item.target
        for file in atlas.graph.tables["names"].holders(key32(name))
        if atlas.entry(file).language == language and name in atlas.columns(file).node_names
        for item in atlas.definitions(file)
        if item.node.name == name and item.node.kind not in VARIABLES
    }  # fmt: skip
    counted = overriders(atlas, {definition.target}) | _replaced(atlas, [definition])  # by `could_add`
    counts = _is_asked_of_something if through_module else may_be_below
    return _calls(atlas, twins - counted - {definition.target}, {definition.target}, counts)


def _is_handed_on(atlas: Atlas, definition: Definition) -> bool:
    """Whether something is given the whole module that a definition stands at the top of, and so may call it."""
    module = Target(definition.path, "")
    if definition.node.parent != 0:
        return False
    for file in atlas.referring([module]):
        columns, path = atlas.columns(file), atlas.graph.paths[file]
        for number in columns.sites_to({module}):
            if columns.role(number) is Role.REFERENCE:
                end = atlas.byte(path, *columns.span(number)[2:])
                if atlas.view.source(path)[end : end + 2].lstrip(b"?!")[:1] not in (b".", b"["):
                    return True
    return False


def named(atlas: Atlas, definition: Definition, *, heirs: bool = True) -> int:
    """How many places name a definition, or the class that it constructs, and do not call it there: who is given it,
    or inherits from it, may. A decorator of the root is given what it decorates; one from outside is told apart.
    Without `heirs` who inherits from it is not counted."""
    naming = _NAMING if heirs else _HANDING_ON
    wanted = frozenset(called_as(atlas, atlas.constructed(definition) or definition))
    decorated = atlas.columns(definition.file).above(definition.number, Role.DECORATE)
    return sum(bool(target.path) for target in decorated) + sum(
        columns.marks[number] in naming
        for columns in map(atlas.columns, atlas.referring(wanted))
        for number in columns.sites_to(wanted)
    )


def keeping(atlas: Atlas, targets: AbstractSet[Target]) -> set[str]:
    """The files whose module, or a class of theirs, names one of these and does not call it there: it may keep it for
    any function in the file."""
    found = set()
    for file in atlas.referring(targets):
        columns = atlas.columns(file)
        sites = (number for number in columns.sites_to(targets) if columns.marks[number] in _HANDING_ON)
        if any(columns.nodes[columns.sources[number]].kind in _WITHOUT_BODY for number in sites):
            found.add(atlas.graph.paths[file])
    return found


def _calls(atlas: Atlas, others: set[Target], targets: set[Target], counts: Callable[[str], bool] | None = None) -> int:
    """Calls of other methods, and of none of these, which may mean one of these all the same."""
    return sum(
        columns.marks[number] in CALLS
        and targets.isdisjoint(columns.targets_of(number))
        and (counts is None or counts(columns.text(number)))
        for columns in map(atlas.columns, atlas.referring(others))
        for number in columns.sites_to(others)
    )


def _replaced(atlas: Atlas, definitions: Collection[Definition]) -> set[Target]:
    """The methods that these replace, and those that they do in turn.

    Where more than stated types are followed, a call of a method leads to those that replace it as well, unless they
    are too many to be listed, or a class between is called as those are from which too many files inherit. And where
    nothing leads to the one that replaces, it is not for sure that what was followed was all.
    """
    found = _above(atlas, definitions, Role.OVERRIDE)
    if not found or any(atlas.graph.files[item.file].language in RULES for item in definitions):
        return found
    if not _calls(atlas, {item.target for item in definitions}, set()):
        return found
    owners = [owner for item in definitions if (owner := _owner(atlas, item)) is not None]
    between = {plain_name(target.key).rpartition(".")[2] for target in _above(atlas, owners, Role.INHERIT)}
    if any(len(atlas.graph.offers.offering(key + name)) > most for name in between for key, most in _LOOKED_THROUGH):
        return found
    return {target for target in found if len(overriders(atlas, {target})) > _FEW}


def _owner(atlas: Atlas, definition: Definition) -> Definition | None:
    """The class that a method is a member of."""
    around = atlas.definition(definition.file, definition.node.parent) if definition.node.parent > 0 else None
    return around if around is not None and around.node.kind in CONTAINERS else None


def _constructed_above(atlas: Atlas, definitions: Collection[Definition]) -> set[Target]:
    """The classes that these classes, or those whose constructors these are, inherit from."""
    around = [atlas.constructed(item) or item for item in definitions]
    return _above(atlas, around, Role.INHERIT)


def _above(atlas: Atlas, definitions: Collection[Definition], role: Role) -> set[Target]:
    found: set[Target] = set()
    waiting = list(definitions)
    while waiting:
        item = waiting.pop()
        above = set(atlas.columns(item.file).above(item.number, role)) - found
        found |= above
        waiting += [each for each in map(atlas.at, above) if each is not None]
    return found


def may_be_below(text: str) -> bool:
    """Whether what runs at a call may be what replaces the method that is named."""
    return not text.startswith("super")


def _is_asked_of_something(text: str) -> bool:
    return "." in text and may_be_below(text)


def is_class_at_hand(text: str) -> bool:
    """Whether a class is constructed of which only those above it are written there: `cls()`, `new static`."""
    made = text.removesuffix("new").removesuffix(".")  # Ruby's may stand alone
    return not made or made.startswith("type(") or last_name(made) in _CLASSES_AT_HAND


def overriders(atlas: Atlas, targets: Collection[Target]) -> set[Target]:
    """The methods that replace one of these, or one that does; none of these themselves."""
    found: set[Target] = set()
    waiting = set(targets)
    while waiting:
        below = {
            atlas.definition(file, columns.sources[number]).target
            for file in atlas.overriding(waiting)
            for columns in (atlas.columns(file),)
            for number in columns.sites_to(waiting)
            if columns.role(number) is Role.OVERRIDE
        }
        waiting = below - found - set(targets)
        found |= waiting
    return found


def _asked_as(atlas: Atlas, definition: Definition) -> set[str]:
    """The names by which a definition is asked for: a constructor also by that of its class."""
    around = atlas.constructed(definition)
    return {definition.node.name} | ({around.node.name} if around else set())

