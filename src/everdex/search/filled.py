"""A message of the tree with something put into it: `expected %d got %d`, asked for as `expected 3 got 5`.

Who pastes a message has values where the code has placeholders or joins strings, so that his text as a whole stands
nowhere. Three words in a row of it do, over and over: the documents with most of these triples are where it is made.
A value is known by its shape (digits, quotes, paths, dotted names) and stands for anything on its line; its words
have no say in which documents are looked at. Questions and plain phrases are no messages, and cost nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from everdex.numeric import np, npt
from everdex.search.bm25 import Bm25
from everdex.search.query import Intent, Query
from everdex.search.rank import best
from everdex.terms import split
from everdex.view import SnapshotView

_LOOKED_AT: Final = 64  # documents, the best by the words that are no values first
_MOST_WORDS: Final = 40
_TRIPLE: Final = 3
_LEAST_SHARE: Final = 0.6
_VALUE: Final = re.compile(r"""(?<!\w)(?:"[^"]*"|'[^']*'|`[^`]*`)(?!\w)|\S{0,80}[\d/@\\]\S{0,80}|\w+(?:\.\w+)+|\w+""")
_PUNCTUATED: Final = re.compile(r"""[\d"`:!/@\\]|\w\.\w|(?<!\w)'|\.$|\.\s""")
_CAUSE: Final = re.compile(r"[\w\]'\"`)]: ?\S")  # "parse config: no such file"
_ARTICLE: Final = re.compile(r"(?:an?|the|this)\b", re.IGNORECASE)
_ASKS: Final = re.compile(
    r"(?:are|can|do|does|has|have|how|is|should|what|when|where|which|who|whom|why|will)\b|.*\?\s*$",
    re.IGNORECASE | re.DOTALL,
)
# Between two words of one message: no word but a placeholder's letter (`%s`).
_BETWEEN: Final = r"(?:\W|%[-+.0-9]*[a-zA-Z])+"
_ANYTHING: Final = r"[^\n]{1,80}?"


class Filled(msgspec.Struct, frozen=True):
    """Where a message is made: the line, and the share of its words that stand there in rows."""

    line: int
    share: float


def filled(
    view: SnapshotView, bm25: Bm25, query: Query, allowed: npt.NDArray[np.bool_] | None
) -> Mapping[int, Filled]:
    """The documents that hold enough of the message."""
    text = query.text
    if query.intent is Intent.ACTION and not _ARTICLE.match(text) and not _CAUSE.search(text):
        return {}  # an order, as documentation gives it; "The account of bob is …" may be a message
    for phrase in query.phrases:
        text = re.sub(rf"(?<!\w){re.escape(phrase)}(?!\w)", lambda found: f'"{found[0]}"', text)
    if not _PUNCTUATED.search(text) or _ASKS.match(text):
        return {}
    words, patterns = _triples(text)
    if not patterns:
        return {}
    import re2  # few questions are messages

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    wanted = re2.Set.SearchSet(options)
    for pattern in patterns:
        wanted.Add(pattern)
    wanted.Compile()
    found = {}
    lexical, _ = bm25.scores(split.query_terms(" ".join(words)))
    for doc in best(lexical, allowed, _LOOKED_AT).tolist():
        row = view.document(doc).row
        hits = wanted.Match(row.text) or ()
        held = {place for hit in hits for place in range(hit, hit + _TRIPLE)}
        telling = sum(words[place] not in split.STOP_WORDS for place in held)
        if telling and (telling > 1 or len(held) > _TRIPLE) and len(held) >= _LEAST_SHARE * len(words):
            begins = re2.search(patterns[min(hits)], row.text, options=options).start()
            found[doc] = Filled(row.start_line + row.text.count("\n", 0, begins), len(held) / len(words))
    return found


def _triples(text: str) -> tuple[list[str], list[str]]:
    """The words of a message that are no values, and a pattern for each three of them in a row."""
    words: list[str] = []
    gaps: list[str] = []  # what stands before each word
    gap = _BETWEEN
    for piece in _VALUE.findall(text):
        if piece.isalpha():
            words.append(split.fold(piece))
            gaps.append(gap)
            gap = _BETWEEN
        else:
            gap = _ANYTHING
    del words[_MOST_WORDS:]
    # `buffer{}` is filled with the plural's ending.
    spelled = [re.escape(word.removesuffix("s")) + "s?" for word in words]
    patterns = []
    for first in range(len(words) - _TRIPLE + 1):
        one, two, three = spelled[first : first + _TRIPLE]
        patterns.append(rf"\b{one}{gaps[first + 1]}{two}{gaps[first + 2]}{three}\b")
    return words, patterns
