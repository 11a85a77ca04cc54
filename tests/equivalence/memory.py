"""Snapshots in memory of which real graphs are made: whatever way a graph came about, it is that of a clean build.

A history has a graph for each state of its tree. The next one is made from the last, by a process that begins and by
one that stays; from one long before; and from one that was only begun and of which some parts were asked for.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from everdex.durable import PRIVATE
from everdex.graph.answers.begun import Begun, Names, Workbench
from everdex.graph.making.build import Built, build
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.languages import language_in
from everdex.view import SnapshotView
from support.graphs import silent


@lru_cache(maxsize=8192)
def _hash(data: bytes) -> str:
    return sha256(data).hexdigest()


class MemoryView:
    """What the making of a graph knows of a snapshot."""

    def __init__(self, files: Mapping[str, bytes], kept: Path) -> None:
        known = {path: language for path in sorted(files) if (language := language_in(path, files[path]))}
        self.paths = tuple(known)
        self.file_languages = tuple(known.values())
        self.file_contents = tuple(_hash(files[path]) for path in known)
        self.manifest = SimpleNamespace(digest=_hash(repr(sorted(files.items())).encode()))
        self.store = SimpleNamespace(graphs=kept, permissions=PRIVATE)
        self._files = files

    def file_index(self, path: str) -> int:
        index = bisect_left(self.paths, path)
        if index == len(self.paths) or self.paths[index] != path:
            raise KeyError(path)
        return index

    def source(self, path: str) -> bytes:
        self.file_index(path)
        return self._files[path]


def view_of(files: Mapping[str, bytes], kept: Path) -> SnapshotView:
    return cast(SnapshotView, MemoryView(files, kept))


def made(view: SnapshotView, resolvers: Resolvers, base: Graph | None, *, only: tuple[str, ...] | None = None) -> Built:
    return build(view, resolvers, base, workers=1, progress=silent, only=only)


@dataclass
class History:
    """Graphs of one tree after the other; `wrong` are the ways that led to another graph than a clean build."""

    kept: Path  # where facts are remembered
    chance: random.Random
    known: Resolvers = field(default_factory=Resolvers)
    stays: Resolvers = field(default_factory=lambda: Resolvers(stay=True))
    states: list[tuple[Mapping[str, bytes], Graph]] = field(default_factory=list)
    spared: int = 0  # files that were not resolved again
    of: int = 0

    def step(self, files: Mapping[str, bytes]) -> list[str]:
        view = view_of(files, self.kept)
        clean = made(view, Resolvers(self.known.modules), None)
        wrong = [f"failed {entry.path}: {entry.failed}" for entry in clean.files if entry.failed]
        for name, built in self._ways(view):
            if built.data != clean.data:
                wrong.append(name)
        self.states.append((dict(files), Graph(clean.data, "clean")))
        return wrong

    def _ways(self, view: SnapshotView) -> list[tuple[str, Built]]:
        last = self.states[-1][1] if self.states else None
        edited = made(view, self.known, last)
        self.spared, self.of = self.spared + len(edited.files) - edited.resolved, self.of + len(edited.files)
        ways = [("edit", edited), ("stay", made(view, self.stays, last))]
        self.stays.rest()
        if len(self.states) > 1 and self.chance.random() < 0.2:
            ways.append(("far", made(view, self.known, self.chance.choice(self.states)[1])))
        if last is not None and self.chance.random() < 0.25:
            ways.append(("begun", made(view, self.known, self._begun(last, view))))
        return ways

    def _begun(self, last: Graph, view: SnapshotView) -> Graph:
        """Begun for the last state or for this one, from nothing or not; files and parts resolved by chance."""
        is_now = self.chance.random() < 0.5
        of = view if is_now else view_of(self.states[-1][0], self.kept)
        base = last if is_now and self.chance.random() < 0.5 else None
        waiting = Graph(made(of, self.known, base, only=()).data, "waiting")
        bench = Workbench(of, self.known, waiting)
        some = Begun(bench, waiting, silent, 1 << 20)
        for _ in range(self.chance.randint(1, 3)):
            some.resolve({path: self._names(some.graph) for path in some.graph.waiting if self.chance.random() < 0.4})
        bench.close()
        return some.graph

    def _names(self, graph: Graph) -> Names:
        kind = self.chance.random()
        if kind < 0.3:
            return None
        defined = ("open", "run", "make", "go", "Reader", "x", "main", "super", "get", "add")
        return frozenset(self.chance.sample(defined, self.chance.randint(0, 3)))
