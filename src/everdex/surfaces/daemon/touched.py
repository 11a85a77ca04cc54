"""The daemon's method `touched`: an agent touched these files; look at them and say what it should know.

Cheap by design: it never waits for the index, and what it says fits the caller's limit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from everdex.errors import UsageError
from everdex.service.answers import UNCHECKED, Answer
from everdex.service.caution import ALLOWED, caution
from everdex.service.notice import Touch, notice
from everdex.service.resident import ResidentIndex

MOMENTS: Final = ("start", "before", "after")
_MAX_ITEMS: Final = 100
_MAX_LENGTH: Final = 4_096
_DEFAULT_LIMIT: Final = 900


def _names(value: Any) -> bool:
    fits = isinstance(value, list) and len(value) <= _MAX_ITEMS
    return fits and all(isinstance(item, str) and len(item) <= _MAX_LENGTH and "\0" not in item for item in value)


def _limit(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10_000


PARAMETERS: Final[dict[str, Callable[[Any], bool]]] = {
    "moment": lambda value: isinstance(value, str),
    "paths": _names,
    "names": _names,
    "written": lambda value: isinstance(value, bool),
    "source": lambda value: isinstance(value, str) and len(value) <= _MAX_LENGTH,
    "limit": _limit,
}


def answer(warm: ResidentIndex, params: Mapping[str, Any]) -> Answer:
    """`context` for a checked call: text for the agent, empty when there is nothing to say; `gate`: may it go on."""
    moment = params.get("moment", "after")
    if moment not in MOMENTS:
        raise UsageError(f"unknown moment {moment[:40]!r}; known are {', '.join(MOMENTS)}")
    touch = Touch(
        moment, tuple(params.get("paths", ())), tuple(params.get("names", ())), params.get("written", False),
        params.get("source", ""),
    )  # fmt: skip
    limit = params.get("limit", _DEFAULT_LIMIT)
    asks = moment == "before" and touch.written
    held = caution(warm, touch.paths, limit) if asks else ALLOWED
    text = notice(warm, touch, limit - len(held.text))
    gate = {"decision": str(held.decision), "text": held.text}
    with warm.reader.pinned() as kept:
        return warm.index.answer(kept.view, UNCHECKED, {"context": text, "gate": gate})
