"""The picture of an impact: the symbol in the middle, who leads to it on the left, what it calls on the right.

A line is solid where resolution is certain and dashed where it is not; tests have a panel of their own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import Final

import msgspec

from everdex.canvas.impact import Column, ImpactModel, Symbol, TestFile
from everdex.canvas.lettering import label
from everdex.canvas.scene import Anchor, Ink, Line, Point, Rectangle, Scene, Shape, flow
from everdex.canvas.sheet import (
    FOCUS,
    HEADING,
    MARGIN,
    MORE,
    NAME,
    NOTE,
    SOURCE,
    TEST,
    Caption,
    Paint,
    Sign,
    box,
    box_height,
    box_width,
    heading,
    key_and_notes,
)  # fmt: skip
from everdex.graph.answers.doubts import doubts
from everdex.wording import plural

_GAP: Final = 10.0
_BETWEEN: Final = 64.0  # columns
_WIDEST: Final = 190.0
_NARROWEST: Final = 110.0
_TITLE: Final = 24.0
_LEAST_WIDTH: Final = 620.0
_HEIGHT: Final = box_height(["x"])


class _Placed(msgspec.Struct, frozen=True):
    """A column with where its boxes are."""

    x: float
    width: float
    tops: tuple[float, ...]  # of its symbols, and of the box for the rest if there is one

    def left(self, number: int) -> Point:
        return self.x, self.tops[number] + _HEIGHT / 2

    def right(self, number: int) -> Point:
        return self.x + self.width, self.tops[number] + _HEIGHT / 2


def ripples(model: ImpactModel, caption: Caption) -> Scene:
    columns = [*reversed(model.callers), Column((model.centre,), 0)]
    columns += [model.callees] if model.callees.symbols else []
    widths = [_width(column) for column in columns]
    across = sum(widths) + _BETWEEN * (len(widths) - 1)
    width = max(_LEAST_WIDTH, across + 2 * MARGIN)
    tall = max(_count(column) * (_HEIGHT + _GAP) - _GAP for column in columns)
    top = MARGIN + HEADING + _TITLE
    shapes: list[Shape] = heading(f"{model.centre.qualified_name} · impact", _subtitle(model), width)
    x = (width - across) / 2
    placed: list[_Placed] = []
    for column, wide in zip(columns, widths, strict=True):
        placed.append(_place(column, x, wide, top, tall))
        x += wide + _BETWEEN
    middle = len(model.callers)
    boxes: list[Shape] = []
    for number, (column, where) in enumerate(zip(columns, placed, strict=True)):
        shapes.append(_column_title(number - middle, where, top))
        boxes += _boxes(column, where, FOCUS if number == middle else SOURCE)
    for number in range(middle):
        shapes += _edges(columns[number], placed[number], columns[number + 1], placed[number + 1])
    if model.callees.symbols:
        shapes += _called(model.callees, placed[middle], placed[middle + 1])
    y = top + tall
    if not model.callers:
        where = placed[0]
        shapes.append(
            label(where.x + where.width / 2, y + 22, "nothing in the source leads to it", NOTE, width - 2 * MARGIN,
                  ink=Ink.MUTED, anchor=Anchor.MIDDLE)
        )  # fmt: skip
        y += 26
    if model.tests:
        panel, high = _tests(model, width, y + 26)
        shapes += panel
        y += 26 + high
    foot, height = key_and_notes(y + 26, width, _signs(model), _notes(model), caption)
    description = f"{_subtitle(model)}. {caption.text()}."
    title = f"{model.centre.qualified_name}: impact"
    return Scene(round(width, 1), round(height, 1), title, description, (*shapes, *boxes, *foot))


def _subtitle(model: ImpactModel) -> str:
    certain = model.affected - model.uncertain
    doubt = f", {model.uncertain:,} in doubt" if model.uncertain else ""
    return (
        f"{model.kind} at {model.centre.place}; within {plural(model.depth, 'step')} a change may affect "
        f"{plural(model.affected, 'definition')} ({certain:,} certain{doubt})"
    )


# -- columns -----------------------------------------------------------------------------------


def _count(column: Column) -> int:
    return len(column.symbols) + bool(column.left_out)


def _width(column: Column) -> float:
    needed = [box_width(symbol.name, [symbol.place]) for symbol in column.symbols]
    return round(min(_WIDEST, max([_NARROWEST, *needed])), 1)


def _place(column: Column, x: float, width: float, top: float, tall: float) -> _Placed:
    count = _count(column)
    start = top + (tall - (count * (_HEIGHT + _GAP) - _GAP)) / 2
    return _Placed(round(x, 1), width, tuple(round(start + number * (_HEIGHT + _GAP), 1) for number in range(count)))


def _column_title(distance: int, where: _Placed, top: float) -> Shape:
    if distance < 0:
        text = "one step away" if distance == -1 else f"{-distance} steps away"
    else:
        text = "calls" if distance else "changed"
    middle = where.x + where.width / 2
    return label(middle, top - 10, text, NOTE, where.width, ink=Ink.MUTED, bold=True, anchor=Anchor.MIDDLE)


def _boxes(column: Column, where: _Placed, paint: Paint) -> list[Shape]:
    shapes: list[Shape] = []
    for symbol, y in zip(column.symbols, where.tops, strict=False):
        told = f"{symbol.qualified_name}\n{symbol.place}"
        shapes += box(where.x, y, where.width, _HEIGHT, paint, symbol.name, [symbol.place], told)
    if column.left_out:
        shapes += _more(column, where)
    return shapes


def _more(column: Column, where: _Placed) -> list[Shape]:
    text = f"+{column.left_out:,} more"
    return box(where.x, where.tops[-1], where.width, _HEIGHT, MORE, text, ["not drawn"], text)


def _edges(column: Column, where: _Placed, nearer: Column, near: _Placed) -> list[Shape]:
    """Lines from a column to the next one towards the middle."""
    shapes: list[Shape] = []
    for number, symbol in enumerate(column.symbols):
        aim = 0 if symbol.towards == -1 else symbol.towards
        lost = symbol.towards == -2
        name = "one that is not drawn" if lost else nearer.symbols[aim].qualified_name
        target = near.left(len(near.tops) - 1 if lost else aim)
        shapes.append(_edge(where.right(number), target, symbol, f"{symbol.qualified_name} leads to {name}"))
    if column.left_out:
        target = near.left(0 if len(nearer.symbols) == 1 else len(near.tops) - 1)
        if len(nearer.symbols) == 1 or nearer.left_out:
            shapes.append(flow([where.right(len(where.tops) - 1), target], Ink.QUIET_LINE, vertical=False))
    return shapes


def _called(callees: Column, middle: _Placed, where: _Placed) -> list[Shape]:
    shapes = [
        _edge(middle.right(0), where.left(number), symbol, f"calls {symbol.qualified_name}")
        for number, symbol in enumerate(callees.symbols)
    ]
    if callees.left_out:
        shapes.append(flow([middle.right(0), where.left(len(where.tops) - 1)], Ink.QUIET_LINE, vertical=False))
    return shapes


def _edge(start: Point, end: Point, symbol: Symbol, told: str) -> Shape:
    style = Line.SOLID if symbol.certain else Line.DASHED
    doubt = "" if symbol.certain else "\nnot certain"
    return flow([start, end], Ink.EDGE, vertical=False, width=1.4, style=style, arrow=True, title=told + doubt)


# -- tests, key and notes ----------------------------------------------------------------------


def _tests(model: ImpactModel, width: float, top: float) -> tuple[list[Shape], float]:
    x, y = MARGIN + 14, top + _TITLE + 8
    inside: list[Shape] = []
    names = Counter(file.path.rpartition("/")[2] for file in model.tests)
    for file in model.tests:
        notes = [_test_note(file)]
        name = file.path.rpartition("/")[2]
        if names[name] > 1:  # with its directory, where that tells it apart
            name = "/".join(file.path.split("/")[-2:])
        wide = min(_WIDEST, box_width(name, notes))
        if x > MARGIN + 14 and x + wide + 14 > width - MARGIN:
            x, y = MARGIN + 14, y + _HEIGHT + 10
        paint = TEST if file.certain else msgspec.structs.replace(TEST, line=Line.DASHED)
        inside += box(x, y, wide, _HEIGHT, paint, name, notes, file.path)
        x += wide + 12
    if model.tests_left_out:
        text = f"+{model.tests_left_out:,} more"
        if x + 100 + 14 > width - MARGIN:
            x, y = MARGIN + 14, y + _HEIGHT + 10
        inside += box(x, y, 100, _HEIGHT, MORE, text, ["test files"], text)
    high = y + _HEIGHT + 14 - top
    frame = Rectangle(MARGIN, top, width - 2 * MARGIN, high, Ink.FRAME, Ink.FRAME_LINE, 1.2, Line.SOLID, 9)
    title = label(MARGIN + 14, top + 19, "tests that lead to it", NAME - 0.5, 300, ink=Ink.MUTED, bold=True)
    return [frame, title, *inside], high


def _test_note(file: TestFile) -> str:
    steps = "one step" if file.nearest == 1 else f"{file.nearest} steps"
    return f"{plural(file.symbols, 'place')}, {steps} away" + ("" if file.certain else "?")


def _signs(model: ImpactModel) -> list[Sign]:
    symbols = [symbol for column in (*model.callers, model.callees) for symbol in column.symbols]
    signs = [Sign("leads to", stroke=Ink.EDGE, width=1.4)] if symbols else []
    if any(not symbol.certain for symbol in symbols):
        signs.append(Sign("in doubt", stroke=Ink.EDGE, line=Line.DASHED, width=1.4))
    if any(column.left_out for column in (*model.callers, model.callees)):
        signs.append(Sign("what there is no room for", paint=MORE))
    return signs


def _notes(model: ImpactModel) -> list[str]:
    notes = list(doubts(asdict(model.could_add)))
    if model.outside or model.unresolved:
        notes.append(
            f"it makes {plural(model.outside, 'call')} that leave the repository and "
            f"{model.unresolved:,} that could not be resolved"
        )
    if model.cut:
        notes.append("there are more affected definitions than were walked")
    return notes
