"""Compaction: copy what is live in several segments into a new one (or as few as hold it) and publish that.

Rows, vectors and postings are copied, not computed again, so answers do not change. The new segments are
the newest and hold only live files; publishing them puts the tombstones that still bury something into one file, so
that they do not grow with every publish.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Final

from everdex import clock, limits
from everdex.changes.model import GitState
from everdex.errors import PublishConflict
from everdex.segment.read import SegmentReader
from everdex.segment.write import SegmentsWriter
from everdex.snapshot import active, integrity
from everdex.snapshot.lease import Lease
from everdex.snapshot.live import LiveMap, live_map
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.publish import Draft, StagedSegment, publish, staging
from everdex.sync.timing import Timings

# Merging the small ones early keeps a query's work per segment low and the cost of an edit bounded.
_SMALL_SEGMENTS_DUE: Final = 16
_TOMBSTONE_FILES_DUE: Final = 48  # deleting writes no segment
_SMALL_SHARE: Final = 4  # a small segment holds less than a quarter of all rows


def compact_if_due(lease: Lease, manifest: Manifest, timings: Timings) -> Manifest | None:
    """Merge small segments when there are many; everything when the hard limits come near."""
    segments = manifest.segments
    # Two that are at least half full do not become one.
    mergeable = [segment for segment in segments if segment.live_rows * 2 < limits.SEGMENT_ROWS]
    tombstones = sum(item.count for item in manifest.tombstones)
    if tombstones >= limits.COMPACTION_OVERDUE_TOMBSTONES:
        chosen = frozenset(segment.segment_id for segment in segments)
    elif len(segments) >= limits.COMPACTION_OVERDUE_SEGMENTS and len(mergeable) > 1:
        chosen = frozenset(segment.segment_id for segment in mergeable)
    else:
        total = sum(segment.rows for segment in segments)
        small = [segment for segment in mergeable if segment.rows * _SMALL_SHARE < total]
        if len(small) < _SMALL_SEGMENTS_DUE and len(manifest.tombstones) < _TOMBSTONE_FILES_DUE:
            return None
        chosen = frozenset(segment.segment_id for segment in small or [min(segments, key=lambda each: each.rows)])
    compacted = compact(lease, manifest, chosen)
    timings.mark("compact")
    return compacted


def compact(lease: Lease, manifest: Manifest, chosen: frozenset[str]) -> Manifest:
    """Replace the chosen segments of the active snapshot by one that holds their live files."""
    store = lease.store
    integrity.verify(store, manifest)
    live = live_map(store.path, manifest)
    snapshot_id = clock.new_ulid()
    with staging(lease):
        staged = _copy(lease, manifest, live, chosen, snapshot_id)
        lease.require()
        current = active.pin(store).manifest
        if current.snapshot_id != manifest.snapshot_id:
            raise PublishConflict("another snapshot was published during compaction")
        draft = Draft(
            snapshot_id=snapshot_id,
            seq=active.published(store)[0][0] + 1,
            parent=manifest,
            parent_live=live,
            staged=staged,
            dropped=chosen,
            tombstones=(),
            git=GitState(manifest.git.head_sha, manifest.git.dirty, manifest.git.untracked_included),
            ignore_fingerprint=manifest.ignore_fingerprint,
            digest=manifest.digest,
            skipped=manifest.skipped,
            errors=manifest.errors,
        )
        return publish(lease, draft)


def _copy(
    lease: Lease, manifest: Manifest, live: LiveMap, chosen: frozenset[str], snapshot_id: str
) -> tuple[StagedSegment, ...]:
    by_segment: dict[int, list[str]] = {}
    for path_key, file in live.files.items():
        by_segment.setdefault(file.segment, []).append(path_key)
    writer: SegmentsWriter | None = None
    with ExitStack() as stack:
        for index, reference in enumerate(manifest.segments):
            if reference.segment_id not in chosen:
                continue
            lease.require()
            reader = SegmentReader(lease.store.path / reference.path)
            stack.callback(reader.close)
            if writer is None:
                writer = stack.enter_context(
                    SegmentsWriter(lease.staging, f"seg_{snapshot_id}", reader.vectors.dim)
                )
            files = sorted((live.files[path_key] for path_key in by_segment.get(index, ())), key=lambda f: f.first_row)
            writer.copy(reader, [(file.line, file.file_no, file.first_row) for file in files])
        if writer is None:
            raise PublishConflict("the segments to compact are gone")
        return tuple(StagedSegment(directory, "compacted", lines) for directory, lines in writer.close())
