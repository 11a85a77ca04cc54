"""Text that may stand in a picture: made safe, measured, shortened in the middle and broken into lines.

Widths are those of the wider of two common faces, so text fits its room in both. What could disturb a picture
(control characters, marks that turn the direction of text, stacked accents) is written out as `\\u202e`.
"""

from __future__ import annotations

import unicodedata
from typing import Final
from urllib.parse import quote

from everdex.canvas.scene import Anchor, Ink, Label

_FIRST: Final = 32
# Thousandths of the size, from the space to the tilde: the wider of Helvetica's and Aileron's.
_WIDTHS: Final = (
    278, 278, 355, 580, 580, 889, 667, 191, 333, 333, 550, 584, 278, 333, 278, 300,
    580, 580, 580, 580, 580, 580, 580, 580, 580, 580, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 730, 278, 550, 667, 580, 870, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 950, 667, 667, 611, 310, 300, 300, 580, 556,
    333, 556, 600, 530, 620, 556, 290, 620, 590, 240, 240, 520, 250, 850, 590, 580,
    600, 620, 333, 500, 320, 600, 510, 790, 500, 510, 500, 334, 260, 334, 590,
)  # fmt: skip
_WIDE: Final = 1000
_OTHER: Final = 700
_BOLD: Final = 1.07
_MARKS: Final = 2  # accents on one letter
_ELLIPSIS: Final = "…"
# Longer text is cut before anything else looks at it.
_MAX_RAW: Final = 4_096


def safe(raw: str) -> str:
    """Text of which every character shows where it stands."""
    if raw.isascii() and raw.isprintable():
        return raw[:_MAX_RAW]
    kept: list[str] = []
    marks = 0
    for character in raw[:_MAX_RAW]:
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        if category[0] == "C" or category in ("Zl", "Zp") or marks > _MARKS:
            kept.append(_written(character))
        elif category == "Zs":
            kept.append(" ")
        else:
            kept.append(character)
    return "".join(kept)


def _written(character: str) -> str:
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def link(kind: str, *names: str) -> str:
    """The place of something in a page, as it stands behind `#`."""
    return "/".join((kind, *(quote(safe(name), safe="") for name in names)))


def measure(text: str, size: float, *, bold: bool = False) -> float:
    """At most how wide text is."""
    units = sum(map(_width, text))
    return units * size / 1000 * (_BOLD if bold else 1)


def _width(character: str) -> int:
    place = ord(character) - _FIRST
    if 0 <= place < len(_WIDTHS):
        return _WIDTHS[place]
    if character == _ELLIPSIS:
        return _WIDE
    if unicodedata.category(character) in ("Mn", "Me"):
        return 0
    return _WIDE if unicodedata.east_asian_width(character) in "WF" else _OTHER


def shorten(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """The text, or its beginning and its end with an ellipsis between, so that it fits; never less than the ellipsis.

    Of names the end tells more than the beginning, so the end gets more of the room.
    """
    if measure(text, size, bold=bold) <= room:
        return text
    low, high = 0, len(text)
    while low < high:  # the most characters that fit
        middle = (low + high + 1) // 2
        if measure(_cut(text, middle), size, bold=bold) <= room:
            low = middle
        else:
            high = middle - 1
    return _cut(text, low)


def _cut(text: str, count: int) -> str:
    front = count * 2 // 5
    back = count - front
    return text[:front] + _ELLIPSIS + (text[-back:] if back else "")


def label(
    x: float, y: float, raw: str, size: float, room: float, *, ink: Ink = Ink.TEXT, bold: bool = False,
    anchor: Anchor = Anchor.START, title: str = "",
) -> Label:  # fmt: skip
    """A label that fits its room; where it had to be shortened it keeps the whole for whoever points at it."""
    whole = safe(raw)
    text = shorten(whole, size, room, bold=bold)
    told = safe(title) if title else whole if text != whole else ""
    return Label(x, y, text, size, ink, bold, anchor, round(measure(text, size, bold=bold), 2), told)


def wrap(raw: str, size: float, room: float, lines: int) -> list[str]:
    """Text broken at spaces into at most so many lines that fit; the last one is shortened if there is more."""
    words = safe(raw.replace("\n", " ").replace("\t", " ")).split()
    found: list[str] = []
    for number, word in enumerate(words):
        longer = f"{found[-1]} {word}" if found else word
        if found and measure(longer, size) <= room:
            found[-1] = longer
        elif len(found) < lines:
            found.append(word)
        else:
            rest = " ".join((found[-1], *words[number:]))
            found[-1] = _fit_start(rest, size, room)
            return found
    return [shorten(text, size, room) for text in found]


def _fit_start(text: str, size: float, room: float) -> str:
    """The beginning of a text that goes on."""
    while text and measure(text + _ELLIPSIS, size) > room:
        text = text[: max(len(text) * 9 // 10, 0) if len(text) > 200 else len(text) - 1]
    return text.rstrip() + _ELLIPSIS
