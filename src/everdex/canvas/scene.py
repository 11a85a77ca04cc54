"""What is drawn, without how: rectangles, curves, polygons and labels on a sheet, in named inks.

A scene is what layouts make and writers (`svg`, `png`) put down; both draw the same shapes in the same order, so a
picture looks alike in either form. A scene knows nothing of repositories. Lengths are in points, y grows downwards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import Final, TypeAlias

import msgspec

Point: TypeAlias = tuple[float, float]


class Ink(StrEnum):
    """A colour by what it is for; `inks` says what it is on light and on dark paper."""

    PAPER = "paper"
    TEXT = "text"
    MUTED = "muted"
    EDGE = "edge"
    FRAME = "frame"
    FRAME_LINE = "frame-line"
    BOX = "box"
    BOX_LINE = "box-line"
    TEST = "test"
    TEST_LINE = "test-line"
    QUIET = "quiet"  # what stands for something left out
    QUIET_LINE = "quiet-line"
    MARK = "mark"  # entry points
    WARNING = "warning"
    WARNING_FILL = "warning-fill"
    FOCUS = "focus"
    ON_FOCUS = "on-focus"


class Line(StrEnum):
    SOLID = "solid"
    DASHED = "dashed"
    DOTTED = "dotted"


class Anchor(StrEnum):
    """Which end of a label its x is."""

    START = "start"
    MIDDLE = "middle"
    END = "end"


class Rectangle(msgspec.Struct, frozen=True, tag=True):
    x: float
    y: float
    width: float
    height: float
    fill: Ink | None = None
    stroke: Ink | None = None
    stroke_width: float = 1.0
    line: Line = Line.SOLID
    radius: float = 0.0
    title: str = ""  # told when pointed at, in a form that can
    link: str = ""  # the place that it leads to in a page around the picture


class Curve(msgspec.Struct, frozen=True, tag=True):
    """Cubic pieces one after the other: start, then control, control, end of each (1 + 3n points)."""

    points: tuple[Point, ...]
    stroke: Ink
    stroke_width: float = 1.0
    line: Line = Line.SOLID
    arrow: bool = False  # a head at the end
    title: str = ""
    link: str = ""


class Polygon(msgspec.Struct, frozen=True, tag=True):
    points: tuple[Point, ...]
    fill: Ink
    title: str = ""


class Label(msgspec.Struct, frozen=True, tag=True):
    """One line of text; y is its baseline. Made by `lettering.label`, which makes it safe and makes it fit."""

    x: float
    y: float
    text: str
    size: float
    ink: Ink = Ink.TEXT
    bold: bool = False
    anchor: Anchor = Anchor.START
    width: float = 0.0  # at most what it takes
    title: str = ""  # the whole text, where `text` is a part of it


Shape: TypeAlias = Rectangle | Curve | Polygon | Label


class Scene(msgspec.Struct, frozen=True):
    """A sheet with shapes, the first below the others."""

    width: float
    height: float
    title: str
    description: str
    shapes: tuple[Shape, ...]


_HEAD_LENGTH: Final = 7.0
_PIECES: Final = 32


def line(
    points: Sequence[Point], stroke: Ink, *, width: float = 1.0, style: Line = Line.SOLID, arrow: bool = False
) -> Curve:
    """A curve that is straight from point to point."""
    chain = [points[0]]
    for before, after in pairwise(points):
        chain += [before, after, after]
    return Curve(tuple(chain), stroke, width, style, arrow)


def flow(points: Sequence[Point], stroke: Ink, *, vertical: bool, width: float = 1.0, style: Line = Line.SOLID,
         arrow: bool = False, title: str = "", link: str = "") -> Curve:  # fmt: skip
    """A smooth curve through points that leaves and enters each of them downwards, or else to the right."""
    chain = [points[0]]
    for (x, y), (to_x, to_y) in pairwise(points):
        if vertical:
            chain += [(x, (y + to_y) / 2), (to_x, (y + to_y) / 2), (to_x, to_y)]
        else:
            chain += [((x + to_x) / 2, y), ((x + to_x) / 2, to_y), (to_x, to_y)]
    return Curve(tuple(chain), stroke, width, style, arrow, title, link)


def flattened(curve: Curve) -> list[Point]:
    """The curve as short straight lines."""
    chain = curve.points
    found = [chain[0]]
    for start in range(0, len(chain) - 1, 3):
        a, b, c, d = chain[start : start + 4]
        if a == b and c == d:
            found.append(d)
            continue
        for step in range(1, _PIECES + 1):
            t = step / _PIECES
            u = 1 - t
            weights = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
            x = sum(weight * point[0] for weight, point in zip(weights, (a, b, c, d), strict=True))
            y = sum(weight * point[1] for weight, point in zip(weights, (a, b, c, d), strict=True))
            found.append((x, y))
    return found


def head(curve: Curve) -> Polygon:
    """The arrow head at a curve's end: it points where the curve goes."""
    points = curve.points
    tip = points[-1]
    before = next((point for point in reversed(points[:-1]) if point != tip), (tip[0], tip[1] - 1))
    angle = math.atan2(tip[1] - before[1], tip[0] - before[0])
    length = _HEAD_LENGTH + curve.stroke_width
    half = length * 0.42
    back = (tip[0] - length * math.cos(angle), tip[1] - length * math.sin(angle))
    left = (back[0] - half * math.sin(angle), back[1] + half * math.cos(angle))
    right = (back[0] + half * math.sin(angle), back[1] - half * math.cos(angle))
    return Polygon((tip, left, right), fill=curve.stroke)


def shortened(curve: Curve) -> Curve:
    """The curve without what its arrow head covers, so that a wide line does not stick out at the tip."""
    if not curve.arrow:
        return curve
    (x, y), (tip_x, tip_y) = curve.points[-2], curve.points[-1]
    far = math.hypot(tip_x - x, tip_y - y)
    back = min(_HEAD_LENGTH, far) if far else 0.0
    end = (tip_x - (tip_x - x) / far * back, tip_y - (tip_y - y) / far * back) if far else (tip_x, tip_y)
    return msgspec.structs.replace(curve, points=(*curve.points[:-1], end), arrow=False)
