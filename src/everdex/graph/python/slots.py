"""Which parameters a call may fill, as far as its text tells: who asks what one is looks at these calls alone.

A slot is a number of places, "2" for a call with at least so many, the name of a keyword, or "*" where stars pass what
cannot be counted.
"""

from __future__ import annotations

from typing import Any, Final

from everdex.facts.python import model as m

_MOST: Final = 6  # places that are told apart
_ANY: Final = "*"


def filled(entries: Any, entry: Any) -> frozenset[str]:
    """The slots of a call; one place is none: nearly all calls fill it, and so does a decorator that is applied."""
    if entry[0] != m.CALL:
        return frozenset()
    _, _, positional, keywords = entry
    found = [str(place) for place in range(2, min(len(positional), _MOST) + 1)]
    found += [keyword or _ANY for keyword, _ in keywords]
    if any(entries[each][0] == m.STAR for each in positional):
        found.append(_ANY)
    return frozenset(found)


def filling(scope: m.Scope, index: int, is_method: bool) -> tuple[str, ...]:
    """The slots of which a call fills one that passes something for a parameter; none when nearly all calls do.

    A method is given its first by what it is called on: of its calls, those have one place less.
    """
    name, kind = scope.params[index][:2]
    place = index if is_method else index + 1
    if kind in (m.ALL_POSITIONAL, m.ALL_KEYWORDS) or (kind != m.KEYWORD_ONLY and place < 2):
        return ()
    places = () if kind == m.KEYWORD_ONLY else (str(min(place, _MOST)),)
    return (*places, *(() if kind == m.POSITIONAL_ONLY else (name,)), _ANY)
