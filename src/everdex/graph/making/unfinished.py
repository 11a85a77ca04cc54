"""A graph in which files wait: its making was ended or goes on, or somebody needed few of them.

It is a graph of no snapshot. What all its files offer is known. A file that waits has no blob and is in no other table;
or it has its definitions, and the sites of some of its parts. Whoever starts from it resolves those that wait, and what
comes out is the same. `begun` answers from it; it is gone as soon as a graph is finished.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from everdex.durable import Pieces, replace_atomically, storage_errors
from everdex.errors import Corrupt, Incompatible, StorageFailure
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import WAITS, FileEntry, Graph
from everdex.snapshot.store import Store

if TYPE_CHECKING:
    from everdex.graph.making.crew import Wanted  # with all that resolves

DIGEST: Final = "unfinished, in parts"  # no snapshot has it; without parts it was "unfinished"
_SUFFIX: Final = ".unfinished"
_EVERY_S: Final = 15.0
_SHARE: Final = 20  # of the time it takes, at most the 20th part
_WORTH_KEEPING: Final = 64  # files
_MANY: Final = 600  # files of a tree: fewer are resolved in a few seconds
_WAITING: Final = 150  # files of these: what an edit leaves to be resolved looks at more than most


class Saving:
    """Keeps what there is now and then, and when the making is ended; for one making."""

    def __init__(self, store: Store, resolvers: Resolvers) -> None:
        self._store = store
        self._path = _path(store, resolvers)
        self._due = time.monotonic() + _EVERY_S

    @property
    def is_due(self) -> bool:
        return time.monotonic() >= self._due

    def save(self, pieces: Callable[[], Pieces]) -> bool:
        """Whether it is kept; a full disk is no reason to end anything. To put it together takes longer than to write
        it, and who resolves waits meanwhile: both count."""
        began = time.monotonic()
        try:
            replace_atomically(self._path, pieces(), self._store.permissions)
        except StorageFailure:
            return False
        finally:
            self._due = time.monotonic() + max(_EVERY_S, _SHARE * (time.monotonic() - began))
        return True


def worth_keeping(resolved: int) -> bool:
    return resolved >= _WORTH_KEEPING


def are_many(files: int) -> bool:
    """Whether a tree has so many that a question about few of them should not wait for all."""
    return files >= _MANY


def many_wait(waiting: int, files: int) -> bool:
    """Whether that is so where some of them are resolved."""
    return are_many(files) and waiting >= _WAITING


def waiting_entry(wanted: Wanted) -> FileEntry:
    """A file that nobody came to."""
    return FileEntry(
        wanted.path, wanted.content, wanted.language, wanted.offers, "", False, "", (0, 0, 0, 0), WAITS, ()
    )


def find(store: Store, resolvers: Resolvers) -> Graph | None:
    """What is left of the last making that was ended."""
    try:
        graph = Graph.open(_path(store, resolvers))
    except (FileNotFoundError, Corrupt, Incompatible):
        return None
    return graph if (graph.digest, graph.resolvers) == (DIGEST, resolvers.version) else None


def forget(store: Store) -> None:
    """A graph is finished: nobody goes on from here, nor from what other resolvers left."""
    for path in store.graphs.glob(f"*{_SUFFIX}"):
        with storage_errors(path):
            path.unlink(missing_ok=True)


def _path(store: Store, resolvers: Resolvers) -> Path:
    return store.graphs / f"{resolvers.version}{_SUFFIX}"
