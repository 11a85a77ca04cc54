"""The picture of an architecture: frames and boxes in layers, users above what they use, tests apart, and a key.

Every frame is arranged by itself and then is a box of the frame around it, so that an edge never leaves its frame.
"""

from __future__ import annotations

import math
from typing import Final

import msgspec

from everdex.canvas.architecture import Architecture, Frame, Tie, architecture
from everdex.canvas.layers import Arrangement, Size, arrange
from everdex.canvas.lettering import label, link, measure
from everdex.canvas.order import Edge
from everdex.canvas.outline import Kind, Part
from everdex.canvas.scene import Ink, Label, Line, Rectangle, Scene, Shape, flow
from everdex.canvas.sheet import (
    CYCLE,
    HEADING,
    MARGIN,
    MORE,
    NAME,
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
)
from everdex.canvas.survey import Survey
from everdex.wording import plural

_PADDING: Final = 14.0
_TITLE_ROOM: Final = 24.0
_LEAST_WIDTH: Final = 560.0
_WIDEST_BOX: Final = 190.0
_ASPECT: Final = 1.5
_PREFERENCE: Final = 1.1  # for downwards
_SHEET: Final = 1_500.0
_BOXES: Final = (44, 36, 28, 22, 16, 12, 8)
_MAX_AGAINST: Final = 14  # edges against the grain drawn in a frame
_MAX_DOUBTFUL: Final = 8
_OUTSIDE: Final = 8
_LEFT_OUT: Final = {
    "doc": "document", "config": "configuration file", "generated": "generated file", "vendored": "vendored file",
    "other": "other file",
}  # fmt: skip


class _Drawn(msgspec.Struct, frozen=True):
    """A part that was arranged: how large it is, and what is in it once it is placed."""

    part: Part
    width: float
    height: float
    inner: tuple[_Drawn, ...] = ()
    arranged: Arrangement | None = None
    across: bool = False
    shown: tuple[Tie, ...] = ()


class _Left(msgspec.Struct):
    """Edges that are not drawn, by why."""

    drawn: int = 0
    implied: int = 0
    against: int = 0
    doubtful: int = 0


def picture(found: Survey, caption: Caption, depth: int | None = None) -> tuple[Architecture, Scene]:
    """The most boxes that fit a sheet on which text can be read; or with `depth` all of them."""
    for boxes in _BOXES:
        model = architecture(found, boxes, depth)
        scene = blueprint(model, caption)
        if depth is not None or max(scene.width, scene.height) <= _SHEET:
            break
    return model, scene


def blueprint(model: Architecture, caption: Caption) -> Scene:
    left = _Left()
    biggest = max((part.lines for part in _leaves(model.root)), default=1) or 1
    root = _arranged(model, model.root, biggest, left)
    tests, tests_width, tests_height = _tests(model, max(root.width, _LEAST_WIDTH - 2 * MARGIN))
    width = max(_LEAST_WIDTH, root.width + 2 * MARGIN, tests_width + 2 * MARGIN)
    heaviest = max((tie.certain + tie.doubtful for frame in model.frames.values() for tie in frame.ties), default=1)
    shapes: list[Shape] = heading(f"{model.name} · architecture", _subtitle(model), width)
    y = MARGIN + HEADING
    if model.root.files:
        shapes += _placed(model, root, (width - root.width) / 2, y, heaviest)
        y += root.height
    else:
        nothing = "There is no source code to draw."
        shapes.append(label(MARGIN, y + 14, nothing, NAME, width - 2 * MARGIN, ink=Ink.MUTED))
        y += 24
    if tests:
        y += 30
        shapes += [_moved(shape, (width - tests_width) / 2, y) for shape in tests]
        y += tests_height
    foot, height = key_and_notes(y + 26, width, _signs(model), _notes(model, left), caption)
    description = f"{_subtitle(model)}. {caption.text()}."
    return Scene(round(width, 1), round(height, 1), f"{model.name}: architecture", description, (*shapes, *foot))


def _leaves(part: Part) -> list[Part]:
    return [leaf for child in part.children for leaf in _leaves(child)] if part.children else [part]


def _subtitle(model: Architecture) -> str:
    lines = f"{plural(model.files, 'source file')}, {plural(model.root.lines, 'line')}"
    tests = sum(item.files for item in model.tests)
    where = "" if model.root.key in (".", model.name) else f"{model.root.key}: "
    rest = f"; {plural(tests, 'test file')}; users stand above, or left of, what they use"
    return f"{where}{lines}{rest if model.files else ''}"


# -- arranging ---------------------------------------------------------------------------------


def _arranged(model: Architecture, part: Part, biggest: int, left: _Left) -> _Drawn:
    if not part.children:
        notes = _box_notes(model, part)
        share = math.sqrt(part.lines / biggest)
        least = min(_WIDEST_BOX, box_width(part.label, notes, entry=bool(part.entries)))
        return _Drawn(part, round(max(least, 78 + 80 * share), 1), round(box_height(notes) + 26 * share, 1))
    inner = tuple(_arranged(model, child, biggest, left) for child in part.children)
    shown = _shown(model.frames[part.key], left)
    sizes = [Size(child.width, child.height) for child in inner]
    edges = [(tie.source, tie.target) for tie in shown]
    upward = frozenset((tie.source, tie.target) for tie in shown if tie.against)
    found, across = _better(sizes, edges, upward)
    if part is model.root:
        return _Drawn(part, found.width, found.height, inner, found, across, shown)
    wide = max(found.width, measure(_frame_title(part), NAME, bold=True))
    return _Drawn(part, wide + 2 * _PADDING, found.height + 2 * _PADDING + _TITLE_ROOM, inner, found, across, shown)


def _better(sizes: list[Size], edges: list[Edge], upward: frozenset[Edge]) -> tuple[Arrangement, bool]:
    """Downwards, or to the right where that takes less of a sheet that is wider than high."""
    down, right = arrange(sizes, edges, upward), arrange(sizes, edges, upward, across=True)
    across = max(right.width / _ASPECT, right.height) * _PREFERENCE < max(down.width / _ASPECT, down.height)
    return (right, True) if across else (down, False)


def _shown(frame: Frame, left: _Left) -> tuple[Tie, ...]:
    """The ties that are drawn: none that follows from others, and of those against the grain the heaviest."""
    forward = [tie for tie in frame.ties if tie.certain and not tie.against and not tie.implied]
    turned = [tie for tie in frame.ties if tie.certain and tie.against]
    turned.sort(key=lambda tie: (-tie.certain, tie.source, tie.target))
    doubtful = [tie for tie in frame.ties if not tie.certain and not tie.implied and not tie.against]
    doubtful.sort(key=lambda tie: (-tie.doubtful, tie.source, tie.target))
    kept = [*forward, *turned[:_MAX_AGAINST], *doubtful[:_MAX_DOUBTFUL]]
    left.drawn += len(kept)
    left.implied += sum(tie.implied for tie in frame.ties)
    left.against += max(0, len(turned) - _MAX_AGAINST)
    left.doubtful += max(0, len(doubtful) - _MAX_DOUBTFUL)
    return tuple(sorted(kept, key=lambda tie: (tie.source, tie.target)))


def _box_notes(model: Architecture, part: Part) -> list[str]:
    files = plural(len(part.files), "file")
    size = f"{plural(part.lines, 'line')}" if part.kind is Kind.FILE else f"{files} · {plural(part.lines, 'line')}"
    if not model.tests:
        return [size]
    testers = model.tested_by[part.key]
    return [size, f"used by {plural(testers, 'test file')}" if testers else "no test names it"]


def _frame_title(part: Part) -> str:
    return f"{part.label}/  {plural(len(part.files), 'file')} · {plural(part.lines, 'line')}"


# -- placing -----------------------------------------------------------------------------------


def _placed(
    model: Architecture, drawn: _Drawn, x: float, y: float, heaviest: int, *, in_cycle: bool = False
) -> list[Shape]:
    part = drawn.part
    x, y = round(x, 1), round(y, 1)
    if drawn.arranged is None:
        return box(
            x, y, drawn.width, drawn.height, _paint(part, in_cycle=in_cycle), part.label, _box_notes(model, part),
            _told(part), entry=bool(part.entries), link=link("part", part.key),
        )  # fmt: skip
    found = drawn.arranged
    shapes: list[Shape] = []
    left, top = x, y
    if part is not model.root:
        stroke, room = Ink.WARNING if in_cycle else Ink.FRAME_LINE, drawn.width - 2 * _PADDING
        shapes = [
            Rectangle(x, y, drawn.width, drawn.height, Ink.FRAME, stroke, 1.2, Line.SOLID, 9, _told(part),
                      link("part", part.key)),
            label(x + _PADDING, y + 19, _frame_title(part), NAME - 0.5, room, ink=Ink.MUTED, bold=True),
        ]  # fmt: skip
        left, top = x + (drawn.width - found.width) / 2, y + _PADDING + _TITLE_ROOM
    cyclic = {child for cycle in model.frames[part.key].cycles for child in cycle}
    inside: list[Shape] = []
    for number, (child, corner) in enumerate(zip(drawn.inner, found.corners, strict=True)):
        inside += _placed(model, child, left + corner[0], top + corner[1], heaviest, in_cycle=number in cyclic)
    for tie in drawn.shown:
        route = [(left + px, top + py) for px, py in found.routes[tie.source, tie.target]]
        ink = Ink.WARNING if tie.against else Ink.EDGE
        style = Line.SOLID if tie.certain else Line.DASHED
        shapes.append(
            flow(route, ink, vertical=not drawn.across, width=_weight(tie, heaviest), style=style, arrow=True,
                 title=_tie_told(part, tie),
                 link=link("edge", part.children[tie.source].key, part.children[tie.target].key))
        )  # fmt: skip
    return shapes + inside


def _paint(part: Part, *, in_cycle: bool) -> Paint:
    paint = MORE if part.kind is Kind.MORE else SOURCE
    return msgspec.structs.replace(paint, stroke=Ink.WARNING) if in_cycle else paint


def _weight(tie: Tie, heaviest: int) -> float:
    return round(1 + 3.5 * math.log1p(tie.certain or tie.doubtful) / math.log1p(max(2, heaviest)), 1)


def _told(part: Part) -> str:
    lines = [part.key]
    lines.append(f"{plural(len(part.files), 'file')}, {plural(part.lines, 'line')}")
    lines += [f"entry point: {path}" for path in part.entries[:5]]
    if part.stands_for:
        lines.append(f"stands for {plural(part.stands_for, 'part')} for which there is no room")
    return "\n".join(lines)


def _tie_told(part: Part, tie: Tie) -> str:
    source, target = part.children[tie.source].key, part.children[tie.target].key
    parts = [f"{plural(tie.imports, 'import')}, {plural(tie.uses, 'other use')}"] if tie.certain else []
    parts += [f"{plural(tie.doubtful, 'use')} in doubt"] if tie.doubtful else []
    parts += ["closes a cycle"] if tie.against and tie.certain else []
    return f"{source} uses {target}\n{'; '.join(parts)}"


# -- tests, key and notes ----------------------------------------------------------------------


def _tests(model: Architecture, room: float) -> tuple[list[Shape], float, float]:
    """A panel of test directories, at the origin."""
    if not model.tests:
        return [], 0.0, 0.0
    shapes: list[Shape] = []
    x, y, right, tall = _PADDING, _PADDING + _TITLE_ROOM - 6, 0.0, 0.0
    for item in model.tests:
        notes = [f"{plural(item.files, 'file')} · {plural(item.lines, 'line')}"]
        width, height = min(_WIDEST_BOX, box_width(item.label, notes)), box_height(notes)
        if x > _PADDING and x + width + _PADDING > room:
            x, y = _PADDING, y + height + 10
        where = "" if item.more else link("tests", item.label)
        shapes += box(x, y, width, height, MORE if item.more else TEST, item.label, notes, item.label, link=where)
        x += width + 12
        right, tall = max(right, x - 12 + _PADDING), y + height + _PADDING
    whole = max(right, 160.0)
    title = label(_PADDING, 19, "tests", NAME - 0.5, whole - 2 * _PADDING, ink=Ink.MUTED, bold=True)
    return [Rectangle(0, 0, whole, tall, Ink.FRAME, Ink.FRAME_LINE, 1.2, Line.SOLID, 9), title, *shapes], whole, tall


def _moved(shape: Shape, x: float, y: float) -> Shape:
    if isinstance(shape, Rectangle | Label):
        return msgspec.structs.replace(shape, x=shape.x + x, y=shape.y + y)
    return msgspec.structs.replace(shape, points=tuple((px + x, py + y) for px, py in shape.points))


def _signs(model: Architecture) -> list[Sign]:
    ties = [tie for frame in model.frames.values() for tie in frame.ties]
    parts = _leaves(model.root)
    signs = [Sign("uses (wider: more often)", stroke=Ink.EDGE, width=2.5)] if ties else []
    if any(tie.against and tie.certain for tie in ties):
        signs.append(Sign("closes a cycle", stroke=Ink.WARNING, width=2))
        signs.append(Sign("in a cycle", paint=msgspec.structs.replace(SOURCE, stroke=CYCLE.stroke)))
    if any(not tie.certain and not tie.implied and not tie.against for tie in ties):
        signs.append(Sign("only uses in doubt", stroke=Ink.EDGE, line=Line.DASHED))
    if any(part.entries for part in parts):
        signs.append(Sign("entry point", entry=True))
    if any(part.kind is Kind.MORE for part in parts):
        signs.append(Sign("what there is no room for", paint=MORE))
    return signs


def _notes(model: Architecture, left: _Left) -> list[str]:
    calls = model.calls
    notes = []
    if left.drawn or left.implied:
        edges = f"{plural(left.drawn, 'edge')} drawn"
        edges += f"; {left.implied:,} more follow from them" if left.implied else ""
        edges += f"; {left.against:,} lighter ones that close cycles are left out" if left.against else ""
        edges += f"; {left.doubtful:,} in doubt are left out" if left.doubtful else ""
        notes.append(edges)
    if any((calls.resolved, calls.ambiguous, calls.external, calls.unresolved)):
        notes.append(
            f"calls: {calls.resolved:,} resolved, {calls.ambiguous:,} ambiguous, {calls.unresolved:,} unresolved, "
            f"{calls.external:,} leave the repository"
        )
    if model.outside:
        named = ", ".join(f"{name} ({files:,})" for name, files in model.outside[:_OUTSIDE])
        more = f" and {len(model.outside) - _OUTSIDE:,} more" if len(model.outside) > _OUTSIDE else ""
        notes.append(f"from outside, by files: {named}{more}")
    if model.left_out:
        kinds = [plural(count, _LEFT_OUT.get(role, role)) for role, count in model.left_out.items()]
        notes.append(f"not drawn: {', '.join(kinds)}")
    return notes


