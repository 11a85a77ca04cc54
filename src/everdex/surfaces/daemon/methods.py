"""What each method of the daemon takes and answers: the bodies of the command line's --json, field for field.

Parameters come from a socket, so every one is known, typed and bounded here; what a query may say is the
engine's business. Knows nothing of frames, queues or threads.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from everdex import limits
from everdex.errors import UsageError
from everdex.resident import ResidentIndex
from everdex.search.model import Mode, SearchRequest
from everdex.service import Reading
from everdex.surfaces.cli.search import known_languages
from everdex.surfaces.daemon import touched
from everdex.sync.model import SyncOptions

_MAX_ITEMS: Final = 100
_MAX_STRING: Final = 65_536


def _text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_STRING


def _name(value: Any) -> bool:
    return value is None or (isinstance(value, str) and len(value) <= 100)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _choice(value: Any) -> bool:
    return value is None or isinstance(value, bool)


def _count(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 31)


def _texts(value: Any) -> bool:
    return isinstance(value, list) and len(value) <= _MAX_ITEMS and all(map(_text, value))


_READING: Final[dict[str, Callable[[Any], bool]]] = {"snapshot_id": _name}
PARAMETERS: Final[dict[str, dict[str, Callable[[Any], bool]]]] = {
    "search": {
        "query": _text, "mode": _name, "k": _count, "languages": _texts, "paths": _texts, "ignore_case": _flag,
        "offset": _count, "profile": _name, "budget": _count, "rerank": _choice, "explain": _flag,
        "no_sync": _flag, "always_rehash": _flag, **_READING,
    },
    "files": {"skipped": _flag, **_READING},
    "explain": {"path": _text, **_READING},
    "status": {"no_sync": _flag, **_READING},
    "sync": {"allow_degraded": _flag, "always_rehash": _flag},
    "touched": touched.PARAMETERS,
    "ping": {},
    "shutdown": {},
}  # fmt: skip


def checked(method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
    """The parameters of a method, or `UsageError` naming the one that is wrong."""
    known = PARAMETERS[method]
    for name, value in params.items():
        if name not in known:
            raise UsageError(f"{method} has no parameter {name[:40]!r}; known are {', '.join(known) or 'none'}")
        if not known[name](value):
            raise UsageError(f"{method}: parameter {name!r} has the wrong type or is too large")
    for name in ("query", "path"):
        if name in known and name not in params:
            raise UsageError(f"{method} needs the parameter {name!r}")
    return params


def answer(warm: ResidentIndex, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """The document that answers a checked call."""
    reading = Reading(sync=not params.get("no_sync", False), snapshot_id=params.get("snapshot_id"))
    if method == "search":
        found = warm.search(
            request(warm, params), reading, rehash=params.get("always_rehash", False),
            explain=params.get("explain", False),
        )  # fmt: skip
        return found.to_dict()
    if method == "files":
        return warm.index.files(skipped=params.get("skipped", False), reading=reading).to_dict()
    if method == "explain":
        return warm.index.explain(params["path"], reading=reading).to_dict()
    if method == "status":
        return warm.index.status(reading=reading).to_dict()
    if method == "touched":
        return touched.answer(warm, params)
    options = SyncOptions(
        allow_degraded=params.get("allow_degraded", False), always_rehash=params.get("always_rehash", False)
    )
    return warm.sync(options).to_dict()


def request(warm: ResidentIndex, params: Mapping[str, Any]) -> SearchRequest:
    mode = params.get("mode") or "hybrid"
    if mode not in list(Mode):
        raise UsageError(f"unknown mode {mode!r}; known are {', '.join(Mode)}")
    wanted = tuple(params.get("languages", ()))
    known_languages(wanted)
    k = params.get("k")
    return SearchRequest(
        params["query"], Mode(mode), warm.index.config.query.k if k is None else k, wanted,
        tuple(params.get("paths", ())), params.get("ignore_case", False), params.get("offset") or 0,
        params.get("profile"), params.get("budget"), params.get("rerank"),
    )  # fmt: skip


def retry_after_ms(waiting: int, p50_ms: float) -> int:
    """When a refused client may expect a free place."""
    return int(min(5_000.0, max(50.0, p50_ms * (waiting + 1) / limits.DAEMON_WORKERS)))
