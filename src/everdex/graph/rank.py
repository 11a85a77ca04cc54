"""Which files and definitions matter most: PageRank over who refers to what.

A file hands its weight to the definitions it refers to, in equal shares, and a definition's weight belongs to its
file. Only the sorted tables of the graph are read, no file is decoded. References inside one file do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from everdex.graph.artifact import Graph
from everdex.numeric import np, npt

_DAMPING: Final = 0.85
_ROUNDS: Final = 40


@dataclass(frozen=True, slots=True)
class Ranks:
    files: npt.NDArray[np.float64]  # weight of each file
    keys: npt.NDArray[np.uint32]  # of definitions, sorted
    key_files: npt.NDArray[np.uint32]
    weights: npt.NDArray[np.float64]  # of each definition

    def heaviest(self, count: int) -> list[int]:
        """The first so many files by weight."""
        found: list[int] = np.argsort(-self.files.round(12), kind="stable")[:count].tolist()
        return found

    def best(self) -> list[int]:
        """Definitions by weight, heaviest first, as places in `keys`; those that nobody refers to are left out."""
        order = np.lexsort((self.keys, self.key_files, -self.weights.round(12)))
        found: list[int] = order[self.weights[order] > 0].tolist()
        return found


def ranks(graph: Graph) -> Ranks:
    uses, defines = graph.tables["targets"], graph.tables["defines"]
    count = len(graph.files)
    if not count or not len(defines.keys):
        empty = np.zeros(0, dtype=np.float64)
        return Ranks(np.zeros(count), defines.keys, defines.files, empty)
    place = np.minimum(np.searchsorted(defines.keys, uses.keys), len(defines.keys) - 1)
    source, target = uses.files.astype(np.int64), defines.files[place].astype(np.int64)
    real = (defines.keys[place] == uses.keys) & (source != target)
    place, source, target = place[real], source[real], target[real]
    degree = np.bincount(source, minlength=count)
    share = 1.0 / np.maximum(degree, 1)
    weights = np.full(count, 1.0 / count)
    for _ in range(_ROUNDS):
        # Files that refer to nothing give their weight to all alike.
        loose = weights[degree == 0].sum() / count
        received = np.bincount(target, weights=(weights * share)[source], minlength=count)
        weights = (1 - _DAMPING) / count + _DAMPING * (received + loose)
    by_definition = np.bincount(place, weights=(weights * share)[source], minlength=len(defines.keys))
    return Ranks(weights, defines.keys, defines.files, by_definition.astype(np.float64))
