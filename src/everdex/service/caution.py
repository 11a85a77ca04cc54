"""What an agent is told before it edits files, and whether it may: the mutation gate in a few hundred characters.

An agent waits for it, so it is cheap: it reads the named files, and compares the whole tree only when one of them is
not indexed as it is. Reasons that nobody can act on are left out. Paths and names come from the repository and are
untrusted: they go out short and only when they are plain; no signature is passed on.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

import msgspec

from everdex.errors import EverdexError
from everdex.service.answers import UNCHECKED
from everdex.service.mutation import GateQuestion, Scene, judged, path_key, queue_refresh
from everdex.service.notice import NAME, PARSED_BYTES, plain_path
from everdex.service.resident import ResidentIndex
from everdex.state.model import Decision, GateReason, GateResult
from everdex.state.now import FilesNow

_MAX_NAMES: Final = 5
_SAID: Final = {
    "changed_since_seen": "changed on disk since it was read; re-read it",
    "conflict_markers": "has unmerged conflicts; resolve them first",
    "generated": "looks generated; change what it is made from",
    "vendored": "is somebody else's code kept here; change it where it comes from",
    "ineligible": "is not in the index; nobody can say who uses it",
    "index_failed": "could not be indexed; `everdex health` says why",
    "content_changed": "is not indexed as it is now; run `everdex refresh` and try again",
    "gone": "is indexed and no longer there; run `everdex refresh`",
}


class Caution(msgspec.Struct, frozen=True):
    decision: Decision
    text: str  # empty when nothing speaks against it


ALLOWED: Final = Caution(Decision.ALLOW, "")


def caution(warm: ResidentIndex, paths: Sequence[str], limit: int) -> Caution:
    """What the configured gate says to an edit of these files; it never blocks more than the configuration allows."""
    mode = warm.index.config.hooks.gate
    inside = [path for path in paths if path_key(warm.index, path) is not None]
    if mode == "off" or not inside:
        return ALLOWED
    result = _judged(warm, inside)
    if any(reason.code in ("content_changed", "gone") for file in result.files for reason in file.reasons):
        # Mostly the agent's own last edit, a moment ago: indexing it takes less than asking again.
        with suppress(EverdexError):
            warm.freshness()
        result = _judged(warm, inside)
    lines = _lines(result)
    if not lines:
        return ALLOWED
    return Caution(Decision.WARN if mode == "warn" else result.decision, _fitted(lines, limit))


def _judged(warm: ResidentIndex, paths: Sequence[str]) -> GateResult:
    with warm.reader.pinned() as kept:
        known = warm.reader.known(kept)
        base = {line.path_key: line.content_hash for line in kept.view.file_lines()}
        keys = [key for path in paths if (key := path_key(warm.index, path)) is not None]
        scene = Scene(kept.view, FilesNow(warm.index.root, base, keys), known, UNCHECKED)
        result = judged(warm.index, scene, GateQuestion(tuple(paths)), parse_bytes=PARSED_BYTES)
        if any(reason.reason is not None for file in result.files for reason in file.reasons):
            queue_refresh(kept.view, keys)
        return result


def _lines(result: GateResult) -> list[str]:
    return [
        f"everdex gate: {plain_path(file.path)} {said}"
        for file in result.files
        for reason in file.reasons
        if reason.decision is not Decision.ALLOW and (said := _said(reason))
    ]


def _fitted(lines: Sequence[str], limit: int) -> str:
    """As many lines as there is room for, and how many there was none for; what is decided does not depend on it."""
    for number in range(len(lines), 0, -1):
        left = len(lines) - number
        text = "\n".join([*lines[:number], *([f"everdex gate: and {left} more"] if left else [])])
        if len(text) <= limit:
            return text
    return lines[0][:limit]  # a block without a word of why is taken for none


def _said(reason: GateReason) -> str:
    if reason.code in _SAID:
        return _SAID[reason.code]
    witness = reason.reason
    if witness is None or not witness.path:
        return ""
    about = plain_path(witness.path)
    used = [symbol.name for symbol in witness.symbols if symbol.used] or [symbol.name for symbol in witness.symbols]
    names = ", ".join([name for name in used if NAME.fullmatch(name)][:_MAX_NAMES])
    if reason.code == "dependency_gone":
        return f"depends on {about}, which is gone"
    if reason.code == "dependency_interface_changed":
        return f"depends on {about}, whose interface changed{f' ({names})' if names else ''}; re-read that first"
    if reason.code == "dependency_stale":
        return f"depends, through others, on {about}, whose interface changed"
    return f"depends on {about}, which changed; what that means is not known yet"
