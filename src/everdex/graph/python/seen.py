"""What an answer looked at, as a graph of shared parts: kept with every answer, gathered once for every file.

A part is a key that some file may offer, or several parts together. Answers that used the same answer share its part,
so remembering costs one small object an answer however much is behind it. It knows nothing of what keys mean.
"""

from __future__ import annotations

from collections.abc import Iterable


class Seen:
    """One key, of a file's own content or of nobody's in particular; or several parts."""

    __slots__ = ("key", "mark", "parts", "path")

    def __init__(self, key: str, path: str, parts: tuple[Seen, ...]) -> None:
        self.key = key
        self.path = path  # whose content the key stands for; '' when it is not one file's
        self.parts = parts
        self.mark = 0  # the gathering that came by last


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
    first = parts[0]
    if len(parts) == 1 and (first is own or (first.parts and first.parts[0] is own)):
        return first
    distinct = dict.fromkeys(parts)
    distinct.pop(own, None)
    if not distinct:
        return own
    if len(distinct) == 1:
        (only,) = distinct
        if only.parts and only.parts[0] is own:
            return only
    return Seen("", "", (own, *distinct))


def gathered(parts: Iterable[Seen], home: str, mark: int) -> frozenset[str]:
    """The keys of all parts but those of one file's own content. Every gathering needs a mark of its own."""
    keys: set[str] = set()
    waiting = list(parts)
    while waiting:
        part = waiting.pop()
        if part.mark == mark:
            continue
        part.mark = mark
        if part.parts:
            waiting += part.parts
        elif part.path != home:
            keys.add(part.key)
    return frozenset(keys)
