"""Looking after a store on a user's word: garbage collection and compaction, as answers.

Part of the façade's room. Whatever deletes or rewrites takes the writer lease; what is only asked takes nothing.
"""

from __future__ import annotations

from everdex import answers
from everdex.answers import Answer
from everdex.errors import NotIndexed
from everdex.service import Index
from everdex.snapshot import active, log, retention
from everdex.snapshot.lease import hold_lease
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.publish import begin
from everdex.snapshot.retention import GcPlan

_WAIT_FOR_READERS_MS = 5_000


def gc(index: Index, *, apply: bool) -> Answer:
    """What may be deleted from the index's store; with `apply`, deleted."""
    store = index.store()
    if apply:
        with hold_lease(store) as lease:
            begin(lease)
            done = retention.collect(lease, wait_ms=_WAIT_FOR_READERS_MS)
            log.append(
                store, "gc", snapshots=len(done.snapshots), segments=len(done.segments), bytes=done.bytes_freed
            )
    else:
        done = retention.plan(store)
    return _answer(index, active.pin(store).manifest, {"applied": apply, **_plan(done)})


def compact(index: Index, *, force: bool) -> Answer:
    """Merge segments when it is due; with `force`, merge all of them now."""
    from everdex.sync.compact import compact as compact_segments
    from everdex.sync.compact import compact_if_due
    from everdex.sync.timing import Timings

    store = index.store()
    timings = Timings()
    with hold_lease(store) as lease:
        before = begin(lease).manifest
        if before is None:
            raise NotIndexed(f"{index.root.path} has no published snapshot yet")
        after = before
        if not force:
            after = compact_if_due(lease, before, timings) or before
        elif len(before.segments) > 1 or before.tombstones:
            after = compact_segments(lease, before, frozenset(item.segment_id for item in before.segments))
        if after is not before:
            log.append(store, "compact", snapshot_id=after.snapshot_id, seq=after.seq, lease_epoch=lease.epoch)
    body = {
        "compacted": after is not before,
        "segments_before": len(before.segments),
        "segments_after": len(after.segments),
        "tombstones_before": sum(item.count for item in before.tombstones),
        "tombstones_after": sum(item.count for item in after.tombstones),
    }
    return _answer(index, after, body, timings_ms={"total": round(timings.total_ms(), 1)})


def _plan(plan: GcPlan) -> dict[str, object]:
    return {
        "retained": list(plan.retained),
        "snapshots": list(plan.snapshots),
        "segments": list(plan.segments),
        "staging": list(plan.staging),
        "bytes": plan.bytes_freed,
    }


def _answer(
    index: Index, manifest: Manifest, body: dict[str, object], timings_ms: dict[str, float] | None = None
) -> Answer:
    return Answer(
        answers.origin_of(manifest), index.query_fingerprint, answers.UNCHECKED, body, timings_ms=timings_ms or {}
    )
