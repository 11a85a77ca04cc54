"""What the interface of a file consists of. Apart from how it is found (`interface`), for which the parser is loaded:
who compares interfaces mostly finds them remembered."""

from __future__ import annotations

import msgspec


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False, order=True):
    """One thing another file may name. `name` is its path inside the file: `Class.method`."""

    kind: str
    name: str
    signature: str


class Interface(msgspec.Struct, frozen=True, array_like=True):
    """`hash` is of `public` alone; `private` is sorted too."""

    hash: str
    public: tuple[Entry, ...]
    private: tuple[Entry, ...]
    partial: bool  # the file has syntax errors: something may be missing
