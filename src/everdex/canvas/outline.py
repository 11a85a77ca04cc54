"""Which directories and files become boxes of a picture: a tree of parts, opened where there is most to see.

Nothing is left out silently: a part that stands for several says for how many. Files beside directories are bundled by
their place in the order of uses, so that a bundle makes no cycle that the code does not have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from typing import Final

import msgspec

from everdex.canvas.order import Edge, against
from everdex.canvas.survey import File, Survey

MAX_CHILDREN: Final = 26
_LONERS: Final = 3  # so many files without ties are one box
_WORTH: Final = 0.05  # a directory with less of all lines is not opened
_MOST: Final = 0.6  # one with more of all lines is opened in any case; files with more of a directory's are not bundled
_DEPTH: Final = 5


class Kind(StrEnum):
    DIRECTORY = "directory"
    FILE = "file"
    FILES = "files"  # some files of a directory that has others
    MORE = "more"  # what there was no room for


class Part(msgspec.Struct, frozen=True):
    """A box, or with children a frame around boxes. `files` are places in the survey."""

    key: str
    label: str
    kind: Kind
    files: tuple[int, ...]
    lines: int
    entries: tuple[str, ...] = ()  # files in it that are started
    children: tuple[Part, ...] = ()
    stands_for: int = 0  # parts in a box of kind `more`


class _Directory:
    """A directory of the tree, and which of it is shown so far."""

    __slots__ = ("alone", "depth", "directories", "files", "label", "lines", "loose", "opened", "path")

    def __init__(self, path: str) -> None:
        self.path = path
        self.label = path.rpartition("/")[2]
        self.directories: dict[str, _Directory] = {}
        self.files: list[int] = []
        self.lines = 0
        self.loose = 0  # lines of the files that are directly in it
        self.depth = 0
        self.opened = False
        self.alone = MAX_CHILDREN  # so many parts are shown one by one


def outline(found: Survey, boxes: int, depth: int | None) -> Part:
    """The parts of a repository's code without its tests: about so many boxes, or opened to `depth` however many."""
    files = found.files
    drawn = [place for place, file in enumerate(files) if file.role != "test"]
    root = _collapsed(_tree(files, drawn))
    _number(root, 0, boxes // 2)
    root.opened = True
    if depth is None:
        _open_best(root, boxes)
    else:
        _open_to(root, depth)
    return _part(root, found, _uses(found))


def _tree(files: tuple[File, ...], drawn: Iterable[int]) -> _Directory:
    root = _Directory("")
    for place in drawn:
        file, here = files[place], root
        here.lines += file.lines
        parts = file.path.split("/")
        for length, name in enumerate(parts[:-1], 1):
            here = here.directories.setdefault(name, _Directory("/".join(parts[:length])))
            here.lines += file.lines
        here.files.append(place)
        here.loose += file.lines
    return root


def _collapsed(here: _Directory) -> _Directory:
    """A directory that holds nothing but another is that other, with a longer name."""
    inner = {name: _collapsed(child) for name, child in here.directories.items()}
    if len(inner) == 1 and not here.files:
        child = next(iter(inner.values()))
        child.label = f"{here.label}/{child.label}" if here.label else child.label
        return child
    here.directories = inner
    return here


def _number(here: _Directory, depth: int, alone: int) -> None:
    here.depth, here.alone = depth, min(alone, MAX_CHILDREN)
    for child in here.directories.values():
        _number(child, depth + 1, alone)


def _size(here: _Directory) -> int:
    """How many boxes an opened directory has, about."""
    loose = min(len(here.files), 3) if _in_bundles(here) else len(here.files)
    return min(len(here.directories) + loose, MAX_CHILDREN)


def _in_bundles(here: _Directory) -> bool:
    """Whether the files of a directory are too many beside its directories to be drawn one by one.

    Not where they are most of it: one box that stands for a whole program says nothing of it.
    """
    return (
        bool(here.directories) and len(here.directories) + len(here.files) > here.alone
        and here.loose < here.lines * _MOST
    )  # fmt: skip


def _open_best(root: _Directory, most: int) -> None:
    boxes = _size(root)
    waiting = list(root.directories.values())
    while waiting:
        waiting.sort(key=lambda item: (-item.lines, item.path))
        best = waiting.pop(0)
        more = _size(best) - 1
        if best.lines < root.lines * _WORTH or best.depth >= _DEPTH:
            break
        if more < 1:
            continue
        # A sheet that shows parts of the small but the large as one box would say little.
        if boxes + more > most and best.lines < root.lines * _MOST:
            break
        best.opened = True
        boxes += more
        waiting += best.directories.values()


def _open_to(here: _Directory, depth: int) -> None:
    for child in here.directories.values():
        child.opened = child.depth < depth
        _open_to(child, depth)


def _uses(found: Survey) -> dict[int, list[int]]:
    uses: dict[int, list[int]] = {}
    for user, used in found.ties:
        uses.setdefault(user, []).append(used)
    return uses


def _part(here: _Directory, found: Survey, uses: dict[int, list[int]]) -> Part:
    inside = sorted(_all(here))
    entries = tuple(found.files[place].path for place in inside if found.files[place].entry)
    children: list[Part] = []
    if here.opened:
        children = [_part(child, found, uses) for child in here.directories.values()]
        children += _loose(here, found, uses)
        children = _bounded(here, children)
    return Part(here.path or ".", here.label or found.name, Kind.DIRECTORY, tuple(inside), here.lines, entries,
                tuple(children))  # fmt: skip


def _all(here: _Directory) -> Iterable[int]:
    yield from here.files
    for child in here.directories.values():
        yield from _all(child)


def _loose(here: _Directory, found: Survey, uses: dict[int, list[int]]) -> list[Part]:
    """The files of a directory: one by one, or in few bundles that stand together in the order of uses."""
    if not _in_bundles(here):
        return _alone(here, found, uses)
    vertex = {place: number for number, place in enumerate(here.files)}
    for number, child in enumerate(here.directories.values(), len(here.files)):
        vertex.update((place, number) for place in _all(child))
    weights: Counter[Edge] = Counter()
    for user, number in vertex.items():
        for used in uses.get(user, ()):
            if used in vertex and vertex[used] != number:
                weights[number, vertex[used]] += sum(found.ties[user, used])
    count = len(here.files) + len(here.directories)
    turned = against(count, weights)
    runs = _runs(count, len(here.files), [edge for edge in weights if edge not in turned])
    return [_bundle(here, found, [here.files[place] for place in run]) for run in runs]


def _alone(here: _Directory, found: Survey, uses: dict[int, list[int]]) -> list[Part]:
    """The files one by one; but those that neither use nor are used in here are one box."""
    inside = set(_all(here))
    tied = {place for user in inside for used in uses.get(user, ()) if used in inside for place in (user, used)}
    loners = [place for place in here.files if place not in tied]
    if len(loners) < _LONERS:
        loners = []
    single = [_file(found, place) for place in here.files if place not in loners]
    return [*single, _bundle(here, found, loners)] if loners else single


def _runs(count: int, files: int, edges: Iterable[Edge]) -> list[list[int]]:
    """Files in runs that no directory has to stand between: joined, each of them makes no cycle.

    Users first, files as long as any may come, then directories until one may again.
    """
    after: dict[int, list[int]] = {}
    waiting_for = [0] * count
    for source, target in edges:
        after.setdefault(source, []).append(target)
        waiting_for[target] += 1
    ready = [vertex for vertex in range(count) if not waiting_for[vertex]]
    runs: list[list[int]] = [[]]
    while ready:
        taken = min((vertex for vertex in ready if vertex < files), default=None)
        if taken is None:
            taken = min(ready)
            if runs[-1]:
                runs.append([])
        else:
            runs[-1].append(taken)
        ready.remove(taken)
        for target in after.get(taken, ()):
            waiting_for[target] -= 1
            if not waiting_for[target]:
                ready.append(target)
    return [run for run in runs if run]


def _file(found: Survey, place: int) -> Part:
    file = found.files[place]
    entries = (file.path,) if file.entry else ()
    return Part(file.path, file.path.rpartition("/")[2], Kind.FILE, (place,), file.lines, entries)


def _bundle(here: _Directory, found: Survey, members: list[int]) -> Part:
    if len(members) == 1:
        return _file(found, members[0])
    ranked = sorted(members, key=lambda place: (-found.files[place].lines, found.files[place].path))
    first = found.files[ranked[0]].path.rpartition("/")[2]
    lines = sum(found.files[place].lines for place in members)
    entries = tuple(found.files[place].path for place in members if found.files[place].entry)
    label = f"{first} +{len(members) - 1:,}"
    return Part(f"{here.path}/{label}".lstrip("/"), label, Kind.FILES, tuple(sorted(members)), lines, entries)


def _bounded(here: _Directory, children: list[Part]) -> list[Part]:
    """The largest children, and one that stands for the rest."""
    if len(children) <= MAX_CHILDREN:
        return sorted(children, key=lambda part: part.key)
    ranked = sorted(children, key=lambda part: (-bool(part.children), -part.lines, part.key))
    kept, rest = ranked[: MAX_CHILDREN - 1], ranked[MAX_CHILDREN - 1 :]
    more = Part(
        f"{here.path}/+{len(rest)} more".lstrip("/"), f"+{len(rest):,} more", Kind.MORE,
        tuple(sorted(place for part in rest for place in part.files)), sum(part.lines for part in rest),
        tuple(entry for part in rest for entry in part.entries), (), len(rest),
    )  # fmt: skip
    return [*sorted(kept, key=lambda part: part.key), more]
