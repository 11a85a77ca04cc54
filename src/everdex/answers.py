"""The envelope around every answer, and the JSON form of results. Field names are stable and versioned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from everdex import clock, versions
from everdex.search.model import Hit, LineMatch
from everdex.snapshot.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Freshness:
    """How current an answer is: `fresh` was checked against the tree just now."""

    state: str  # fresh, stale, unchecked, pinned
    dirty_count: int | None
    checked_at: str | None


def checked(dirty_count: int) -> Freshness:
    return Freshness("stale" if dirty_count else "fresh", dirty_count, clock.rfc3339())


UNCHECKED = Freshness("unchecked", None, None)
PINNED = Freshness("pinned", None, None)


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer: who gives it (snapshot), how fresh it is, and its own fields in `body`."""

    manifest: Manifest
    query_fingerprint: str
    freshness: Freshness
    body: Mapping[str, Any]
    limits_hit: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    request_id: str = field(default_factory=clock.new_ulid)

    def to_dict(self) -> dict[str, Any]:
        manifest = self.manifest
        return {
            "schema_version": versions.ARTIFACTS["answer"].writable,
            "request_id": self.request_id,
            "store_id": manifest.store_id,
            "snapshot_id": manifest.snapshot_id,
            "digest": manifest.digest,
            "config_fingerprint": manifest.config_fingerprint,
            "ignore_fingerprint": manifest.ignore_fingerprint,
            "query_fingerprint": self.query_fingerprint,
            "git": {
                "head_sha": manifest.git.head_sha,
                "dirty": manifest.git.dirty,
                "untracked_included": manifest.git.untracked_included,
            },
            "degraded": manifest.degraded,
            "freshness": {
                "state": self.freshness.state,
                "dirty_count": self.freshness.dirty_count,
                "checked_at": self.freshness.checked_at,
            },
            "limits_hit": list(self.limits_hit),
            "warnings": list(self.warnings),
            "timings_ms": dict(self.timings_ms),
            **self.body,
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
