"""Which lines of a result to show: the telling line for a pipe, the best window for a terminal.

Works on the JSON form of a result, so it serves answers from anywhere. Knows words, not rendering.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from everdex.terms import split

_WORD: Final = re.compile(r"\w+")
_DECORATION: Final = re.compile(r"\s*(@|#\[|\[\w|//|/\*|\*|#|--|<!--|\"\"\")")


def lines_of(snippet: str) -> list[str]:
    """The lines of a snippet without their ends. Only a line feed ends one, unlike in `str.splitlines`."""
    return [line.removesuffix("\r") for line in snippet.removesuffix("\n").split("\n")]


def numbered_lines(result: Mapping[str, Any]) -> list[tuple[int, str]]:
    """(line number, text) of a result's snippet, without line ends."""
    return list(enumerate(lines_of(result["snippet"]), result["start_line"]))


def telling_line(result: Mapping[str, Any], words: Words | None = None) -> tuple[int, str]:
    """The line that tells most on its own: where the definition that was asked for or the symbol is named, else the
    one with most of the query's words, else the first with a word of code."""
    lines = numbered_lines(result)
    named: int = (result.get("named_line") or 0) - result["start_line"]
    if 0 <= named < len(lines):
        return lines[named]
    name = _last_name(result.get("symbol"))
    if name:
        for number, text in lines:
            if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) and not _DECORATION.match(text):
                return number, text
    if words is not None:
        shared = [len(words.shared(text)) for _, text in lines]
        if max(shared, default=0):
            return lines[shared.index(max(shared))]
    for number, text in lines:
        if _WORD.search(text) and not _DECORATION.match(text):
            return number, text
    return next(((number, text) for number, text in lines if text.strip()), lines[0])


def _last_name(symbol: str | None) -> str:
    names = _WORD.findall(symbol or "")
    return names[-1] if names else ""


def literal_spans(line: str, wanted: str, *, ignore_case: bool) -> list[tuple[int, int]]:
    """Where a literal occurs in a line."""
    flags = re.IGNORECASE if ignore_case else 0
    return [match.span() for match in re.finditer(re.escape(wanted), line, flags)]


class Words:
    """Finds the words of a query in a line, the way the index would."""

    def __init__(self, query: str) -> None:
        self._terms = frozenset(split.query_terms(query))

    def spans(self, line: str) -> list[tuple[int, int, frozenset[str]]]:
        """(start, end, matched terms) of every word of the line that shares a term with the query."""
        found = []
        for word in _WORD.finditer(line):
            shared = self._terms.intersection(split.index_terms(word[0]))
            if shared:
                found.append((word.start(), word.end(), shared))
        return found

    def shared(self, line: str) -> frozenset[str]:
        """Which terms of the query a line has."""
        return frozenset[str]().union(*(found for _, _, found in self.spans(line)))

    def best_window(self, lines: Sequence[tuple[int, str]], size: int, anchor: int) -> Sequence[tuple[int, str]]:
        """The run of `size` lines with the most different query words; of equals the first with line `anchor`."""
        terms = [self.shared(text) for _, text in lines]
        best, best_score = 0, (-1, False, -1)
        for start in range(len(lines) - size + 1):
            if not lines[start][1].strip() and start:
                continue  # a window does not begin with an empty line
            inside = terms[start : start + size]
            anchored = lines[start][0] <= anchor < lines[start][0] + size
            score = (len(frozenset[str]().union(*inside)), anchored, sum(map(len, inside)))
            if score > best_score:
                best, best_score = start, score
        return lines[best : best + size]
