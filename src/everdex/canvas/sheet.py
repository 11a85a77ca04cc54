"""What all pictures share: boxes with lines of text, the heading, the key of signs, and the caption that says of what.

A caption's parts are the caller's: a kept picture names its digest only, one that answers a question also says which
snapshot it shows and how fresh that was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from everdex.canvas.lettering import label, measure, safe, wrap
from everdex.canvas.scene import Anchor, Ink, Line, Point, Polygon, Rectangle, Shape, line

MARGIN: Final = 24.0
NAME: Final = 12.0  # sizes of letters
SMALL: Final = 9.5
TITLE: Final = 17.0
NOTE: Final = 10.5
_LEADING: Final = 1.45
_NOTE_LINES: Final = 3
_STROKE_WIDTH: Final = 1.2  # of boxes


class Caption(msgspec.Struct, frozen=True):
    """Of what a picture is."""

    digest: str
    snapshot_id: str = ""
    freshness: str = ""  # in words

    def text(self) -> str:
        parts = [f"digest {self.digest[:16]}"]
        parts += [f"snapshot {self.snapshot_id}"] if self.snapshot_id else []
        parts += [self.freshness] if self.freshness else []
        return " · ".join(parts)


class Paint(msgspec.Struct, frozen=True):
    """How a box looks."""

    fill: Ink
    stroke: Ink
    line: Line = Line.SOLID
    text: Ink = Ink.TEXT
    muted: Ink = Ink.MUTED


SOURCE: Final = Paint(Ink.BOX, Ink.BOX_LINE)
TEST: Final = Paint(Ink.TEST, Ink.TEST_LINE)
MORE: Final = Paint(Ink.QUIET, Ink.QUIET_LINE, Line.DASHED)
CYCLE: Final = Paint(Ink.WARNING_FILL, Ink.WARNING)
FOCUS: Final = Paint(Ink.FOCUS, Ink.FOCUS, text=Ink.ON_FOCUS, muted=Ink.ON_FOCUS)


def box(x: float, y: float, width: float, height: float, paint: Paint, name: str, notes: Sequence[str],
        title: str, *, entry: bool = False, link: str = "") -> list[Shape]:  # fmt: skip
    """A box with its name and lines below it, in the middle; `entry` puts the sign for that before the name."""
    shapes: list[Shape] = [
        Rectangle(x, y, width, height, paint.fill, paint.stroke, _STROKE_WIDTH, paint.line, 6, title, link)
    ]
    room = width - 14
    tall = NAME + len(notes) * SMALL * _LEADING
    baseline = y + (height - tall) / 2 + NAME * 0.82
    sign = 12.0 if entry else 0.0
    called = label(x + width / 2, baseline, name, NAME, room - sign, ink=paint.text, bold=True, anchor=Anchor.MIDDLE)
    if entry:
        left = x + (width - called.width - sign) / 2
        shapes.append(entry_sign((left + 4, baseline - NAME * 0.34)))
        called = msgspec.structs.replace(called, x=left + sign, anchor=Anchor.START)
    shapes.append(called)
    for number, note in enumerate(notes, 1):
        baseline_of_note = baseline + number * SMALL * _LEADING
        shapes.append(
            label(x + width / 2, baseline_of_note, note, SMALL, room, ink=paint.muted, anchor=Anchor.MIDDLE)
        )
    return shapes


def box_width(name: str, notes: Sequence[str], *, entry: bool = False) -> float:
    """What a box needs to show its text whole."""
    widths = [measure(safe(name), NAME, bold=True) + (12 if entry else 0), *(measure(safe(n), SMALL) for n in notes)]
    return max(widths) + 16


def box_height(notes: Sequence[str]) -> float:
    return NAME + len(notes) * SMALL * _LEADING + 16


def entry_sign(middle: Point) -> Polygon:
    x, y = middle
    return Polygon(((x - 4, y - 4.5), (x + 4.5, y), (x - 4, y + 4.5)), Ink.MARK)


def heading(title: str, subtitle: str, width: float) -> list[Shape]:
    room = width - 2 * MARGIN
    return [
        label(MARGIN, MARGIN + TITLE * 0.8, title, TITLE, room, bold=True),
        label(MARGIN, MARGIN + TITLE * 0.8 + NOTE * 1.7, subtitle, NOTE, room, ink=Ink.MUTED),
    ]


HEADING: Final = TITLE * 0.8 + NOTE * 1.7 + 18


class Sign(msgspec.Struct, frozen=True):
    """An entry of the key: a small drawing of its own, and what it means."""

    text: str
    paint: Paint | None = None
    stroke: Ink | None = None
    line: Line = Line.SOLID
    width: float = 1.5
    entry: bool = False


def key_and_notes(top: float, width: float, signs: Sequence[Sign], notes: Sequence[str], caption: Caption
                  ) -> tuple[list[Shape], float]:  # fmt: skip
    """The foot of a picture, and where it ends."""
    room = width - 2 * MARGIN
    shapes: list[Shape] = [line([(MARGIN, top), (width - MARGIN, top)], Ink.FRAME_LINE)]
    x, y = MARGIN, top + 20
    for sign in signs:
        needed = 30 + measure(sign.text, NOTE) + 18
        if x > MARGIN and x + needed - 18 > width - MARGIN:
            x, y = MARGIN, y + 18
        shapes += _signed(x, y, sign, room)
        x += needed
    y += 4 if signs else -16
    for note in notes:
        for piece in wrap(note, NOTE, room, _NOTE_LINES):
            y += NOTE * 1.5
            shapes.append(label(MARGIN, y, piece, NOTE, room, ink=Ink.MUTED))
    y += NOTE * 1.6
    shapes.append(label(MARGIN, y, caption.text(), NOTE, room, ink=Ink.MUTED, title=f"digest {caption.digest}"))
    return shapes, y + MARGIN * 0.8


def _signed(x: float, y: float, sign: Sign, room: float) -> list[Shape]:
    middle = y - NOTE * 0.34
    shapes: list[Shape] = []
    if sign.paint is not None:
        paint = sign.paint
        shapes.append(Rectangle(x, middle - 6, 22, 12, paint.fill, paint.stroke, _STROKE_WIDTH, paint.line, 3))
    if sign.stroke is not None:
        shapes.append(line([(x, middle), (x + 24, middle)], sign.stroke, width=sign.width, style=sign.line, arrow=True))
    if sign.entry:
        shapes.append(entry_sign((x + 12, middle)))
    shapes.append(label(x + 30, y, sign.text, NOTE, room - 30, ink=Ink.MUTED))
    return shapes
