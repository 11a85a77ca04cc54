"""A place in a file as a question names it: `path:line`. Needs no index to be refused."""

from __future__ import annotations

from everdex import limits
from everdex.errors import QueryError


def parse_place(place: str) -> tuple[str, int]:
    """(path, line) of `path:line`; a path may have colons of its own."""
    path, colon, line = place.rpartition(":")
    if not colon or not path or not line.isascii() or not line.isdigit() or not int(line[:10]):
        raise QueryError(f"{place[:200]!r} is no place: that is written path:line", hint="for example src/app.py:120")
    if len(path.encode("utf-8", "replace")) > limits.MAX_PATH_BYTES:
        raise QueryError(f"the path is longer than {limits.MAX_PATH_BYTES} bytes")
    return path, int(line[:10])
