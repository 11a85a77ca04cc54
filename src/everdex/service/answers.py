"""The envelope around every answer, and the JSON form of results. Field names are stable and versioned.

An answer says who gives it (a snapshot, or the tree itself), how fresh it is and what was left out; its own
fields lie beside the envelope's, so that one document is all a caller needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from everdex import clock, versions
from everdex.roots import Root, everdex_home, store_id

if TYPE_CHECKING:
    from everdex.search.budget import Packed, Snippet
    from everdex.search.model import Hit, LineMatch
    from everdex.snapshot.manifest import Manifest
    from everdex.sync.model import Detected

# STORE asks that a direct read says what it cannot promise.
OFFLINE_WARNING: Final = (
    "offline: the store is read directly, pinned once and protected by locks/readers.lock; where that lock is not "
    "honoured, a read paused for more than 180 s can lose its files to a concurrent gc"
)


class Freshness(msgspec.Struct, frozen=True):
    """How current an answer is: `fresh` was checked against the tree just now."""

    state: str  # fresh, stale, unchecked, pinned
    dirty_count: int | None
    checked_at: str | None
    warnings: tuple[str, ...] = ()  # what the look at the tree could not do as it should


def checked(dirty_count: int, warnings: tuple[str, ...] = ()) -> Freshness:
    return Freshness("stale" if dirty_count else "fresh", dirty_count, clock.rfc3339(), warnings)


def compared(detected: Detected) -> Freshness:
    """How current a snapshot is that was compared with the tree just now."""
    return checked(detected.changes.dirty_count, detected.discovery.warnings)


UNCHECKED = Freshness("unchecked", None, None)
PINNED = Freshness("pinned", None, None)


def of_emptiness(manifest: Manifest, root: Path) -> tuple[str, ...]:
    """The warning that a snapshot has no files: without it an empty answer from the wrong directory looks true."""
    if manifest.counts.files_indexed:
        return ()
    if not manifest.skipped:
        return (f"there is nothing to index in {root}; `everdex files --skipped` lists what is ignored",)
    return (f"no file of {root} is indexed; `everdex files --skipped` says why",)


def of_outer_root(root: Root) -> tuple[str, ...]:
    """The warning that a directory above this root is indexed, too. Without git any directory can be a root."""
    if root.is_git:
        return ()
    known = {path.parent.name.rpartition("-")[0] for path in (everdex_home() / "data").glob("*/ACTIVE_SNAPSHOT")}
    outer = next((parent for parent in root.path.parents if store_id(parent, "").rpartition("-")[0] in known), None)
    return () if outer is None else (f"this speaks of {root.path} only; {outer} around it is indexed, too: ask there",)


class Origin(msgspec.Struct, frozen=True):
    """What an answer speaks of: a snapshot, or (with no snapshot id) the tree as it is on disk."""

    store_id: str
    config_fingerprint: str
    ignore_fingerprint: str | None
    untracked_included: bool
    snapshot_id: str | None = None
    digest: str | None = None
    head_sha: str | None = None
    dirty: bool | None = None
    degraded: bool = False


def origin_of(manifest: Manifest) -> Origin:
    return Origin(
        store_id=manifest.store_id,
        config_fingerprint=manifest.config_fingerprint,
        ignore_fingerprint=manifest.ignore_fingerprint,
        untracked_included=manifest.git.untracked_included,
        snapshot_id=manifest.snapshot_id,
        digest=manifest.digest,
        head_sha=manifest.git.head_sha,
        dirty=manifest.git.dirty,
        degraded=manifest.degraded,
    )


class Answer(msgspec.Struct, frozen=True):
    """One answer: who gives it, how fresh it is, and its own fields in `body`."""

    origin: Origin
    query_fingerprint: str
    freshness: Freshness
    body: Mapping[str, Any]
    limits_hit: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = msgspec.field(default_factory=dict)
    request_id: str = msgspec.field(default_factory=clock.new_ulid)

    def to_dict(self) -> dict[str, Any]:
        origin = self.origin
        return {
            "schema_version": versions.ARTIFACTS["answer"].writable,
            "request_id": self.request_id,
            "store_id": origin.store_id,
            "snapshot_id": origin.snapshot_id,
            "digest": origin.digest,
            "config_fingerprint": origin.config_fingerprint,
            "ignore_fingerprint": origin.ignore_fingerprint,
            "query_fingerprint": self.query_fingerprint,
            "git": {
                "head_sha": origin.head_sha,
                "dirty": origin.dirty,
                "untracked_included": origin.untracked_included,
            },
            "degraded": origin.degraded,
            "freshness": {
                "state": self.freshness.state,
                "dirty_count": self.freshness.dirty_count,
                "checked_at": self.freshness.checked_at,
            },
            "limits_hit": list(self.limits_hit),
            "warnings": [*self.freshness.warnings, *self.warnings],
            "timings_ms": dict(self.timings_ms),
            **self.body,
        }


def of_no_index(body: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a command that speaks of no index: of the home, this machine or an agent's settings."""
    return {
        "schema_version": versions.ARTIFACTS["answer"].writable,
        "request_id": clock.new_ulid(),
        "limits_hit": [],
        "warnings": [],
        "timings_ms": {},
        **body,
    }


def hit_dict(hit: Hit, *, explain: bool) -> dict[str, Any]:
    row = hit.row
    result: dict[str, Any] = {
        "path": row.path_key,
        "start_line": row.start_line,
        "end_line": row.end_line,
        "byte_start": row.byte_start,
        "byte_end": row.byte_end,
        "score": hit.score,
        "symbol": row.symbol or None,
        "symbol_kind": row.symbol_kind or None,
        "breadcrumb": list(row.breadcrumb),
        "named_line": hit.named_line,
        "language": row.language,
        "chunkUid": row.chunk_uid,
        "chunkId": row.range_id,
        "docId": hit.doc_id,
        "segmentId": row.segment_id or None,
        "file_hash": row.file_hash,
        "snippet": row.text,
    }
    if explain:
        result["explain"] = [
            {"feature": item.feature, "value": item.value, "detail": item.detail} for item in hit.contributions
        ]
    return result


def snippet_dict(snippet: Snippet) -> dict[str, Any]:
    return {
        "path": snippet.path_key,
        "start_line": snippet.start_line,
        "end_line": snippet.end_line,
        "byte_start": snippet.byte_start,
        "byte_end": snippet.byte_end,
        "score": snippet.score,
        "symbol": snippet.symbol or None,
        "breadcrumb": list(snippet.breadcrumb),
        "language": snippet.language,
        "chunkUids": list(snippet.chunk_uids),
        "part_of": snippet.part_of,
        "tokens": snippet.tokens,
        "snippet": snippet.text,
    }


def budget_dict(packed: Packed) -> dict[str, Any]:
    """What a budget bought and what it left out."""
    return {
        "tokens": packed.budget,
        "used": packed.used,
        "left_out": [
            {"path": hit.row.path_key, "start_line": hit.row.start_line, "symbol": hit.row.symbol or None}
            for hit in packed.left_out
        ],
    }


def match_dict(match: LineMatch) -> dict[str, Any]:
    return {
        "path": match.path_key,
        "start_line": match.line,
        "end_line": match.line,
        "column": match.column,
        "byte_start": match.byte_start,
        "byte_end": match.byte_end,
        "score": 1.0,
        "snippet": match.text,
    }


def results(hits: Sequence[Hit], matches: Sequence[LineMatch], *, explain: bool) -> list[dict[str, Any]]:
    return [hit_dict(hit, explain=explain) for hit in hits] + [match_dict(match) for match in matches]
