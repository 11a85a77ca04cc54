"""How a board looks: decisions first, then claims, then evidence; what rests on changed evidence says so on its line.

Lines for a pipe are never cut; on a terminal they are broken to its width. Texts are whatever somebody wrote, so
they are escaped here, line by line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import click

from everdex.surfaces.cli import rows
from everdex.surfaces.cli.output import Line, Shown, Style, escape, plural, write

_LISTS: Final = ("decisions", "claims", "evidence")
_PLACES: Final = ("file", "lines", "symbol")
_COLOURS: Final = {
    "changed": "red", "gone": "red", "refuted": "red", "moved": "yellow", "open": "yellow", "current": "green",
    "supported": "green", "done": "green", "dropped": "white",
}  # fmt: skip


def _lines(document: dict[str, Any]) -> Iterator[Line]:
    for name in _LISTS:
        for item in document[name]:
            yield True, f"{item['id']} {item['state']} {item['kind']}: {_said(item)}"
            yield from ((True, f"  {line}") for line in _below(item))
    for item in document["dropped"]:
        yield True, f"{item['id']} dropped {item['dropped_at']} by {escape(item['dropped_by'])}: {_one(item['text'])}"
    yield from ((False, line) for line in _remarks(document))


def _code(document: dict[str, Any]) -> int:
    listed = any(document[name] for name in (*_LISTS, "dropped"))
    return 0 if listed or document["action"] != "show" else 1


def _said(item: dict[str, Any]) -> str:
    """An item's own words in one line."""
    text = _one(item["text"])
    if "target" not in item:
        return text
    target = _one(item["target"].removeprefix(f"{item['kind']}:"))
    return f"{target}{f'  {text}' if text else ''}"


def _one(text: str) -> str:
    return escape(" ".join(text.split()))


def _below(item: dict[str, Any]) -> Iterator[str]:
    """What is to be known of an item besides its words."""
    if "target" not in item:
        if item["cites"]:
            yield f"on {', '.join(item['cites'])}"
        if item["rests_on_changed"]:
            yield f"rests on changed evidence: {', '.join(item['rests_on_changed'])}"
        return
    told = item["kind"] in _PLACES and item["state"] != "current"  # by what became of it
    if item["summary"] and item["summary"] != item["target"] and not told:
        yield _one(item["summary"])
    for anchor in item["anchors"]:
        if anchor["state"] != "current":
            yield _moved(anchor)
    if item["answer_may_differ"]:
        yield "the tree changed since: the same question may have more answers now"


def _moved(anchor: dict[str, Any]) -> str:
    if anchor["anchor"] == "tree":
        return "the tree changed since"
    name = f" {anchor['qualified_name']}" if anchor["anchor"] == "symbol" else ""
    was = escape(f"{_place(anchor)}{name}")
    what = f" ({anchor['what']})" if anchor["what"] else ""
    now = anchor["now"]
    elsewhere = now is not None and (now["path"] != anchor["path"] or now["start_line"] is not None)
    where = f", now {escape(_place(now))}" if elsewhere and _place(now) != _place(anchor) else ""
    return f"{anchor['state']}{what}: {was}{where}"


def _place(anchor: dict[str, Any]) -> str:
    first, last = anchor.get("start_line"), anchor.get("end_line")
    return anchor["path"] if first is None else f"{anchor['path']}:{first}-{last}"


def _remarks(document: dict[str, Any]) -> Iterator[str]:
    counts = document["counts"]
    if document["action"] == "reset":
        yield from (f"kept: {escape(path)}" for path in document["kept_as"])
        yield "a new board has begun"
        return
    if document["touched"] and document["action"] != "show":
        done = {"drop": "dropped", "update": "updated"}.get(document["action"], "added")
        yield f"{done} {', '.join(document['touched'])}"
        return
    if not any(counts[name] for name in _LISTS):
        yield "the board is empty"
        return
    parts = [f"{plural(counts['decisions'], 'decision')} ({counts['open_decisions']:,} open)"]
    parts += [plural(counts["claims"], "claim"), f"{counts['evidence']:,} evidence"]
    if counts["changed_evidence"]:
        parts.append(f"{counts['changed_evidence']:,} of it changed")
    if counts["dropped"]:
        parts.append(f"{counts['dropped']:,} dropped{'' if document['dropped'] else ' (--all)'}")
    yield ", ".join(parts)


def _draw(document: dict[str, Any], shown: Style) -> None:
    for name in _LISTS:
        if not document[name]:
            continue
        rows.heading(name, shown)
        width = max(len(item["id"]) for item in document[name])
        for item in document[name]:
            lead = f"{item['id']:<{width}}  {item['state']}"
            kind = f" {item['kind']}"
            marked = click.style(lead, fg=_COLOURS.get(item["state"]), bold=True) if shown.coloured else lead
            rows.hanging(f"  {marked}{kind}  ", len(lead) + len(kind) + 4, _said(item), width + 4)
            for line in _below(item):
                rows.hanging(" " * (width + 4), width + 4, line, width + 6)
        write()
    if document["dropped"]:
        rows.heading("dropped", shown)
        for item in document["dropped"]:
            rows.hanging("  ", 2, f"{item['id']}  {item['dropped_at']}  {_one(item['text'])}", 6)
        write()


SHOWN = Shown(_lines, _code, _draw)
