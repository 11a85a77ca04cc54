"""Packing an answer under a token budget: the best snippets whole, the next ones trimmed, the rest counted.

Tokens are estimated from bytes on the safe side, because every model counts its own way. Chunks of a file
never overlap, so neither do snippets; neighbouring chunks become one.
"""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Final

import msgspec
from msgspec.structs import replace

from everdex.search.model import Hit
from everdex.terms import split

BYTES_PER_TOKEN: Final = 3
_HEADER_TOKENS: Final = 12  # path line, fences and a little air
_LEAST_LINES: Final = 4
CONSIDERED: Final = 40  # results looked at, however many fit


class Snippet(msgspec.Struct, frozen=True):
    """A run of whole lines of one file, from one or more neighbouring results."""

    path_key: str
    start_line: int
    end_line: int
    byte_start: int
    byte_end: int
    score: float
    symbol: str
    breadcrumb: tuple[str, ...]
    language: str
    chunk_uids: tuple[str, ...]
    text: str
    trimmed: bool
    tokens: int


class Packed(msgspec.Struct, frozen=True):
    budget: int
    used: int
    snippets: tuple[Snippet, ...]
    left_out: tuple[Hit, ...]


def tokens_of(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def pack(hits: Sequence[Hit], budget: int, terms: Sequence[str]) -> Packed:
    """Fill the budget in order of rank."""
    left = budget
    chosen: list[Snippet] = []
    left_out: list[Hit] = []
    for hit in hits:
        snippet = _fit(_whole(hit), left, frozenset(terms))
        if snippet is None:
            left_out.append(hit)
            continue
        left -= snippet.tokens
        chosen.append(snippet)
    merged = _joined(chosen)
    return Packed(budget, sum(snippet.tokens for snippet in merged), tuple(merged), tuple(left_out))


def _whole(hit: Hit) -> Snippet:
    row = hit.row
    cost = _HEADER_TOKENS + tokens_of(row.path_key) + tokens_of(row.text)
    return Snippet(
        row.path_key, row.start_line, row.end_line, row.byte_start, row.byte_end, hit.score, row.symbol,
        row.breadcrumb, row.language, (row.chunk_uid,), row.text, False, cost,
    )  # fmt: skip


def _fit(snippet: Snippet, left: int, terms: frozenset[str]) -> Snippet | None:
    """The snippet, or its best lines when it is too long; None when not even a few lines fit."""
    if snippet.tokens <= left:
        return snippet
    room = left - _HEADER_TOKENS - tokens_of(snippet.path_key)
    lines = list(StringIO(snippet.text, newline="\n"))
    sizes = [len(line.encode()) for line in lines]
    weights = [_weight(line, terms) for line in lines]
    best: tuple[float, int, int] | None = None
    end = used = 0
    for start in range(len(lines)):
        while end < len(lines) and used + sizes[end] <= room * BYTES_PER_TOKEN:
            used += sizes[end]
            end += 1
        score = sum(weights[start:end])
        # Lines without a word of the query would only spend what is left.
        if end - start >= _LEAST_LINES and score >= 1.0 and (best is None or score > best[0]):
            best = (score, start, end)
        if end > start:
            used -= sizes[start]
        else:
            end = start + 1
    if best is None:
        return None
    _, first, last = best
    before = sum(sizes[:first])
    text = "".join(lines[first:last])
    return replace(
        snippet,
        start_line=snippet.start_line + first,
        end_line=snippet.start_line + last - 1,
        byte_start=snippet.byte_start + before,
        byte_end=snippet.byte_start + before + len(text.encode()),
        text=text,
        trimmed=True,
        tokens=_HEADER_TOKENS + tokens_of(snippet.path_key) + tokens_of(text),
    )


def _weight(line: str, terms: frozenset[str]) -> float:
    found = {term for token in split.tokens(line) for term in split.index_terms(token)}
    return len(found & terms) + 0.01


def _joined(snippets: Sequence[Snippet]) -> list[Snippet]:
    """Neighbours in one file become one snippet, in the place of the better one."""
    order = {id(snippet): rank for rank, snippet in enumerate(snippets)}
    runs: list[list[Snippet]] = []
    for snippet in sorted(snippets, key=lambda item: (item.path_key, item.byte_start)):
        last = runs[-1][-1] if runs else None
        if last is not None and last.path_key == snippet.path_key and last.byte_end == snippet.byte_start:
            runs[-1].append(snippet)
        else:
            runs.append([snippet])
    runs.sort(key=lambda run: min(order[id(snippet)] for snippet in run))
    return [_one(run, order) for run in runs]


def _one(run: list[Snippet], order: dict[int, int]) -> Snippet:
    if len(run) == 1:
        return run[0]
    best = min(run, key=lambda snippet: order[id(snippet)])
    text = "".join(snippet.text for snippet in run)
    return replace(
        best,
        start_line=run[0].start_line,
        end_line=run[-1].end_line,
        byte_start=run[0].byte_start,
        byte_end=run[-1].byte_end,
        chunk_uids=tuple(uid for snippet in run for uid in snippet.chunk_uids),
        text=text,
        trimmed=any(snippet.trimmed for snippet in run),
        tokens=_HEADER_TOKENS + tokens_of(best.path_key) + tokens_of(text),
    )
