"""Retention and garbage collection: what may go, decided first and deleted second.

GC needs the writer lease (IDX.MUST.004) and no active reader (IDX.MUST.005). It never touches the
active snapshot, the newest few, young ones, or anything a retained manifest refers to.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import msgspec

from everdex import clock, limits
from everdex.durable import fsync_directory, storage_errors
from everdex.snapshot import active
from everdex.snapshot import manifest as manifests
from everdex.snapshot.guard import hold_exclusive, is_locked
from everdex.snapshot.lease import Lease
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.store import Store
from everdex.snapshot.trees import remove_all, tree_size

# graph/<digest of the snapshot>-<resolvers>.graph: derived, so any may go; those of retained snapshots are kept.
GRAPH_SUFFIX: Final = ".graph"
# canvas/architecture.<digest>.png, canvas/explorer.<digest>.html and canvas/impact/<digest>-….png: derived, too.
_PICTURE: Final = re.compile(r"(?:architecture\.|explorer\.|impact/)([0-9a-f]{64})[.-].*(?:png|html)\Z")


class GcPlan(msgspec.Struct, frozen=True):
    """What a collection would delete; empty lists mean there is nothing to do."""

    retained: tuple[str, ...]
    snapshots: tuple[str, ...]
    segments: tuple[str, ...]
    staging: tuple[str, ...]
    scratch: tuple[str, ...]  # of indexers whose process is gone
    graphs: tuple[str, ...]
    pictures: tuple[str, ...]  # below canvas/
    bytes_freed: int


def plan(store: Store, *, keep: int = limits.RETAIN_SNAPSHOTS_MIN) -> GcPlan:
    """Decide what may be deleted now. Raises `Corrupt` when a manifest cannot be read: then nothing may."""
    history = [manifests.read(path) for _, path in active.published(store)]
    pointer = active.read_pointer(store)
    retained = _retained(history, pointer, keep)
    kept_ids = {manifest.snapshot_id for manifest in retained}
    referenced = {segment.segment_id for manifest in retained for segment in manifest.segments}
    # A retained manifest may refer to tombstones that lie in an older snapshot's directory.
    homes = {Path(item.path).parent.name for manifest in retained for item in manifest.tombstones}
    numbered = {manifest.snapshot_id for manifest in history}
    # Directories without a number: unpublished, or kept by an earlier collection for their tombstones.
    bare = sorted(path.name for path in store.snapshots.iterdir() if path.name not in numbered | homes)
    snapshots = (*(m.snapshot_id for m in history if m.snapshot_id not in kept_ids), *bare)
    segments = tuple(sorted(p.name for p in store.segments.iterdir() if p.name not in referenced))
    removable = [store.snapshots / name for name in snapshots if name not in homes]
    removable += [store.segments / name for name in segments]
    staging = tuple(sorted(path.name for path in store.staging.iterdir() if _stale(path)))
    removable += [store.staging / name for name in staging]
    scratch = _abandoned(store)
    removable += [store.scratch / name for name in scratch]
    digests = {manifest.digest for manifest in retained}
    graphs, pictures = _orphans(store, digests), _orphan_pictures(store, digests)
    removable += [*(store.graphs / name for name in graphs), *(store.canvas / name for name in pictures)]
    return GcPlan(
        retained=tuple(manifest.snapshot_id for manifest in retained),
        snapshots=snapshots,
        segments=segments,
        staging=staging,
        scratch=scratch,
        graphs=graphs,
        pictures=pictures,
        bytes_freed=sum(map(tree_size, removable)),
    )


def _abandoned(store: Store) -> tuple[str, ...]:
    if not store.scratch.is_dir() or is_locked(store.indexer_lock):
        return ()
    return tuple(sorted(path.name for path in store.scratch.iterdir()))


def _orphans(store: Store, digests: set[str]) -> tuple[str, ...]:
    """Graphs of no retained snapshot."""
    if not store.graphs.is_dir():
        return ()
    named = sorted(path.name for path in store.graphs.glob(f"*{GRAPH_SUFFIX}"))
    return tuple(name for name in named if name.partition("-")[0] not in digests)


def _orphan_pictures(store: Store, digests: set[str]) -> tuple[str, ...]:
    """Pictures of no retained snapshot. What else lies on the canvas is somebody's own and is left alone."""
    named = (path.relative_to(store.canvas).as_posix() for path in store.canvas.rglob("*.*"))
    found = ((name, _PICTURE.match(name)) for name in sorted(named))
    return tuple(name for name, match in found if match and match[1] not in digests)


def _retained(history: list[Manifest], pointer: str | None, keep: int) -> list[Manifest]:
    """`history` is newest first. A snapshot's age counts from the moment the next one replaced it."""
    retained = []
    now = clock.now()
    grace = max(
        limits.RETAIN_SNAPSHOTS_MIN_AGE_S, (limits.QUERY_TIMEOUT_MS + limits.GC_SAFETY_MARGIN_MS) / 1000
    )
    replaced_at: float | None = None
    for rank, manifest in enumerate(history):
        young = replaced_at is None or now - replaced_at < grace
        if rank < max(keep, 1) or young or manifest.snapshot_id == pointer:
            retained.append(manifest)
        replaced_at = clock.parse_rfc3339(manifest.created_at)
    return retained


def collect(lease: Lease, *, keep: int = limits.RETAIN_SNAPSHOTS_MIN, wait_ms: int = 0) -> GcPlan:
    """Carry out the plan under the writer lease and the exclusive readers' lock, so that nobody uses any of it."""
    store = lease.store
    with hold_exclusive(store.readers_lock, store.permissions, wait_ms=wait_ms):
        lease.require()
        todo = plan(store, keep=keep)
        _delete(store, todo)
    return todo


def _delete(store: Store, todo: GcPlan) -> None:
    doomed = set(todo.snapshots)
    homes: set[str] = set()
    for _, path in active.published(store):
        manifest = manifests.read(path)
        if manifest.snapshot_id in doomed:
            with storage_errors(path):
                path.unlink()
        else:
            homes.update(Path(item.path).parent.name for item in manifest.tombstones)
    # Numbers first: a snapshot without a number is not a snapshot, so a crash from here on loses nothing.
    fsync_directory(store.manifests)
    for name in todo.snapshots:
        if name in homes:
            (store.snapshots / name / "manifest.json").unlink(missing_ok=True)
        else:
            remove_all(store.snapshots / name)
    for name in todo.segments:
        remove_all(store.segments / name)
    for name in todo.staging:
        remove_all(store.staging / name)
    if todo.scratch and not is_locked(store.indexer_lock):
        remove_all(store.scratch)
    for name in todo.graphs:
        (store.graphs / name).unlink(missing_ok=True)
    for name in todo.pictures:
        (store.canvas / name).unlink(missing_ok=True)


def _stale(path: Path) -> bool:
    try:
        return clock.now() - path.stat().st_mtime > limits.STAGING_TTL_S
    except FileNotFoundError:
        return False  # its writer is done with it
