"""The methods of the daemon, one entry each: what it takes, how it answers, how its answer looks as text.

Answers are the documents of the command line's --json, field for field, and the text is the command line's too.
Parameters come from a socket, so every one is known, typed and bounded here; what a query may say is the engine's
business. A new method is one entry in METHODS. Knows nothing of frames, queues or threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from everdex import limits
from everdex.canvas.board.edits import edit_of
from everdex.errors import UsageError
from everdex.search.model import Mode, SearchRequest
from everdex.search.place import parse_place
from everdex.service import maintain, paging, refreshing
from everdex.service.answers import Answer
from everdex.service.index import Index, Reading
from everdex.service.mutation import MAX_PATHS, GateQuestion
from everdex.service.relations import Question
from everdex.service.resident import ResidentIndex
from everdex.state import scopes
from everdex.state.model import EDIT
from everdex.surfaces.cli import (
    architecture,
    audit,
    board_shown,
    callees,
    callers,
    contexts,
    explain,
    files,
    gate,
    health,
    impact,
    jobs,
    piped,
    refresh,
    refs,
    rename,
    state,
    status,
    symbols,
)  # fmt: skip
from everdex.surfaces.cli import map as repo_map
from everdex.surfaces.cli.output import Shown
from everdex.surfaces.cli.search import known_languages
from everdex.surfaces.daemon import touched
from everdex.sync.model import SyncOptions

Parameters = Mapping[str, Any]
Check = Callable[[Any], bool]

_MAX_ITEMS: Final = 100
_MAX_STRING: Final = 65_536


@dataclass(frozen=True, slots=True)
class Method:
    """`answer` is given checked parameters; what has none (searches, and what is never queued) the server does."""

    takes: Mapping[str, Check]
    answer: Callable[[ResidentIndex, Parameters], Answer] | None = None
    needs: tuple[str, ...] = ()
    shown: Shown | None = None  # without it there is no `"render":"text"`


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_STRING


def _name(value: Any) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= 100)


def _words(value: Any) -> bool:
    return value is None or _text(value)


def _named(value: Any) -> bool:
    return value is None or _texts(value)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _choice(value: Any) -> bool:
    return value is None or isinstance(value, bool)


def _count(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31)


def _paths(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= MAX_PATHS and all(map(_text, value))


def _hashes(value: Any) -> bool:
    return isinstance(value, dict) and _paths(list(value)) and all(map(_name, value.values()))


def _document(value: Any) -> bool:
    return value is None or isinstance(value, dict)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= _MAX_ITEMS and all(map(_text, value))


def reading(params: Parameters) -> Reading:
    """How a question wants the index: the parameters of SYNCED."""
    return Reading(sync=not params.get("no_sync", False), snapshot_id=params.get("snapshot_id"))


def request(index: Index, params: Parameters) -> SearchRequest:
    """A search as the parameters describe it; whether it can be asked is not known here."""
    mode = params.get("mode") or "hybrid"
    if mode not in list(Mode):
        raise UsageError(f"unknown mode {mode!r}; known are {', '.join(Mode)}")
    wanted = tuple(params.get("languages", ()))
    known_languages(wanted)
    k = params.get("k")
    return SearchRequest(
        params["query"], Mode(mode), index.config.query.k if k is None else k, wanted,
        tuple(params.get("paths", ())), params.get("ignore_case", False), params.get("offset") or 0,
        params.get("profile"), params.get("budget"), params.get("rerank"),
    )  # fmt: skip


def _symbols(warm: ResidentIndex, params: Parameters) -> Answer:
    return warm.symbols(params["name"], reading(params), params.get("references") or 0, params.get("offset") or 0)


def _similar(warm: ResidentIndex, params: Parameters) -> Answer:
    parse_place(params["place"])
    wanted = tuple(params.get("languages", ()))
    known_languages(wanted)
    k = params.get("k")
    return warm.similar(
        params["place"], warm.index.config.query.k if k is None else k, reading(params), languages=wanted,
        paths=tuple(params.get("paths", ())), explain=params.get("explain", False),
    )  # fmt: skip


def _related(method: str) -> Callable[[ResidentIndex, Parameters], Answer]:
    """How the daemon answers one of the questions about the graph."""
    same = (
        "symbol", "offset", "site_offset", "depth", "budget", "new", "role", "levels", "picture", "dark", "max_bytes",
        "wait",
    )  # fmt: skip
    fields = {"k": "limit", **{name: name for name in same}}

    def answer(warm: ResidentIndex, params: Parameters) -> Answer:
        given = {field: params[name] for name, field in fields.items() if params.get(name) is not None}
        if "take" in params:
            given["take"] = tuple(params["take"])
        return warm.relations(Question(method, **given), reading(params), wait_s=_patience(params))

    return answer


def _patience(params: Parameters) -> float:
    """How long a question waits for its graph."""
    wait_ms = params.get("wait_ms")
    longest = limits.DAEMON_GRAPH_PATIENCE_S
    return longest if wait_ms is None else min(longest, wait_ms / 1000)


def _gate(warm: ResidentIndex, params: Parameters) -> Answer:
    question = GateQuestion(
        tuple(params["paths"]), params.get("seen", {}), params.get("intent") or EDIT, params.get("since"),
        params.get("decide"),
    )
    return warm.gate(question, reading(params))


def _state(warm: ResidentIndex, params: Parameters) -> Answer:
    offset = params.get("offset") or 0
    return warm.states(tuple(params.get("paths", ())), params.get("since"), reading(params), offset)


def _refresh(warm: ResidentIndex, params: Parameters) -> Answer:
    budget = params.get("budget_ms") or limits.JOB_BUDGET_MS
    return refreshing.enqueue_answer(warm.index, scopes.of_document(params.get("scope")), budget_ms=budget)


def _jobs(warm: ResidentIndex, params: Parameters) -> Answer:
    most = params.get("k") or refreshing.MAX_LISTED
    return refreshing.jobs_answer(warm.index, most, params.get("job_id"), reading(params))


def _board(warm: ResidentIndex, params: Parameters) -> Answer:
    return warm.board(edit_of(params), reading(params), wait_s=_patience(params))


def _chunks(warm: ResidentIndex, params: Parameters) -> Answer:
    meta = params.get("meta", False)
    most = limits.MAX_CHUNKS_PER_PAGE // (8 if meta else 1)
    count = min(params.get("count") or most, most)
    return warm.chunks(reading(params), meta=meta, offset=params.get("offset") or 0, count=count)


def _files(warm: ResidentIndex, params: Parameters) -> Answer:
    listing = warm.files(
        reading(params), skipped=params.get("skipped", False), paths=tuple(params.get("paths", ()))
    )
    return paging.of_files(listing, params.get("offset") or 0)


def _sync(warm: ResidentIndex, params: Parameters) -> Answer:
    return warm.sync(SyncOptions(**{name: params[name] for name in METHODS["sync"].takes if name in params}))


PINNED: Final[dict[str, Check]] = {"snapshot_id": _name}
SYNCED: Final[dict[str, Check]] = {"no_sync": _flag, **PINNED}
_OF_GRAPH: Final[dict[str, Check]] = {"wait_ms": _count, **SYNCED}
# `output` is the name of a client's file, which only that client writes: it stands in what is rendered
_PICTURED: Final[dict[str, Check]] = {"picture": _name, "dark": _flag, "max_bytes": _count, "output": _words}
_LISTING: Final[dict[str, Check]] = {"symbol": _text, "k": _count, "offset": _count, **_OF_GRAPH}
_ANSWERED_EARLY: Final[dict[str, Check]] = {"wait": _flag, **_LISTING}
_OF_CALLS: Final[dict[str, Check]] = {"site_offset": _count, **_ANSWERED_EARLY}
METHODS: Final[dict[str, Method]] = {
    "search": Method(
        {
            "query": _text, "mode": _name, "k": _count, "languages": _texts, "paths": _texts, "ignore_case": _flag,
            "offset": _count, "profile": _name, "budget": _count, "rerank": _choice, "explain": _flag,
            "always_rehash": _flag, **SYNCED,
        },
        None, ("query",), piped.SHOWN,
    ),
    "similar": Method(
        {"place": _text, "k": _count, "languages": _texts, "paths": _texts, "explain": _flag, **SYNCED},
        _similar, ("place",), piped.SHOWN,
    ),
    "symbols": Method(
        {"name": _text, "references": _count, "offset": _count, **SYNCED}, _symbols, ("name",), symbols.SHOWN
    ),
    "refs": Method({"role": _name, **_ANSWERED_EARLY}, _related("refs"), ("symbol",), refs.SHOWN),
    "callers": Method(_OF_CALLS, _related("callers"), ("symbol",), callers.SHOWN),
    "callees": Method(_OF_CALLS, _related("callees"), ("symbol",), callees.SHOWN),
    "impact": Method({"depth": _count, **_PICTURED, **_LISTING}, _related("impact"), ("symbol",), impact.SHOWN),
    "architecture": Method({"levels": _count, **_PICTURED, **_OF_GRAPH}, _related("architecture"), (),
                           architecture.SHOWN),
    "map": Method({"budget": _count, **_OF_GRAPH}, _related("map"), (), repo_map.SHOWN),
    "rename": Method({"new": _name, "take": _paths, **_LISTING}, _related("rename"), ("symbol", "new"), rename.SHOWN),
    "gate": Method(
        {"paths": _paths, "seen": _hashes, "intent": _name, "since": _name, "decide": _words, **SYNCED}, _gate,
        ("paths",), gate.SHOWN,
    ),
    "state": Method({"paths": _paths, "since": _name, "offset": _count, **SYNCED}, _state, (), state.SHOWN),
    "refresh": Method({"scope": _document, "budget_ms": _count}, _refresh, (), refresh.SHOWN),
    "jobs": Method({"job_id": _count, "k": _count, **PINNED}, _jobs, (), jobs.SHOWN),
    "board": Method(
        {
            "action": _name, "targets": _named, "text": _words, "kind": _name, "state": _name, "cites": _named,
            "id": _name, "again": _flag, "everything": _flag, "author": _words, "session": _words, **_OF_GRAPH,
        },
        _board, (), board_shown.SHOWN,
    ),
    "chunks": Method({"meta": _flag, "offset": _count, "count": _count, **SYNCED}, _chunks),
    "files": Method({"skipped": _flag, "paths": _texts, "offset": _count, **PINNED}, _files, (), files.SHOWN),
    "explain": Method(
        {"path": _text, **PINNED},
        lambda warm, params: warm.index.explain(params["path"], reading=reading(params)), ("path",), explain.SHOWN,
    ),
    "contexts": Method(SYNCED, lambda warm, params: warm.contexts(reading(params)), (), contexts.SHOWN),
    "status": Method(SYNCED, lambda warm, params: warm.status(reading(params)), (), status.SHOWN),
    "health": Method(PINNED, lambda warm, params: maintain.health(warm.index, reading(params)), (), health.SHOWN),
    "audit": Method(PINNED, lambda warm, params: maintain.audit(warm.index, reading(params)), (), audit.SHOWN),
    "sync": Method({"allow_degraded": _flag, "always_rehash": _flag, "rebuild": _flag, "large": _flag}, _sync),
    "touched": Method(touched.PARAMETERS, touched.answer),
    "ping": Method({}),
    "shutdown": Method({}),
}  # fmt: skip


def checked(method: str, params: Parameters) -> Method:
    """The method that is asked for, or `UsageError` naming what is wrong with the call."""
    found = METHODS.get(method)
    if found is None:
        raise UsageError(f"unknown method {method[:40]!r}; known are {', '.join(METHODS)}")
    known = found.takes
    for name, value in params.items():
        if name not in known:
            raise UsageError(f"{method} has no parameter {name[:40]!r}; known are {', '.join(known) or 'none'}")
        if not known[name](value):
            raise UsageError(f"{method}: parameter {name!r} has the wrong type or is too large")
    for name in found.needs:
        if name not in params:
            raise UsageError(f"{method} needs the parameter {name!r}")
    return found
