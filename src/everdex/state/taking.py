"""Which places in doubt somebody takes into a rename, as they name them: a file, a directory, a line, a column.

A place that can be taken is one of code at which exactly the old name is written; what a string, a comment or a
document says is never taken. One that leads elsewhere as far as is known is taken only by its line: who takes many at
once has not looked at it. Nothing is guessed: a name that fits no place in doubt is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from everdex import limits
from everdex.errors import QueryError

if TYPE_CHECKING:  # a plan is of a graph, and this is for who has none too
    from everdex.state.rename_model import RenameDoubt

EVERYWHERE: Final = "."
MAX_PLACES: Final = 1_000
_HINT: Final = "name it as the plan shows it: PATH:LINE, PATH:LINE:COLUMN or PATH"


def check_places(take: Collection[str]) -> None:
    """Refuse what names no place anywhere, and too many of them."""
    if len(take) > MAX_PLACES:
        raise QueryError(f"{len(take):,} places; at most {MAX_PLACES:,} are taken by name", hint="take whole files")
    for place in take:
        if not place or "\0" in place or len(place.encode("utf-8", "replace")) > limits.MAX_PATH_BYTES:
            raise QueryError(f"{place[:80]!r} is no place", hint=_HINT)


def taken(doubts: Sequence[RenameDoubt], take: Iterable[str]) -> set[int]:
    """The numbers of those that are taken; `QueryError` when a place fits none, or none that can be taken."""
    found: set[int] = set()
    for place in take:
        below = {number for number, doubt in enumerate(doubts) if _is_below(doubt, place)}
        there = below or {number for number, doubt in enumerate(doubts) if _is_on_line(doubt, place)}
        homes = sorted({doubts[number].path for number in there}) if not below else []
        if len(homes) > 1:
            raise QueryError(f"{place[:200]} may be in {homes[0]} or in {homes[1]}", hint="take the whole file")
        can_be = {number for number in there if doubts[number].takeable}
        chosen = {number for number in can_be if not doubts[number].elsewhere} if below else can_be
        if not chosen and place != EVERYWHERE:
            if not there:
                raise QueryError(f"nothing is in doubt at {place[:200]}", hint=_HINT)
            if can_be:
                raise QueryError(f"what is in doubt at {place[:200]} leads elsewhere", hint="take it by PATH:LINE")
            reason = doubts[min(there)].reason
            raise QueryError(f"{place[:200]} cannot be taken: {reason}", hint="edit it by hand")
        found |= chosen
    return found


def _is_below(doubt: RenameDoubt, place: str) -> bool:
    return place in (EVERYWHERE, doubt.path) or doubt.path.startswith(f"{place.rstrip('/')}/")


def _is_on_line(doubt: RenameDoubt, place: str) -> bool:
    line = f"{doubt.path}:{doubt.line}"  # a path may itself end like a place
    return place in (line, f"{line}:{doubt.column + 1}")
