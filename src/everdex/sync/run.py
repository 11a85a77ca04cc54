"""One sync: see what changed, index it, publish. Nothing is visible before everything is durable.

Looking needs no lease, so a tree without changes costs no write. With changes the lease is taken, the
comparison is repeated if another writer published meanwhile, and a lost lease aborts cleanly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from msgspec.structs import replace

from everdex import clock, limits
from everdex.changes.model import ChangeSet
from everdex.config import Config
from everdex.errors import Busy, DegradedRefused, LimitExceeded, PathCollision
from everdex.identity.merkle import snapshot_digest
from everdex.roots import Root
from everdex.segment.files import FileLine, TombstoneLine
from everdex.snapshot import log
from everdex.snapshot.lease import Lease, hold_lease
from everdex.snapshot.live import LiveFile, LiveMap
from everdex.snapshot.manifest import DegradedError, Manifest
from everdex.snapshot.publish import Draft, publish, staging
from everdex.snapshot.recover import Base, begin
from everdex.snapshot.retention import collect
from everdex.snapshot.store import Store
from everdex.sync import glance, touched
from everdex.sync.look import Look, pinned_or_none
from everdex.sync.model import Indexed, SyncOptions, SyncReport
from everdex.sync.timing import Timings
from everdex.wording import plural


def sync(root: Root, config: Config, store: Store, options: SyncOptions) -> SyncReport:
    """Bring the store up to date with the tree; publishes only when something differs."""
    timings = Timings()
    options.progress("scan", 0, 0)
    base = pinned_or_none(store)
    found: glance.Narrow | None = None
    if base is not None and not options.rebuild and not options.always_rehash:
        glanced = glance.look(root, config, store, base)
        timings.mark("detect")
        if isinstance(glanced, glance.Stands):
            return SyncReport(
                base, published=False, unchanged=glanced.files, timings_ms=timings.as_dict(), proof=glanced.proof
            )
        found = glanced
    seen = found.seen if found is not None else Look(root, config, store, base, options)
    timings.mark("detect")
    _remember_touched(store, seen)
    if seen.nothing_to_do and not options.rebuild:
        assert seen.base is not None
        if found is not None:
            glance.renew(store, seen.base, found)
        else:
            glance.remember(root, config, store, seen)
        return _report(seen, seen.base, published=False, timings=timings)
    with hold_lease(store) as lease:
        begun = begin(lease)
        if (begun.manifest and begun.manifest.snapshot_id) != (seen.base and seen.base.snapshot_id):
            seen = Look(root, config, store, begun.manifest, options)
            if seen.nothing_to_do and not options.rebuild:
                assert seen.base is not None
                return _report(seen, seen.base, published=False, timings=timings)
        _refuse_collisions(seen, options)
        manifest, reused = _index_and_publish(root, config, lease, begun, seen, options, timings)
        compacted = _compacted(lease, manifest, timings) if options.auto_compact else None
        if compacted is not None:
            _collect(lease)
        log.append(
            store, "publish", snapshot_id=manifest.snapshot_id, seq=manifest.seq, lease_epoch=lease.epoch,
            files=manifest.counts.files_indexed, chunks=manifest.counts.chunks_indexed,
            degraded=manifest.degraded, compacted=compacted is not None, ms=round(timings.total_ms()),
        )  # fmt: skip
    if found is not None and seen is found.seen:
        glance.renew(store, compacted or manifest, found)
    report = _report(seen, compacted or manifest, published=True, timings=timings, compacted=compacted is not None)
    return replace(report, reused=reused)


def sync_onto(root: Root, config: Config, lease: Lease, base: Base, options: SyncOptions) -> SyncReport:
    """Publish the tree on top of a base that the caller vouches for, even when nothing differs: repair's way."""
    timings = Timings()
    seen = Look(root, config, lease.store, base.manifest, options)
    timings.mark("detect")
    _refuse_collisions(seen, options)
    manifest, _ = _index_and_publish(root, config, lease, base, seen, options, timings)
    return _report(seen, manifest, published=True, timings=timings)


def _collect(lease: Lease) -> None:
    """Let go of what retention no longer wants, if nobody is reading; otherwise the next compaction will."""
    with suppress(Busy):
        collect(lease)


def _compacted(lease: Lease, manifest: Manifest, timings: Timings) -> Manifest | None:
    from everdex.sync.compact import compact_if_due

    return compact_if_due(lease, manifest, timings)


def _check_size(total: int, files: int, config: Config, options: SyncOptions) -> None:
    most, name = config.index.max_bytes_per_sync, "index.max_bytes_per_sync"
    if options.large:
        most, name = limits.MAX_BYTES_PER_LARGE_SYNC, "with --large"
    if total <= most:
        return
    hint = LimitExceeded.default_hint
    if total <= limits.MAX_BYTES_PER_LARGE_SYNC:
        hint += ", or index all of it with `everdex index --large`"
    todo = f"{total:,} bytes in {files:,} files are to be indexed"
    raise LimitExceeded(f"{todo}; the limit is {most:,} ({name})", hint=hint)


def _index_and_publish(
    root: Root, config: Config, lease: Lease, base: Base, seen: Look, options: SyncOptions, timings: Timings
) -> tuple[Manifest, int]:
    """The new snapshot, and how many of its files another worktree had indexed."""
    store = lease.store
    todo = seen.changes.to_index
    _check_size(sum(candidate.stat.size for candidate in todo), len(todo), config, options)
    snapshot_id = clock.new_ulid()
    with staging(lease):
        indexed = _indexed(root, config, lease, snapshot_id, seen, options)
        lines, errors = indexed.lines, indexed.errors
        timings.mark("index")
        if errors and not options.allow_degraded:
            first = errors[0]
            raise DegradedRefused(
                f"{plural(len(errors), 'eligible file')} could not be indexed; first: {first.path_key}: {first.message}"
            )
        lease.require()
        tombstones = _tombstones(seen.changes, lines, errors, indexed.vanished, seen.live)
        live_lines = _live_lines(seen.live, tombstones, lines)
        skipped = Counter(seen.left_out)
        skipped.update(line.skip for line in live_lines.values() if line.skip)
        draft = Draft(
            snapshot_id=snapshot_id,
            seq=base.next_seq,
            parent=base.manifest,
            parent_live=seen.live,
            staged=indexed.staged,
            dropped=frozenset(),
            tombstones=tombstones,
            git=seen.git,
            ignore_fingerprint=seen.discovery.ignore_fingerprint,
            digest=snapshot_digest(
                ((path_key, bytes.fromhex(line.leaf)) for path_key, line in live_lines.items()),
                store.info.config_fingerprint,
            ),
            skipped=dict(skipped),
            errors=(*errors, *seen.collisions),
        )
        options.progress("publish", 0, 0)
        manifest = publish(lease, draft)
    timings.mark("publish")
    return manifest, indexed.reused


def _indexed(
    root: Root, config: Config, lease: Lease, snapshot_id: str, seen: Look, options: SyncOptions
) -> Indexed:
    todo = seen.changes.to_index
    if not todo:
        return Indexed()
    # Here, so that a sync that finds nothing to index never pays for numpy and the grammars.
    from everdex.sync.write import write_segments

    return write_segments(root, config, lease, snapshot_id, todo, _dying(lease.store, seen), options)


def _dying(store: Store, seen: Look) -> list[tuple[Path, LiveFile]]:
    """Files of the base whose rows this sync replaces or removes, with the directories of their segments."""
    changes = seen.changes
    paths = {candidate.path_key for candidate in changes.to_index} | set(changes.delete)
    paths |= {old for old, _ in changes.rename}
    found = [seen.live.files[path_key] for path_key in sorted(paths & seen.live.files.keys())]
    return [(store.segments / seen.live.segments[file.segment], file) for file in found]


def _tombstones(
    changes: ChangeSet,
    lines: Iterable[FileLine],
    errors: Iterable[DegradedError],
    vanished: Iterable[str],
    live: LiveMap,
) -> tuple[TombstoneLine, ...]:
    """Deleted, renamed and replaced files; also files that failed or vanished, whose old rows must not answer."""
    reasons: dict[str, str] = {}
    for line in lines:
        reasons[line.path_key] = "replace"
    for error in errors:
        reasons[error.path_key] = "replace"
    for path_key in (*changes.delete, *vanished):
        reasons[path_key] = "delete"
    for old, _ in changes.rename:
        # The old path may be taken by another file in the same sync.
        reasons.setdefault(old, "rename_from")
    return tuple(
        TombstoneLine(path_key, reason)  # type: ignore[arg-type]
        for path_key, reason in sorted(reasons.items())
        if path_key in live.files
    )


def _live_lines(
    live: LiveMap, tombstones: Iterable[TombstoneLine], lines: Iterable[FileLine]
) -> dict[str, FileLine]:
    """path_key -> line of every file of the new snapshot."""
    kept = {path_key: file.line for path_key, file in live.files.items()}
    for tombstone in tombstones:
        del kept[tombstone.path_key]
    for line in lines:
        kept[line.path_key] = line
    return kept


def _refuse_collisions(seen: Look, options: SyncOptions) -> None:
    """What the last snapshot was allowed to have is not asked about again: otherwise no edit would ever be indexed."""
    allowed = seen.base.errors if seen.base is not None else ()
    new = [error for error in seen.collisions if error not in allowed]
    if new and not options.allow_degraded:
        raise PathCollision(new[0].message)


def _remember_touched(store: Store, seen: Look) -> None:
    if not seen.changes.touched:
        return
    stats = {file.path_key: file.stat for file in seen.discovery.files}
    touched.remember(
        store, seen.live.files, {path_key: stats[path_key] for path_key in seen.changes.touched}, seen.observed_ns
    )


def _report(
    seen: Look, manifest: Manifest, *, published: bool, timings: Timings, compacted: bool = False
) -> SyncReport:
    changes = seen.changes
    return SyncReport(
        manifest=manifest,
        published=published,
        added=len(changes.add),
        modified=len(changes.modify),
        deleted=len(changes.delete),
        renamed=len(changes.rename),
        touched=len(changes.touched),
        unchanged=changes.unchanged,
        compacted=compacted,
        timings_ms=timings.as_dict(),
        warnings=seen.discovery.warnings,
    )
