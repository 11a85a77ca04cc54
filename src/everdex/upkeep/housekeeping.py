"""Compaction and collection when somebody asks for them, instead of when they are due.

Both take the writer lease, or raise `Busy`; looking at what would be collected needs no lease. Collection works on a
disk that is full: that is how somebody gets room again.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from everdex import limits
from everdex.durable import is_full
from everdex.errors import StorageFailure
from everdex.snapshot import log, retention
from everdex.snapshot.guard import hold_shared
from everdex.snapshot.lease import Lease, hold_lease
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.recover import begin
from everdex.snapshot.store import Store
from everdex.sync.compact import compact, compact_if_due
from everdex.sync.timing import Timings
from everdex.upkeep import facts


@dataclass(frozen=True, slots=True)
class CompactReport:
    compacted: bool
    snapshot_id: str | None
    segments_before: int
    segments_after: int
    tombstones_before: int
    tombstones_after: int

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class GcReport:
    dry_run: bool
    retained: tuple[str, ...]
    snapshots: tuple[str, ...]  # deleted; in a dry run: what would be
    segments: tuple[str, ...]
    staging: tuple[str, ...]
    graphs: tuple[str, ...]
    semantic: tuple[str, ...]  # facts about bytes that no retained snapshot has
    pictures: tuple[str, ...]
    bytes_freed: int

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def compact_now(store: Store, *, force: bool = False) -> CompactReport:
    """Compact when due; with `force`, whenever it would change anything."""
    with hold_lease(store) as lease:
        before = begin(lease).manifest
        if before is None:
            return CompactReport(False, None, 0, 0, 0, 0)
        if not force:
            after = compact_if_due(lease, before, Timings())
        elif _compact_already(before):
            after = None
        else:
            after = compact(lease, before, frozenset(segment.segment_id for segment in before.segments))
        if after is not None:
            log.append(store, "compact", snapshot_id=after.snapshot_id, seq=after.seq, lease_epoch=lease.epoch)
    last = after or before
    return CompactReport(
        after is not None, last.snapshot_id, len(before.segments), len(last.segments), _buried(before), _buried(last)
    )


def _compact_already(manifest: Manifest) -> bool:
    clean = all(segment.live_rows == segment.rows for segment in manifest.segments)
    open_to_more = [segment for segment in manifest.segments if segment.rows * 2 < limits.SEGMENT_ROWS]
    return len(open_to_more) <= 1 and clean and not manifest.tombstones


def _buried(manifest: Manifest) -> int:
    return sum(item.count for item in manifest.tombstones)


def gc_now(store: Store, *, dry_run: bool = True, keep: int = limits.RETAIN_SNAPSHOTS_MIN) -> GcReport:
    """Delete snapshots past retention and what only they refer to; `Busy` while someone writes or reads."""
    if dry_run:
        with hold_shared(store.readers_lock, store.permissions):  # nobody collects meanwhile
            plan = retention.plan(store, keep=keep)
            doomed = facts.orphans(store, plan.retained)
            freed = facts.size(store, doomed)
    else:
        with hold_lease(store) as lease:
            begun = _has_begun(lease)
            plan = retention.collect(lease, keep=keep, wait_ms=limits.GUARD_WAIT_MS)
            if not begun:
                begin(lease)
            doomed, freed = facts.collect(store, plan.retained)
            log.append(
                store, "gc", snapshots=len(plan.snapshots), segments=len(plan.segments), bytes=plan.bytes_freed,
                lease_epoch=lease.epoch,
            )  # fmt: skip
    return GcReport(
        dry_run, plan.retained, plan.snapshots, plan.segments, (*plan.staging, *plan.scratch), plan.graphs,
        doomed, plan.pictures, plan.bytes_freed + freed,
    )  # fmt: skip


def _has_begun(lease: Lease) -> bool:
    """Whether what a crash left behind was mended; False when the disk has no room for that before something goes.

    Then the pointer is behind the newest number. Collection keeps both.
    """
    try:
        begin(lease)
    except StorageFailure as failure:
        if not is_full(failure):
            raise
        return False
    return True
