"""The architecture of a repository as a model: parts in frames, and in each frame who uses whom, in order.

Uses between two parts are told in the innermost frame that has both. In each frame the edges that close cycles are
named, chosen so that they carry as little as possible, and so are those that follow from others.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

import msgspec

from everdex.canvas.order import against, components, implied
from everdex.canvas.outline import Kind, Part, outline
from everdex.canvas.survey import Calls, Survey

MAX_TESTS: Final = 8
_FAINT: Final = 0.01  # weight of a use in doubt beside one that is certain


class Tie(msgspec.Struct, frozen=True):
    """One part of a frame uses another; both by their place among its children."""

    source: int
    target: int
    imports: int
    uses: int
    doubtful: int  # uses with several candidates, all of them in the target
    against: bool = False  # closes a cycle
    implied: bool = False  # follows from other ties

    @property
    def certain(self) -> int:
        return self.imports + self.uses


class Frame(msgspec.Struct, frozen=True):
    """An opened part: its ties, and which of its children are in a cycle, with the first of it."""

    key: str
    ties: tuple[Tie, ...]
    cycles: tuple[tuple[int, ...], ...]


class Tests(msgspec.Struct, frozen=True):
    """A directory of tests; `more` stands for so many others."""

    label: str
    files: int
    lines: int
    more: int = 0


class Architecture(msgspec.Struct, frozen=True):
    name: str
    root: Part
    frames: dict[str, Frame]  # by the key of the part
    tests: tuple[Tests, ...]
    tested_by: dict[str, int]  # key of a part -> test files that use something in it
    calls: Calls
    outside: tuple[tuple[str, int], ...]
    left_out: dict[str, int]

    @property
    def files(self) -> int:
        return len(self.root.files)


def architecture(found: Survey, boxes: int, depth: int | None = None) -> Architecture:
    """The model with about so many boxes, or opened to `depth` however many."""
    root = outline(found, boxes, depth)
    ways = _ways(root)
    pairs = _pairs(found, ways)
    opened = {part.key: part for part in _parts(root) if part.children}
    frames = {key: _frame(part, pairs.get(key, {})) for key, part in opened.items()}
    return Architecture(
        found.name, root, frames, _tests(found), _tested_by(found, root), found.calls, found.outside, found.left_out
    )


def _parts(part: Part) -> list[Part]:
    return [part, *(inner for child in part.children for inner in _parts(child))]


Way = tuple[tuple[str, int], ...]  # from the root: the frame, and the child of it


def _ways(root: Part) -> dict[int, Way]:
    """Of each file the frames around it."""
    ways: dict[int, Way] = {}

    def walk(part: Part, way: Way) -> None:
        if not part.children:
            ways.update((place, way) for place in part.files)
        for number, child in enumerate(part.children):
            walk(child, (*way, (part.key, number)))

    walk(root, ())
    return ways


_Counted = dict[tuple[int, int], list[int]]  # imports, uses, doubtful


def _pairs(found: Survey, ways: dict[int, Way]) -> dict[str, _Counted]:
    pairs: dict[str, _Counted] = {}

    def add(user: int, used: tuple[int, ...], place: int, count: int) -> None:
        met = _meeting(ways, user, used)
        if met is not None:
            frame, source, target = met
            pairs.setdefault(frame, {}).setdefault((source, target), [0, 0, 0])[place] += count

    for (user, used), (imports, uses) in found.ties.items():
        add(user, (used,), 0, imports)
        add(user, (used,), 1, uses)
    for (user, candidates), count in found.doubtful.items():
        add(user, candidates, 2, count)
    return pairs


def _meeting(ways: dict[int, Way], user: int, used: tuple[int, ...]) -> tuple[str, int, int] | None:
    """The frame in which the user is in one part and all that is used in another."""
    if user not in ways or any(place not in ways for place in used):
        return None  # tests are not drawn among the rest
    for depth, (frame, source) in enumerate(ways[user]):
        targets = {ways[place][depth : depth + 1] for place in used}
        if len(targets) != 1:
            return None
        target = next(iter(targets))[0][1]
        if target != source:
            return frame, source, target
    return None


def _frame(part: Part, every: _Counted) -> Frame:
    # What there was no room for is no part of its own: ties of all of it together would be cycles that nobody wrote.
    rest = {number for number, child in enumerate(part.children) if child.kind is Kind.MORE}
    counted = {edge: counts for edge, counts in every.items() if rest.isdisjoint(edge)}
    count = len(part.children)
    weights = {edge: imports + uses + doubtful * _FAINT for edge, (imports, uses, doubtful) in counted.items()}
    turned = against(count, weights)
    followed = implied(count, {edge: weight for edge, weight in weights.items() if edge not in turned})
    home = components(count, [edge for edge, (imports, uses, _) in counted.items() if imports or uses])
    members: dict[int, list[int]] = {}
    for child, first in enumerate(home):
        members.setdefault(first, []).append(child)
    ties = tuple(
        Tie(*edge, imports, uses, doubtful, edge in turned, edge in followed)
        for edge, (imports, uses, doubtful) in sorted(counted.items())
    )
    return Frame(part.key, ties, tuple(tuple(group) for group in members.values() if len(group) > 1))


def _tests(found: Survey) -> tuple[Tests, ...]:
    """Test files by directory: the outermost that are called tests, or hold them."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for file in found.files:
        if file.role == "test":
            directory = "/".join(file.path.split("/")[:-1][:2]) or "."
            files[directory] += 1
            lines[directory] += file.lines
    ranked = sorted(files, key=lambda name: (-lines[name], name))
    kept, rest = (ranked, []) if len(ranked) <= MAX_TESTS else (ranked[: MAX_TESTS - 1], ranked[MAX_TESTS - 1 :])
    shown = [Tests(name, files[name], lines[name]) for name in kept]
    if rest:
        shown.append(Tests(f"+{len(rest):,} more", sum(files[n] for n in rest), sum(lines[n] for n in rest), len(rest)))
    return tuple(shown)


def _tested_by(found: Survey, root: Part) -> dict[str, int]:
    testers: dict[int, set[int]] = {}
    for user, used in found.ties:
        if found.files[user].role == "test":
            testers.setdefault(used, set()).add(user)
    return {
        part.key: len(set().union(*(testers.get(place, set()) for place in part.files))) for part in _parts(root)
    }


def described(model: Architecture) -> dict[str, Any]:
    """The model as answers carry it: parts with their layer's neighbours by key."""
    return {
        "name": model.name,
        "parts": _described(model, model.root),
        "edges": [
            {
                "frame": frame.key, "from": part.children[tie.source].key, "to": part.children[tie.target].key,
                "imports": tie.imports, "uses": tie.uses, "ambiguous": tie.doubtful,
                "against": tie.against and bool(tie.certain), "implied": tie.implied,
            }
            for part in _parts(model.root) if part.children
            for frame in [model.frames[part.key]]
            for tie in frame.ties
        ],
        "cycles": [
            [part.children[child].key for child in cycle]
            for part in _parts(model.root) if part.children
            for cycle in model.frames[part.key].cycles
        ],
        "tests": [msgspec.to_builtins(item) for item in model.tests],
        "calls": msgspec.to_builtins(model.calls),
        "outside": [{"name": name, "files": files} for name, files in model.outside],
        "left_out": model.left_out,
    }  # fmt: skip


def _described(model: Architecture, part: Part) -> dict[str, Any]:
    return {
        "key": part.key, "label": part.label, "kind": str(part.kind), "files": len(part.files), "lines": part.lines,
        "entry_points": list(part.entries), "tested_by": model.tested_by[part.key],
        **({"stands_for": part.stands_for} if part.kind is Kind.MORE else {}),
        "parts": [_described(model, child) for child in part.children],
    }  # fmt: skip
