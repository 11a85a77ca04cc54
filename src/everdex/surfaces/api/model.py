"""What the Python API answers: frozen values with the fields of the command line's --json, under Python's names.

Every answer says which snapshot gave it, how fresh it is and what was left out. docs/contracts.md has the meaning of
each field. A field that a newer everdex adds is left out here, never an error.
"""

from __future__ import annotations

import base64
import builtins
from typing import Any

import msgspec
from msgspec import Struct, field


class Freshness(Struct, frozen=True):
    """`fresh`, `stale` (with how many files differ), `unchecked` or `pinned`."""

    state: str
    dirty_count: int | None
    checked_at: str | None


class Git(Struct, frozen=True):
    head_sha: str | None
    dirty: bool | None
    untracked_included: bool


class Answer(Struct, frozen=True, kw_only=True):
    """What every answer says about itself."""

    request_id: str
    store_id: str
    snapshot_id: str | None  # None when the answer speaks of the files on disk
    digest: str | None
    git: Git
    degraded: bool
    freshness: Freshness
    limits_hit: tuple[str, ...]
    warnings: tuple[str, ...]
    timings_ms: dict[str, float]


class Share(Struct, frozen=True):
    """One feature's share of a score."""

    feature: str
    value: float
    detail: str


class Result(Struct, frozen=True):
    """A place that answers. Fields that its mode does not have (a matching line has no symbol) are empty."""

    path: str
    start_line: int
    end_line: int
    byte_start: int
    byte_end: int
    score: float
    snippet: str
    symbol: str | None = None
    symbol_kind: str | None = None
    breadcrumb: tuple[str, ...] = ()
    named_line: int | None = None  # of the definition that the query names, if not `symbol`, or where its words stand
    language: str | None = None
    column: int | None = None
    chunk_uid: str | None = field(default=None, name="chunkUid")
    chunk_id: str | None = field(default=None, name="chunkId")
    doc_id: int | None = field(default=None, name="docId")
    segment_id: str | None = field(default=None, name="segmentId")
    file_hash: str | None = None
    chunk_uids: tuple[str, ...] = field(default=(), name="chunkUids")
    part_of: tuple[int, int] | None = None  # first and last line of what the snippet was cut out of
    tokens: int | None = None
    explain: tuple[Share, ...] = ()


class Cursor(Struct, frozen=True):
    """Where the next page begins, in that snapshot."""

    snapshot_id: str
    offset: int
    site_offset: int = 0  # of callers and callees: so many places of the first of the next page are on this one


class Pointer(Struct, frozen=True):
    path: str
    start_line: int
    symbol: str | None


class Budget(Struct, frozen=True):
    tokens: int
    used: int
    left_out: tuple[Pointer, ...]


class SearchAnswer(Answer, frozen=True, kw_only=True):
    query: str
    mode: str
    results: tuple[Result, ...]
    omitted: int
    cursor: Cursor | None
    no_strong_match: bool
    suggestions: tuple[str, ...]
    budget: Budget | None = None


class Symbol(Struct, frozen=True, kw_only=True):
    name: str
    qualified_name: str
    kind: str
    start_line: int
    end_line: int
    signature: str
    doc: str
    public: bool


class Definition(Symbol, frozen=True, kw_only=True):
    path: str
    name_line: int
    name_column: int
    byte_start: int
    byte_end: int
    match: str
    source: str


class Place(Struct, frozen=True):
    path: str
    start_line: int
    kind: str
    qualified_name: str


class Suggestion(Struct, frozen=True):
    name: str
    how: str
    places: tuple[Place, ...]


class Outline(Struct, frozen=True):
    path: str
    language: str
    symbols: tuple[Symbol, ...]
    omitted: int


class SymbolAnswer(Answer, frozen=True, kw_only=True):
    query: str
    by: str
    definitions: tuple[Definition, ...]
    suggestions: tuple[Suggestion, ...]
    outline: Outline | None
    omitted: int
    cursor: Cursor | None
    references: dict[str, Any] | None = None


class Occurrence(Struct, frozen=True, kw_only=True):
    """A place that names a symbol; `target` says which one, or why it is not decided."""

    role: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    byte_start: int
    byte_end: int
    text: str
    before: str  # up to 40 bytes on either side of the name
    after: str
    named: str
    certainty: str
    layer: str
    source: dict[str, Any]
    target: dict[str, Any]
    anchor: dict[str, Any] | None


class RelationAnswer(Answer, frozen=True, kw_only=True):
    """What answers about one symbol share. When several definitions fit, all are in `matches` and `symbol` is None."""

    query: str
    symbol: dict[str, Any] | None
    matches: tuple[dict[str, Any], ...]
    matches_omitted: int
    suggestions: tuple[Suggestion, ...]
    coverage: Any
    total: int = 0
    omitted: int = 0
    cursor: Cursor | None = None
    counts: dict[str, int] = {}
    could_add: dict[str, Any] | None = None
    outside: tuple[dict[str, str], ...] = ()


class Way(Struct, frozen=True):
    """One way in which more may use a symbol: `text` says it in words."""

    way: str
    text: str
    paths: tuple[str, ...] = ()


class Reservation(Struct, frozen=True):
    """What an answer leaves open that did not wait for the finished graph: so many of all `files` are `waiting`."""

    waiting: int
    files: int
    ways: tuple[Way, ...]
    hint: str


class RefsAnswer(RelationAnswer, frozen=True, kw_only=True):
    definition: dict[str, Any] | None = None
    declarations: tuple[dict[str, Any], ...] = ()
    declarations_omitted: int = 0
    references: tuple[Occurrence, ...] = ()
    role: str | None = None
    roles: dict[str, int] = {}
    may_mean: tuple[dict[str, Any], ...] = ()
    reservation: Reservation | None = None


class CallersAnswer(RelationAnswer, frozen=True, kw_only=True):
    callers: tuple[dict[str, Any], ...] = ()
    reservation: Reservation | None = None


class CalleesAnswer(RelationAnswer, frozen=True, kw_only=True):
    callees: tuple[dict[str, Any], ...] = ()
    external: tuple[dict[str, Any], ...] = ()
    external_omitted: int = 0
    unresolved: tuple[dict[str, Any], ...] = ()
    unresolved_omitted: int = 0


class ImpactAnswer(RelationAnswer, frozen=True, kw_only=True):
    affected: tuple[dict[str, Any], ...] = ()
    tests: tuple[str, ...] = ()
    tests_omitted: int = 0
    files: tuple[str, ...] = ()
    files_omitted: int = 0


class Picture(Struct, frozen=True):
    """A picture: `data` is the text of an SVG, or the base64 of a PNG."""

    format: str
    media_type: str
    width: float
    height: float
    bytes: int
    sha256: str
    data: str

    @property
    def content(self) -> builtins.bytes:
        """What the file holds."""
        return self.data.encode() if self.format == "svg" else base64.b64decode(self.data)


class ImpactPictureAnswer(ImpactAnswer, frozen=True, kw_only=True):
    picture: Picture | None = None  # None when none or several definitions fit


class ArchitectureAnswer(Answer, frozen=True, kw_only=True):
    """What the parts of a repository are and which uses which, and a picture of it."""

    architecture: dict[str, Any]
    picture: Picture | None = None
    coverage: Any


class Page(Struct, frozen=True):
    """What an explorer holds, and what it had no room for: `files`, `ties` between them and `symbols`."""

    bytes: int
    sha256: str
    shown: dict[str, int]
    omitted: dict[str, int]


class ExploreAnswer(Answer, frozen=True, kw_only=True):
    """A page was written; with `canvas` when into the store, which says where."""

    page: Page
    canvas: dict[str, Any] | None = None
    coverage: Any


class MapAnswer(Answer, frozen=True, kw_only=True):
    """A repository in few words (INDEX's RepoMap)."""

    sections: tuple[dict[str, Any], ...]
    coverage: Any


class File(Struct, frozen=True):
    path: str
    size: int
    language: str | None
    role: str
    content_hash: str | None = None
    chunks: int | None = None


class Skipped(Struct, frozen=True):
    path: str
    reason: str
    detail: str


class FilesAnswer(Answer, frozen=True, kw_only=True):
    canonical_root: str
    source: str
    files: tuple[File, ...]
    skipped_by_reason: dict[str, int]
    skipped: tuple[Skipped, ...] = ()


class IndexedFile(Struct, frozen=True):
    content_hash: str
    size: int
    chunks: int
    skip: str | None
    same_content: bool


class Explanation(Answer, frozen=True, kw_only=True):
    path: str
    eligible: bool
    reason: str | None = None
    detail: str = ""
    language: str | None = None
    role: str | None = None
    size: int | None = None
    indexed: IndexedFile | None


class Chunk(Struct, frozen=True):
    doc_id: int = field(name="docId")
    chunk_uid: str = field(name="chunkUid")
    chunk_id: str = field(name="chunkId")
    file: str
    segment_id: str | None = field(name="segmentId")
    start: int
    end: int
    meta: dict[str, Any] | None = field(default=None, name="metaV2")
    row_id: str | None = field(default=None, name="rowId")
    content_id: str | None = field(default=None, name="contentId")


class ChunksAnswer(Answer, frozen=True, kw_only=True):
    chunks: tuple[Chunk, ...]


def to_dict(answer: Struct) -> dict[str, Any]:
    """An answer as plain values, with the names of the command line's --json."""
    plain: dict[str, Any] = msgspec.to_builtins(answer)
    return plain
