"""What a change of a definition may affect: everything that leads to it, each with one shortest way.

Walks callers and readers backwards, level by level; whoever only writes a variable is not affected by it. A method is
also reached through the methods it overrides (but not by `super()`), a class through its subclasses, a constructor
through its class, a function in the value of a variable through that. Among ways of one length a certain one is
preferred, then the first by place, so that the result depends on the graph alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from everdex.graph.answers.queries import Use, is_class_at_hand, may_be_below, uses
from everdex.graph.definitions.atlas import CONTAINERS, VARIABLES, Atlas, Definition
from everdex.graph.model import Role, Site, Status, Target

MAX_AFFECTED: Final = 5_000
_FLOW: Final = frozenset({Role.CALL, Role.REFERENCE, Role.DECORATE})


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a way: `definition` leads to the one before it by this site."""

    definition: Definition
    site: Site
    relation: str  # calls, reads, references, decorates, inherits, overrides
    certain: bool
    through: Target | None  # the overridden method by whose name the call is made, if it is not made by its own


@dataclass(frozen=True, slots=True)
class Affected:
    definition: Definition
    depth: int
    way: tuple[Step, ...]  # from the changed definition outwards; the last is this one
    certain: bool  # every step is
    is_test: bool


@dataclass(frozen=True, slots=True)
class Impact:
    start: tuple[Definition, ...]  # the definition and what is defined in it
    affected: tuple[Affected, ...]  # by depth, then place
    cut: bool  # there are more than MAX_AFFECTED


_RELATIONS: Final = {
    Role.CALL: "calls",
    Role.REFERENCE: "references",
    Role.DECORATE: "decorates",
    Role.INHERIT: "inherits",
    Role.OVERRIDE: "overrides",
}


def impact(atlas: Atlas, definition: Definition, depth: int) -> Impact:
    """Everything that may be affected within `depth` steps."""
    start = tuple(atlas.inside(definition))
    seen = {item.target for item in start}
    frontier = [Affected(item, 0, (), True, False) for item in start]
    affected: list[Affected] = []
    for level in range(1, depth + 1):
        found = _next(atlas, frontier, seen, first=level == 1)
        room = MAX_AFFECTED - len(affected)
        affected += found[:room]
        if len(found) > room:
            return Impact(start, tuple(affected), True)
        seen |= {item.definition.target for item in found}
        # Nothing calls a file: what runs when it is loaded ends the way.
        frontier = [item for item in found if not item.definition.is_file]
        if not frontier:
            break
    return Impact(start, tuple(affected), False)


def _next(atlas: Atlas, frontier: Iterable[Affected], seen: set[Target], *, first: bool) -> list[Affected]:
    """One step back from the frontier, what is certain first; of several ways to a definition the best one."""
    reached: dict[Target, tuple[Affected, bool]] = {}  # target of a site -> where it leads, and whether directly
    for item in frontier:
        reached[item.definition.target] = (item, True)
    for item in list(frontier):
        for target in _also_reached_by(atlas, item.definition):
            reached.setdefault(target, (item, False))
    best: dict[Target, Affected] = {}
    for use in uses(atlas, reached.keys(), _roles(frontier, first=first)):
        for target in use.site.targets:
            if target not in reached or use.source.target in seen:
                continue
            item, direct = reached[target]
            if not _leads(use.site.role, item.definition, direct=direct, first=first):
                continue
            if not direct and not _may_run(atlas, item.definition, target, use.site):
                continue
            found = _affected(atlas, item, use, None if direct else target)
            before = best.get(use.source.target)
            if before is None or _rank(found) < _rank(before):
                best[use.source.target] = found
    return sorted(best.values(), key=lambda item: (not item.certain, item.definition.order))


def _affected(atlas: Atlas, item: Affected, use: Use, through: Target | None) -> Affected:
    certain = use.site.status is Status.RESOLVED and through is None
    reads = use.site.role is Role.REFERENCE and item.definition.node.kind in VARIABLES
    step = Step(use.source, use.site, "reads" if reads else _RELATIONS[use.site.role], certain, through)
    is_test = atlas.role(use.path) == "test"
    return Affected(use.source, item.depth + 1, (*item.way, step), item.certain and certain, is_test)


def _rank(item: Affected) -> tuple[bool, list[tuple[str, int]], tuple[int, int]]:
    last = item.way[-1].site
    return not item.certain, [step.definition.order for step in item.way], (last.line, last.column)


def _roles(frontier: Iterable[Affected], *, first: bool) -> set[Role]:
    inherits = {Role.INHERIT} if any(item.definition.node.kind in CONTAINERS for item in frontier) else set()
    return {*_FLOW, *inherits} | ({Role.OVERRIDE} if first else set())


def _leads(role: Role, definition: Definition, *, direct: bool, first: bool) -> bool:
    """Whether a site of this role makes its source depend on the definition."""
    if role is Role.OVERRIDE:
        return first and direct  # who overrides a changed method must follow; those who call it are found by name
    if role is Role.INHERIT:
        return direct and definition.node.kind in CONTAINERS
    return True


def _may_run(atlas: Atlas, definition: Definition, named: Target, site: Site) -> bool:
    """Whether a site that names a method above this one, or the class that it constructs, may end up here.

    Which constructor runs is decided by the class that is written there.
    """
    around = atlas.constructed(definition) or atlas.held_by(definition)
    if around is None:
        return may_be_below(site.text)
    return named == around.target or is_class_at_hand(site.text)


def _also_reached_by(atlas: Atlas, definition: Definition) -> list[Target]:
    """Targets by which a call may end up here: overridden methods, the class of a constructor, and the variable that
    holds what was made of a function."""
    found: list[Target] = []
    around = atlas.constructed(definition) or atlas.held_by(definition)
    if around is not None:
        found.append(around.target)
    todo, done = [definition], {definition.target}
    while todo:
        here = todo.pop()
        for target in atlas.columns(here.file).above(here.number, Role.OVERRIDE):
            above = atlas.at(target)
            if above is not None and target not in done:
                done.add(target)
                found.append(target)
                todo.append(above)
    return found
