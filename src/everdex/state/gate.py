"""The mutation gate: from a file's state and what the file itself shows to allow, warn or block, and what to do next.

Two intents: `edit` is a change of text that somebody looked at, `semantic` one that is computed from references (a
rename), which needs them current and certain. A block always names a way out of it. Reads nothing itself; decides
nothing about who asks.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

import msgspec
from msgspec.structs import replace

from everdex.languages import role_of
from everdex.roots import Root
from everdex.state import model
from everdex.state.decisions import DecisionRecord
from everdex.state.generated import says_generated
from everdex.state.model import (
    DECIDED,
    NO_SUCH_FILE,
    SEMANTIC,
    Certainty,
    Decision,
    FileGate,
    FileState,
    Freshness,
    GateReason,
    OpenPlace,
    Reason,
    worst,
)

# Of a merge that stopped: all three marks, each at the beginning of a line.
_OURS: Final = re.compile(rb"^<{7}(?: |$)", re.MULTILINE)
_MIDDLE: Final = re.compile(rb"^={7}\r?$", re.MULTILINE)
_THEIRS: Final = re.compile(rb"^>{7}(?: |$)", re.MULTILINE)
_REFRESH: Final = "run `everdex refresh`, then ask again"
_LISTED: Final = 3
_MAX_PLACES: Final = 100
_SIGNATURE: Final = 120


class Asked(msgspec.Struct, frozen=True):
    """One file that somebody wants to change. `key` is None for a path outside the root."""

    path: str  # as it was named
    key: str | None
    data: bytes | None = None  # what it holds now; None when there is no such file
    seen: str | None = None  # SHA-256 of the content the asker saw
    missing: str | None = None  # set when there is no such file: the question whether another was meant, or nothing
    skipped: str | None = None  # why the index leaves it out; None when it does not, or nobody knows
    failed: str | None = None  # why the last publish could not index it
    open_places: tuple[OpenPlace, ...] = ()  # what its references leave open, as far as somebody may have to decide it
    decided: DecisionRecord | None = None  # about those


def judge(root: Root, asked: Asked, state: FileState | None, intent: str, *, since: bool) -> FileGate:
    """The verdict on one file; with `since`, its state is against what the asker knows, and not the index's fault."""
    if asked.key is None:
        said = [GateReason(
            "out_of_root", Decision.WARN, f"{asked.path} is outside {root.path}", "name a file of this repository"
        )]  # fmt: skip
        return FileGate(asked.path, Decision.WARN, None, tuple(said))
    reasons = _of_file(asked)
    if state is not None:
        reasons += _of_state(asked, state, intent, since)
    return FileGate(asked.key, worst(tuple(reason.decision for reason in reasons)), state, tuple(reasons))


# -- what the file itself shows ------------------------------------------------------------------


def _of_file(asked: Asked) -> list[GateReason]:
    key, data = asked.key or "", asked.data
    reasons = []
    if asked.seen is not None and _hash(data) != asked.seen:
        what = "is gone" if data is None else "changed on disk"
        reasons.append(GateReason(
            "changed_since_seen", Decision.BLOCK, f"{key} {what} since it was read", f"re-read {key}"
        ))  # fmt: skip
    if data is not None and _OURS.search(data) and _MIDDLE.search(data) and _THEIRS.search(data):
        reasons.append(GateReason(
            "conflict_markers", Decision.WARN, f"{key} has unmerged conflicts: it is two versions at once",
            f"resolve the conflicts in {key} first",
        ))  # fmt: skip
    role = role_of(key)
    if role == "generated":
        reasons.append(GateReason(
            "generated", Decision.WARN, f"{key} looks generated: the next build may undo the change",
            f"change what {key} is generated from",
        ))  # fmt: skip
    elif role == "vendored":
        reasons.append(GateReason(
            "vendored", Decision.WARN, f"{key} is somebody else's code kept here: an update will undo the change",
            "change it where it comes from, or wrap it",
        ))  # fmt: skip
    elif data is not None and role != "doc" and says_generated(data):  # a document may speak of what is
        reasons.append(GateReason(
            "generated", Decision.WARN, f"{key} says that it is generated: the next build may undo the change",
            f"change what {key} is generated from",
        ))  # fmt: skip
    if asked.missing is not None:
        said = f"{key} does not exist{f'; {asked.missing}' if asked.missing else ''}"
        reasons.append(GateReason(NO_SUCH_FILE, Decision.ALLOW, said, ""))
    if asked.skipped is not None:
        reasons.append(GateReason(
            "ineligible", Decision.WARN, f"{key} is not in the index ({asked.skipped}): nobody knows who uses it",
            f"run `everdex explain {key}`",
        ))  # fmt: skip
    if asked.failed is not None:
        reasons.append(GateReason(
            "index_failed", Decision.WARN, f"{key} could not be indexed ({asked.failed})", _REFRESH
        ))  # fmt: skip
    return reasons


def _hash(data: bytes | None) -> str:
    return "" if data is None else hashlib.sha256(data).hexdigest()


# -- what its state means ------------------------------------------------------------------------


def _of_state(asked: Asked, state: FileState, intent: str, since: bool) -> list[GateReason]:
    key = asked.key or ""
    said = [_since(key, reason, intent) if since else _said(key, reason, intent) for reason in state.reasons]
    reasons = [reason for reason in said if reason is not None]
    if needs_decision(state, intent):
        reasons.append(_uncertain(asked, state))
    return reasons


def needs_decision(state: FileState, intent: str) -> bool:
    """Whether a change that is computed from a file's references rests on some that are not certain."""
    clean = state.freshness is Freshness.CLEAN
    return intent == SEMANTIC and clean and state.certainty is not Certainty.CERTAIN


def _uncertain(asked: Asked, state: FileState) -> GateReason:
    key, decided = state.path, asked.decided
    said = f"references in {key} are not all certain ({_open(state)})"
    if decided is not None:
        return GateReason(DECIDED, Decision.ALLOW, f"{said}; decided {decided.created_at}: {decided.proof.because}", "")
    action = f"look at each place in {key} before changing it; `everdex gate --semantic {key} --decide WHY`"
    return GateReason("needs_decision", Decision.WARN, said, action, places=asked.open_places[:_MAX_PLACES])


def _open(state: FileState) -> str:
    return next((reason.detail for reason in state.reasons if reason.detail), state.certainty.value)


def _since(key: str, reason: Reason, intent: str) -> GateReason | None:
    """What changed since the asker looked: reading again is all there is to do."""
    found = _said(key, reason, intent)
    if found is None or reason.code == model.DEPENDENCIES_UNKNOWN:
        return found
    if reason.code in (model.CONTENT_CHANGED, model.GONE):
        what = "is gone" if reason.code == model.GONE else "changed"
        found = replace(found, message=f"{key} {what} since that snapshot")
    elif reason.code == model.DEPENDENCY_CHANGED:
        message = f"{key} depends on {reason.path}, whose interface changed since that snapshot{_symbols(reason)}"
        found = replace(found, message=message)
    is_there = reason.path and reason.code != model.DEPENDENCY_GONE
    return replace(found, action=f"re-read {reason.path if is_there else key}")


def _said(key: str, reason: Reason, intent: str) -> GateReason | None:
    """What a reason of a state means for a change; None when it does not matter."""
    sure = Decision.BLOCK if intent == SEMANTIC else Decision.WARN
    path = reason.path
    if reason.code == model.CONTENT_CHANGED:
        return GateReason(reason.code, Decision.BLOCK, f"{key} is not indexed as it is now", _REFRESH, reason)
    if reason.code == model.GONE:
        return GateReason(reason.code, Decision.BLOCK, f"{key} is indexed and no longer there", _REFRESH, reason)
    if reason.code == model.NOT_RESOLVED:
        # Its text and symbols are current; only who refers to what is behind.
        decision = Decision.BLOCK if intent == SEMANTIC else Decision.ALLOW
        return GateReason(reason.code, decision, f"references of {key} are not resolved again yet", _REFRESH, reason)
    if reason.code == model.DEPENDENCY_CHANGED:
        decision = Decision.BLOCK if reason.used else sure
        message = f"{key} depends on {path}, whose interface changed{_symbols(reason)}"
        return GateReason(reason.code, decision, message, f"re-read {path}, then {_REFRESH}", reason)
    if reason.code == model.DEPENDENCY_GONE:
        message = f"{key} depends on {path}, which is no longer there"
        return GateReason(reason.code, Decision.BLOCK, message, _REFRESH, reason)
    if reason.code == model.DEPENDENCY_STALE:
        message = f"{key} depends on {path} by way of {' and '.join(reason.way)}"
        return GateReason(reason.code, sure, f"{message}, and its interface changed", _REFRESH, reason)
    if reason.code == model.DEPENDENCY_UNCHECKED:
        why = {"syntax_errors": "it has syntax errors", "unreadable": "it cannot be read"}.get(reason.detail)
        message = f"{key} depends on {path}, which changed; its interface is not known yet"
        return GateReason(reason.code, sure, f"{message}{f' ({why})' if why else ''}", _REFRESH, reason)
    if reason.code == model.DEPENDENCIES_UNKNOWN and intent == SEMANTIC:
        return GateReason(reason.code, Decision.BLOCK, f"nobody knows yet what {key} depends on", _REFRESH, reason)
    return None


def _symbols(reason: Reason) -> str:
    """`: helper(a) is now helper(a,b)`; what the file uses is listed first already."""
    listed = [item for item in reason.symbols if item.used] or list(reason.symbols)
    parts = []
    for item in listed[:_LISTED]:
        if item.after is None:
            parts.append(f"{item.name} is gone")
        elif item.before is None:
            parts.append(f"{item.name} is new")
        else:
            parts.append(f"{item.name}: {item.before[:_SIGNATURE]} is now {item.after[:_SIGNATURE]}")
    more = len(reason.symbols) + reason.omitted - len(parts)
    tail = f" and {more} more" if more > 0 and parts else ""
    return f": {'; '.join(parts)}{tail}" if parts else ""
