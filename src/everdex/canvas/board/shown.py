"""A board as a document: every item with what a snapshot says of the evidence it rests on.

A claim rests on the evidence it cites, a decision also on that of its claims; what of it changed, is gone or was
dropped is named on the item itself, so that nobody has to put that together. Knows no envelope and no layout.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from everdex.canvas.board.look import STALE, Looking, Seen
from everdex.canvas.board.model import Anchor, Board, Dropped, Evidence, Note, Stamp, TreeAnchor

# Kinds whose anchors are what an answer named: what came into being since is not among them.
_ANSWERS = ("search", "impact")


class Shown:
    """One board, looked at from one snapshot."""

    def __init__(self, board: Board, looking: Looking) -> None:
        self.board = board
        self._digest = looking.view.manifest.digest
        self._seen = {item.id: looking.evidence(item) for item in board.evidence}
        self._claims = {item.id: item for item in board.claims}

    def document(self, only: Iterable[str] | None = None, *, everything: bool = False) -> dict[str, Any]:
        """The whole board, or only these items of it; with `everything` also what was dropped."""
        wanted = None if only is None else set(only)

        def listed(items: Iterable[Evidence | Note]) -> list[dict[str, Any]]:
            return [self.item(item) for item in items if wanted is None or item.id in wanted]

        board = self.board
        gone = [_dropped(record) for record in board.dropped if everything or (wanted and record.id in wanted)]
        return {
            "board_id": board.board_id,
            "revision": board.revision,
            "counts": self.counts(),
            "decisions": listed(board.decisions),
            "claims": listed(board.claims),
            "evidence": listed(board.evidence),
            "dropped": gone,
        }

    def counts(self) -> dict[str, int]:
        board = self.board
        return {
            **board.counts(),
            "changed_evidence": sum(state in STALE for state, _ in self._seen.values()),
            "on_changed_evidence": sum(bool(self.stale(item)) for item in (*board.claims, *board.decisions)),
        }

    def state(self, item: Evidence) -> str:
        return self._seen[item.id][0]

    def stale(self, item: Note) -> list[str]:
        """The evidence under a claim or decision that changed, is gone or was dropped."""
        ids = dict.fromkeys(item.cites)
        for cited in item.cites:
            if cited in self._claims:
                ids |= dict.fromkeys(self._claims[cited].cites)
        return [name for name in ids if self._is_stale(name)]

    def _is_stale(self, name: str) -> bool:
        if name in self._claims:
            return False  # what it rests on is looked at by itself
        return name not in self._seen or self._seen[name][0] in STALE

    def item(self, item: Evidence | Note) -> dict[str, Any]:
        if isinstance(item, Note):
            return {
                "id": item.id,
                "kind": item.kind,
                "state": item.state,
                "text": item.text,
                "cites": list(item.cites),
                "rests_on_changed": self.stale(item),
                **_stamps(item.created, item.updated),
            }
        state, seen = self._seen[item.id]
        return {
            "id": item.id,
            "kind": item.kind,
            "state": state,
            "target": item.target,
            "summary": item.summary,
            "text": item.text,
            "answer_may_differ": item.kind in _ANSWERS and item.updated.digest != self._digest,
            "anchors": [_anchor(anchor, found) for anchor, found in zip(item.anchors, seen, strict=True)],
            **_stamps(item.created, item.updated),
        }


def _anchor(anchor: Anchor, seen: Seen) -> dict[str, Any]:
    now = None
    if seen.path is not None:
        now = {"path": seen.path, "start_line": seen.start_line, "end_line": seen.end_line}
    kept = msgspec.to_builtins(anchor)
    if isinstance(anchor, TreeAnchor):
        return {**kept, "state": seen.state}
    return {**kept, "state": seen.state, "now": now, "what": seen.what}


def _stamps(created: Stamp, updated: Stamp) -> dict[str, Any]:
    return {
        "author": created.author,
        "session": created.session,
        "created_at": created.at,
        "updated_at": updated.at,
        "updated_by": updated.author,
        "snapshot_id": updated.snapshot_id,
        "digest": updated.digest,
    }


def _dropped(record: Dropped) -> dict[str, Any]:
    stamp = record.stamp
    return {
        "id": record.id,
        "text": record.text,
        "dropped_at": stamp.at,
        "dropped_by": stamp.author,
        "session": stamp.session,
    }
