"""Making a whole answer fit the caller's tokens: lists lose their least useful entries, and the answer counts them.

The size that counts is that of the JSON a client puts into its model's context. Knows lists of plain values, not
what they mean: whoever calls says which list to spend first and which of its entries matter least.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Annotated, Any, Final

from pydantic import Field

from everdex.search.budget import BYTES_PER_TOKEN

DEFAULT_TOKENS: Final = 2_000
LEAST_TOKENS: Final = 500  # an answer's own frame and one short entry
MOST_TOKENS: Final = 100_000
Budget = Annotated[
    int,
    Field(ge=LEAST_TOKENS, le=MOST_TOKENS, description="the whole answer takes at most about this many tokens"),
]


@dataclass(frozen=True, slots=True)
class Spendable:
    """A list of the answer that may be shortened; `worth` orders its entries (default: earlier is worth more)."""

    name: str
    items: list[Any]
    worth: Callable[[Any], tuple[Any, ...]] | None = None
    least: int = 0  # how many entries are left of it in any case


def size(value: object) -> int:
    """Bytes of a value on the wire."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace"))


def fit(document: Mapping[str, Any], budget_tokens: int, spendable: Sequence[Spendable]) -> None:
    """Shorten the lists, in the order given, until the document fits; `omitted` says by how much."""
    # Every count in `omitted` may grow by some digits while entries are dropped.
    over = size(document) + 8 * len(spendable) - budget_tokens * BYTES_PER_TOKEN
    omitted = document["omitted"]
    for each in spendable:
        if over <= 0:
            return
        dropped: set[int] = set()
        for place in _least_first(each)[: max(0, len(each.items) - each.least)]:
            if over <= 0:
                break
            over -= size(each.items[place]) + 1
            dropped.add(place)
        each.items[:] = [item for place, item in enumerate(each.items) if place not in dropped]
        omitted[each.name] = omitted.get(each.name, 0) + len(dropped)


def _least_first(each: Spendable) -> list[int]:
    places = range(len(each.items) - 1, -1, -1)
    worth = each.worth
    return list(places) if worth is None else sorted(places, key=lambda place: worth(each.items[place]))


def whole_lines(text: str, room: int) -> str:
    """As many of the first lines as fit into `room` bytes."""
    if len(text.encode()) <= room:
        return text
    kept = 0
    for line in StringIO(text, newline="\n"):
        length = len(line.encode())
        if length > room:
            break
        room -= length
        kept += len(line)
    return text[:kept]
