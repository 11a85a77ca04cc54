"""A rename plan for a model: the edits by line, apart from them what is in doubt, and names that clash."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from pydantic import BaseModel, Field

from everdex.surfaces.cli.rename import how_taken
from everdex.surfaces.mcp import model, related
from everdex.surfaces.mcp.budget import Spendable, fit


class Edit(BaseModel):
    path: str
    line: int
    column: int = Field(description="0-based, in bytes: where the old name begins")
    role: str
    text: str = Field(description="the line as it is")
    doubt: str = Field(description="why it was in doubt, of a place that `take` names; else empty: it is certain")


class Doubt(BaseModel):
    path: str
    line: int
    takeable: bool = Field(description="`take` can make an edit of it; else it is to be edited by hand")
    elsewhere: bool = Field(description="leads to something else as far as known: only `path:line` takes it")
    role: str
    certainty: str
    reason: str
    text: str


class Clash(BaseModel):
    path: str
    line: int
    qualified_name: str


class Left(BaseModel):
    path: str
    line: int
    text: str


class RenamePlanReply(model.Reply):
    symbol: related.Match | None = Field(description="what is renamed; null when none or several fit")
    matches: list[related.Match] = Field(description="when several fit: ask again with path:line of one")
    suggestions: list[model.Suggestion]
    plan_id: str | None = Field(description="`everdex rename --apply PLAN_ID` carries exactly this plan out")
    new_name: str
    definitions: list[related.Match] = Field(description="renamed together: the symbol and what overrides it")
    files: list[str] = Field(description="every file that has an edit")
    edits: list[Edit] = Field(description="replace the old name by the new one at each; certain but for those taken")
    doubts: list[Doubt] = Field(description="may mean it too; look at each yourself")
    left: list[Left] = Field(description="comments, strings and documents that name it, too: yours to change or leave")
    clashes: list[Clash] = Field(description="already have the new name where it would be mistaken")


_COUNTED: Final = ("edits", "doubts", "left", "definitions", "clashes", "files")


def rename_plan(document: Mapping[str, Any], new: str, budget: int) -> dict[str, Any]:
    edits = [
        {**{name: edit[name] for name in ("path", "line", "column", "role", "doubt")},
         "text": edit["text"].strip()[:200]}
        for edit in document.get("edits", ())
    ]  # fmt: skip
    doubts = [
        {**{name: doubt[name] for name in ("path", "line", "takeable", "elsewhere", "role", "certainty", "reason")},
         "text": doubt["text"].strip()[:200]}
        for doubt in document.get("doubts", ())
    ]  # fmt: skip
    symbol = document["symbol"]
    reply: dict[str, Any] = {
        **model.frame(document),
        "omitted": {name: document.get(f"{name}_omitted", 0) for name in _COUNTED},
        "symbol": related.match(symbol) if symbol else None,
        "matches": [related.match(item) for item in document["matches"]],
        "suggestions": list(document["suggestions"]),
        "plan_id": document.get("plan_id"),
        "new_name": new,
        "definitions": [related.match(item) for item in document.get("definitions", ())],
        "files": list(document.get("files", ())),
        "edits": edits,
        "doubts": doubts,
        "left": [
            {"path": place["path"], "line": place["line"], "text": place["text"].strip()[:200]}
            for place in document.get("left", ())
            if place["likely"]
        ],
        "clashes": list(document.get("clashes", ())),
    }
    lists = ("suggestions", "left", "doubts", "edits", "matches", "definitions", "clashes", "files")
    fit(reply, budget, [Spendable(name, reply[name]) for name in lists])
    return reply


def lines(reply: Mapping[str, Any]) -> Iterator[str]:
    if reply["symbol"] is None:
        yield from related.undecided(reply)
        return
    yield f"# {reply['symbol']['text']} → {reply['new_name']}"
    for (path, line, doubt), edits in groupby(reply["edits"], key=itemgetter("path", "line", "doubt")):
        first, *more = edits
        times = f" ({len(more) + 1} times)" if more else ""
        yield f"{path}:{line}{times}: {first['text']}{f' (taken from doubt: {doubt})' if doubt else ''}"
    for place in reply["doubts"]:
        yield f"in doubt: {place['path']}:{place['line']}: {place['text']} ({place['reason']}{how_taken(place)})"
    for place in reply["left"]:
        yield f"left as it is: {place['path']}:{place['line']}: {place['text']}"
    for clash in reply["clashes"]:
        yield f"has that name: {clash['path']}:{clash['line']} {clash['qualified_name']}"
    decided = " --leave-doubts" if reply["doubts"] or reply["omitted"].get("doubts") or reply["clashes"] else ""
    yield f"carry it out: everdex rename --apply {reply['plan_id']}{decided}"
