"""Scenes and their two written forms: safe, alike, bounded."""

from __future__ import annotations

import io
import itertools
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from everdex.canvas.inks import DARK, LIGHT
from everdex.canvas.lettering import label, measure, safe, shorten, wrap
from everdex.canvas.png import dashes, missing, png
from everdex.canvas.scene import Anchor, Ink, Line, Polygon, Rectangle, Scene, flow, line
from everdex.canvas.svg import svg

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<script>alert(1)</script>", "a\x00b\x1b[31m", "\u202egpj.exe", "]]>&amp;<!--", '" onload="x', "x" * 500, "\ud800",
]  # fmt: skip


def _scene(*names: str) -> Scene:
    shapes = [
        Rectangle(10, 10, 80, 40, Ink.BOX, Ink.BOX_LINE, 1, Line.DASHED, 6, title=names[0] if names else ""),
        flow([(50, 50), (150, 90)], Ink.EDGE, vertical=True, width=2, arrow=True),
        line([(10, 90), (60, 90)], Ink.WARNING, style=Line.DOTTED),
        Polygon(((100, 10), (110, 10), (105, 20)), Ink.MARK),
        *(label(20, 30 + 14 * place, name, 11, 60, anchor=Anchor.START) for place, name in enumerate(names)),
    ]
    return Scene(200, 140, names[0] if names else "nothing", "", tuple(shapes))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_text(name: str) -> None:
    """Whatever a name holds, the SVG is well-formed XML of known elements without scripts or handlers."""
    tree = ElementTree.fromstring(svg(_scene(name)).encode())
    known = {"svg", "title", "desc", "style", "rect", "g", "path", "polygon", "text"}
    assert {element.tag.removeprefix(SVG) for element in tree.iter()} <= known
    attributes = {name for element in tree.iter() for name in element.attrib}
    assert not [attribute for attribute in attributes if attribute.startswith("on") or "href" in attribute]
    assert safe(name)[:20] in "".join(tree.itertext())


@settings(max_examples=50)
@given(st.text(max_size=60))
def test_any_text_can_be_drawn(name: str) -> None:
    """No text breaks the document, and none of it can turn or hide what stands around it."""
    document = svg(_scene(name))
    ElementTree.fromstring(document.encode())
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200e\u200f]", document)


@settings(max_examples=50)
@given(st.text(max_size=700), st.floats(20, 400))
def test_a_label_fits_its_room(name: str, room: float) -> None:
    """A label is never wider than its room, and one that was shortened keeps the whole name."""
    made = label(0, 0, name, 11, room)
    assert measure(made.text, 11) <= room
    assert made.text == safe(name) or made.title == safe(name)


def test_names_are_shortened_in_the_middle() -> None:
    """A long name keeps its beginning and, with more room, its end."""
    text = shorten("everdex.canvas.architecture.picture_of_everything", 11, 120)
    front, _, back = text.partition("…")
    assert "everdex.canvas.architecture.picture_of_everything".startswith(front)
    assert "everdex.canvas.architecture.picture_of_everything".endswith(back)
    assert 0 < len(front) < len(back)


@settings(max_examples=50)
@given(st.text(alphabet="ab c", max_size=300), st.integers(1, 4))
def test_wrapped_text_fits_and_says_that_it_goes_on(text: str, lines: int) -> None:
    """At most so many lines, none wider than the room; what does not fit ends in an ellipsis."""
    found = wrap(text, 11, 80, lines)
    assert len(found) <= lines
    assert all(measure(piece, 11) <= 80 for piece in found)
    if " ".join(found) != " ".join(text.split()):
        assert "…" in "".join(found)


def test_the_same_scene_has_the_same_bytes() -> None:
    """Nothing but the scene decides over the bytes, in either form and in another process."""
    scene = _scene("alpha", "beta")
    assert svg(scene) == svg(scene)
    code = (
        "import sys, msgspec; from everdex.canvas.png import png; from everdex.canvas.scene import Scene;"
        "sys.stdout.buffer.write(png(msgspec.json.decode(sys.stdin.buffer.read(), type=Scene)))"
    )
    told = msgspec.json.encode(scene)
    other = subprocess.run([sys.executable, "-c", code], input=told, capture_output=True, check=True)
    assert other.stdout == png(scene)


def test_both_papers_are_readable() -> None:
    """An SVG serves light and dark readers, unless one was asked for; a PNG has the paper it was asked for."""
    scene = _scene("alpha")
    assert "prefers-color-scheme:dark" in svg(scene)
    assert "prefers-color-scheme" not in svg(scene, dark=True)
    for dark, inks in ((False, LIGHT), (True, DARK)):
        pixel = Image.open(io.BytesIO(png(scene, dark=dark))).convert("RGB").getpixel((1, 1))
        assert "#%02x%02x%02x" % pixel == inks[Ink.PAPER]  # noqa: UP031


@pytest.mark.parametrize("inks", [LIGHT, DARK])
def test_text_stands_out_from_what_is_below_it(inks: dict[Ink, str]) -> None:
    """Text and muted text have a contrast of at least 4.5 on every fill they stand on."""
    fills = (Ink.PAPER, Ink.FRAME, Ink.BOX, Ink.TEST, Ink.QUIET, Ink.WARNING_FILL)
    pairs = [(text, fill) for text in (Ink.TEXT, Ink.MUTED) for fill in fills] + [(Ink.ON_FOCUS, Ink.FOCUS)]
    assert [(text, fill) for text, fill in pairs if _contrast(inks[text], inks[fill]) < 4.5] == []


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_an_image_is_made_smaller_until_it_fits() -> None:
    """A bound on bytes is kept by drawing smaller; a huge sheet is bounded in pixels anyway."""
    scene = _scene("alpha", "beta", "gamma")
    assert len(png(scene, max_bytes=2_000)) <= 2_000 < len(png(scene))
    width, height = Image.open(io.BytesIO(png(Scene(40_000, 9_000, "", "", ())))).size
    assert max(width, height) <= 2_400


def test_what_an_image_cannot_show_is_counted() -> None:
    """Characters that the image's face lacks are counted, so that the answer can say so."""
    assert missing(_scene("你好 abc")) == 2
    assert missing(_scene("abc · …")) == 0


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), min_size=2, max_size=6))
def test_dashes_cover_their_share_of_a_line(points: list[tuple[float, float]]) -> None:
    """A dashed line is drawn for about as long as its pattern says, and never beyond its ends."""
    length = sum(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5 for a, b in itertools.pairwise(points))
    drawn = sum(
        ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5
        for piece in dashes(points, 6.0, 4.0)
        for a, b in itertools.pairwise(piece)
    )
    assert abs(drawn - length * 0.6) <= 6.0
