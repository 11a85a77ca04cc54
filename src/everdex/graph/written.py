"""Which files write a name, and what stands before it there: found without parsing one of them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import Final

from everdex.numeric import np
from everdex.terms.split import WORD, fold
from everdex.view import SnapshotView
from everdex.view.words import files_with_token

# In names that are made (`<lambda1>`), or put together without the blanks of the text (`operator ==`).
_MADE: Final = re.compile(r"[\s<>=()\[\]]|operator")


def can_be_looked_up(name: str) -> bool:
    """Whether a name is one word; of any other the inverted index knows only the words in it."""
    return bool(WORD.fullmatch(fold(name)))


def stands_in_text(name: str) -> bool:
    """Whether a definition of this name has it in its file, letter by letter."""
    return not _MADE.search(name)


def places(source: bytes, name: str) -> set[bytes]:
    """What stands before a name where a file writes it: nothing at all when it does not."""
    written = re.escape(name.encode("utf-8", "surrogatepass"))
    after = rb"(?![\w$])" if WORD.match(name[-1:]) else b""
    before = rb"(?<!\w%s)" % written if WORD.match(name) else b""  # PHP writes `$name` where it declares one
    found = re.finditer(written + after + before, source)
    return {source[max(0, match.start() - 1) : match.start()] for match in found}


def files_writing(view: SnapshotView, name: str, among: Container[str]) -> Iterator[tuple[str, set[bytes]]]:
    """The files that write a name, by path, each with its `places`; the name is one that stands in the text."""
    holding = np.ones(len(view.paths), dtype=np.bool_)
    for word in WORD.findall(fold(name)):
        holding &= files_with_token(view, word)
    for path, held in zip(view.paths, holding, strict=True):
        if held and path in among and (found := places(view.source(path), name)):
            yield path, found
