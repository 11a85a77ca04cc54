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
_SHOWN: Final = 3


def from_outside(reasons: Iterable[Mapping[str, str]], *, is_alone: bool) -> Iterator[str]:
    """The line for these reasons; that something is public says little unless nothing else is known of its use."""
    named: dict[str, list[str]] = {}
    for reason in reasons:
        if is_alone or reason["why"] != "public":
            named.setdefault(reason["why"], []).append(reason["what"])
    said = [_SAID[why].format(_some(what)) for why, what in named.items()]
    if said:
        yield f"may be called from outside the repository: {', '.join(said)}"


def _some(names: list[str]) -> str:
    shown = names[:_SHOWN] if len(names) > _SHOWN + 1 else names
    more = [f"{len(names) - len(shown)} more"] if len(shown) < len(names) else []
    parts = [*shown, *more]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
