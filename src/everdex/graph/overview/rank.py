"""How widely files and definitions are used: by how many other files, tests counting less.

Only the sorted tables of the graph are read, no file is decoded. PageRank stood here before and put loggers, aliases
and one-line helpers first: weight flows to the leaves of a program, and those are not what a newcomer must know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from everdex.graph.stored.artifact import Graph
from everdex.numeric import distinct, np, npt

_TEST: Final = 0.35  # a test's use of something says that it exists, not that others build on it
_OWN: Final = 0.2  # so that a program of one file has something to show


@dataclass(frozen=True, slots=True)
class Uses:
    files: npt.NDArray[np.float64]  # of each file: by how many others
    keys: npt.NDArray[np.uint32]  # of definitions, sorted
    key_files: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float64]  # of each definition

    def heaviest(self, count: int) -> list[int]:
        """The first so many files."""
        found: list[int] = np.argsort(-self.files, kind="stable")[:count].tolist()
        return found

    def best(self, count: int) -> list[int]:
        """The first so many definitions, as places in `keys`; those that nobody refers to are left out."""
        order = np.lexsort((self.keys, self.key_files, -self.weights.round(12)))[:count]
        found: list[int] = order[self.weights[order] > 0].tolist()
        return found

    def only(self, wanted: Sequence[bool]) -> Uses:
        """The same of the definitions of some files alone; `wanted` says of each file whether it is one."""
        kept = np.asarray(wanted, dtype=bool)[self.key_files]
        return Uses(self.files, self.keys, self.key_files, np.where(kept, self.weights, 0.0))

    @property
    def used(self) -> int:
        """How many definitions somebody refers to."""
        return int(np.count_nonzero(self.weights))


def uses(graph: Graph, tests: Sequence[bool]) -> Uses:
    """`tests` says of each file whether it is one."""
    keys, files = graph.tables["defines"].pairs()
    named, users = graph.tables["targets"].pairs()
    count = len(graph.files)
    if not count or not len(keys):
        return Uses(np.zeros(count), keys, files, np.zeros(0, dtype=np.float64))
    place = np.minimum(np.searchsorted(keys, named), len(keys) - 1)
    ours = keys[place] == named
    place, source = place[ours], users[ours].astype(np.int64)
    target = files[place].astype(np.int64)
    outside, test = source != target, np.asarray(tests, dtype=bool)[source]

    def counted(chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
        return np.log1p(np.bincount(place[chosen], minlength=len(keys)))

    weights = counted(outside & ~test) + _TEST * counted(outside & test)
    weights += _OWN * (np.bincount(place[~outside], minlength=len(keys)) > 0)
    pairs = distinct(source[outside & ~test] * count + target[outside & ~test])
    by_file = np.bincount(pairs % count, minlength=count)
    return Uses(by_file.astype(np.float64), keys, files, weights)


def reach(graph: Graph) -> npt.NDArray[np.int64]:
    """Of each file: how many others it uses something of."""
    keys, files = graph.tables["defines"].pairs()
    named, users = graph.tables["targets"].pairs()
    count = len(graph.files)
    if not count or not len(keys):
        return np.zeros(count, dtype=np.int64)
    place = np.minimum(np.searchsorted(keys, named), len(keys) - 1)
    ours = keys[place] == named
    source, target = users[ours].astype(np.int64), files[place[ours]].astype(np.int64)
    pairs = distinct((source * count + target)[source != target])
    return np.bincount(pairs // count, minlength=count)
