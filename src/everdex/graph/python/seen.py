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

    key: str
    path: str  # whose content the key stands for; '' when it is not one file's
    parts: tuple[Seen, ...]
    own: Seen | None = None  # a part of it, or of a part of it


def joined(parts: list[Seen]) -> Seen | None:
    """One part for several; None for none."""
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    distinct = tuple(dict.fromkeys(parts))
    return distinct[0] if len(distinct) == 1 else Seen("", "", distinct)


def joined_with(own: Seen, parts: list[Seen]) -> Seen:
    """The same with one that is always there."""
    if not parts:
        return own
    if len(parts) == 1:
        (only,) = parts
        return only if only is own or only.own is own else Seen("", "", (own, only), own)
    distinct = dict.fromkeys(parts)
    distinct.pop(own, None)
    if not distinct:
        return own
    for each in distinct:
        if each.own is own:
            return each if len(distinct) == 1 else Seen("", "", tuple(distinct), own)
    return Seen("", "", (own, *distinct), own)


class Gathered(NamedTuple):
    """What several askers looked at."""

    keys: tuple[str, ...]
    own: int  # bits: which keys stand for one file's own content
    of_others: frozenset[str]  # the keys that do not
    looked: tuple[int, ...]  # for each asker bits: which keys it looked at


def gathered(askers: Iterable[Sequence[Seen]], home: str) -> Gathered:
    """The keys behind the parts that each asker has, in one walk: what is shared is looked into once."""
    numbers: dict[str, int] = {}
    known: dict[Seen, int] = {}
    own, own_keys = 0, set()
    looked = []
    for parts in askers:
        part = Seen("", "", tuple(dict.fromkeys(parts)))
        rest, bits = iter(part.parts), 0
        around: list[tuple[Seen, Iterator[Seen], int]] = []
        while True:
            for each in rest:
                found = known.get(each)
                if found is None:
                    if each.parts:  # into it, and on with the rest of this one afterwards
                        around.append((part, rest, bits))
                        part, rest, bits = each, iter(each.parts), 0
                        break
                    found = known[each] = 1 << numbers.setdefault(each.key, len(numbers))
                    if each.path == home:
                        own |= found
                        own_keys.add(each.key)
                bits |= found
            else:
                known[part] = bits
                if not around:
                    break
                part, rest, before = around.pop()
                bits |= before
        looked.append(bits)
    return Gathered(tuple(numbers), own, frozenset(numbers.keys() - own_keys), tuple(looked))
