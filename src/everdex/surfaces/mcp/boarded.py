"""The evidence board for a model: what is on it, or what a change did, small enough to be read again and again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import BaseModel, Field

from everdex.surfaces.mcp import model
from everdex.surfaces.mcp.budget import Spendable, fit

_LISTS: Final = ("decisions", "claims", "evidence")
_MOST_ANCHORS: Final = 5  # of one item that are listed; those that changed first
_STALE: Final = ("changed", "gone")


class BoardNote(BaseModel):
    id: str
    kind: str = Field(description="claims: finding, hypothesis, question; decisions: plan, edit, skip, test")
    state: str = Field(description="claims: open, supported, refuted; decisions: open, done, dropped")
    text: str
    cites: list[str] = Field(description="what it rests on")
    rests_on_changed: list[str] = Field(description="what under it changed, is gone or was dropped: look again")
    author: str
    updated_at: str


class BoardAnchor(BaseModel):
    state: str = Field(description="current, moved (the same text elsewhere), changed or gone")
    was: str = Field(description="where it was, with its name when it is a definition; empty: the whole tree")
    now: str | None = Field(description="where it is now")
    what: str | None = Field(description="interface or body: what of a definition changed")


class BoardEvidence(BaseModel):
    id: str
    kind: str = Field(description="file, lines, symbol, search, impact or run")
    state: str = Field(description="the worst of its anchors': current, moved, changed or gone")
    target: str
    summary: str
    text: str
    answer_may_differ: bool = Field(description="true: the tree changed since this was asked")
    anchors: list[BoardAnchor] = Field(description="those that changed first, at most five")
    author: str
    updated_at: str


class BoardDropped(BaseModel):
    id: str
    text: str
    dropped_at: str
    dropped_by: str


class BoardReply(model.Reply):
    action: str
    touched: list[str] = Field(description="the items that this call added or changed")
    counts: dict[str, int] = Field(description="of the whole board")
    decisions: list[BoardNote]
    claims: list[BoardNote]
    evidence: list[BoardEvidence]
    dropped: list[BoardDropped]


def board(document: Mapping[str, Any], budget: int) -> dict[str, Any]:
    reply: dict[str, Any] = {
        **model.frame(document),
        "action": document["action"],
        "touched": document["touched"],
        "counts": document["counts"],
        "decisions": [_note(item) for item in document["decisions"]],
        "claims": [_note(item) for item in document["claims"]],
        "evidence": [_evidence(item) for item in document["evidence"]],
        "dropped": [_kept(item, BoardDropped) for item in document["dropped"]],
    }
    fit(
        reply, budget,
        [
            Spendable("dropped", reply["dropped"]),
            Spendable("evidence", reply["evidence"], lambda item: (item["state"] in _STALE,)),
            Spendable("claims", reply["claims"], lambda item: (len(item["rests_on_changed"]), item["state"] == "open")),
            Spendable("decisions", reply["decisions"], lambda item: (item["state"] == "open",)),
        ],
    )  # fmt: skip
    return reply


def _note(item: Mapping[str, Any]) -> dict[str, Any]:
    return _kept(item, BoardNote)


def _kept(item: Mapping[str, Any], shape: type[BaseModel]) -> dict[str, Any]:
    return {name: item[name] for name in shape.model_fields}


def _evidence(item: Mapping[str, Any]) -> dict[str, Any]:
    anchors = sorted(item["anchors"], key=lambda anchor: anchor["state"] not in _STALE)
    return {
        **{name: item[name] for name in BoardEvidence.model_fields if name != "anchors"},
        "anchors": [_anchor(anchor) for anchor in anchors[:_MOST_ANCHORS]],
    }


def _anchor(anchor: Mapping[str, Any]) -> dict[str, Any]:
    name = anchor.get("qualified_name")
    now = anchor.get("now")
    return {
        "state": anchor["state"],
        "was": f"{_place(anchor)}{f' {name}' if name else ''}",
        "now": None if now is None else _place(now),
        "what": anchor.get("what"),
    }


def _place(anchor: Mapping[str, Any]) -> str:
    first = anchor.get("start_line")
    path = str(anchor.get("path") or "")
    return path if first is None else f"{path}:{first}-{anchor['end_line']}"


def lines(reply: Mapping[str, Any]) -> Iterator[str]:
    if reply["touched"]:
        yield f"{reply['action']}: {', '.join(reply['touched'])}"
    elif not any(reply["counts"][name] for name in _LISTS):
        yield "the board is empty"
    for item in (*reply["decisions"], *reply["claims"]):
        cites = f" [{', '.join(item['cites'])}]" if item["cites"] else ""
        changed = item["rests_on_changed"]
        doubt = f" RESTS ON CHANGED {', '.join(changed)}" if changed else ""
        yield f"{item['id']} {item['state']} {item['kind']}: {_one(item['text'])}{cites}{doubt}"
    for item in reply["evidence"]:
        yield f"{item['id']} {item['state']} {item['kind']}: {_one(item['target'])} {_one(item['text'])}".rstrip()
        for anchor in item["anchors"]:
            if anchor["state"] != "current" and anchor["was"]:
                now = f" -> {anchor['now']}" if anchor["now"] else ""
                yield f" {anchor['state']} {anchor['what'] or ''} {anchor['was']}{now}"
    for item in reply["dropped"]:
        yield f"{item['id']} dropped: {_one(item['text'])}"


def _one(text: str) -> str:
    return " ".join(text.split())
