"""Which files write a name, and what stands before it there: found without parsing one of them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from everdex.terms.split import WORD, fold
from everdex.view import SnapshotView
from everdex.view.words import files_with_token


def can_be_looked_up(name: str) -> bool:
    """Whether a name is one word; of any other the inverted index knows nothing."""
    return bool(WORD.fullmatch(fold(name)))


def places(source: bytes, name: str) -> set[bytes]:
    """What stands before a name where a file writes it: nothing at all when it does not."""
    pattern = rb"%(name)s(?![\w$])(?<![\w$]%(name)s)" % {b"name": re.escape(name.encode())}
    return {source[max(0, match.start() - 1) : match.start()] for match in re.finditer(pattern, source)}


def files_writing(view: SnapshotView, name: str, among: Container[str]) -> Iterator[tuple[str, set[bytes]]]:
    """The files that write a name, by path, each with its `places`; the name is one that can be looked up."""
    for path, held in zip(view.paths, files_with_token(view, fold(name)), strict=True):
        if held and path in among and (found := places(view.source(path), name)):
            yield path, found
