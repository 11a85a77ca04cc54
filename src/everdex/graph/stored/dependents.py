"""Which files depend on which, for a whole graph at once: two sorted tables joined, then walked backwards.

A file depends on the files that define the targets of its sites and imports. Keys are 32-bit hashes here, so about one
edge in 10⁵ may be one too many; none is ever missing.
"""

from __future__ import annotations

from collections.abc import Iterable

from everdex.graph.model import Target
from everdex.graph.stored.artifact import Graph
from everdex.graph.stored.postings import key32
from everdex.graph.stored.record import place
from everdex.numeric import distinct, np, npt


class Dependents:
    """The edges of a graph, by the file that is depended on."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        keys, files = graph.tables["defines"].pairs()
        named, users = graph.tables["targets"].pairs()
        first = np.searchsorted(keys, named)
        count = np.searchsorted(keys, named, "right") - first
        users = np.repeat(users.astype(np.int64), count)
        # The places of each run of definers: its start, and how far into the run.
        within = np.arange(len(users)) - np.repeat(np.cumsum(count) - count, count)
        used = files[np.repeat(first, count) + within].astype(np.int64)
        size = max(1, len(graph.files))
        edges = distinct((used * size + users)[used != users])
        self._users: npt.NDArray[np.int64] = edges % size
        self._starts = np.searchsorted(edges, np.arange(size + 1) * size)

    def of(self, file: int) -> list[int]:
        """Files that depend on this one, ascending."""
        found: list[int] = self._users[self._starts[file] : self._starts[file + 1]].tolist()
        return found

    def reach(self, files: Iterable[int]) -> dict[int, int]:
        """Every file that depends on one of these, however far: it and the file through which it was first reached."""
        through: dict[int, int] = {}
        wave = sorted(set(files))
        start = set(wave)
        while wave:
            following = []
            for file in wave:
                for user in self.of(file):
                    if user not in through and user not in start:
                        through[user] = file
                        following.append(user)
            wave = sorted(following)
        return through

    def users_of(self, path: str, name: str) -> set[int]:
        """Files that name this definition of a file."""
        return set(self._graph.tables["targets"].holders(key32(place(Target(path, name)))))
