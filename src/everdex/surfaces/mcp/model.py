"""The shape of every tool's answer; the output schemas that clients see are made from these.

A smaller form of the service's answers: what a model can act on, without the hashes and fingerprints that only
a program needs (`everdex … --json` has those).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field


class Freshness(BaseModel):
    state: str = Field(description="fresh: checked against the files on disk just now; stale: they changed since")
    dirty_count: int | None = Field(description="files that differ from the snapshot; null when not looked at")


class Reply(BaseModel):
    """What every answer says about itself."""

    snapshot_id: str | None = Field(description="the snapshot that answered; null when the files on disk did")
    freshness: Freshness
    omitted: dict[str, int] = Field(description="per list of this answer, how many entries exist but were left out")
    warnings: list[str]


def frame(document: Mapping[str, Any]) -> dict[str, Any]:
    """What every reply begins with, from the service's answer. A limit that was reached is a warning to a model."""
    limits = [f"limit reached: {name}" for name in document["limits_hit"]]
    return {
        "snapshot_id": document["snapshot_id"],
        "freshness": {name: document["freshness"][name] for name in Freshness.model_fields},
        "omitted": {},
        "warnings": [*document["warnings"], *limits],
    }


class Share(BaseModel):
    feature: str
    value: float
    detail: str


class Result(BaseModel):
    path: str
    start_line: int
    end_line: int
    symbol: str | None
    breadcrumb: list[str] = Field(description="enclosing definitions or headings, outermost first")
    language: str
    score: float
    part_of: list[int] | None = Field(description="first and last line of what was cut to fit; null: this is whole")
    snippet: str
    explain: list[Share] | None = Field(default=None, description="each feature's share of the score")


class Pointer(BaseModel):
    path: str
    start_line: int
    symbol: str | None


class SearchReply(Reply):
    results: list[Result] = Field(description="best first")
    left_out: list[Pointer] = Field(description="further results without their text")
    no_strong_match: bool = Field(description="true: nothing matches well, these are only the nearest")
    suggestions: list[str] = Field(description="names close to an unknown one; how a misspelt question was read")


class Match(BaseModel):
    path: str
    line: int
    column: int = Field(description="0-based, in bytes, of the first match in the line")
    text: str


class GrepReply(Reply):
    matches: list[Match] = Field(description="by path and line")


class Outlined(BaseModel):
    name: str
    qualified_name: str
    kind: str
    start_line: int
    end_line: int
    signature: str
    doc: str
    public: bool


class Definition(Outlined):
    path: str
    match: str = Field(description="exact: the name as asked; pattern: it fits one with stars; case: in other letters")
    trimmed: bool = Field(description="whether `source` was cut to fit the budget")
    source: str


class Outline(BaseModel):
    path: str
    language: str
    symbols: list[Outlined]


class Place(BaseModel):
    path: str
    start_line: int
    kind: str
    qualified_name: str


class Suggestion(BaseModel):
    name: str
    how: str = Field(
        description="owner (of another), case, prefix, humps (SnpVw for SnapshotView) or fuzzy (a few letters differ)"
    )
    places: list[Place]


class Use(BaseModel):
    path: str
    line: int
    role: str = Field(description="call, read, write, reference, import, inherit, decorate, override or declaration")
    certainty: str = Field(description="resolved, or ambiguous: it is one of several candidates")
    layer: str = Field(description="who says so: syntactic, read from the text; semantic, an indexer")
    inside: str | None = Field(description="qualified name of the definition around it")
    text: str


class Outside(BaseModel):
    why: str = Field(description="started, special, object, decorated, replaces, inherits, test or public")
    what: str


class Reservation(BaseModel):
    waiting: int = Field(description="files that are not resolved yet")
    files: int
    ways: list[str] = Field(description="how those may use it without writing its name")


class SymbolReply(Reply):
    by: str = Field(description="name or path: how the argument was understood")
    definitions: list[Definition] = Field(description="every definition of that name; never a guess")
    suggestions: list[Suggestion] = Field(description="only when nothing has the name: names like it")
    outline: Outline | None = Field(description="of the file asked for, or of the only file that defines the name")
    references: list[Use] = Field(description="when one definition fits: the places that name it")
    reservation: Reservation | None = Field(
        description="what is open while the graph of a large repository is not finished: the references are part of"
        " all, which `references` with wait: true waits for; null: nothing is"
    )
    roles: dict[str, int] = Field(description="how many of all its references do what")
    could_add: dict[str, int | None] = Field(description="sites that ask for the same name and could not be decided")
    outside: list[Outside] = Field(description="why something outside the repository may call it")


class Directory(BaseModel):
    path: str
    files: int


class File(BaseModel):
    path: str
    size: int
    language: str | None
    role: str


class FilesReply(Reply):
    total: int = Field(description="eligible files that match the filter")
    by_language: dict[str, int] = Field(description="the most frequent ones; the rest as `other`")
    by_role: dict[str, int]
    directories: list[Directory] = Field(description="directories with the most files, at most two levels deep")
    files: list[File] = Field(description="only with `paths`")
    skipped_by_reason: dict[str, int] = Field(description="files of the whole tree that are out, but for ignored ones")


class PathReply(Reply):
    path: str
    eligible: bool
    reason: str | None = Field(description="why it is out; null when it is in")
    detail: str
    language: str | None
    role: str | None
    chunks: int | None = Field(description="chunks the index has of it; null when it is not in the index")
    changed_since_indexed: bool | None


class Problem(BaseModel):
    code: str
    path: str
    message: str


class StatusReply(Reply):
    root: str
    created_at: str = Field(description="when the snapshot was published")
    files_indexed: int
    chunks_indexed: int
    pending: dict[str, int] | None = Field(description="what the next sync has to do")
    embedder: str
    size_bytes: int
    degraded: bool
    errors: list[Problem] = Field(description="eligible files that could not be indexed")
    skipped: dict[str, int]
    board: dict[str, int | str | None] = Field(description="how much is on the evidence board; `error` if unreadable")


class Check(BaseModel):
    code: str
    status: str = Field(description="ok, warn or fail")
    message: str


class HealthReply(Reply):
    status: str = Field(description="corrupt means that answers cannot be trusted: run `everdex repair`")
    checks: list[Check] = Field(description="worst first")
