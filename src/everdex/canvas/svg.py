"""A scene as an SVG document of its own: no scripts, no links, no fonts or images from elsewhere.

Readable on light and on dark paper: colours are classes, and a media query swaps them unless one paper was asked for.
All text is escaped here, whatever was done to it before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from everdex.canvas.inks import DARK, LIGHT
from everdex.canvas.lettering import safe
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
    Shape,
    head,
    shortened,
)

_FACE: Final = "Helvetica,Arial,'Liberation Sans',sans-serif"
_DASHES: Final = {Line.DASHED: "6 4", Line.DOTTED: "1.5 3.5"}


def svg(scene: Scene, *, dark: bool | None = None) -> str:
    """The document; `dark` None leaves the paper to whoever looks at it."""
    width, height = _number(scene.width), _number(scene.height)
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" aria-labelledby="title description">',
        *_named(scene),
        f"<style>{style(dark)}</style>",
        f'<rect class="f-paper" width="{width}" height="{height}"/>',
        *(_titled(shape) for shape in scene.shapes),
        "</svg>",
    ]
    return "\n".join(pieces) + "\n"


def figure(scene: Scene) -> str:
    """The picture as an element of a page that brings `style` itself; what leads somewhere is a link in the page."""
    width, height = _number(scene.width), _number(scene.height)
    pieces = [
        f'<svg viewBox="0 0 {width} {height}" role="group" aria-labelledby="title description">',
        *_named(scene),
        *(_linked(shape) for shape in scene.shapes),
        "</svg>",
    ]
    return "\n".join(pieces) + "\n"


def _named(scene: Scene) -> tuple[str, str]:
    title, description = escaped(scene.title), escaped(scene.description)
    return f'<title id="title">{title}</title>', f'<desc id="description">{description}</desc>'


def _linked(shape: Shape) -> str:
    where = shape.link if isinstance(shape, Rectangle | Curve) else ""
    if not where:
        return _titled(shape)
    drawn = "".join(_drawn(shape))
    begin, kind = f"<title>{escaped(shape.title)}</title>", 'class="box"'
    if isinstance(shape, Curve):
        # A page tells edges with their boxes as well, so whoever goes from link to link need not pass them all. A
        # line is too thin to be hit: a wide one that is not seen lies over it.
        drawn, kind = f'{drawn}<path class="hit" d="{_path(shape)}"/>', 'class="edge" tabindex="-1"'
    return f'<a href="#{where}" {kind}>{begin}{drawn}</a>'


def style(dark: bool | None) -> str:
    """The rules for what shapes look like."""
    rules = f"text{{font-family:{_FACE};white-space:pre}}.b{{font-weight:600}}.n{{fill:none}}"
    if dark is None:
        return f"{rules}{_colours(LIGHT)}@media(prefers-color-scheme:dark){{{_colours(DARK)}}}"
    return rules + _colours(DARK if dark else LIGHT)


def _colours(inks: dict[Ink, str]) -> str:
    return "".join(f".f-{ink}{{fill:{colour}}}.s-{ink}{{stroke:{colour}}}" for ink, colour in inks.items())


def _titled(shape: Shape) -> str:
    drawn = "".join(_drawn(shape))
    return f"<g><title>{escaped(shape.title)}</title>{drawn}</g>" if shape.title else drawn


def _drawn(shape: Shape) -> Iterator[str]:
    if isinstance(shape, Rectangle):
        radius = f' rx="{_number(shape.radius)}"' if shape.radius else ""
        look = _look(shape.fill, shape.stroke, shape.stroke_width, shape.line)
        yield (
            f'<rect x="{_number(shape.x)}" y="{_number(shape.y)}" width="{_number(shape.width)}" '
            f'height="{_number(shape.height)}"{radius}{look}/>'
        )
    elif isinstance(shape, Curve):
        look = _look(None, shape.stroke, shape.stroke_width, shape.line)
        yield f'<path d="{_path(shortened(shape))}"{look}/>'
        if shape.arrow:
            yield from _drawn(head(shape))
    elif isinstance(shape, Polygon):
        points = " ".join(map(_pair, shape.points))
        yield f'<polygon points="{points}" class="f-{shape.fill}"/>'
    else:
        yield _label(shape)


def _label(shape: Label) -> str:
    anchor = "" if shape.anchor is Anchor.START else f' text-anchor="{shape.anchor}"'
    weight = " b" if shape.bold else ""
    # Another face than those named may be wider: it is squeezed rather than let out of its box.
    length = f' textLength="{_number(shape.width)}"' if shape.text.isascii() and len(shape.text) > 3 else ""
    adjust = ' lengthAdjust="spacingAndGlyphs"' if length else ""
    return (
        f'<text x="{_number(shape.x)}" y="{_number(shape.y)}" font-size="{_number(shape.size)}"{anchor}{length}{adjust}'
        f' class="f-{shape.ink}{weight}">{escaped(shape.text)}</text>'
    )


def _path(curve: Curve) -> str:
    chain = curve.points
    pieces = [f"M{_pair(chain[0])}"]
    for start in range(0, len(chain) - 1, 3):
        a, b, c, d = chain[start : start + 4]
        pieces.append(f"L{_pair(d)}" if a == b and c == d else f"C{_pair(b)} {_pair(c)} {_pair(d)}")
    return "".join(pieces)


def _look(fill: Ink | None, stroke: Ink | None, width: float, line: Line) -> str:
    classes = [f"f-{fill}" if fill else "n"]
    rest = ""
    if stroke:
        classes.append(f"s-{stroke}")
        rest = f' stroke-width="{_number(width)}"' if width != 1 else ""
        rest += f' stroke-dasharray="{_DASHES[line]}"' if line in _DASHES else ""
    return f' class="{" ".join(classes)}"{rest}'


def _pair(point: Point) -> str:
    return f"{_number(point[0])},{_number(point[1])}"


def _number(value: float) -> str:
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


def escaped(raw: str) -> str:
    """Text as it may stand in a document of this kind, or in an attribute there."""
    text = "\n".join(map(safe, raw.split("\n")))
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
