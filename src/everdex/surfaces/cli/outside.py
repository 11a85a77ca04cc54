"""The line that says why something outside of the repository may call a symbol; none when there is no reason.

Knows only the `outside` field of an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

_SAID: Final = {
    "started": "the language starts it",
    "special": "the language calls what is named so",
    "object": "whoever is given the object may call it",
    "decorated": "decorated with {}",
    "replaces": "it replaces something outside",
    "inherits": "its class inherits {}",
    "test": "a test runner finds it",
    "public": "it is public",
}


def from_outside(reasons: Iterable[Mapping[str, str]], *, is_alone: bool) -> Iterator[str]:
    """The line for these reasons; that something is public says little unless nothing else is known of its use."""
    said = [
        _SAID[reason["why"]].format(reason["what"]) for reason in reasons if is_alone or reason["why"] != "public"
    ]
    if said:
        yield f"may be called from outside the repository: {', '.join(said)}"
