"""Finds functions to which lines were added and nothing else, so that only what stands in those lines is resolved.

That the other lines are as they were is told by the digest of the function's text before; that what stands in them
means what it meant, by pairing its expressions with those before the edit. Who takes lines away, or changes one, has
the function resolved as a whole: what each of its places looked at is not known one by one.
"""

from __future__ import annotations

from itertools import accumulate
from typing import Final, NamedTuple

import xxhash

from everdex.facts.python import model as m
from everdex.graph.python.edits.pairing import Pairing
from everdex.graph.python.file.files import File
from everdex.graph.python.file.nodes import Places

_MAX_HASHED: Final = 20_000_000  # bytes, to find where lines were added


class Grown(NamedTuple):
    """What was added to a function."""

    line: int  # as the file was, the line before which it was added
    lines: int
    start: int  # bytes, as the file is now
    end: int
    entries: list[int]  # the expressions there

    def moved(self, line: int) -> int:
        """By how many lines a line of the function, as it was, has moved in it."""
        return self.lines if line >= self.line else 0


class Growth:
    """A file before and after an edit, of which functions are asked."""

    def __init__(self, old: File, new: File, source: bytes) -> None:
        self._old, self._new = old, new
        self._source = source
        self._lines = Places(old.places.line_lengths)
        self._pairing = Pairing(old, new)

    def of(self, key: str, digest: int, entries: list[int]) -> Grown | None:
        """What was added to a function; `digest` is of its text as it was, `entries` are its expressions now."""
        before, after = self._old.scope_by_key[key], self._new.scope_by_key[key]
        inner = _defined(self._new, after)
        if [each.key for each in _defined(self._old, before)] != [each.key for each in inner]:
            return None
        added = self._added(self._old.scopes[before], self._new.scopes[after], digest, entries)
        if added is None or any(each.start < added.start < each.end for each in inner if each.kind == m.CLASS_SCOPE):
            return None  # what a class has is asked about with its statement
        return added if self._is_same(before, entries, added) else None

    def _added(self, old: m.Scope, new: m.Scope, digest: int, entries: list[int]) -> Grown | None:
        """The lines that were added, if the others are what they were."""
        first_line, last_line = (self._lines.at(each)[0] for each in (old.start, old.end))
        start = self._source.rfind(b"\n", 0, new.start) + 1
        text = self._source[start : new.end]
        lines = text.split(b"\n")
        more = len(lines) - (last_line - first_line + 1)
        if more <= 0 or len(text) * len(lines) > _MAX_HASHED:
            return None
        begins = [0, *accumulate(len(line) + 1 for line in lines)]
        until = xxhash.xxh3_64(lines[0])
        for number in range(1, len(lines) - more + 1):
            # What is before the added lines, without the end of its last one; and then what is behind them.
            rest = until.copy()
            rest.update(text[begins[number + more] - 1 :])
            if rest.intdigest() == digest:
                begin, end = start + begins[number], start + begins[number + more]
                places = self._new.places.starts
                return Grown(
                    first_line + number, more, begin, end, [each for each in entries if begin <= places[each] < end]
                )
            until.update(text[begins[number] - 1 : begins[number + 1] - 1])
        return None

    def _is_same(self, before: int, entries: list[int], added: Grown) -> bool:
        """Whether all that is not added means what it meant."""
        old, new = self._old, self._new
        within = {before, *old.within(before)}
        earlier = [each for scope, numbers in old.stretches() if scope in within for each in numbers]
        # A literal is one for a whole body, and stands where it is first met.
        left = [each for each in earlier if old.entries[each][0] != m.LITERAL]
        fresh = frozenset(added.entries)
        right = [each for each in entries if each not in fresh and new.entries[each][0] != m.LITERAL]
        if [old.places.lengths[each] for each in left] != [new.places.lengths[each] for each in right]:
            return False
        pairing = self._pairing
        mark = pairing.mark()
        if pairing.both(left, right) and pairing.walked() and _asked_of(old, left) == _asked_of(new, entries):
            return True
        pairing.go_back(mark)
        return False


def _defined(file: File, scope: int) -> list[m.Scope]:
    """The definitions inside a function."""
    inside = [file.scopes[each] for each in file.within(scope)]
    return [each for each in inside if each.kind != m.COMPREHENSION_SCOPE]


def _asked_of(file: File, entries: list[int]) -> set[tuple[str, int]]:
    """The parameters of which some attribute is asked: whether others are true is not worth looking for."""
    owners = [file.entries[entry[1]] for each in entries if (entry := file.entries[each])[0] == m.ATTRIBUTE]
    values = [file.entries[file.bindings[each][2]] for owner in owners if owner[0] == m.NAME for each in owner[2]]
    return {(file.scopes[each[1]].key, each[2]) for each in values if each[0] == m.PARAMETER}
