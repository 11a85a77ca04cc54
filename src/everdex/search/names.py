"""The symbol table by name: exact, prefix, camel humps (`SnpVw` is SnapshotView) and near misses.

Exact names go through the segment's own index; the other lookups read every name of the view once and keep
them. All of them are bounded, and a guess is always told apart from the name that was asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from itertools import islice, takewhile
from typing import Final

import msgspec

from everdex.numeric import np, npt
from everdex.terms import split
from everdex.view import SnapshotView

_MAX_FOUND: Final = 50
_MAX_DISTANCE: Final = 2
_LONG: Final = 14  # letters: names of so many are told apart by more than three of them
_MIN_FUZZY: Final = 4
_TWO_WRONG: Final = 9  # letters of a word that may have two of them wrong
_MAX_FUZZY: Final = 80
_CLASSES: Final = 64
_HUMP: Final = re.compile(r"[A-Z][a-z0-9]*|[a-z0-9]+")


class NameHit(msgspec.Struct, frozen=True):
    """A definition found by its name, and how."""

    doc_id: int
    name: str
    how: str  # exact, prefix, humps, fuzzy
    closeness: float  # 1 for the name itself, less for a looser match


def is_misspelt(asked: str, name: str) -> bool:
    """Whether a name that nothing has is surely meant to be this one: of a single word near ones may be other words."""
    folded = split.fold(asked)
    limit = _distance_allowed(asked)
    return len(split.parts(asked)) > 1 and edit_distance(folded, split.fold(name), limit) <= limit


def _distance_allowed(name: str) -> int:
    if len(name) < 6:
        return 1
    return _MAX_DISTANCE if len(name) < _LONG else _MAX_DISTANCE + 1


class SymbolNames:
    """Names of one view."""

    def __init__(self, view: SnapshotView) -> None:
        self._view = view

    def exact(self, name: str) -> list[NameHit]:
        """Definitions with this name; another case of letters is a little less close."""
        return [
            NameHit(
                self._view.doc_of(symbol.path_key, symbol.row_no), symbol.name, "exact",
                1.0 if symbol.name == name else 0.8,
            )
            for symbol in self._view.symbols_named(name)[:_MAX_FOUND]
        ]  # fmt: skip

    def near(self, name: str) -> list[NameHit]:
        """Prefix, hump and near-miss matches, closest first; for a name that nothing is called exactly."""
        if len(name) < 2:
            return []
        found = {**self._fuzzy(name), **self._humps(name), **self._prefixed(name)}
        ranked = sorted(found.items(), key=lambda item: (-item[1][1], len(item[0]), item[0]))[:_MAX_FOUND]
        return [
            NameHit(doc_id, candidate, how, closeness)
            for candidate, (how, closeness) in ranked
            for doc_id in self._by_name[candidate][:4]
        ]

    def nearest_word(self, word: str) -> str | None:
        """The word of the definitions' names that a word which stands nowhere is a letter or two away from."""
        folded = split.fold(word)
        limit = 1 if len(folded) < _TWO_WRONG else 2
        near = []
        for other, count in self._words.get(folded[:1], {}).items():
            if abs(len(other) - len(folded)) <= limit:
                distance = edit_distance(folded, other, limit)
                if distance <= limit:
                    near.append((distance, -count, other))
        return min(near)[2] if near else None

    def _prefixed(self, name: str) -> dict[str, tuple[str, float]]:
        folded = split.fold(name)
        first = bisect_left(self._folded, (folded,))
        hits = takewhile(lambda item: item[0].startswith(folded), islice(self._folded, first, first + _MAX_FOUND))
        return {hit: ("prefix", 0.5 + 0.3 * len(folded) / len(hit)) for _, hit in hits}

    def _humps(self, name: str) -> dict[str, tuple[str, float]]:
        pattern = _hump_pattern(name)
        if pattern is None:
            return {}
        import re2  # not `re`: a name made for it would keep a backtracking engine busy for ever

        found = islice(re2.finditer(pattern.encode(), self._text), _MAX_FOUND)
        return {match[0].decode(): ("humps", 0.6) for match in found}

    def _fuzzy(self, name: str) -> dict[str, tuple[str, float]]:
        if not _MIN_FUZZY <= len(name) <= _MAX_FUZZY:
            return {}
        folded = split.fold(name)
        limit = _distance_allowed(name)
        # One edit changes the length by one and at most two letter counts: most names are ruled out unseen.
        lengths, places, letters = self._letters
        first, last = np.searchsorted(lengths, [len(folded) - limit, len(folded) + limit + 1]).tolist()
        apart = np.abs(letters[first:last] - _letter_counts(folded)).sum(axis=1)
        found = {}
        for place in places[first:last][apart <= 2 * limit].tolist():
            candidate = self._line_names[place]
            distance = edit_distance(folded, split.fold(candidate), limit)
            if distance <= limit:
                found[candidate] = ("fuzzy", 0.5 - 0.05 * distance)
        return found

    @cached_property
    def _line_names(self) -> list[str]:
        return sorted(self._by_name)

    @cached_property
    def _words(self) -> dict[str, dict[str, int]]:
        """The words that names consist of, by their first letter, and in how many names each is."""
        words: dict[str, dict[str, int]] = {}
        for name in self._line_names:
            for part in set(split.parts(name)):
                if len(part) >= _MIN_FUZZY:
                    counts = words.setdefault(part[0], {})
                    counts[part] = counts.get(part, 0) + 1
        return words

    @cached_property
    def _text(self) -> bytes:
        """As bytes: RE2 reads those, and of a string it would count the characters before every match."""
        return "\n".join(self._line_names).encode()

    @cached_property
    def _folded(self) -> list[tuple[str, ...]]:
        """(folded name, name), sorted: names with a common beginning stand together."""
        return sorted((split.fold(name), name) for name in self._line_names)

    @cached_property
    def _letters(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int16]]:
        """Names by length: the length, the place in `_line_names`, and how often each letter class occurs."""
        folded = [split.fold(name) for name in self._line_names]
        lengths = np.fromiter(map(len, folded), np.int64, len(folded))
        places = np.argsort(lengths, kind="stable")
        letters = np.frombuffer("".join(folded).encode("utf-32-le"), dtype="<u4") & (_CLASSES - 1)
        owners = np.repeat(np.arange(len(folded)), lengths)
        counts = np.bincount(owners * _CLASSES + letters, minlength=len(folded) * _CLASSES)
        return lengths[places], places, counts.astype(np.int16).reshape(len(folded), _CLASSES)[places]

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        names: dict[str, list[int]] = {}
        # By docId: the view reads segment by segment, and what is cut to a few must not depend on that.
        for doc_id, name in sorted(self._view.all_symbol_names()):
            names.setdefault(name, []).append(doc_id)
        return names


def _hump_pattern(name: str) -> str | None:
    """`SnpVw` → names whose words begin with S… and V… and hold n, p and w in order; for RE2."""
    humps = _HUMP.findall(name)
    if len(humps) < 2 or not name.isalnum() or name.islower() or len(name) > 40:
        return None
    begun = f"[{humps[0][0].upper()}{humps[0][0].lower()}]"
    begins = [begun, *(f"[a-z0-9]*_*(?:{hump[0].upper()}|_{hump[0].lower()})" for hump in humps[1:])]
    rest = ["".join(f"[a-z0-9_]*?{re.escape(char)}" for char in hump[1:]) for hump in humps]
    return "(?m)^" + "".join(map("".join, zip(begins, rest, strict=True))) + ".*"


def _letter_counts(word: str) -> npt.NDArray[np.int16]:
    """Counts of the code points modulo 64: distinct for ASCII letters, digits and underscore."""
    return np.bincount([ord(char) & (_CLASSES - 1) for char in word], minlength=_CLASSES).astype(np.int16)


def edit_distance(first: str, second: str, limit: int) -> int:
    """Edits (insert, delete, replace, swap of neighbours) between two words; `limit` + 1 when over the limit."""
    if first == second:
        return 0
    if abs(len(first) - len(second)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        two_before, before = before, row
        row = [i, *([limit + 1] * len(second))]
        low, high = max(1, i - limit), min(len(second), i + limit)
        for j in range(low, high + 1):
            b = second[j - 1]
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == second[j - 2] and first[i - 2] == b:
                cost = min(cost, two_before[j - 2] + 1)
            row[j] = cost
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)
