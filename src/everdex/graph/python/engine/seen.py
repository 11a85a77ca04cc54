"""What an answer was read from, as a graph of shared parts: kept with every answer, gathered once for every file.

A part is one key, or several parts together. Answers that used the same answer share its part, so that noting costs one
small object an answer, however much is behind it. What keys mean is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec


class Seen(msgspec.Struct, eq=False, gc=False):
    """One key, of a file's own content or of nobody's in particular; or several parts, which were made before it."""

    key: int  # its hash, `key32`; 0 of several parts
    path: str  # whose content the key stands for; '' when it is not one file's
    parts: tuple[Seen, ...]
    own: Seen | None = None  # a part of it, or of a part of it


Made = dict[tuple[Seen, ...], Seen]  # by their parts: a question asked again with other fuel has often seen the same


def joined(parts: list[Seen], made: Made) -> Seen | None:
    """One part for several; None for none."""
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    distinct = tuple(dict.fromkeys(parts))
    if len(distinct) == 1:
        return distinct[0]
    found = made.get(distinct)
    if found is None:
        found = made[distinct] = Seen(0, "", distinct)
    return found


def joined_with(own: Seen, parts: list[Seen], made: Made) -> Seen:
    """The same with one that is always there."""
    if not parts:
        return own
    if len(parts) == 1:
        (only,) = parts
        if only is own or only.own is own:
            return only
        distinct: tuple[Seen, ...] = (own, only)
    else:
        others = dict.fromkeys(parts)
        others.pop(own, None)
        for each in others:
            if each.own is own:
                if len(others) == 1:
                    return each
                distinct = tuple(others)
                break
        else:
            if not others:
                return own
            distinct = (own, *others)
    found = made.get(distinct)
    if found is None:
        found = made[distinct] = Seen(0, "", distinct, own)
    return found


class Gathered(NamedTuple):
    """What several askers looked at."""

    keys: tuple[int, ...]  # hashes; one may be there twice
    own: int  # bits: which keys stand for one file's own content
    looked: tuple[int, ...]  # for each asker bits: which keys it looked at


def gathered(askers: Iterable[Sequence[Seen]], home: str) -> Gathered:
    """The keys behind the parts that each asker has, in one walk: what is shared is looked into once."""
    keys: list[Seen] = []
    known: dict[Seen, int] = {}
    get = known.get  # asked so often that looking up the method counts
    looked = []
    for parts in askers:
        part = Seen(0, "", tuple(dict.fromkeys(parts)))
        rest, bits = iter(part.parts), 0
        around: list[tuple[Seen, Iterator[Seen], int]] = []
        while True:
            for each in rest:
                found = get(each)
                if found is None:
                    inner = each.parts
                    if inner:  # into it, and on with the rest of this one afterwards
                        around.append((part, rest, bits))
                        part, rest, bits = each, iter(inner), 0
                        break
                    found = known[each] = 1 << len(keys)
                    keys.append(each)
                bits = bits | found if bits else found  # the number itself, where it is all: no copy of it
            else:
                known[part] = bits
                if not around:
                    break
                part, rest, before = around.pop()
                if before:
                    bits |= before
        looked.append(bits)
    own = 0
    for number, each in enumerate(keys):
        if each.path == home:
            own |= 1 << number
    return Gathered(tuple([each.key for each in keys]), own, tuple(looked))
