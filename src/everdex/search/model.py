"""What a search is asked and what it answers."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from everdex.segment.model import ChunkRow

if TYPE_CHECKING:
    from everdex.search.budget import Packed


class Mode(StrEnum):
    HYBRID = "hybrid"
    LEXICAL = "lexical"
    SEMANTIC = "semantic"
    REGEX = "regex"
    LITERAL = "literal"


class SearchRequest(msgspec.Struct, frozen=True):
    query: str
    mode: Mode = Mode.HYBRID
    k: int = 10
    languages: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()  # globs; any may match
    ignore_case: bool = False  # regex and literal only
    offset: int = 0  # results to pass over: where the previous page ended
    profile: str | None = None  # overrides the configured one
    budget: int | None = None  # tokens: pack as many of the best snippets as fit
    rerank: bool | None = None  # overrides the configured one; ranked modes only


class Contribution(msgspec.Struct, frozen=True):
    """One feature's share of a score; the shares of a result add up to its score."""

    feature: str
    value: float
    detail: str = ""


class Hit(msgspec.Struct, frozen=True):
    doc_id: int
    row: ChunkRow
    score: float
    contributions: tuple[Contribution, ...] = ()
    named_line: int | None = None  # of a definition the query means that the chunk is not named after, or of its words


class LineMatch(msgspec.Struct, frozen=True):
    """A line that matches a regex or literal."""

    path_key: str
    line: int
    column: int  # 0-based, in bytes, of the first match in the line
    byte_start: int
    byte_end: int
    text: str


class SearchOutcome(msgspec.Struct, frozen=True):
    hits: tuple[Hit, ...] = ()
    matches: tuple[LineMatch, ...] = ()
    omitted: int = 0  # found but not returned, because of k
    next_offset: int | None = None  # where the next page begins
    limits_hit: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    packed: Packed | None = None  # when a budget was given: what of `hits` fits it
    no_strong_match: bool = False
    suggestions: tuple[str, ...] = ()
    timings_ms: dict[str, float] = msgspec.field(default_factory=dict)
