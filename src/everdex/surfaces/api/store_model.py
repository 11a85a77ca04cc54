"""What the Python API says of the store itself: its state and health, and what keeping it up to date or in order did.

As in `model`, the fields are those of the command line's --json. Knows nothing of what is found in an index.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct, field

from everdex.surfaces.api.model import Answer


class Counts(Struct, frozen=True):
    files_indexed: int
    chunks_indexed: int


class Problem(Struct, frozen=True):
    """An eligible file that could not be indexed."""

    code: str
    path: str
    message: str


class StatusAnswer(Answer, frozen=True, kw_only=True):
    canonical_root: str
    store_path: str
    shared: bool
    seq: int
    created_at: str
    counts: Counts
    segments: int
    tombstones: int
    retained_snapshots: int
    size_bytes: int
    embedder: str
    pending: dict[str, int] | None
    refresh_summary: dict[str, Any] | None
    skipped: dict[str, int]
    errors: tuple[Problem, ...]
    board: dict[str, Any]
    daemon: dict[str, Any] | None


class Check(Struct, frozen=True):
    code: str
    status: str
    message: str
    details: dict[str, Any] = {}


class HealthAnswer(Answer, frozen=True, kw_only=True):
    status: str
    checks: tuple[Check, ...]


class Finding(Struct, frozen=True):
    code: str
    subject: str
    expected: Any
    actual: Any


class AuditAnswer(Answer, frozen=True, kw_only=True):
    clean: bool
    findings: tuple[Finding, ...]
    files: int
    rows: int
    hint: str | None


class Changes(Struct, frozen=True):
    added: int
    modified: int
    deleted: int
    renamed: int
    touched: int
    unchanged: int


class SyncAnswer(Answer, frozen=True, kw_only=True):
    """What a sync did (INDEX's IndexStats)."""

    canonical_root: str
    published: bool
    compacted: bool
    reused: int
    changes: Changes
    seq: int
    counts: Counts
    segments: int
    skipped: dict[str, int]
    errors: tuple[Problem, ...]


class Rename(Struct, frozen=True):
    old: str = field(name="from")
    new: str = field(name="to")


class PlanAnswer(Answer, frozen=True, kw_only=True):
    """What a sync would do."""

    base_snapshot_id: str | None
    add: tuple[str, ...]
    modify: tuple[str, ...]
    delete: tuple[str, ...]
    rename: tuple[Rename, ...]
    unchanged: int
    eligible: int
    bytes_to_index: int
    bytes_limit: int


class Damage(Struct, frozen=True):
    artifact: str
    problem: str
    remedy: str


class RepairAnswer(Answer, frozen=True, kw_only=True):
    scope: str
    damage: tuple[Damage, ...]
    dry_run: bool
    verified: bool


class GcAnswer(Answer, frozen=True, kw_only=True):
    dry_run: bool
    retained: tuple[str, ...]
    snapshots: tuple[str, ...]
    segments: tuple[str, ...]
    staging: tuple[str, ...]
    graphs: tuple[str, ...]
    semantic: tuple[str, ...]
    pictures: tuple[str, ...]
    bytes_freed: int


class CompactAnswer(Answer, frozen=True, kw_only=True):
    compacted: bool
    segments_before: int
    segments_after: int
    tombstones_before: int
    tombstones_after: int


class UpgradeAnswer(Answer, frozen=True, kw_only=True):
    status: str
    artifacts: tuple[dict[str, Any], ...]
    hint: str | None


class StoreEntry(Struct, frozen=True):
    store_id: str
    canonical_root: str | None
    config_fingerprint: str | None
    created_at: str | None
    last_used_at: str | None
    size_bytes: int
    active_snapshot_id: str | None
    problem: str | None


class Kept(Struct, frozen=True):
    store_id: str
    reason: str


class StoresCollected(Struct, frozen=True):
    """What `gc_stores` deleted, or without `apply` would delete, and what it kept and why."""

    dry_run: bool
    deleted: tuple[StoreEntry, ...]
    kept: tuple[Kept, ...]
    bytes_freed: int
