"""How much one answer holds: its lists end where their items fill a number of bytes, however many were asked for.

What is left out is counted beside each list, and a cursor says where the next page begins, so that nothing is lost and
a daemon can send every answer. The sizes are those of the JSON that goes out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec.structs import replace

from everdex import limits
from everdex.service.answers import Answer

_Item = TypeVar("_Item")


def size(value: object) -> int:
    """Bytes of a value as JSON."""
    try:
        return len(msgspec.json.encode(value))
    except UnicodeEncodeError:  # a name that is not UTF-8
        return len(json.dumps(value))


class Room:
    """What one answer has left for its lists."""

    def __init__(self, most: int | None = None) -> None:
        self.left = limits.MAX_PAGE_BYTES if most is None else most

    @classmethod
    def beside(cls) -> Room:
        """For lists that stand beside the one that pages are made of."""
        return cls(limits.MAX_BESIDE_BYTES)

    def takes(self, item: object) -> bool:
        """Whether there is room for an item, which takes it."""
        needed = size(item) + 1
        if needed > self.left:
            self.left = 0
            return False
        self.left -= needed
        return True

    def fill(self, items: Iterable[_Item], *, least: int = 0) -> list[_Item]:
        """The first items, as far as they fit, and so many in any case."""
        found: list[_Item] = []
        for item in items:
            if not self.takes(item) and len(found) >= least:
                break
            found.append(item)
        return found


class Edges(NamedTuple):
    """A page of callers or callees."""

    shown: list[dict[str, Any]]
    end: int  # of the page: the number of the first that is not listed, or not with all its sites
    site_offset: int  # how many of its sites are listed


def edges(
    room: Room, found: Sequence[_Item], begin: int, site_offset: int,
    described: Callable[[_Item, int], tuple[dict[str, Any], Iterator[dict[str, Any]], int]],
) -> Edges:  # fmt: skip
    """As many as fit, from the site `site_offset` of the first on; `described` gives one's fields, its sites from some
    number on, and how many it has. Of one whose sites do not all fit the next page goes on with the others."""
    shown: list[dict[str, Any]] = []
    for number, item in enumerate(found, start=begin):
        fields, sites, count = described(item, site_offset)
        if not room.takes(fields) and shown:
            return Edges(shown, number, 0)
        listed = room.fill(sites, least=not shown)
        if not listed and shown:
            return Edges(shown, number, 0)
        shown.append({**fields, "sites": listed, "sites_omitted": max(0, count - site_offset - len(listed))})
        if shown[-1]["sites_omitted"]:
            return Edges(shown, number, site_offset + len(listed))
        site_offset = 0
    return Edges(shown, begin + len(found), 0)


def of_files(listing: Answer, offset: int) -> Answer:
    """Of a list of files and then of what is skipped, as much from `offset` on as a daemon sends at once."""
    room = Room(limits.MAX_LISTING_BYTES)
    files, skipped = listing.body["files"], listing.body.get("skipped", ())
    body = {**listing.body, "files": room.fill(files[offset:])}
    end = offset + len(body["files"])
    if "skipped" in body:
        body["skipped"] = room.fill(skipped[end - len(files) :]) if end >= len(files) else []
        end += len(body["skipped"])
    left = max(0, len(files) + len(skipped) - end)
    cursor = {"snapshot_id": listing.origin.snapshot_id, "offset": end} if left else None
    return replace(listing, body={**body, "omitted": left, "cursor": cursor})
