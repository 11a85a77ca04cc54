"""Which parameters a call may fill, as far as its text tells: who asks what one is looks at these calls alone.

A slot is a number of places, "2" for a call with at least so many, the name of a keyword, or "*" where stars pass what
cannot be counted. Whoever passes anything fills the first: nearly all calls do, so that is not told apart further.
"""

from __future__ import annotations

from typing import Any, Final

from everdex.facts.python import model as m

FIRST: Final = "1"
FEW: Final = 5  # calls of a name in a file: where there are more, who looks at them notes it by the file
MAX_CALL_SITES: Final = 24  # calls that are looked through for what a parameter is
_STEP: Final = 4
_MOST: Final = 6  # places that are told apart
_ANY: Final = "*"
_PLACES: Final = tuple(  # by how many are passed
    frozenset((FIRST, *map(str, range(2, count + 1))) if count else ()) for count in range(_MOST + 1)
)


def least(count: int) -> int:
    """What is told of how many calls of a name fill a slot in a file: the number of few, of more about how many, and
    that they are too many by themselves."""
    if count > MAX_CALL_SITES:
        return MAX_CALL_SITES + 1
    return count if count <= FEW else max(FEW + 1, count - count % _STEP)


def filled(entries: Any, entry: Any) -> frozenset[str]:
    """The slots of a call, none when it passes nothing; a decorator that is applied is given one thing."""
    if entry[0] != m.CALL:
        return _PLACES[1]
    _, _, positional, keywords = entry
    found = _PLACES[max(min(len(positional), _MOST), bool(keywords))]
    for each in positional:
        if entries[each][0] == m.STAR:
            found |= {_ANY}
            break
    return found.union([keyword or _ANY for keyword, _ in keywords]) if keywords else found


def filling(scope: m.Scope, index: int, is_method: bool) -> tuple[str, ...]:
    """The slots of which a call fills one that passes something for a parameter; none when any call may.

    A method is given its first by what it is called on: of its calls, those have one place less. So is a function that
    stands for a method: its first may be passed by a call that passes nothing.
    """
    name, kind = scope.params[index][:2]
    place = index if is_method else index + 1
    if kind in (m.ALL_POSITIONAL, m.ALL_KEYWORDS) or (kind != m.KEYWORD_ONLY and place < 2):
        return (FIRST,) if is_method and place == 1 and kind in (m.POSITIONAL, m.POSITIONAL_ONLY) else ()
    places = () if kind == m.KEYWORD_ONLY else (str(min(place, _MOST)),)
    return (*places, *(() if kind == m.POSITIONAL_ONLY else (name,)), _ANY)
