"""The bodies of answers that need no search: what a sync did or would do, files, one path, the store's state.

Takes what the service read, gives plain JSON values. Imports neither numpy nor a grammar, because `files`, `explain`
and `status` are asked often and must start at once.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec

from everdex import limits
from everdex.canvas.board.file import read_board
from everdex.changes import content_skip, read_stable
from everdex.changes.model import ChangeSet, ReadError
from everdex.config import Config
from everdex.discover.model import Candidate, Discovery, Skip, SkipReason
from everdex.errors import EverdexError
from everdex.graph.making import refreshed
from everdex.languages import language_in, language_of, role_of
from everdex.roots import Root
from everdex.snapshot import active
from everdex.snapshot import manifest as manifests
from everdex.snapshot.lease import holder
from everdex.snapshot.live import LiveMap
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.store import Store
from everdex.snapshot.trees import tree_size
from everdex.sync.model import Detected, SyncReport

if TYPE_CHECKING:
    from everdex.segment.model import ChunkRow
    from everdex.view import SnapshotView


def sync_body(root: Root, report: SyncReport) -> dict[str, Any]:
    manifest = report.manifest
    return {
        "canonical_root": os.fspath(root.path),
        "published": report.published,
        "compacted": report.compacted,
        "reused": report.reused,
        "changes": {
            "added": report.added,
            "modified": report.modified,
            "deleted": report.deleted,
            "renamed": report.renamed,
            "touched": report.touched,
            "unchanged": report.unchanged,
        },
        "seq": manifest.seq,
        "counts": _counts(manifest),
        "segments": len(manifest.segments),
        "skipped": dict(manifest.skipped),
        "errors": _errors(manifest),
    }


def plan_body(root: Root, config: Config, detected: Detected) -> dict[str, Any]:
    changes = detected.changes
    todo = changes.to_index
    size = sum(candidate.stat.size for candidate in todo)
    return {
        "canonical_root": os.fspath(root.path),
        "dry_run": True,
        "base_snapshot_id": detected.base.snapshot_id if detected.base else None,
        "add": [candidate.path_key for candidate in changes.add],
        "modify": [candidate.path_key for candidate in changes.modify],
        "delete": list(changes.delete),
        "rename": [{"from": old, "to": new.path_key} for old, new in changes.rename],
        "unchanged": changes.unchanged,
        "eligible": len(detected.discovery.files),
        "bytes_to_index": size,
        "bytes_limit": config.index.max_bytes_per_sync,
        "skipped": _by_reason(detected.discovery.skipped),
        "collisions": _collisions(detected.discovery),
    }


def tree_files(root: Root, config: Config, found: Discovery, live: LiveMap | None, *, skipped: bool) -> dict[str, Any]:
    files: list[dict[str, Any]] = []
    by_content: list[Skip] = []
    for candidate in found.files:
        judged, _ = _judged(root, config, candidate, live)
        if isinstance(judged, Skip):
            by_content.append(judged)
        else:
            files.append(judged)
    every_skip = sorted([*found.skipped, *by_content], key=lambda skip: skip.path_key)
    body: dict[str, Any] = {
        "canonical_root": os.fspath(root.path),
        "source": found.source,
        "files": files,
        "omitted": 0,
        "cursor": None,
        "skipped_by_reason": _by_reason(every_skip),
        "collisions": _collisions(found),
    }
    if skipped:
        body["skipped"] = [_skip(item) for item in every_skip]
    return body


def snapshot_files(root: Root, manifest: Manifest, live: LiveMap | None, *, skipped: bool) -> dict[str, Any]:
    lines = [file.line for _, file in sorted(live.files.items())] if live else []
    body: dict[str, Any] = {
        "canonical_root": os.fspath(root.path),
        "source": "snapshot",
        "files": [
            {**_about(line.path_key, line.size, line.language), "content_hash": line.content_hash, "chunks": line.rows}
            for line in lines
            if line.skip is None
        ],
        "omitted": 0,
        "cursor": None,
        # A snapshot keeps the names of files it read and the numbers of everything else that was out.
        "skipped_by_reason": dict(manifest.skipped),
        "collisions": [],
    }
    if skipped:
        body["skipped"] = [
            {"path": line.path_key, "reason": line.skip, "detail": ""} for line in lines if line.skip is not None
        ]
    return body


def chunk_map(view: SnapshotView, *, meta: bool, offset: int = 0, count: int | None = None) -> list[dict[str, Any]]:
    """Exactly one entry a docId, ascending; with `meta` also what its names were made from (metaV2)."""
    end = view.doc_count if count is None else min(view.doc_count, offset + count)
    entries = []
    # Only the files that the page touches are read.
    for place in range(bisect_right(view.file_offsets, offset) - 1, len(view.paths)):
        if view.file_offsets[place] >= end:
            break
        path_key = view.paths[place]
        for document in view.documents_of(path_key):
            if not offset <= document.doc_id < end:
                continue
            row = document.row
            entry: dict[str, Any] = {
                "docId": document.doc_id,
                "chunkUid": row.chunk_uid,
                "chunkId": row.range_id,
                "file": path_key,
                "segmentId": row.segment_id or None,
                "start": row.byte_start,
                "end": row.byte_end,
            }
            if meta:
                entry["metaV2"] = _meta_v2(row)
                entry["rowId"], entry["contentId"] = row.row_id, row.chunk_id
            entries.append(entry)
    return entries


def _meta_v2(row: ChunkRow) -> dict[str, Any]:
    from everdex.identity.chunks import UID_ALGO_VERSION  # only an export needs it

    meta = {
        "chunkId": row.range_id,
        "chunkUid": row.chunk_uid,
        "chunkUidAlgoVersion": UID_ALGO_VERSION,
        "spanHash": f"xxh64:{row.span_hash}",
        "preHash": f"xxh64:{row.pre_hash}",
        "postHash": f"xxh64:{row.post_hash}",
    }
    return {**meta, "collisionOf": row.collision_of} if row.collision_of else meta


def explain_body(root: Root, config: Config, found: Skip | Candidate, live: LiveMap | None) -> dict[str, Any]:
    judged, content = (found, None) if isinstance(found, Skip) else _judged(root, config, found, live)
    body: dict[str, Any] = {"eligible": not isinstance(judged, Skip)}
    body.update(_skip(judged) if isinstance(judged, Skip) else {**judged, "reason": None, "detail": ""})
    known = live.files.get(found.path_key) if live else None
    body["indexed"] = None
    if live is not None and known is not None:
        body["indexed"] = {
            "content_hash": known.line.content_hash,
            "size": known.line.size,
            "chunks": known.line.rows,
            "skip": known.line.skip,
            "segment_id": live.segments[known.segment],
            "same_content": content == known.line.content_hash,
        }
    return body


def status_body(
    root: Root, config: Config, store: Store, manifest: Manifest, changes: ChangeSet | None
) -> dict[str, Any]:
    history = _history(store)
    return {
        "canonical_root": os.fspath(root.path),
        "store_path": os.fspath(store.path),
        "shared": store.info.shared,
        "active_snapshot_id": active.read_pointer(store),
        "seq": manifest.seq,
        "created_at": manifest.created_at,
        "counts": _counts(manifest),
        "segments": len(manifest.segments),
        "tombstones": sum(item.count for item in manifest.tombstones),
        "retained_snapshots": len(history),
        "snapshots": history,
        "size_bytes": tree_size(store.path),
        "writer": _writer(store),
        "pending": None if changes is None else _pending(changes),
        "refresh_summary": _refreshed(store, changes),
        "skipped": dict(manifest.skipped),
        "errors": _errors(manifest),
        "board": _board(store),
        "embedder": config.index.embedder,
        "limits": {
            "max_file_size_bytes": config.index.max_file_size_bytes,
            "max_chunks_per_file": config.index.max_chunks_per_file,
            "max_bytes_per_sync": config.index.max_bytes_per_sync,
            "max_files": limits.MAX_FILES,
            "max_segments_per_snapshot": limits.MAX_SEGMENTS_PER_SNAPSHOT,
            "max_tombstones_per_snapshot": limits.MAX_TOMBSTONES_PER_SNAPSHOT,
            "retain_snapshots_min": limits.RETAIN_SNAPSHOTS_MIN,
        },
        "daemon": None,  # a daemon that answers puts its own state here
    }


def _history(store: Store) -> list[dict[str, Any]]:
    """Every retained snapshot, newest first; one that cannot be read is listed as such, not left out."""
    found: list[dict[str, Any]] = []
    for seq, path in active.published(store):
        try:
            manifest = manifests.read(path)
        except EverdexError as error:
            if path.exists():  # or it was collected just now
                found.append({"seq": seq, "snapshot_id": None, "created_at": None, "error": error.code})
            continue
        found.append(
            {"seq": seq, "snapshot_id": manifest.snapshot_id, "created_at": manifest.created_at, "error": None}
        )
    return found


def _writer(store: Store) -> dict[str, Any] | None:
    """Who holds the writer lease now; None when nobody does."""
    lease = holder(store)
    if lease is None:
        return None
    return {
        "pid": lease.pid,
        "hostname": lease.hostname,
        "started_at": lease.started_at,
        "last_heartbeat_at": lease.last_heartbeat_at,
        "lease_epoch": lease.lease_epoch,
    }


def _refreshed(store: Store, changes: ChangeSet | None) -> dict[str, Any] | None:
    """What the last making of a graph did; None while none was made."""
    found = refreshed.read(store)
    if found is None:
        return None
    dirty = None if changes is None else changes.dirty_count
    return {"dirty_files_count": dirty, **msgspec.to_builtins(found)}


def _board(store: Store) -> dict[str, Any]:
    """How much is on the evidence board; of one that cannot be read, why."""
    try:
        return {**read_board(store).counts(), "error": None}
    except EverdexError as error:
        return {"error": error.code}


def _pending(changes: ChangeSet) -> dict[str, int]:
    return {
        "add": len(changes.add),
        "modify": len(changes.modify),
        "delete": len(changes.delete),
        "rename": len(changes.rename),
    }


def _counts(manifest: Manifest) -> dict[str, int]:
    return {
        "files_indexed": manifest.counts.files_indexed,
        "chunks_indexed": manifest.counts.chunks_indexed,
        "tombstones_added": manifest.counts.tombstones_added,
    }


def _errors(manifest: Manifest) -> list[dict[str, str]]:
    return [{"code": item.code, "path": item.path_key, "message": item.message} for item in manifest.errors]


def _by_reason(skips: Iterable[Skip]) -> dict[str, int]:
    return dict(sorted(Counter(str(skip.reason) for skip in skips).items()))


def _collisions(found: Discovery) -> list[dict[str, Any]]:
    return [{"key": item.key, "paths": list(item.paths)} for item in found.collisions]


def _about(path_key: str, size: int, language: str | None) -> dict[str, Any]:
    return {"path": path_key, "size": size, "language": language or language_of(path_key), "role": role_of(path_key)}


def _skip(skip: Skip) -> dict[str, Any]:
    return {"path": skip.path_key, "reason": str(skip.reason), "detail": skip.detail}


def _judged(
    root: Root, config: Config, candidate: Candidate, live: LiveMap | None
) -> tuple[Skip | dict[str, Any], str | None]:
    """A candidate, or why its bytes keep it out, and the hash of what it holds (None: it could not be read).

    The snapshot is asked first, so an indexed file that was not touched is not read again.
    """
    key, size = candidate.path_key, candidate.stat.size
    known = live.files.get(key) if live else None
    if known is not None and known.line.indexed_file().stat == candidate.stat:
        line = known.line
        told = _about(key, size, line.language) if line.skip is None else Skip(key, SkipReason(line.skip))
        return told, line.content_hash
    try:
        source = read_stable(root, candidate, max_bytes=config.index.max_file_size_bytes)
    except ReadError as error:
        return Skip(key, SkipReason.UNREADABLE, error.detail), None
    data, content = (source.data, source.content_hash) if source is not None else (b"", None)
    reason = content_skip(data)
    return (_about(key, size, language_in(key, data)) if reason is None else Skip(key, reason)), content
