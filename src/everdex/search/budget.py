"""Packing an answer under a token budget: the best lines of many results first, then more lines of the best ones.

Whoever asks reads from the top: a long first result costs as much as four others of which one may be the right one.
Tokens are estimated from bytes on the safe side, because every model counts its own way. Chunks of a file never
overlap, so neither do snippets; neighbouring chunks become one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from io import StringIO
from typing import Final

import msgspec
from msgspec.structs import replace

from everdex.search.model import Hit
from everdex.search.titles import title_of
from everdex.segment.model import SymbolRow
from everdex.terms import split

BYTES_PER_TOKEN: Final = 3
_HEADER_TOKENS: Final = 12  # path line, fences and a little air
_LEAST_LINES: Final = 4
# Measured with benchmarks/search/tokens.py: the best result has two shares, every other one; less than so many tokens
# shows too little of it, and for less nothing is made longer.
_SHARES: Final = 10
_LEAST_SHARE: Final = 110
_WORTH_MORE: Final = 30
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
    part_of: tuple[int, int] | None  # first and last line of what this was cut out of
    tokens: int


class Packed(msgspec.Struct, frozen=True):
    budget: int
    used: int
    snippets: tuple[Snippet, ...]
    left_out: tuple[Hit, ...]


def tokens_of(text: str) -> int:
    return -(-len(text.encode()) // BYTES_PER_TOKEN)


def pack(
    hits: Sequence[Hit], budget: int, terms: Sequence[str], most: int, beginning: Callable[[int], Sequence[SymbolRow]]
) -> Packed:
    """At most so many results, in order of rank, each with its share of the budget; what is left goes to the best.

    `beginning` has the definitions that begin in a document."""
    words, left = frozenset(terms), budget
    chosen: list[tuple[Snippet, Snippet, Hit]] = []  # as it is shown, and whole
    left_out: list[Hit] = []
    for hit in hits:
        share = max(_LEAST_SHARE, budget * (1 if chosen else 2) // _SHARES)
        whole = _whole(hit)
        snippet = _fit(whole, min(left, share), words) if len(chosen) < most else None
        if snippet is None and not chosen:
            snippet = _fit(whole, left, words)  # its lines are long; the best result is shown if it can be
        if snippet is None:
            left_out.append(hit)
            continue
        left -= snippet.tokens
        chosen.append((snippet, whole, hit))
    for place, (snippet, whole, hit) in enumerate(chosen):
        longer = _fit(whole, snippet.tokens + left, words) if snippet.part_of and left >= _WORTH_MORE else None
        if longer is not None:
            left -= longer.tokens - snippet.tokens
            chosen[place] = longer, whole, hit
    merged = _joined([_titled(snippet, hit, beginning) for snippet, _, hit in chosen])
    return Packed(budget, sum(snippet.tokens for snippet in merged), tuple(merged), tuple(left_out))


def _titled(snippet: Snippet, hit: Hit, beginning: Callable[[int], Sequence[SymbolRow]]) -> Snippet:
    """A snippet under the name of the lines that are left of it."""
    if not snippet.part_of:
        return snippet
    title = title_of(hit.row, beginning(hit.doc_id), snippet.start_line, snippet.end_line)
    return replace(snippet, symbol=title.symbol, breadcrumb=title.breadcrumb) if title else snippet


def _whole(hit: Hit) -> Snippet:
    row = hit.row
    cost = _HEADER_TOKENS + tokens_of(row.path_key) + tokens_of(row.text)
    return Snippet(
        row.path_key, row.start_line, row.end_line, row.byte_start, row.byte_end, hit.score, row.symbol,
        row.breadcrumb, row.language, (row.chunk_uid,), row.text, None, cost,
    )  # fmt: skip


def _fit(snippet: Snippet, left: int, terms: frozenset[str]) -> Snippet | None:
    """The snippet, or its best lines when it is too long; None when not even a few lines fit."""
    if snippet.tokens <= left:
        return snippet
    room = (left - _HEADER_TOKENS - tokens_of(snippet.path_key)) * BYTES_PER_TOKEN
    lines = list(StringIO(snippet.text, newline="\n"))
    sizes = [len(line.encode()) for line in lines]
    first, last = _best_run(sizes, [_asked(line, terms) for line in lines], _head(lines, snippet.symbol), room)
    if first == last:
        return None
    while last - first > 1 and lines[first].isspace():
        first += 1
    while last - first > 1 and lines[last - 1].isspace():
        last -= 1
    before = sum(sizes[:first])
    text = "".join(lines[first:last])
    return replace(
        snippet,
        start_line=snippet.start_line + first,
        end_line=snippet.start_line + last - 1,
        byte_start=snippet.byte_start + before,
        byte_end=snippet.byte_start + before + len(text.encode()),
        text=text,
        part_of=(snippet.start_line, snippet.end_line),
        tokens=_HEADER_TOKENS + tokens_of(snippet.path_key) + tokens_of(text),
    )


def _best_run(sizes: Sequence[int], found: Sequence[frozenset[str]], head: int, room: int) -> tuple[int, int]:
    """The run of lines of at most so many bytes that has the most words of the query; empty when none is worth it.

    That is a run of a few lines, or of long ones that take half of the room. A word that comes again counts a quarter
    each time, and the line that says what this is as one word.
    """
    counts: Counter[str] = Counter()
    best, best_run = -1.0, (0, 0)
    score, end, used = 0.0, 0, 0
    for start in range(len(sizes)):
        while end < len(sizes) and used + sizes[end] <= room:
            used += sizes[end]
            score += end == head
            for word in found[end]:
                score += 0.25 ** counts[word]
                counts[word] += 1
            end += 1
        # Of runs with the same words the longest, and of these the first.
        is_worth_it = end - start >= _LEAST_LINES or used > room / 2
        if is_worth_it and score + 0.01 * (end - start) > best:
            best, best_run = score + 0.01 * (end - start), (start, end)
        if end > start:
            used -= sizes[start]
            score -= start == head
            for word in found[start]:
                counts[word] -= 1
                score -= 0.25 ** counts[word]
        else:
            end = start + 1
    return best_run


def _asked(line: str, terms: frozenset[str]) -> frozenset[str]:
    """The words of the query in a line."""
    return terms.intersection(term for token in split.tokens(line) for term in split.index_terms(token))


def _head(lines: Sequence[str], symbol: str) -> int:
    """The first line that writes the name of what a chunk defines; -1 where it defines nothing."""
    name = symbol.rpartition(".")[2]
    return next((number for number, line in enumerate(lines) if name and name in line), -1)


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
        part_of=_around(run),
        tokens=_HEADER_TOKENS + tokens_of(best.path_key) + tokens_of(text),
    )


def _around(run: Sequence[Snippet]) -> tuple[int, int] | None:
    if not any(snippet.part_of for snippet in run):
        return None
    wholes = [snippet.part_of or (snippet.start_line, snippet.end_line) for snippet in run]
    return wholes[0][0], wholes[-1][1]
