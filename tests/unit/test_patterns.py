"""The patterns that text is searched with mean the same in every Python."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import everdex

_GROUPS = (_constants.SUBPATTERN, _constants.BRANCH, _constants.MAX_REPEAT, _constants.ATOMIC_GROUP)


def _patterns(thing: object) -> Iterator[re.Pattern[Any]]:
    if isinstance(thing, re.Pattern):
        yield thing
    elif isinstance(thing, dict):
        for each in thing.values():
            yield from _patterns(each)
    elif isinstance(thing, list | tuple | set | frozenset):
        for each in thing:
            yield from _patterns(each)


def _repeated_for_good(parsed: Any) -> Iterator[Any]:
    """What is repeated possessively in a pattern, however deep."""
    for operator, argument in parsed:
        if operator is _constants.POSSESSIVE_REPEAT:
            yield argument[2]
        for each in argument if isinstance(argument, tuple) else (argument,):
            for inner in each if isinstance(each, list) else (each,):
                if isinstance(inner, _parser.SubPattern):
                    yield from _repeated_for_good(inner)


def _modules() -> Iterator[str]:
    for module in pkgutil.walk_packages(everdex.__path__, "everdex."):
        if not module.name.endswith("__main__"):
            yield module.name


# Whole lines of comments: what it may go on behind ends a run, of which the last lines stay as they are.
_HARMLESS = "everdex.parse.comment_runs"


def test_no_group_is_repeated_possessively() -> None:
    """Until 3.11.5 Python goes on behind what such a group could not match after all, and takes it for matched."""
    found = []
    for name in set(_modules()) - {_HARMLESS}:
        for pattern in _patterns(list(vars(importlib.import_module(name)).values())):
            repeated = _repeated_for_good(_parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE))
            found += [(name, pattern.pattern) for each in repeated if len(each) > 1 or each[0][0] in _GROUPS]
    assert not found
