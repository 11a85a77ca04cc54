"""What the Python API answers about states, the gate and refresh jobs: the fields of --json, under Python's names.

What has the same fields where it is made is that struct, not a copy of it.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from everdex.semantic.model import ImportReport as ImportReport
from everdex.service.renaming import RenameLeft
from everdex.state.decisions import Proof
from everdex.state.model import OpenPlace, Reason
from everdex.state.rename_model import RenameClash, RenameDoubt, RenameEdit
from everdex.state.scopes import RefreshScope as RefreshScope
from everdex.surfaces.api.model import Answer, Cursor, RelationAnswer


class FileState(Struct, frozen=True):
    path: str
    freshness: str  # clean, dirty, stale, pending_check, unindexed
    certainty: str  # certain, ambiguous, unknown
    indexed_hash: str | None
    content_hash: str | None
    reasons: tuple[Reason, ...]


class Decided(Struct, frozen=True):
    """A decision about open places; it `holds` while every file it is about has the content it was made in."""

    ambiguity_signature: str
    about: str
    file_hashes: dict[str, str]
    repo_head: str | None
    decision: str
    proof: Proof
    created_at: str
    holds: bool


class StatesAnswer(Answer, frozen=True, kw_only=True):
    graph: str  # current, behind, none
    counts: dict[str, int]
    files: tuple[FileState, ...]
    omitted: int
    cursor: Cursor | None
    decisions: tuple[Decided, ...]


class GateReason(Struct, frozen=True):
    """One thing that speaks against a change, and what to do about it."""

    code: str
    decision: str
    message: str
    action: str
    reason: Reason | None
    places: tuple[OpenPlace, ...]


class FileGate(Struct, frozen=True):
    path: str
    decision: str
    state: FileState | None
    reasons: tuple[GateReason, ...]


class MutationGateResult(Answer, frozen=True, kw_only=True):
    """`decision` is the worst of the files': allow, warn or block."""

    decision: str
    intent: str
    since: str | None
    graph: str
    files: tuple[FileGate, ...]
    blocking: tuple[str, ...]
    actions: tuple[str, ...]


class RenamePlan(RelationAnswer, frozen=True, kw_only=True):
    """Without exactly one definition there is no plan: `plan_id` is None."""

    old_name: str = ""
    new_name: str = ""
    plan_id: str | None = None
    definitions: tuple[dict[str, Any], ...] = ()
    definitions_omitted: int = 0
    edits: tuple[RenameEdit, ...] = ()
    edits_omitted: int = 0
    files: tuple[str, ...] = ()
    files_omitted: int = 0
    doubts: tuple[RenameDoubt, ...] = ()
    doubts_omitted: int = 0
    left: tuple[RenameLeft, ...] = ()  # where the old name stays, in comments, strings and documents
    left_omitted: int = 0
    clashes: tuple[RenameClash, ...] = ()
    clashes_omitted: int = 0


class RenamedFile(Struct, frozen=True):
    path: str
    edits: int
    content_hash: str  # as it is now


class Renamed(Answer, frozen=True, kw_only=True):
    """A plan that was carried out. `resumed`: an earlier call was killed half way."""

    plan_id: str
    old_name: str
    new_name: str
    resumed: bool
    edits: int
    files: tuple[RenamedFile, ...]


class RefreshJobStatus(Struct, frozen=True):
    """One refresh job. `status` is queued, running, succeeded, failed or superseded."""

    id: int
    status: str
    scope: RefreshScope | None
    desired_scope: RefreshScope | None
    widened: bool
    trigger_reason: str
    head_at_enqueue: str | None
    budget_ms: int
    attempts: int
    created_at: str
    started_at: str | None
    finished_at: str | None
    files: int
    snapshot_id: str | None
    result: dict[str, Any] | None
    superseded_reason: str | None
    error_code: str | None
    error: str | None
    context: str | None


class Indexer(Struct, frozen=True):
    """The program of a context. Without `path` it is not installed; without `version` it does not run."""

    name: str
    path: str | None
    version: str | None
    problem: str | None
    install: str | None


class Context(Struct, frozen=True):
    """A project that an indexer can be run for. `state`: never, current, behind, queued, running, failed, imported."""

    id: str
    name: str
    language: str
    root: str
    config_path: str
    config_hash: str
    files: int
    current_files: int
    state: str
    tool: Indexer
    enabled: bool
    refreshed_at: str | None
    job_id: int | None
    error: dict[str, Any] | None


class ContextsAnswer(Answer, frozen=True, kw_only=True):
    """`unasked`: whether a daemon runs indexers that nobody asked for; `confined`: what this kernel keeps one from."""

    contexts: tuple[Context, ...]
    omitted: int
    unasked: bool
    confined: tuple[str, ...]
    files: dict[str, int]
