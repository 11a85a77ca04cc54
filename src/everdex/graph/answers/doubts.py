"""Why a list may lack something, in words: the counts of `could_add`, and what an answer leaves open that came before
the graph was finished. Terminals, models and pictures say it alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from everdex.wording import plural

_BY_NAME: Final = ("ambiguous", "unresolved", "external")
_SAID: Final = (
    ("unknown", "place", "{} may mean it: its owner there is not known"),
    ("named", "place", "named without being called in {}"),
    ("elsewhere", "call", "{} by its name lead{s} to others that are called so"),
    ("written", "place", "its name is written in {} of strings, templates, settings or unresolved code"),
    ("overriding", "call", "{} of methods that override it may be made through it"),
    ("overridden", "call", "{} of what it overrides or inherits may reach it"),
    ("unnamed", "call", "{} of computed values could reach anything"),
)


def doubts(could_add: Mapping[str, int | None]) -> Iterator[str]:
    """A sentence for each reason that there is."""
    asked = [f"{could_add[name]:,} {name}" for name in _BY_NAME if could_add[name]]
    if asked:
        yield f"could add to it, by name: {', '.join(asked)}"
    for name, noun, sentence in _SAID:
        count = could_add[name]
        if count:
            yield sentence.format(plural(count, noun), s="s" * (count == 1))


def left_open(reservation: Mapping[str, Any], how: str) -> Iterator[str]:
    """That more may come, why, and `how` to get all of it."""
    waiting, files = reservation["waiting"], reservation["files"]
    yield f"not finished: {waiting:,} of {files:,} files are not resolved yet and may use it without its name:"
    yield from (f"  {way['text']}" for way in reservation["ways"])
    yield how
