"""Places that a question names by file and line: `src/app.py:120`, a line of a stack trace, a whole one.

Paths come from other machines and other directories: what counts is how many of their last parts a path of the tree
has. A place that is in no indexed file is no place, and leaves the question as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from everdex.search.query import Query
from everdex.view import SnapshotView

_MOST: Final = 20  # of one question
_SAME_NAME: Final = 10  # files that a bare name may mean
# `File "a.py", line 3` without its quotes, a.py:3:7, a.cs:line 3, a.ts(3,7), a.go#L3
_PLACE: Final = re.compile(
    r"(?<![^\s\"'`()<>\[\]{},;:|#])(?P<path>[^\s\"'`()<>\[\]{},;:|#]{1,400}\.[A-Za-z]\w{0,9})[\"'`]?"
    r"(?:\s*,?\s*(?P<last>line)\s+|:line\s|:|\(|#L)(?P<line>\d{1,7})\b"
)
_STEP: Final = 0.01


class Pasted(NamedTuple):
    """A document that holds a place."""

    line: int
    share: float  # 1 for where it happened, a little less for each place that is farther from it


def pasted(view: SnapshotView, query: Query) -> tuple[Query, dict[int, Pasted]]:
    """The documents that hold the places, and the question without the quotes around them: those ask for nothing."""
    matches = list(_PLACE.finditer(query.text))
    if not matches:
        return query, {}
    if matches[0]["last"]:
        matches.reverse()  # Python names the most recent call last
    found: dict[int, Pasted] = {}
    named: set[str] = set()
    for match in matches[:_MOST]:
        line = int(match["line"])
        for path_key in _meant(view.paths, match["path"]):
            for document in view.documents_of(path_key):
                if document.row.start_line <= line <= document.row.end_line:
                    found.setdefault(document.doc_id, Pasted(line, 1.0 - _STEP * len(found)))
                    named.add(match["path"])
    return replace(query, phrases=tuple(phrase for phrase in query.phrases if phrase not in named)), found


def _meant(paths: Sequence[str], asked: str) -> list[str]:
    """The paths with most of the last parts of one that may come from elsewhere."""
    parts = asked.replace("\\", "/").removeprefix("./").split("/")
    ending = "/" + parts[-1]
    best, found = 0, list[str]()
    for path_key in paths:
        if not f"/{path_key}".endswith(ending):
            continue
        own = path_key.split("/")
        common = 1
        while common < min(len(own), len(parts)) and own[-1 - common] == parts[-1 - common]:
            common += 1
        # The same name in another directory is another file.
        if common == 1 and len(parts) > 1 and len(own) > 1:
            continue
        if common >= best:
            found = [*found, path_key] if common == best else [path_key]
            best = common
    return found[:_SAME_NAME]
