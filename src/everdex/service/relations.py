"""What a graph is asked, as answers: references, callers, callees, impact and renaming of one symbol, the map and the
architecture of a repository.

Every answer counts what resolution could not decide, and names what may hide more.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from everdex import limits
from everdex.errors import QueryError
from everdex.graph.answers import queries
from everdex.graph.answers.queries import Edge, Use
from everdex.graph.definitions import naming, spelling
from everdex.graph.definitions.atlas import VARIABLES, Atlas, Definition
from everdex.graph.definitions.declarations import declarations, written_out
from everdex.graph.definitions.outside import outside
from everdex.graph.model import Role, Status
from everdex.search.names import SymbolNames
from everdex.service import begun, coverage, meant, occurrences, paging, wanted
from everdex.service.answers import Answer, Freshness
from everdex.service.index import Index
from everdex.service.opening import Open
from everdex.state.unknown import REASONS
from everdex.sync.model import SyncOptions
from everdex.view import SnapshotView

if TYPE_CHECKING:
    from everdex.graph.answers.ways import Way

METHODS: Final = ("refs", "callers", "callees", "impact", "map", "rename", "architecture")
ROLES: Final = ("definition", "read", *map(str, Role))  # a variable is read where something else is referred to
DEFAULT_LIMIT: Final = 200
# So many sites to a caller end a page of callers before it has as many as were asked for: few have more than one.
SITES_EACH: Final = 2
DEFAULT_DEPTH: Final = 3
DEFAULT_BUDGET: Final = 2_000
_BOUNDS: Final = {
    "limit": (1, 2_000), "offset": (0, 1 << 31), "site_offset": (0, 1 << 31), "depth": (1, 20), "budget": (200, 100_000)
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a graph."""

    method: str  # of METHODS
    symbol: str = ""
    limit: int = DEFAULT_LIMIT  # how many uses, callers, callees or affected definitions are listed
    offset: int = 0
    site_offset: int = 0  # of the first caller or callee on a page so many sites are passed over
    depth: int = DEFAULT_DEPTH
    budget: int = DEFAULT_BUDGET
    new: str = ""  # what a rename is to call it
    take: tuple[str, ...] = ()  # places in doubt that are to be edits of a rename
    role: str = ""  # of ROLES: only such references
    wait: bool = False  # for the finished graph, also where part of the answer can be told before
    levels: int | None = None  # how far an architecture's directories are opened; None: as fits a sheet
    picture: str = ""  # with an impact or an architecture: one of wanted.FORMS
    dark: bool = False
    max_bytes: int = 0  # of a PNG

    @property
    def wanted(self) -> wanted.Wanted:
        return wanted.Wanted(self.picture, self.dark, self.max_bytes)


def before_graph(
    index: Index, view: SnapshotView, names: SymbolNames, question: Question, freshness: Freshness,
    options: SyncOptions, warnings: tuple[str, ...] = (), kept: begun.Early | None = None, is_begun: bool = False,
) -> Answer | None:  # fmt: skip
    """The answer that can be given before the graph is finished; None when only the finished graph can answer.

    That is so when several definitions fit, when none does, and when the files that write the name decide it. This
    process begins a graph for it; a daemon, which has a process that makes graphs, hands over what it `kept`. What a
    name means is not looked up again when it asks once more because the graph `is_begun`."""
    if question.method in ("map", "architecture"):
        return None
    asked = spelling.as_known(view, question.symbol.strip())
    question = replace(question, symbol=asked)
    early = None if is_begun else meant.before_graph(
        index, view, names, asked, question.limit, freshness, options.progress, warnings
    )
    if early is not None or not is_told_early(question):
        return early

    def from_some(atlas: Atlas, ways: tuple[Way, ...]) -> Answer:
        return answer(index, Open(atlas, ways=ways), names, question, freshness, warnings)

    if kept is None:
        return begun.from_new(view, options, asked_of(question), from_some)
    return kept.answer(view, asked_of(question), from_some)


def is_told_early(question: Question) -> bool:
    """Whether part of the answer may do."""
    return question.method in begun.METHODS and not question.wait


def asked_of(question: Question) -> begun.Asked:
    return begun.Asked(
        question.method, question.symbol.strip(), question.role, question.offset or question.site_offset
    )


def check(question: Question) -> None:
    """Refuse what no graph can answer, before one is made."""
    if question.method not in METHODS:
        raise QueryError(f"unknown question {question.method!r}")
    for name, (low, high) in _BOUNDS.items():
        if not low <= getattr(question, name) <= high:
            raise QueryError(f"{name} must be between {low:,} and {high:,}", hint="choose a number inside the bounds")
    if question.role and question.role not in ROLES:
        raise QueryError(f"unknown role {question.role!r}", hint=f"known are {', '.join(ROLES)}")
    wanted.check(question.wanted)
    if question.method == "architecture":
        if question.levels is not None and not 1 <= question.levels <= wanted.MAX_DEPTH:
            raise QueryError(f"the depth must be between 1 and {wanted.MAX_DEPTH}", hint="choose a smaller number")
        if question.picture == "kept" and (question.levels is not None or question.dark):
            raise QueryError("the canvas has one look", hint="name a file with -o for another depth or dark paper")
    if question.method in ("map", "architecture"):
        return
    if question.picture and question.method != "impact":
        raise QueryError(f"there are no pictures of {question.method}", hint="ask for impact or architecture")
    if question.method == "rename":
        from everdex.state.rename import check_name
        from everdex.state.taking import check_places

        check_name(question.new)
        check_places(question.take)
    if not question.symbol.strip():
        raise QueryError("which symbol? the name is empty", hint="name it: NAME, Class.name, path:line or path::name")
    if len(question.symbol.encode("utf-8", "replace")) > limits.MAX_PATH_BYTES:
        raise QueryError(f"the name is longer than {limits.MAX_PATH_BYTES} bytes")


def answer(
    index: Index, opened: Open, names: SymbolNames, question: Question, freshness: Freshness,
    warnings: tuple[str, ...] = (),
) -> Answer:  # fmt: skip
    """The answer from an open graph."""
    started = time.perf_counter()
    atlas, view = opened.atlas, opened.atlas.view
    limits_hit: tuple[str, ...] = ()
    if question.method == "map":
        body = opened.map(question.budget)
        about = coverage.of_files(atlas)
    elif question.method == "architecture":
        from everdex.service import picturing  # which most answers do without

        caption = picturing.caption(atlas, question.wanted, freshness)
        plan = opened.architecture(index.root.path.name, caption, question.levels)
        body, drawn = picturing.architecture_body(atlas, plan, question.wanted)
        about = (*drawn, *coverage.of_files(atlas))
    else:
        asked = spelling.as_known(view, question.symbol.strip())
        known = naming.find(atlas, asked)
        found = written_out(atlas, known)
        body = meant.named(atlas, names, asked, found, question.limit)
        file = found[0].file if len(found) == 1 and question.method == "callees" else None
        missing = (*coverage.of_path(view, atlas, asked), *coverage.of_name(atlas, asked)) if not found else ()
        missing = (*missing, *coverage.of_heir(atlas, known, asked))
        name = "" if file is not None else found[0].node.name if found else spelling.last_of(asked)
        farther = len(found) == 1 and question.method == "impact"
        about = (*missing, *coverage.of_files(atlas, file, name, farther=farther, is_found=len(found) == 1))
        if len(found) == 1:
            told = _BODIES[question.method](opened, found[0], question, freshness)
            body |= told.fields
            about = (*about, *told.warnings, *coverage.of_module(found[0], question.method))
            limits_hit = told.limits_hit
            if question.method in begun.WITH_RESERVATION:
                body |= coverage.reservation(atlas, opened.ways)
            if question.method in begun.METHODS:
                about = (*about, *coverage.of_waiting(atlas, opened.ways, question.method))
        if file is None:
            about = (*about, *coverage.of_left_out(atlas, found, nothing_found=not found or body.get("total") == 0))
    body = {**body, "coverage": atlas.coverage}
    timings = {"graph": round((time.perf_counter() - started) * 1000, 2)}
    return index.answer(
        view, freshness, body, limits_hit=limits_hit, warnings=(*warnings, *opened.warnings, *about),
        timings_ms=timings,
    )  # fmt: skip


# -- bodies ------------------------------------------------------------------------------------


class _Body(NamedTuple):
    fields: dict[str, Any]
    limits_hit: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def references(opened: Open, definition: Definition, question: Question) -> dict[str, Any]:
    """The places that name a definition, by what they do with it."""
    atlas = opened.atlas
    every = queries.uses(atlas, queries.called_as(atlas, definition))
    wanted = "reference" if question.role == "read" else question.role
    found = [use for use in every if wanted in ("", str(use.site.role))]
    beside = paging.Room.beside()
    is_variable = definition.node.kind in VARIABLES
    roles = Counter(_role(use.site.role, is_variable) for use in every)
    asked = None if not wanted else frozenset(role for role in Role if role == wanted)
    uses = found[question.offset : question.offset + question.limit]
    places = (
        {**place, "role": _role(use.site.role, is_variable)}
        for use, place in zip(uses, occurrences.occurrences(atlas, uses), strict=True)
    )
    declared = declarations(atlas, definition)
    listed = beside.fill(occurrences.definition_occurrence(atlas, item) for item in declared)
    shown = paging.Room().fill(places, least=1)
    return {
        "definition": occurrences.definition_occurrence(atlas, definition),
        "declarations": listed,
        "declarations_omitted": len(declared) - len(listed),
        "references": shown,
        **_paging(atlas, len(found), question.offset + len(shown)),
        "role": question.role or None,
        "roles": {role: roles[role] for role in ROLES if roles[role]},
        "counts": _counts(found),
        "could_add": asdict(opened.could_add(definition, asked)),
        "may_mean": [
            {"path": at.path, "line": at.line, "column": at.column,
             "text": atlas.line(at.path, at.line, at.column), "why": REASONS[at.how]}
            for at in opened.unseen_uses(definition, asked).places
        ],
        "outside": _outside(atlas, definition),
    }  # fmt: skip


def _role(role: Role, is_variable: bool) -> str:
    """What a site does with a symbol: naming a variable without writing it is reading it."""
    return "read" if is_variable and role is Role.REFERENCE else str(role)


def _callers(opened: Open, definition: Definition, question: Question, freshness: Freshness) -> _Body:
    atlas = opened.atlas
    found = queries.callers(atlas, definition)
    could_add = opened.could_call(definition, len(found) > 0)
    end = found.end(question.offset, question.offset + question.limit, SITES_EACH * question.limit)
    page = _edges(atlas, found[question.offset : end], question, paging.Room())
    body = {
        "callers": page.shown,
        **_paging(atlas, len(found), page.end, page.site_offset),
        "counts": {str(status): count for status, count in found.counts.items()},
        "could_add": asdict(could_add),
        "outside": _outside(atlas, definition),
    }
    return _Body(body)


def _callees(opened: Open, definition: Definition, question: Question, freshness: Freshness) -> _Body:
    """What is called in the repository, then what is called outside it, then what could not be decided: one list of
    which each page holds what fits."""
    atlas = opened.atlas
    found = queries.callees(atlas, definition)
    room = paging.Room()
    page = _edges(atlas, found.edges[question.offset : question.offset + question.limit], question, room)
    loose = (*found.external, *found.unresolved)
    begin = max(0, question.offset - len(found.edges))
    listed = room.fill(_loose(atlas, loose[begin:]), least=0 if page.shown else 1)
    middle = min(len(listed), max(0, len(found.external) - begin))
    end, rest = page.end, max(0, len(loose) - begin - len(listed))
    if end >= len(found.edges) and rest:
        end = len(found.edges) + begin + len(listed)
    sites = {use.order: use for edge in found.edges for use in edge.uses}
    body = {
        "callees": page.shown,
        **_paging(atlas, len(found.edges), end, page.site_offset, rest),
        "external": listed[:middle],
        "external_omitted": max(0, len(found.external) - begin - middle),
        "unresolved": listed[middle:],
        "unresolved_omitted": min(rest, len(found.unresolved)),
        "counts": _counts([*sites.values(), *loose]),
    }
    return _Body(body)


def _loose(atlas: Atlas, uses: Sequence[Use]) -> Iterator[dict[str, Any]]:
    """Calls that lead out of the repository, or nowhere that is known."""
    for use, place in zip(uses, occurrences.occurrences(atlas, uses), strict=True):
        is_external = use.site.status is Status.EXTERNAL
        yield {**place, "name": use.target.key} if is_external else {**place, "reason": use.site.reason}


def _edges(atlas: Atlas, found: Sequence[Edge], question: Question, room: paging.Room) -> paging.Edges:
    return paging.edges(
        room, found, question.offset, question.site_offset, lambda edge, start: occurrences.edge(atlas, edge, start)
    )


def _impact(opened: Open, definition: Definition, question: Question, freshness: Freshness) -> _Body:
    from everdex.graph.answers.impact import impact as walk

    atlas = opened.atlas
    found = walk(atlas, definition, question.depth)
    page, beside = found.affected[question.offset : question.offset + question.limit], paging.Room.beside()
    shown = paging.Room().fill((occurrences.affected(atlas, item) for item in page), least=1)
    tests = sorted({item.definition.path for item in found.affected if item.is_test})
    files = sorted({item.definition.path for item in found.affected})
    told = beside.fill(tests), beside.fill(files)
    changed = [*found.start, *(item.definition for item in found.affected if not item.definition.is_file)]
    could_add = opened.could_add(definition, _leading(definition), changed)
    body = {
        "depth": question.depth,
        "affected": shown,
        **_paging(atlas, len(found.affected), question.offset + len(shown)),
        "tests": told[0],
        "tests_omitted": len(tests) - len(told[0]),
        "files": told[1],
        "files_omitted": len(files) - len(told[1]),
        "counts": {
            "certain": sum(item.certain for item in found.affected),
            "uncertain": sum(not item.certain for item in found.affected),
        },
        "could_add": asdict(could_add),
        "outside": _outside(atlas, definition),
    }
    drawn: tuple[str, ...] = ()
    if question.picture:
        from everdex.canvas.impact import impact_model
        from everdex.service import picturing

        walked = impact_model(atlas, definition, found, question.depth, could_add)
        fields, drawn = picturing.impact_fields(atlas, definition, walked, question.wanted, freshness)
        body |= fields
    return _Body(body, ("affected",) if found.cut else (), drawn)


def _outside(atlas: Atlas, definition: Definition) -> list[dict[str, str]]:
    """Why something that is not in the repository may call it."""
    return [{"why": reason.why, "what": reason.what} for reason in outside(atlas, definition)]


def _leading(definition: Definition) -> frozenset[Role]:
    """The roles of sites elsewhere that could make something depend on a definition."""
    return frozenset({Role.CALL, Role.REFERENCE} if definition.node.kind in VARIABLES else {Role.CALL})


def _rename(opened: Open, definition: Definition, question: Question, freshness: Freshness) -> _Body:
    from everdex.service.renaming import rename_body

    body = rename_body(opened.atlas, definition, question.new, question.take, question.offset, question.limit)
    return _Body(*body)


def _refs(opened: Open, definition: Definition, question: Question, freshness: Freshness) -> _Body:
    return _Body(references(opened, definition, question))


_BODIES: Final[dict[str, Callable[[Open, Definition, Question, Freshness], _Body]]] = {
    "refs": _refs,
    "callers": _callers,
    "callees": _callees,
    "impact": _impact,
    "rename": _rename,
}


def _paging(atlas: Atlas, total: int, end: int, site_offset: int | None = None, loose: int = 0) -> dict[str, Any]:
    """The fields of a page that ends before number `end`, of which so many sites are listed; of callees so many calls
    are left that lead to none."""
    left = max(0, total - end - bool(site_offset))
    cursor: dict[str, Any] | None = None
    if left or site_offset or loose:
        cursor = {"snapshot_id": atlas.view.manifest.snapshot_id, "offset": end}
        cursor |= {"site_offset": site_offset} if site_offset is not None else {}
    return {"total": total, "omitted": left, "cursor": cursor}


def _counts(found: list[Use]) -> dict[str, int]:
    counts = dict.fromkeys(map(str, Status), 0)
    for use in found:
        counts[str(use.site.status)] += 1
    return counts
