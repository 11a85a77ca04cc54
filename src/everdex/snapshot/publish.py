"""Publishing: staged segments, tombstones and a manifest become the next snapshot, whole or not at all.

Everything is flushed to disk before anything refers to it. The commit is one `link()` of the manifest to the next
number, which fails when another writer was first. Moving the pointer ACTIVE_SNAPSHOT afterwards only spares readers the
search for the highest number; the next writer moves a pointer that was left behind. docs/design.md lists every step.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from everdex import clock, versions
from everdex.changes.model import GitState
from everdex.durable import (
    fsync_directory,
    hash_file,
    hash_tree,
    make_directory,
    replace_atomically,
    seal_tree,
    storage_errors,
    write_new,
)
from everdex.errors import Corrupt, InternalError, LeaseLost, PublishConflict, StorageFailure
from everdex.segment.files import FileLine, TombstoneLine, encode_lines
from everdex.snapshot import active
from everdex.snapshot import manifest as manifests
from everdex.snapshot.guard import hold_guard
from everdex.snapshot.lease import Lease, guard_path, preflight
from everdex.snapshot.live import EMPTY, LiveMap, still_buried
from everdex.snapshot.manifest import Counts, DegradedError, Manifest, SegmentRef, TombstoneRef
from everdex.snapshot.state import write_state
from everdex.snapshot.store import Store


class StagedSegment(msgspec.Struct, frozen=True):
    """A complete segment directory in staging and what it holds."""

    directory: Path
    kind: str
    lines: tuple[FileLine, ...]

    @property
    def rows(self) -> int:
        return sum(line.rows for line in self.lines)


class Draft(msgspec.Struct, frozen=True):
    """Everything a new snapshot is made of, on top of its parent."""

    snapshot_id: str
    seq: int
    parent: Manifest | None
    parent_live: LiveMap
    staged: tuple[StagedSegment, ...]
    dropped: frozenset[str]  # segment ids that the staged ones replace (compaction)
    tombstones: tuple[TombstoneLine, ...]
    git: GitState
    ignore_fingerprint: str
    digest: str
    skipped: dict[str, int]
    errors: tuple[DegradedError, ...]


@contextmanager
def staging(lease: Lease) -> Iterator[Path]:
    """The transaction's own directory: made on entry, gone on exit whatever happened."""
    make_directory(lease.staging, lease.store.permissions)
    try:
        yield lease.staging
    finally:
        shutil.rmtree(lease.staging, ignore_errors=True)


def publish(lease: Lease, draft: Draft) -> Manifest:
    """Make the draft the active snapshot. On any failure the previous one stays active and whole."""
    store = lease.store
    lease.require()
    for staged in draft.staged:
        seal_tree(staged.directory, store.permissions)
    references = tuple(_segment_ref(staged, draft) for staged in draft.staged)
    moved: list[Path] = []
    try:
        with hold_guard(guard_path(store), store.permissions) as guard:
            preflight(lease, guard)
            for staged, reference in zip(draft.staged, references, strict=True):
                with storage_errors(store.segments):
                    os.rename(staged.directory, store.path / reference.path)
                moved.append(store.path / reference.path)
            fsync_directory(store.segments)
            snapshot_directory = store.snapshots / draft.snapshot_id
            make_directory(snapshot_directory, store.permissions)
            moved.append(snapshot_directory)
            tombstone = _write_tombstones(store, draft)
            manifest = _assemble(lease, draft, references, tombstone)
            _gate(store, manifest, draft)
            manifest_file = active.manifest_path(store, draft.snapshot_id)
            write_new(manifest_file, manifests.seal(manifest), store.permissions)
            fsync_directory(snapshot_directory)
            fsync_directory(store.snapshots)
            preflight(lease, guard)
            _number(store, manifest, manifest_file)
            # Frozen since the link? Then another writer has built on this snapshot and moved the pointer on.
            preflight(lease, guard)
            activate(store, manifest)
    except BaseException:
        if not _committed(store, draft):
            for path in moved:
                shutil.rmtree(path, ignore_errors=True)
        raise
    return manifest


def _segment_ref(staged: StagedSegment, draft: Draft) -> SegmentRef:
    size, digest = hash_tree(staged.directory)
    return SegmentRef(
        kind=staged.kind,
        ref_type="segment_dir",
        segment_id=staged.directory.name,
        path=f"segments/{staged.directory.name}",
        seq=draft.seq,
        files=len(staged.lines),
        rows=staged.rows,
        live_rows=staged.rows,
        size_bytes=size,
        sha256=digest,
    )


def _write_tombstones(store: Store, draft: Draft) -> TombstoneRef | None:
    lines = draft.tombstones
    if draft.parent is not None and draft.dropped:  # a compaction writes all that are still needed anew
        needed = still_buried(store.path, draft.parent, draft.parent_live, draft.dropped)
        needed.update((line.path_key, line) for line in lines)
        lines = tuple(line for _, line in sorted(needed.items()))
    if not lines:
        return None
    relative = f"snapshots/{draft.snapshot_id}/tombstones.jsonl"
    write_new(store.path / relative, encode_lines(lines), store.permissions)
    size, digest = hash_file(store.path / relative)
    return TombstoneRef("jsonl", relative, draft.seq, len(lines), size, digest)


def _assemble(
    lease: Lease, draft: Draft, staged: Sequence[SegmentRef], tombstone: TombstoneRef | None
) -> Manifest:
    kept = _kept_segments(draft)
    segments = (*kept, *staged)
    oldest = min((segment.seq for segment in segments), default=draft.seq)
    parent_tombstones = draft.parent.tombstones if draft.parent and not draft.dropped else ()
    candidates = (*parent_tombstones, tombstone) if tombstone else parent_tombstones
    # A tombstone that is not younger than any remaining segment has nothing left to bury (IDX.MUST.007).
    tombstones = tuple(item for item in candidates if item.seq > oldest)
    store = lease.store
    files = _file_counts(draft)
    return Manifest(
        schema_version=versions.ARTIFACTS["manifest"].writable,
        chunk_row_schema_version=versions.ARTIFACTS["chunk_row"].writable,
        seq=draft.seq,
        snapshot_id=draft.snapshot_id,
        parent_snapshot_id=draft.parent.snapshot_id if draft.parent else None,
        created_at=clock.rfc3339(),
        canonical_root=store.info.canonical_root,
        store_id=store.store_id,
        config_fingerprint=store.info.config_fingerprint,
        ignore_fingerprint=draft.ignore_fingerprint,
        digest=draft.digest,
        lease_epoch=lease.epoch,
        git=manifests.git_of(draft.git),
        segments=segments,
        tombstones=tombstones,
        counts=Counts(files, sum(segment.live_rows for segment in segments), tombstone.count if tombstone else 0),
        skipped=dict(sorted(draft.skipped.items())),
        degraded=bool(draft.errors),
        errors=draft.errors,
    )


def _removed(draft: Draft) -> set[str]:
    """Paths whose older rows are dead after this publish."""
    removed = {tombstone.path_key for tombstone in draft.tombstones}
    removed.update(line.path_key for staged in draft.staged for line in staged.lines)
    return removed


def _kept_segments(draft: Draft) -> list[SegmentRef]:
    """The parent's segments that still hold something live, with their new live counts."""
    if draft.parent is None:
        return []
    live_rows = list(draft.parent_live.live_rows)
    live_files = list(draft.parent_live.live_files)
    for path_key in _removed(draft):
        file = draft.parent_live.files.get(path_key)
        if file is not None:
            live_rows[file.segment] -= file.line.rows
            live_files[file.segment] -= 1
    return [
        msgspec.structs.replace(segment, live_rows=live_rows[index])
        for index, segment in enumerate(draft.parent.segments)
        if segment.segment_id not in draft.dropped and live_files[index] > 0
    ]


def _file_counts(draft: Draft) -> int:
    removed = _removed(draft)
    kept = sum(
        1 for path_key, file in draft.parent_live.files.items() if path_key not in removed and file.line.skip is None
    )
    return kept + sum(1 for staged in draft.staged for line in staged.lines if line.skip is None)


def _gate(store: Store, manifest: Manifest, draft: Draft) -> None:
    """The integrity gate: nothing inconsistent is ever published."""
    for reference in manifest.artifacts():
        if not (store.path / reference.path).exists():
            raise Corrupt(f"{reference.path} is referenced but missing; nothing was published")
    if draft.parent_live is EMPTY and draft.parent is not None:
        raise InternalError("publish was given no live map for its parent")
    for segment in manifest.segments:
        if not 0 <= segment.live_rows <= segment.rows:
            raise InternalError(f"{segment.segment_id}: {segment.live_rows} live of {segment.rows} rows")


def _number(store: Store, manifest: Manifest, manifest_file: Path) -> None:
    """The commit point."""
    try:
        os.link(manifest_file, active.numbered_path(store, manifest.seq))
    except FileExistsError:
        raise PublishConflict(f"snapshot number {manifest.seq} was taken by another writer") from None
    except FileNotFoundError:
        raise LeaseLost("another writer took over and removed this unpublished snapshot") from None
    except OSError as error:
        raise StorageFailure(f"{store.manifests}: {error.strerror}") from error
    fsync_directory(store.manifests)


def activate(store: Store, manifest: Manifest) -> None:
    """Point readers at a published snapshot."""
    replace_atomically(store.active_path, f"{manifest.snapshot_id}\n".encode(), store.permissions)
    write_state(store, manifest)


def _committed(store: Store, draft: Draft) -> bool:
    number = active.numbered_path(store, draft.seq)
    manifest_file = active.manifest_path(store, draft.snapshot_id)
    return number.exists() and manifest_file.exists() and os.path.samefile(number, manifest_file)
