"""The sentences after the first of a definition's documentation: more questions about the same code.

What everdex shows of a definition is its first sentence; the next two say what else the code does, in other words.
Lists of parameters, examples and references are not read. The text is found from the comments around the definition,
and what does not begin with the definition's first sentence is left alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from everdex.parse.model import ParsedFile, Symbol
from training.pairs import question

_FURTHER: Final = 2  # sentences
_MOST: Final = 3_000  # bytes of documentation that are looked at
_GAP_LINES: Final = 4  # decorators and attributes between a comment and its definition
_MARK: Final = re.compile(
    r"^[ \t]*(?:/\*+!?|\*+/|///?/*!?|\*+(?!\*)|#+!?|--+\s?[|^]?|\{-+\s?[|^]?)[ \t]?", re.MULTILINE
)
_LISTS: Final = re.compile(
    r"\n\s*(?:@\w|:\w+|Parameters?\b|Arg(?:ument)?s?\b|Returns?:|Raises:|Yields:|Examples?\b|See Also|Notes?\b"
    r"|Attributes|References|>>>|```|<\w|\.\. |\* @|# *Examples?|# Panics|\\param|\\return)"
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s|\n\s*\n")


def further_sentences(data: bytes, parsed: ParsedFile, symbol: Symbol) -> Iterator[str]:
    """The questions that the second and third sentence ask."""
    span = _documentation(data, parsed.doc_ranges, symbol)
    if span is None:
        return
    text = _MARK.sub("", data[span[0] : min(span[1], span[0] + _MOST)].decode("utf-8", "ignore"))
    listed = _LISTS.search(text)
    if listed is not None:
        text = text[: listed.start()]
    if symbol.doc[:24] not in " ".join(text.split()):
        return
    for sentence in _SENTENCE_END.split(text[text.find(symbol.doc[:6]) :])[1 : 1 + _FURTHER]:
        asked = question(" ".join(sentence.split()).strip("\"'"))
        if asked is not None:
            yield asked


def _documentation(
    data: bytes, ranges: tuple[tuple[int, int], ...], symbol: Symbol
) -> tuple[int, int] | None:
    """Where the documentation stands: a string at the definition's beginning, or the run of comments right above it."""
    at = bisect_left(ranges, (symbol.start_byte, 0))
    if at < len(ranges) and ranges[at][0] < symbol.end_byte:
        opening = data[ranges[at][0] : ranges[at][0] + 3].lstrip(b"rRuU")[:1]
        if opening in (b'"', b"'", b"@"):
            return ranges[at]
    first = last = at - 1
    if last < 0 or data.count(b"\n", ranges[last][1], symbol.start_byte) > _GAP_LINES:
        return None
    while first > 0:
        between = data[ranges[first - 1][1] : ranges[first][0]]
        if between.strip() or between.count(b"\n") > 1:
            break
        first -= 1
    return ranges[first][0], ranges[last][1]
