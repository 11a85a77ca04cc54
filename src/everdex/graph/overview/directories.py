"""Which directories of a repository a newcomer is shown: the top ones, then those that most builds on, at any depth.

A directory weighs what others use of its files and how much of the source it has, so that a package comes before a
playground with ten times its files. Knows paths, roles and weights; reads no file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from posixpath import dirname
from typing import Final

_TOP: Final = 16  # directories below the root that come before any inside them
_MOSTLY: Final = 0.9


@dataclass(slots=True)
class Directory:
    """One directory with all below it."""

    path: str
    weight: float
    languages: Counter[str]

    @property
    def files(self) -> int:
        return self.languages.total()

    @property
    def language(self) -> str:
        """That of most of its files."""
        return min(self.languages.items(), key=lambda item: (-item[1], item[0]))[0]

    @property
    def depth(self) -> int:
        return self.path.count("/") + 1 if self.path else 0


class Tree:
    """The directories of a repository. One that holds nothing but another directory is not told from that."""

    def __init__(self, files: Iterable[tuple[str, str]], roles: Mapping[str, str], used: Mapping[str, float]) -> None:
        self._all: dict[str, Directory] = {}
        of_source = 1 / max(1, sum(role == "source" for role in roles.values()))
        of_uses = 1 / (sum(used.values()) or 1)
        for path, language in files:
            weight = used.get(path, 0.0) * of_uses + (roles[path] == "source") * of_source
            for directory in _around(path):
                known = self._all.setdefault(directory, Directory(directory, 0.0, Counter()))
                known.weight += weight
                known.languages[language] += 1
        self._shown: dict[str, Directory] = {}
        holding = {dirname(path) for path, item in self._all.items() if path and item.files == self._files(path)}
        for path, item in sorted(self._all.items(), key=lambda pair: pair[1].depth):
            around = self._outer(path)
            if not path or (path not in holding and not (around and self._is_bulk(item, self._all[around]))):
                self._shown[path] = item

    def _files(self, path: str) -> int:
        return self._all[dirname(path)].files

    @staticmethod
    def _is_bulk(item: Directory, around: Directory) -> bool:
        """Whether a directory is nearly all of the one around it, as `src` is: those inside it say more."""
        return item.weight >= _MOSTLY * around.weight > 0

    def by_importance(self) -> list[Directory]:
        """The root, the first level, then the heaviest; a directory never before one around it."""
        top = sorted((item for item in self._shown.values() if not self._outer(item.path)), key=_heaviest)
        first = top[:_TOP]
        inside = (item for path, item in self._shown.items() if self._outer(path))
        return [*first, *sorted((*top[_TOP:], *inside), key=_heaviest)]

    def in_order(self, chosen: Iterable[Directory]) -> list[Directory]:
        """As a tree is read: what is inside a directory behind it, the heavier first."""
        return sorted(chosen, key=lambda item: [_heaviest(self._all[path]) for path in _lineage(item.path)])

    def level(self, directory: Directory) -> int:
        """How many directories that are shown stand around it."""
        around = self._outer(directory.path)
        return 1 + self.level(self._all[around]) if around else 0

    def around(self, directory: Directory) -> Directory | None:
        """The one it is told below; None for the root."""
        return self._all[self._outer(directory.path)] if directory.path else None

    def _outer(self, path: str) -> str:
        """The nearest directory around one that is told from it; none for those directly below the root."""
        around = dirname(path)
        while around and around not in self._shown:
            around = dirname(around)
        return around


def of_tests(roles: Mapping[str, str]) -> list[tuple[str, int]]:
    """Where tests are, with how many: the outermost directories of little else, then those right inside them."""
    every: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for path, role in roles.items():
        for directory in _around(path):
            every[directory] += 1
            tests[directory] += role == "test"
    mostly = {path for path in tests if path and tests[path] >= _MOSTLY * every[path]}
    beside = Counter(dirname(path) for path, role in roles.items() if role == "test")
    outer = {path: tests[path] for path in mostly if mostly.isdisjoint(_around(path))}
    outer |= {path: count for path, count in beside.items() if mostly.isdisjoint((path, *_around(path)))}
    inner = {
        path: tests[path] for path in mostly - outer.keys()
        if dirname(path) in outer and tests[path] < _MOSTLY * tests[dirname(path)]
    }  # fmt: skip
    return [*sorted(outer.items(), key=_most), *sorted(inner.items(), key=_most)]


def _around(path: str) -> list[str]:
    """The directories around a file, the root last."""
    found = []
    while path:
        path = dirname(path)
        found.append(path)
    return found


def _lineage(path: str) -> list[str]:
    return [*reversed(_around(path)), path][1:] if path else []


def _heaviest(item: Directory) -> tuple[bool, float, int, int, str]:
    hidden = item.path.startswith(".")  # of tools: read last
    return hidden, -round(item.weight, 9), -item.files, item.depth, item.path


def _most(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
