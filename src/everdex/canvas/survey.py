"""What a picture of a repository is made from: its files with their sizes and roles, and how often each uses which.

Every file of a graph is read once. A use whose target is certain ties two files; one with several candidates is kept
with all of them, so that whoever draws can see whether they lie in one place. What is unresolved is only counted.
"""

from __future__ import annotations

import posixpath
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Set
from functools import lru_cache, partial
from typing import Final

import msgspec

from everdex.canvas.crates import nameable
from everdex.graph.definitions.atlas import Atlas
from everdex.graph.model import Role, Status
from everdex.graph.overview.entries import entry_points
from everdex.graph.stored.columns import Columns

DRAWN_ROLES: Final = ("source", "example", "test")
_MAX_ENTRIES: Final = 200
_WHY: Final = {"file name": "by its name", "main": "main", "page": "run by a page"}
_IMPORTING: Final = frozenset(("python", "javascript", "typescript", "tsx", "go"))
_BY_DIRECTORY: Final = (".go",)  # files of one directory are one package, and name each other's without an import
_PACKAGES: Final = ("__init__.", "index.")
_MODULE_ENDS: Final = (".py", "/__init__.py", "/__main__.py")


_Use = tuple[str, frozenset[str], bool, int]  # user, used, whether that is certain, sites


class File(msgspec.Struct, frozen=True):
    path: str
    role: str
    lines: int
    entry: str = ""  # why it is started, when it is


class Calls(msgspec.Struct, frozen=True):
    """Call sites by what came of them."""

    resolved: int = 0
    ambiguous: int = 0
    external: int = 0
    unresolved: int = 0


class Survey(msgspec.Struct, frozen=True):
    """`ties` are by places in `files`: (user, used) -> imports and other uses."""

    name: str
    files: tuple[File, ...]
    ties: dict[tuple[int, int], tuple[int, int]]
    doubtful: dict[tuple[int, tuple[int, ...]], int]  # user and candidates -> sites
    calls: Calls
    outside: tuple[tuple[str, int], ...]  # packages by how many files take from them
    left_out: dict[str, int]  # files that are not drawn, by role


def survey(atlas: Atlas, name: str) -> Survey:
    roles = atlas.roles
    started = _started(atlas, roles)
    drawn = [path for path in atlas.graph.paths if roles[path] in DRAWN_ROLES]
    number = {path: place for place, path in enumerate(drawn)}
    files: list[File] = []
    ties: Counter[tuple[int, int, bool]] = Counter()
    doubtful: Counter[tuple[int, tuple[int, ...]]] = Counter()
    calls = [0, 0, 0, 0]
    imported: dict[str, set[str]] = {}
    found: list[_Use] = []
    for path in drawn:
        source = atlas.view.source(path)
        lines = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
        files.append(File(path, roles[path], lines, started.get(path, "")))
        file = bisect_left(atlas.graph.paths, path)
        calls = [total + more for total, more in zip(calls, atlas.entry(file).calls, strict=True)]
        columns = Columns(atlas.graph.blob(file))
        imported[path] = {item.target.path for item in columns.dependencies() if item.target.path in number} - {path}
        ties.update(
            (number[path], number[item.target.path], True)
            for item in columns.dependencies()
            if item.target.path in imported[path] and not _around(item.target.path, path)
        )
        found += _uses(path, columns, number)
    free = frozenset(entry.path for entry in atlas.graph.files if entry.language not in _IMPORTING)
    beside: dict[str, set[str]] = {}
    for path in drawn:
        beside.setdefault(posixpath.dirname(path), set()).add(path)
    crates = nameable(atlas.view, drawn)
    _tie(found, partial(_named_in, imported, beside, free, crates), number, ties, doubtful)
    pairs: dict[tuple[int, int], tuple[int, int]] = {}
    for (user, used, by_import), count in sorted(ties.items()):
        imports, uses = pairs.get((user, used), (0, 0))
        pairs[user, used] = (imports + count, uses) if by_import else (imports, uses + count)
    outside: Counter[str] = Counter()
    for entry in atlas.graph.files:
        if roles[entry.path] != "test":
            outside.update(entry.externals)
    return Survey(
        name, tuple(files), pairs, dict(sorted(doubtful.items())), Calls(*calls),
        tuple(sorted(outside.items(), key=lambda item: (-item[1], item[0]))),
        _left_out(roles, number),
    )  # fmt: skip


def _left_out(roles: dict[str, str], drawn: dict[str, int]) -> dict[str, int]:
    """Files that are not drawn, by role; those in languages without a graph as `other`."""
    found = Counter("other" if role in DRAWN_ROLES else role for path, role in roles.items() if path not in drawn)
    return dict(sorted(found.items()))


def _around(used: str, user: str) -> bool:
    """Whether a file is that of a package around another: naming a neighbour by the package is no use of the package.

    What is defined there and used is told by its uses.
    """
    directory, name = posixpath.split(used)
    return name.startswith(_PACKAGES) and user.startswith(f"{directory}/")


def _uses(path: str, columns: Columns, number: dict[str, int]) -> Iterator[_Use]:
    """What the sites of a file use in others; imports are told by its dependencies."""
    for role, status, targets, count in columns.tally():
        found = {target.path for target in targets if target.path in number}
        if role is not Role.IMPORT and found - {path} and status in (Status.RESOLVED, Status.AMBIGUOUS):
            yield path, frozenset(found), status is Status.RESOLVED, count


def _tie(
    uses: list[_Use], named_by: Callable[[str], Set[str] | None], number: dict[str, int],
    ties: Counter[tuple[int, int, bool]], doubtful: Counter[tuple[int, tuple[int, ...]]],
) -> None:  # fmt: skip
    named = lru_cache(1)(named_by)  # the uses of a file stand together
    for path, found, certain, count in uses:
        known = named(path)
        near = sorted(number[used] for used in found if used == path or known is None or used in known)
        user = number[path]
        if certain:
            ties.update({(user, used, False): count for used in near if used != user})
        elif near not in ([], [user]):
            doubtful[user, tuple(near)] += count


def _named_in(
    imported: dict[str, set[str]], beside: dict[str, set[str]], free: frozenset[str],
    crates: dict[str, frozenset[str]], path: str,
) -> Set[str] | None:  # fmt: skip
    """Files whose definitions a file can name: those it imports, and what packages among them pass on; None for any.

    Where files import what they name, code of a file that is not imported was handed in: a callback, an object behind
    an interface. Drawn as a use it would turn the layers of a program upside down.
    """
    if path in free:
        return crates.get(path)
    near = set(imported[path])
    near |= beside.get(posixpath.dirname(path), set()) if path.endswith(_BY_DIRECTORY) else set()
    waiting = [item for item in near if posixpath.basename(item).startswith(_PACKAGES)]
    while waiting:
        passed_on = imported.get(waiting.pop(), set()) - near
        near |= passed_on
        waiting += (item for item in passed_on if posixpath.basename(item).startswith(_PACKAGES))
    return near


def _started(atlas: Atlas, roles: dict[str, str]) -> dict[str, str]:
    """Files that are started, with why; of a declared command the file that it names, if there is one."""
    found: dict[str, str] = {}
    for number, item in enumerate(entry_points(atlas, roles)):
        if number >= _MAX_ENTRIES:
            break
        path = item["path"]
        if item["why"] in _WHY:
            found.setdefault(path, _WHY[item["why"]])
            continue
        for candidate in _named(path, item["why"], roles):
            found[candidate] = f"command {item['name']}"
    return found


def _named(manifest: str, what: str, roles: dict[str, str]) -> list[str]:
    """The file that a declared command runs: `package.module:function`, or a path beside the declaration."""
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(manifest), what))
    if beside in roles:
        return [beside]
    module = what.partition(":")[0].strip().replace(".", "/")
    if not module:
        return []
    wanted = tuple(f"/{module}{end}" for end in _MODULE_ENDS)
    return sorted(path for path in roles if f"/{path}".endswith(wanted))[:1]
