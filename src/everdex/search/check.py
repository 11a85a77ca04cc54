"""Refusing a question that cannot be asked, before anything is indexed or opened for it. Needs no view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from everdex import limits
from everdex.config import PROFILE_NAMES
from everdex.errors import QueryError
from everdex.search.model import Mode, SearchRequest
from everdex.search.query import parse_query

if TYPE_CHECKING:
    from everdex.search.regex_tree import Node


def check(request: SearchRequest) -> None:
    """Raise `QueryError`, naming what is wrong, unless the request can be answered by some index."""
    if not 1 <= request.k <= limits.MAX_RESULTS:
        raise QueryError(f"-k is {request.k}; allowed is 1 to {limits.MAX_RESULTS}")
    if not 0 <= request.offset <= limits.MAX_CANDIDATES:
        raise QueryError(f"the offset is {request.offset}; allowed is 0 to {limits.MAX_CANDIDATES}")
    if request.profile is not None and request.profile not in PROFILE_NAMES:
        raise QueryError(f"unknown profile {request.profile!r}; known are {', '.join(PROFILE_NAMES)}")
    if request.mode not in (Mode.REGEX, Mode.LITERAL):
        parse_query(request.query)
        return
    if request.budget is not None:
        raise QueryError("--budget packs ranked snippets; it does not go with regex or literal")
    if request.rerank:
        raise QueryError("--rerank reorders ranked results; it does not go with regex or literal")
    pattern_tree(request.query, literal=request.mode is Mode.LITERAL, ignore_case=request.ignore_case)


def pattern_tree(pattern: str, *, literal: bool, ignore_case: bool) -> Node:
    """What a regex or literal pattern means."""
    if not pattern:
        raise QueryError("the pattern is empty: it would match every line")
    try:
        size = len(pattern.encode())
    except UnicodeEncodeError as error:
        raise QueryError("the pattern is not valid Unicode text") from error
    if size > limits.MAX_QUERY_BYTES:
        raise QueryError(f"the pattern has {size:,} bytes; at most {limits.MAX_QUERY_BYTES:,} are allowed")
    if "\n" in pattern:
        raise QueryError("the pattern contains a line feed: lines are searched one at a time")
    if "\0" in pattern:
        raise QueryError("the pattern contains a NUL character, which no indexed file does")
    from everdex.search import regex_syntax  # most questions are words

    read = regex_syntax.literal if literal else regex_syntax.parse
    return read(pattern, ignore_case=ignore_case)
