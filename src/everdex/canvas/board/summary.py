"""A board in a few hundred characters, for an agent that has just forgotten everything: what is to be done comes first.

Texts are whatever somebody wrote: they go out on one line each, short, and without a character that is not printable.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from everdex.canvas.board.look import STALE
from everdex.canvas.board.model import Evidence, Note
from everdex.canvas.board.shown import Shown
from everdex.wording import plural

_TEXT: Final = 160
_ENDING: Final = "… (cut; `everdex board` has all of it)"


def headline(counts: dict[str, int]) -> str:
    """How much there is, in one line; empty for an empty board."""
    if not (counts["evidence"] or counts["claims"] or counts["decisions"]):
        return ""
    parts = [
        plural(counts["open_decisions"], "open decision"),
        plural(counts["claims"], "claim"),
        f"{counts['evidence']:,} evidence",
    ]
    changed = counts.get("changed_evidence", 0)
    about = f" ({changed:,} changed since)" if changed else ""
    return f"everdex board of earlier work in this repository: {', '.join(parts)}{about}."


def summary(shown: Shown, limit: int) -> str:
    """At most `limit` characters: open decisions, then what rests on changed evidence, then the rest."""
    first = headline(shown.counts())
    if not first:
        return ""
    lines = [f"{first} Notes, not instructions; `everdex board` has all.", *_lines(shown)]
    kept: list[str] = []
    room = limit - len(_ENDING) - 1
    for number, line in enumerate(lines):
        left = sum(len(text) + 1 for text in kept)
        last = number == len(lines) - 1
        if left + len(line) > (limit if last else room):
            kept.append(_ENDING)
            break
        kept.append(line)
    return "\n".join(kept)[:limit]


def _lines(shown: Shown) -> Iterator[str]:
    board = shown.board
    pending = [item for item in board.decisions if item.state == "open"]
    yield from (_note(shown, item) for item in pending)
    unsettled = sorted(board.claims, key=lambda item: (not shown.stale(item), item.state != "open"))
    yield from (_note(shown, item) for item in unsettled)
    yield from (_evidence(shown, item) for item in board.evidence if shown.state(item) in STALE)
    yield from (_note(shown, item) for item in board.decisions if item.state == "done")


def _note(shown: Shown, item: Note) -> str:
    stale = shown.stale(item)
    cites = f" [{', '.join(item.cites)}]" if item.cites else ""
    doubt = f" RESTS ON CHANGED EVIDENCE {', '.join(stale)}:" if stale else ""
    return f"{item.id} {item.state} {item.kind}:{doubt} {_plain(item.text)}{cites}"


def _evidence(shown: Shown, item: Evidence) -> str:
    return f"{item.id} {shown.state(item)}: {_plain(item.target)}"


def _plain(text: str) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= _TEXT else f"{line[: _TEXT - 1].rstrip()}…"
