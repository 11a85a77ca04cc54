"""The graphs of a store: found by digest, made when they are missing or not to be trusted, and few of them kept.

A graph is a derived file. It is written whole, flushed and renamed into place, and never changed; whoever finds it
damaged makes it again. One process at a time makes one, the others wait for it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from everdex.durable import make_directory, remove_leftovers, replace_atomically, storage_errors
from everdex.errors import Busy, Corrupt, Incompatible, StorageFailure, Timeout
from everdex.graph import refreshed
from everdex.graph.artifact import Graph
from everdex.graph.build import Built, Progress, build
from everdex.graph.refreshed import RefreshSummary
from everdex.graph.resolvers import Resolvers
from everdex.snapshot.guard import lock_for_life
from everdex.snapshot.retention import GRAPH_SUFFIX
from everdex.snapshot.store import Store
from everdex.view import SnapshotView

# The active snapshot's, and the one before it or one that somebody asked for with --snapshot.
_KEPT: Final = 2
_WAIT_S: Final = 600.0
_POLL_S: Final = 0.05
# A base that shares less than this with the snapshot is passed over if another one may share more.
_NEAR: Final = 0.9


@dataclass(frozen=True, slots=True)
class Opened:
    """A graph, and what there is to say about how it was come by."""

    graph: Graph
    made: bool
    changed: int = 0  # files that differ from the graph it was made from
    resolved: int = 0
    warnings: tuple[str, ...] = ()


def graph_path(view: SnapshotView, resolvers: Resolvers) -> Path:
    return view.store.graphs / f"{view.manifest.digest}-{resolvers.version}{GRAPH_SUFFIX}"


def find_graph(view: SnapshotView, resolvers: Resolvers) -> Graph | None:
    """The graph of a view if it was made; marked as used."""
    path = graph_path(view, resolvers)
    found = _valid(path, view.manifest.digest, resolvers)
    if found is not None:
        with suppress(OSError):
            os.utime(path)  # last used: what is used least goes first
    return found


def open_graph(view: SnapshotView, resolvers: Resolvers, *, workers: int, progress: Progress) -> Opened:
    """The graph of a view, made now if there is none that can be trusted."""
    found = find_graph(view, resolvers)
    if found is not None:
        return Opened(found, made=False)
    path, store = graph_path(view, resolvers), view.store
    make_directory(store.graphs, store.permissions)
    with _alone(store, progress):
        found = _valid(path, view.manifest.digest, resolvers)
        if found is not None:
            return Opened(found, made=False)
        base = _base(view, resolvers)
        built = build(view, resolvers, base, workers=workers, progress=progress)
        warnings: tuple[str, ...] = ()
        try:
            replace_atomically(path, built.data, store.permissions)
            refreshed.write(store, _summary(Graph(built.data, str(path)), built, base))
        except StorageFailure as error:
            # It answers all the same, it just has to be made again next time.
            warnings = (f"the graph could not be kept: {error.message}",)
        else:
            _prune(store)
        return Opened(Graph(built.data, str(path)), True, built.changed, built.resolved, warnings)


def _summary(graph: Graph, built: Built, base: Graph | None) -> RefreshSummary:
    return RefreshSummary(
        refreshed.NEW if base is None else refreshed.CHANGED, graph.digest, built.changed, built.resolved,
        built.invalidated, sum(entry.calls[0] + entry.calls[1] for entry in graph.files),
        sum(1 for entry in graph.files if entry.partial), sum(1 for entry in graph.files if entry.failed),
    )  # fmt: skip


def kept_graph(view: SnapshotView, resolvers: Resolvers, held: Graph | None = None) -> Graph | None:
    """The graph of a view if it is kept, else one at hand (`held`, or the nearest kept); makes none."""
    if held is not None and (held.digest, held.resolvers) == (view.manifest.digest, resolvers.version):
        return held
    return find_graph(view, resolvers) or held or _base(view, resolvers)


def _valid(path: Path, digest: str, resolvers: Resolvers) -> Graph | None:
    """The graph at a path if it is whole and the one its name says; None to make it again."""
    try:
        graph = Graph.open(path)
    except (FileNotFoundError, Corrupt, Incompatible):
        return None
    return graph if (graph.digest, graph.resolvers) == (digest, resolvers.version) else None


def _base(view: SnapshotView, resolvers: Resolvers) -> Graph | None:
    """The kept graph to start from: the newest that is near, else the nearest."""
    contents = {line.path_key: bytes.fromhex(line.content_hash) for line in view.file_lines()}
    best: tuple[float, Graph] | None = None
    for path in _by_use(view.store):
        if not path.name.endswith(f"-{resolvers.version}{GRAPH_SUFFIX}"):
            continue
        graph = _valid(path, path.name.partition("-")[0], resolvers)
        if graph is None:
            continue
        shared = sum(contents.get(entry.path) == entry.content for entry in graph.files)
        nearness = shared / max(1, len(graph.files), 1)
        if best is None or nearness > best[0]:
            best = (nearness, graph)
        if nearness >= _NEAR:
            break
    return best[1] if best else None


def _by_use(store: Store) -> list[Path]:
    """Graphs of the store, the one used last first."""
    found = []
    for path in store.graphs.glob(f"*{GRAPH_SUFFIX}"):
        with suppress(FileNotFoundError):
            found.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(found, reverse=True)]


def _prune(store: Store) -> None:
    remove_leftovers(store.graphs)
    for path in _by_use(store)[_KEPT:]:
        # Whoever has it mapped keeps it until he lets go.
        with storage_errors(path):
            path.unlink(missing_ok=True)


@contextmanager
def _alone(store: Store, progress: Progress) -> Iterator[None]:
    """One maker at a time; its death frees the lock."""
    deadline = time.monotonic() + _WAIT_S
    while True:
        try:
            handle = lock_for_life(store.locks / "graph.lock", store.permissions)
        except Busy as busy:
            if time.monotonic() > deadline:
                raise Timeout("gave up waiting for another process that makes the graph") from busy
            progress("wait", 0, 0)
            time.sleep(_POLL_S)
        else:
            break
    try:
        yield
    finally:
        os.close(handle)
