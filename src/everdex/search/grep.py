r"""Regex and literal search: the lines rg would print for the same files, as they were indexed.

The inverted index says which files can match, only those are unpacked, and RE2 searches them whole. The pattern
language is rg's default one. Known differences: `(?-u)` and properties RE2 has no table for (such as
`\p{Alphabetic}`) are refused, counts go to 1,000, escaped punctuation that Debian's rg 13 refuses (`\/`) is
accepted, and characters newer than one of the two Unicode tables may be classed differently.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from everdex import limits
from everdex.errors import Timeout
from everdex.search.candidates import candidates
from everdex.search.check import pattern_tree
from everdex.search.matcher import Matcher
from everdex.search.model import LineMatch
from everdex.search.required import required
from everdex.view import SnapshotView

# Lines counted beyond those returned; a pattern that matches everywhere is not worth more of anyone's time.
MAX_COUNTED: Final = 100_000
LIMIT_LINES: Final = "matching_lines"
LIMIT_SNIPPET: Final = "snippet_bytes"


class GrepResult(msgspec.Struct, frozen=True):
    """Matching lines by (path, line). `total` counts all of them, unless `limits_hit` names LIMIT_LINES."""

    matches: tuple[LineMatch, ...]
    total: int
    files_scanned: int
    files_total: int
    limits_hit: tuple[str, ...] = ()


def grep(
    view: SnapshotView,
    pattern: str,
    *,
    literal: bool,
    ignore_case: bool,
    keep: Callable[[int], bool] | None,
    limit: int,
) -> GrepResult:
    """Lines of the view's files that match; `keep` chooses files by their place in `view.paths`."""
    tree = pattern_tree(pattern, literal=literal, ignore_case=ignore_case)
    matcher = Matcher(tree)
    possible = candidates(view, required(tree))
    kept = [index for index in range(len(view.paths)) if keep is None or keep(index)]
    chosen = kept if possible is None else [index for index in kept if possible[index]]
    return _Scan(view, matcher, limit).run(chosen, len(kept))


class _Scan:
    """One pass over the candidate files."""

    def __init__(self, view: SnapshotView, matcher: Matcher, limit: int) -> None:
        self._view = view
        self._matcher = matcher
        self._limit = limit
        self._matches: list[LineMatch] = []
        self._total = 0
        self._text_bytes = 0
        self._limits_hit: dict[str, None] = {}
        self._deadline = time.monotonic() + limits.QUERY_TIMEOUT_MS / 1_000

    def run(self, files: Sequence[int], files_total: int) -> GrepResult:
        scanned = 0
        # One thread: unpacking ahead in a second one gained nothing (RE2 keeps the interpreter lock).
        for index, packed in self._view.compressed_sources(files):
            scanned += 1
            self._file(self._view.paths[index], zlib.decompress(packed))
            if self._total >= MAX_COUNTED:
                self._limits_hit[LIMIT_LINES] = None
                break
        return GrepResult(tuple(self._matches), self._total, scanned, files_total, tuple(self._limits_hit))

    def _file(self, path_key: str, data: bytes) -> None:
        counted, line = 0, 1
        for found in self._matcher.lines(data):
            if found is None:
                self._check_time()
                continue
            self._total += 1
            if len(self._matches) < self._limit:
                start, end, match = found
                line += data.count(b"\n", counted, start)
                counted = start
                text = self._text(data[start:end], match - start)
                self._matches.append(LineMatch(path_key, line, match - start, start, end, text))
            elif self._total >= MAX_COUNTED:
                return

    def _text(self, line: bytes, column: int) -> str:
        """The line, or as much of it around the match as the limits allow."""
        room = min(limits.MAX_SNIPPET_BYTES, limits.MAX_SNIPPET_BYTES_TOTAL - self._text_bytes)
        if len(line) > room:
            self._limits_hit[LIMIT_SNIPPET] = None
            start = max(0, column - room // 4)
            line = line[start : start + room]
        self._text_bytes += len(line)
        return line.decode("utf-8", "ignore")  # a cut may go through a character

    def _check_time(self) -> None:
        if time.monotonic() > self._deadline:
            raise Timeout(
                f"the search took longer than {limits.QUERY_TIMEOUT_MS // 1_000} s",
                hint="make the pattern simpler or choose fewer files",
            )
