"""A scene as a PNG image, drawn by Pillow with the face it carries: the same scene gives the same bytes.

Shapes are drawn large and reduced, so that curves are smooth; text is set at its final size, so that it is sharp.
Pillow is imported when something is drawn and not before. Its face has the ASCII characters: others come out as empty
boxes, and `missing` counts them.
"""

from __future__ import annotations

import io
import math
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from everdex.canvas.inks import palette
from everdex.canvas.scene import (
    Anchor,
    Curve,
    Ink,
    Label,
    Line,
    Point,
    Polygon,
    Rectangle,
    Scene,
    flattened,
    head,
    shortened,
)  # fmt: skip
from everdex.errors import InternalError

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

_SUPER: Final = 3
_MAX_EDGE: Final = 2_400
_MAX_AREA: Final = 4_000_000
_SCALE: Final = 2.0
_SMALLEST: Final = 0.1
_DASHES: Final = {Line.DASHED: (6.0, 4.0), Line.DOTTED: (1.5, 3.5)}
_KNOWN: Final = frozenset(map(chr, range(32, 127))) | frozenset("©«°±´·»‘’…")
_BOLD: Final = 0.022  # of the size: how much letters are fattened on each side
_COLOURS: Final = 256


def png(scene: Scene, *, dark: bool = False, max_bytes: int | None = None) -> bytes:
    """The image; made smaller until it has at most so many bytes."""
    scale = _scale(scene)
    while True:
        data = _draw(scene, scale, palette(dark=dark))
        if max_bytes is None or len(data) <= max_bytes:
            return data
        if scale < _SMALLEST:
            raise InternalError(f"a picture of {scene.width:.0f} × {scene.height:.0f} does not fit {max_bytes:,} bytes")
        scale *= 0.8


def missing(scene: Scene) -> int:
    """How many characters of the scene's text the image cannot show."""
    labels = (shape.text for shape in scene.shapes if isinstance(shape, Label))
    return sum(character not in _KNOWN for text in labels for character in text)


def _scale(scene: Scene) -> float:
    edge = _MAX_EDGE / max(scene.width, scene.height)
    return min(_SCALE, edge, math.sqrt(_MAX_AREA / (scene.width * scene.height)))


def _draw(scene: Scene, scale: float, inks: dict[Ink, str]) -> bytes:
    from PIL import Image, ImageDraw

    size = max(1, round(scene.width * scale)), max(1, round(scene.height * scale))
    large = Image.new("RGB", (size[0] * _SUPER, size[1] * _SUPER), inks[Ink.PAPER])
    brush = _Brush(ImageDraw.Draw(large), scale * _SUPER, inks)
    for shape in scene.shapes:
        brush.shape(shape)
    sheet = large.reduce(_SUPER)
    pen = ImageDraw.Draw(sheet)
    for shape in scene.shapes:
        if isinstance(shape, Label):
            _letter(pen, shape, scale, inks[shape.ink])
    # With a table of colours the file is less than half as large, and those of whole areas are kept exactly.
    plain = sheet.quantize(_COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    out = io.BytesIO()
    plain.save(out, "PNG", optimize=True)
    return out.getvalue()


class _Brush:
    """Draws everything but text."""

    def __init__(self, draw: Any, scale: float, inks: dict[Ink, str]) -> None:
        self._draw = draw
        self._scale = scale
        self._inks = inks

    def shape(self, shape: object) -> None:
        if isinstance(shape, Rectangle):
            self._rectangle(shape)
        elif isinstance(shape, Curve):
            self._line(flattened(shortened(shape)), self._inks[shape.stroke], shape.stroke_width, shape.line)
            if shape.arrow:
                self._polygon(head(shape))
        elif isinstance(shape, Polygon):
            self._polygon(shape)

    def _rectangle(self, shape: Rectangle) -> None:
        half = shape.stroke_width / 2 if shape.stroke else 0.0
        outer = self._corners(shape, half)
        radius = (shape.radius + half) * self._scale if shape.radius else 0
        if shape.fill and shape.stroke and shape.line is Line.SOLID:
            # The stroke is the difference of two filled shapes: Pillow's own outline is not centred on the edge.
            self._draw.rounded_rectangle(outer, radius, fill=self._inks[shape.stroke])
            inner = max(0.0, (shape.radius - half) * self._scale)
            self._draw.rounded_rectangle(self._corners(shape, -half), inner, fill=self._inks[shape.fill])
            return
        if shape.fill:
            inside = self._corners(shape, 0)
            self._draw.rounded_rectangle(inside, shape.radius * self._scale, fill=self._inks[shape.fill])
        if shape.stroke:
            self._line(_outline(shape), self._inks[shape.stroke], shape.stroke_width, shape.line)

    def _corners(self, shape: Rectangle, more: float) -> tuple[float, float, float, float]:
        scale = self._scale
        left, top = (shape.x - more) * scale, (shape.y - more) * scale
        right, bottom = (shape.x + shape.width + more) * scale - 1, (shape.y + shape.height + more) * scale - 1
        return left, top, max(left, right), max(top, bottom)

    def _polygon(self, shape: Polygon) -> None:
        self._draw.polygon(self._scaled(shape.points), fill=self._inks[shape.fill])

    def _line(self, points: list[Point], colour: str, width: float, line: Line) -> None:
        thick = max(1, round(width * self._scale))
        pieces = dashes(points, *_DASHES[line]) if line in _DASHES else [points]
        for piece in pieces:
            self._draw.line(self._scaled(piece), fill=colour, width=thick, joint="curve")

    def _scaled(self, points: Any) -> list[Point]:
        return [(x * self._scale, y * self._scale) for x, y in points]


def dashes(points: list[Point], on: float, off: float) -> list[list[Point]]:
    """The parts of a line that are drawn when it is dashed."""
    found: list[list[Point]] = []
    drawing, left = True, on
    current = [points[0]]
    for start, end in pairwise(points):
        length = math.hypot(end[0] - start[0], end[1] - start[1])
        done = 0.0
        while length - done > left:
            done += left
            point = (start[0] + (end[0] - start[0]) * done / length, start[1] + (end[1] - start[1]) * done / length)
            if drawing:
                found.append([*current, point])
            current = [point]
            drawing = not drawing
            left = on if drawing else off
        left -= length - done
        current.append(end)
    if drawing and len(current) > 1:
        found.append(current)
    return found


def _outline(shape: Rectangle) -> list[Point]:
    """The edge of a rectangle with round corners, as points."""
    radius = min(shape.radius, shape.width / 2, shape.height / 2)
    left, top, right, bottom = shape.x, shape.y, shape.x + shape.width, shape.y + shape.height
    centres = ((right - radius, top + radius, -90), (right - radius, bottom - radius, 0),
               (left + radius, bottom - radius, 90), (left + radius, top + radius, 180))  # fmt: skip
    points = [
        (x + radius * math.cos(math.radians(first + turn)), y + radius * math.sin(math.radians(first + turn)))
        for x, y, first in centres
        for turn in (0, 30, 60, 90)
    ]
    return [*points, points[0]]


def _letter(pen: Any, shape: Label, scale: float, colour: str) -> None:
    size = shape.size * scale
    if not shape.text or size < 1:
        return
    face = _face(round(size, 2))
    x = shape.x * scale
    if shape.anchor is not Anchor.START:
        width = face.getlength(shape.text)
        x -= width if shape.anchor is Anchor.END else width / 2
    stroke = round(size * _BOLD, 2) if shape.bold else 0
    pen.text((x, shape.y * scale), shape.text, fill=colour, font=face, anchor="ls", stroke_width=stroke)


@lru_cache(maxsize=64)
def _face(size: float) -> FreeTypeFont:
    from PIL import ImageFont

    face = ImageFont.load_default(size)
    if not isinstance(face, ImageFont.FreeTypeFont):
        raise InternalError("this Pillow was built without FreeType", hint="install Pillow from its wheels")
    # Shaping by what else is installed would make the bytes depend on the machine.
    return face.font_variant(layout_engine=ImageFont.Layout.BASIC)
