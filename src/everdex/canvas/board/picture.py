"""A picture of a board: evidence, claims and decisions in three columns, and what rests on what between them.

A function of the board's document, so every surface draws the same. What changed since is drawn in the ink of warnings,
and so is each line that leads up from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from everdex.canvas.lettering import label, wrap
from everdex.canvas.scene import Ink, Line, Rectangle, Scene, Shape, flow

_MARGIN: Final = 24.0
_TOP: Final = 84.0
_WIDTH: Final = 280.0
_APART: Final = 96.0
_GAP: Final = 14.0
_INSET: Final = 10.0
_SMALL: Final = 10.0
_SIZE: Final = 11.0
_LEADING: Final = 15.0
_LINES: Final = 4  # of a text
_COLUMNS: Final = (("evidence", Ink.BOX, Ink.BOX_LINE), ("claims", Ink.FRAME, Ink.FRAME_LINE),
                   ("decisions", Ink.TEST, Ink.TEST_LINE))  # fmt: skip
_SETTLED: Final = ("refuted", "done", "dropped")
_STALE: Final = ("changed", "gone")

Item = Mapping[str, Any]


def board_scene(document: Item) -> Scene:
    """The board of an answer that shows all of it."""
    places: dict[str, tuple[float, float]] = {}  # id -> the middle of its left edge
    stale = {item["id"] for item in document["evidence"] if item["state"] in _STALE}
    cards: list[Shape] = []
    bottom = _TOP
    order: dict[str, int] = {}
    for column, (name, fill, stroke) in enumerate(_COLUMNS):
        x, y = _MARGIN + column * (_WIDTH + _APART), _TOP
        cards.append(label(x, _TOP - 14, name, 12, _WIDTH, ink=Ink.MUTED, bold=True))
        for number, item in enumerate(_sorted(document[name], order)):
            order[item["id"]] = number
            warned = item["id"] in stale or bool(item.get("rests_on_changed"))
            shapes, height = _card(item, x, y, (Ink.WARNING_FILL, Ink.WARNING) if warned else (fill, stroke))
            places[item["id"]] = (x, y + height / 2)
            cards += shapes
            y += height + _GAP
        bottom = max(bottom, y)
    width = 2 * _MARGIN + 3 * _WIDTH + 2 * _APART
    counts = document["counts"]
    said = (
        f"evidence {counts['evidence']:,} ({counts['changed_evidence']:,} changed), claims {counts['claims']:,}, "
        f"decisions {counts['decisions']:,} ({counts['open_decisions']:,} open); snapshot {document['snapshot_id']}"
    )
    heading = [
        label(_MARGIN, 32, "Evidence board", 16, width - 2 * _MARGIN, bold=True),
        label(_MARGIN, 50, said, _SIZE, width - 2 * _MARGIN, ink=Ink.MUTED),
    ]
    lines = _lines((*document["claims"], *document["decisions"]), places, stale)
    return Scene(width, bottom + _MARGIN, "Evidence board", said, (*heading, *lines, *cards))


def _sorted(items: Sequence[Item], order: Mapping[str, int]) -> list[Item]:
    """Near what they rest on, so that few lines cross; what rests on nothing comes last."""

    def middle(item: Item) -> float:
        cited = [order[name] for name in item.get("cites", ()) if name in order]
        return sum(cited) / len(cited) if cited else float(len(order))

    return sorted(items, key=middle) if items and "cites" in items[0] else list(items)


def _lines(items: Sequence[Item], places: Mapping[str, tuple[float, float]], stale: set[str]) -> list[Shape]:
    found: list[Shape] = []
    doubted = stale | {item["id"] for item in items if item["rests_on_changed"]}
    for item in items:
        x, y = places[item["id"]]
        for cited in item["cites"]:
            if cited not in places:
                continue  # dropped: the card says so
            from_x, from_y = places[cited]
            ink, style = (Ink.WARNING, Line.DASHED) if cited in doubted else (Ink.EDGE, Line.SOLID)
            points = [(from_x + _WIDTH, from_y), (x, y)]
            found.append(flow(points, ink, vertical=False, style=style, arrow=True, title=f"{item['id']} on {cited}"))
    return found


def _card(item: Item, x: float, y: float, inks: tuple[Ink, Ink]) -> tuple[list[Shape], float]:
    """An item's box with its words; how high it is."""
    room = _WIDTH - 2 * _INSET
    target = item.get("target")
    words = [*(wrap(target, _SIZE, room, 2) if target else ()), *wrap(item["text"], _SIZE, room, _LINES)]
    below = f"rests on changed {', '.join(item['rests_on_changed'])}" if item.get("rests_on_changed") else ""
    height = _INSET + _LEADING * (1 + len(words) + bool(below)) + _INSET / 2
    fill, stroke = inks
    head = f"{item['id']}  {item['state']} {item['kind']}"
    style = Line.DASHED if item["state"] in _SETTLED else Line.SOLID
    shapes: list[Shape] = [
        Rectangle(x, y, _WIDTH, height, fill, stroke, 1.2, style, 4.0, title=f"{item['id']} by {item['author']}"[:200]),
        label(x + _INSET, y + 16, head, _SMALL, room, ink=Ink.MUTED, bold=True),
    ]
    for number, text in enumerate(words, start=1):
        shapes.append(label(x + _INSET, y + 16 + number * _LEADING, text, _SIZE, room))
    if below:
        shapes.append(label(x + _INSET, y + 16 + (len(words) + 1) * _LEADING, below, _SMALL, room, ink=Ink.WARNING))
    return shapes, height
