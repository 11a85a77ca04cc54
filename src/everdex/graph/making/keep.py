"""The graphs of a store: each is found by its snapshot's digest, and made when it is missing or damaged.

A graph is derived from a snapshot, so losing one costs time and nothing else. It is written whole, flushed, renamed
into place and never changed. It is made from the nearest that is kept, if need be in another worktree's store. One
process at a time makes a graph of a store, under `graph.lock`; the others wait for it. Only a few are kept.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from everdex.durable import Pieces, is_refused, make_directory, remove_leftovers, replace_atomically, storage_errors
from everdex.errors import Busy, Corrupt, Incompatible, StorageFailure, Timeout
from everdex.graph.making import refreshed, unfinished
from everdex.graph.making.refreshed import RefreshSummary
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.semantic.kept import Semantic, facts_of
from everdex.snapshot.guard import lock_for_life
from everdex.snapshot.neighbours import neighbours
from everdex.snapshot.retention import GRAPH_SUFFIX
from everdex.snapshot.store import Store
from everdex.sync.model import Progress
from everdex.view import SnapshotView

if TYPE_CHECKING:  # what makes graphs is loaded where one is made: who opens one that is there needs none of it
    from everdex.graph.making.build import Built

# The active snapshot's, and the one before it or one that somebody asked for with --snapshot; as many overlays.
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


@dataclass(frozen=True, slots=True)
class _Wanted:
    """Which graph answers for a view: of its text, or with what indexers say put over it."""

    store: Store
    digest: str
    version: str  # of what made it

    @property
    def path(self) -> Path:
        return self.store.graphs / f"{self.digest}-{self.version}{GRAPH_SUFFIX}"

    def find(self) -> Graph | None:
        """It, if it was made; marked as used."""
        found = _valid(self.path, self.digest, self.version)
        if found is not None:
            with suppress(OSError):
                os.utime(self.path)  # last used: what is used least goes first
        return found

    def keep(self, data: Pieces, summary: RefreshSummary | None = None) -> tuple[str, ...]:
        """Let others have it, and what making it took; the warnings, if that cannot be."""
        try:
            make_directory(self.store.graphs, self.store.permissions)
            replace_atomically(self.path, data, self.store.permissions)
            if summary is not None:
                refreshed.write(self.store, summary)
        except StorageFailure as error:
            # It answers all the same, it just has to be made again next time.
            return (f"the graph could not be kept: {error.message}",)
        _prune(self.store)
        unfinished.forget(self.store)
        return ()

    def kept(self, data: Pieces) -> Graph:
        """What was just kept, or could not be."""
        return _valid(self.path, self.digest, self.version) or Graph(b"".join(data), str(self.path))


def _of_text(view: SnapshotView, resolvers: Resolvers) -> _Wanted:
    return _Wanted(view.store, view.manifest.digest, resolvers.version)


def _with_facts(view: SnapshotView, resolvers: Resolvers, semantic: Semantic) -> _Wanted:
    version = f"{resolvers.version}-{semantic.fingerprint}" if semantic.fingerprint else resolvers.version
    return _Wanted(view.store, view.manifest.digest, version)


def graph_path(view: SnapshotView, resolvers: Resolvers) -> Path:
    return _with_facts(view, resolvers, facts_of(view)).path


def find_graph(view: SnapshotView, resolvers: Resolvers) -> Graph | None:
    """The graph of a view if it was made; marked as used."""
    return _with_facts(view, resolvers, facts_of(view)).find()


def open_graph(view: SnapshotView, resolvers: Resolvers, *, workers: int, progress: Progress) -> Opened:
    """The graph of a view, made now if there is none that can be trusted."""
    semantic = facts_of(view)
    wanted, text = _with_facts(view, resolvers, semantic), _of_text(view, resolvers)
    found = wanted.find()
    if found is not None:
        return Opened(found, made=False, warnings=semantic.warnings)
    with _alone(view.store, progress):
        found = wanted.find()
        if found is not None:
            return Opened(found, made=False, warnings=semantic.warnings)
        opened = _opened_text(view, resolvers, text, workers, progress)
        if wanted != text:
            from everdex.graph.making.overlay import overlay

            data = overlay(view, opened.graph, semantic, _earlier(view.store, resolvers), wanted.version)
            warnings = (*opened.warnings, *wanted.keep(data))
            opened = replace(opened, graph=wanted.kept(data), made=True, warnings=warnings)
        return replace(opened, warnings=(*semantic.warnings, *opened.warnings))


def _opened_text(
    view: SnapshotView, resolvers: Resolvers, wanted: _Wanted, workers: int, progress: Progress
) -> Opened:
    """The graph of what is written; one process at a time comes here."""
    found = wanted.find()
    if found is not None:
        return Opened(found, made=False)
    from everdex.graph.making.build import build

    base = _base(view, resolvers, _unfinished(view, resolvers))
    saving = unfinished.Saving(view.store, resolvers)
    built = build(view, resolvers, base, workers=workers, progress=progress, saving=saving)
    warnings = wanted.keep(built.pieces, _summary(wanted.digest, built, base))
    return Opened(wanted.kept(built.pieces), True, built.changed, built.resolved, warnings)


def begun_graph(view: SnapshotView, resolvers: Resolvers) -> Graph | None:
    """The unfinished graph of a view's files; None where nobody has begun one."""
    if facts_of(view).fingerprint:
        return None
    found = unfinished.find(view.store, resolvers)
    if found is None:
        return None
    from everdex.graph.making.build import knows_all

    return found if knows_all(found, view, resolvers) else None


def begin_graph(view: SnapshotView, resolvers: Resolvers, *, workers: int, progress: Progress) -> Graph | None:
    """The same, begun now if that is worth it; what was resolved before and still counts is in it. Who finds one waits
    for nobody, not for who finishes it either. Where few files wait none is begun: then the graph is made."""
    if facts_of(view).fingerprint:
        return None
    wanted = _of_text(view, resolvers)
    found = begun_graph(view, resolvers)
    if found is not None or wanted.path.exists():
        return found
    with _alone(view.store, progress):
        found = begun_graph(view, resolvers)
        if found is not None or wanted.path.exists():
            return found
        from everdex.graph.making.build import build

        base, saving = _base(view, resolvers, _unfinished(view, resolvers)), unfinished.Saving(view.store, resolvers)
        built = build(view, resolvers, base, workers=workers, progress=progress, saving=saving, begins=True)
        if built.is_finished:
            wanted.keep(built.pieces, _summary(wanted.digest, built, base))
            return None
        saving.save(lambda: built.pieces)
        return Graph(built.data, "an unfinished graph")


def is_first(view: SnapshotView, resolvers: Resolvers) -> bool:
    """Whether no graph was finished yet, in no other worktree either: from one the view's is made in a moment, unless
    much has changed since."""
    if facts_of(view).fingerprint:
        return False
    finished = f"*-{resolvers.version}*{GRAPH_SUFFIX}"
    return not any(any(store.graphs.glob(finished)) for store in _stores(view))


def _summary(digest: str, built: Built, base: Graph | None) -> RefreshSummary:
    is_new = base is None or base.digest == unfinished.DIGEST
    return RefreshSummary(
        refreshed.NEW if is_new else refreshed.CHANGED, digest, built.changed, built.resolved,
        built.invalidated, sum(entry.calls[0] + entry.calls[1] for entry in built.files),
        sum(1 for entry in built.files if entry.partial), sum(1 for entry in built.files if entry.failed),
    )  # fmt: skip


def kept_graph(view: SnapshotView, resolvers: Resolvers, held: Graph | None = None) -> Graph | None:
    """The graph of a view if it is kept, else one at hand (`held`, or the nearest kept); makes none."""
    wanted = _with_facts(view, resolvers, facts_of(view))
    if held is not None and (held.digest, held.resolvers) == (wanted.digest, wanted.version):
        return held
    return wanted.find() or _of_text(view, resolvers).find() or held or _base(view, resolvers)


def _valid(path: Path, digest: str, version: str) -> Graph | None:
    """The graph at a path if it is whole and the one its name says; None to make it again."""
    try:
        graph = Graph.open(path)
    except (FileNotFoundError, Corrupt, Incompatible):
        return None
    return graph if (graph.digest, graph.resolvers) == (digest, version) else None


def _earlier(store: Store, resolvers: Resolvers) -> Graph | None:
    """The overlay that was used last, over text that was resolved alike."""
    for path in _by_use(store):
        digest, version, *_ = path.name.removesuffix(GRAPH_SUFFIX).split("-", 1)
        if version.startswith(f"{resolvers.version}-"):
            found = _valid(path, digest, version)
            if found is not None:
                return found
    return None


def _base(view: SnapshotView, resolvers: Resolvers, begun: Graph | None = None) -> Graph | None:
    """The kept graph to start from: the newest that is near, else the nearest, also of those that are only `begun` or
    another worktree's."""
    contents = set(zip(view.paths, map(bytes.fromhex, view.file_contents), strict=True))

    def nearness_of(graph: Graph) -> float:
        shared = {entry.path for entry in graph.files if (entry.path, entry.content) in contents}
        return len(shared - graph.waiting) / max(1, len(graph.files))

    best = None if begun is None else (nearness_of(begun), begun)
    for store in _stores(view):
        for path in _by_use(store):
            if not path.name.endswith(f"-{resolvers.version}{GRAPH_SUFFIX}"):
                continue
            graph = _valid(path, path.name.partition("-")[0], resolvers.version)
            if graph is None:
                continue
            nearness = nearness_of(graph)
            if best is None or nearness > best[0]:
                best = (nearness, graph)
            if nearness >= _NEAR:
                return graph
    return best[1] if best else None


def _unfinished(view: SnapshotView, resolvers: Resolvers) -> Graph | None:
    """What was begun, if nothing here then in another worktree."""
    begun = (unfinished.find(store, resolvers) for store in _stores(view))
    return next((graph for graph in begun if graph is not None), None)


def _stores(view: SnapshotView) -> Iterator[Store]:
    """The view's own store, then those of other worktrees, which are looked for only when they are asked for."""
    yield view.store
    yield from neighbours(view.store)


def _by_use(store: Store) -> list[Path]:
    """Graphs of the store, the one used last first."""
    found = []
    for path in store.graphs.glob(f"*{GRAPH_SUFFIX}"):
        with suppress(FileNotFoundError):
            found.append((path.stat().st_mtime_ns, path))
    return [path for _, path in sorted(found, reverse=True)]


def _prune(store: Store) -> None:
    remove_leftovers(store.graphs)
    by_use = _by_use(store)
    for overlaid in (False, True):
        for path in [path for path in by_use if (path.name.count("-") > 1) is overlaid][_KEPT:]:
            # Whoever has it mapped keeps it until he lets go.
            with storage_errors(path):
                path.unlink(missing_ok=True)


@contextmanager
def _alone(store: Store, progress: Progress) -> Iterator[None]:
    """One maker at a time; its death frees the lock. Where nothing can be kept everybody makes his own."""
    deadline = time.monotonic() + _WAIT_S
    while True:
        try:
            make_directory(store.graphs, store.permissions)
            handle = lock_for_life(store.locks / "graph.lock", store.permissions)
        except StorageFailure as failure:
            if not is_refused(failure):
                raise
            yield
            return
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
