"""Which files hold which keys: each key once, with a list of files that many keys may share.

Keys are hashed to 32 bits, for questions whose answers are checked in the file anyway: a false candidate costs one
look. What a table is depends on its rows alone, not on how it came about: keys are in order, and lists in the order of
the first key that has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import xxhash

from everdex.graph.model import LIMITS, MORE_MARK, PLACES, more_key, more_places_key
from everdex.graph.stored.file_lists import NO_LISTS, FileLists, Members, among, joined_lists, listed
from everdex.numeric import distinct, np, npt

U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
LOW: Final = 0xFFFFFFFF
_MARKS: Final = (*(more_key("", limit) for limit in LIMITS), *(more_places_key("", limit) for limit in PLACES))
FORMS: Final = {mark: 0x80000000 >> place for place, mark in enumerate(_MARKS)}  # a bit for each
_FORM: Final = len(MORE_MARK) + 1


def key64(text: str) -> int:
    if text.startswith(MORE_MARK) and text[:_FORM] in FORMS:
        return key64(text[_FORM:]) ^ FORMS[text[:_FORM]]  # as that of the key: what a file offered is known by hashes
    return xxhash.xxh64_intdigest(text.encode("utf-8", "surrogatepass"))


def key32(text: str) -> int:
    return key64(text) & LOW


def keys32(texts: Iterable[str]) -> U32:
    """The distinct keys of some strings, sorted."""
    digest = xxhash.xxh64_intdigest
    hashed = [
        key64(text) if text.startswith(MORE_MARK) else digest(text.encode("utf-8", "surrogatepass")) for text in texts
    ]
    return distinct(np.array(hashed, dtype=np.uint64).astype(np.uint32))


@dataclass(frozen=True, slots=True)
class Postings:
    """Files by key."""

    keys: U32  # in order
    numbers: npt.NDArray[Any]  # of each key: of its list
    lists: FileLists  # each of them once

    def holders(self, key: int) -> list[int]:
        """Files with this key, ascending."""
        return self.holders_of_any(np.array([key], dtype=np.uint32))

    def holders_of_any(self, keys: U32) -> list[int]:
        """Files with one of these keys, ascending."""
        numbers = distinct(self.numbers[self._places(keys)])
        found: list[int] = distinct(self.lists.chosen(numbers).members.files).tolist()
        return found

    def pairs(self) -> tuple[U32, U32]:
        """Each key with each of its files, in order."""
        return self._rows(np.arange(len(self.keys)), self.lists.members)

    def of(self, numbers: Sequence[int]) -> dict[int, U32]:
        """The keys of some files, each file's in order."""
        wanted = np.array(sorted(numbers), dtype=np.uint32)
        keys, files = self._of(wanted)
        order = np.argsort(files, kind="stable")
        keys, files = keys[order], files[order]
        low, high = np.searchsorted(files, wanted).tolist(), np.searchsorted(files, wanted, "right").tolist()
        return {number: keys[first:last] for number, first, last in zip(wanted.tolist(), low, high, strict=True)}

    def merged(self, renumber: npt.NDArray[np.int64], added: Mapping[int, U32]) -> Postings:
        """With files renumbered (-1: gone) in an order-keeping way, and other keys for some of them, or of new ones.

        After an edit nearly all keys have the files that they had, and their lists are copied.
        """
        new = _ordered([(keys, np.full(len(keys), number)) for number, keys in added.items()])
        if not len(self.keys):
            return _table(new)
        leaving = leaving_files(renumber, added)
        keys, files = self._of(leaving)
        owners = renumber[files]
        old, stays = _joined(keys, owners), owners >= 0
        gone, come = keys[~stays | ~is_among(old, new)], _keys_of(new[~is_among(new, old[stays])])
        touched = distinct(np.concatenate((gone, come)))
        if not len(touched) and not moves(renumber):
            return self
        coming = _table(new[is_among(_keys_of(new), touched)])
        return self._without(touched, renumber)._beside(self._with(touched, renumber, leaving, coming))

    def beside(self, other: Postings) -> Postings:
        """Both, where no file is in both."""
        return _table(_ordered([self.pairs(), other.pairs()]))

    def _places(self, keys: U32) -> npt.NDArray[np.int64]:
        """Where those of some keys are that are there."""
        places = np.searchsorted(self.keys, keys)
        places[places == len(self.keys)] = 0
        return places[self.keys[places] == keys] if len(self.keys) else places[:0]

    def _numbers(self, keys: U32) -> npt.NDArray[np.int64]:
        """Of each of some keys its list; -1 where it has none."""
        if not len(self.keys):
            return np.full(len(keys), -1)
        places = np.searchsorted(self.keys, keys).clip(max=len(self.keys) - 1)
        return np.where(self.keys[places] == keys, self.numbers[places].astype(np.int64), -1)

    def _of(self, files: npt.NDArray[Any]) -> tuple[U32, U32]:
        """The rows of some files, in order."""
        members = self.lists.only(files)
        return self._rows(np.flatnonzero(members.counts[self.numbers]), members)

    def _rows(self, places: npt.NDArray[np.int64], members: Members) -> tuple[U32, U32]:
        """The rows of some keys whose lists have these members."""
        chosen = members.of(self.numbers[places])
        return np.repeat(self.keys[places], chosen.counts), chosen.files

    def _with(
        self, keys: U32, renumber: npt.NDArray[np.int64], leaving: npt.NDArray[np.int64], come: Postings
    ) -> Postings:
        """These keys alone, with files renumbered: without those that are leaving, and with those that come.

        Most of them have a list in common with others, and get one in common: each is worked out once.
        """
        one_more = len(come.lists.ends) + 1
        both = (self._numbers(keys) + 1) * one_more + come._numbers(keys) + 1
        kinds = distinct(both)
        before, after = kinds // one_more - 1, kinds % one_more - 1
        numbers = np.arange(len(kinds), dtype=np.uint32)
        old, new = (
            (np.repeat(numbers[chosen >= 0], members.counts), members.files)
            for chosen, table in ((before, self), (after, come))
            for members in [table.lists.chosen(chosen[chosen >= 0]).members]
        )
        stays = ~among(old[1], leaving)
        made = _table(_ordered([(old[0][stays], renumber[old[1][stays]]), new]))
        found = made._numbers(np.searchsorted(kinds, both).astype(np.uint32))
        return Postings(keys[found >= 0], found[found >= 0], made.lists)

    def _without(self, keys: U32, renumber: npt.NDArray[np.int64]) -> Postings:
        """All other keys, with files renumbered; of their lists no file is gone."""
        stays = np.ones(len(self.keys), dtype=np.bool_)
        stays[self._places(keys)] = False
        numbers, lists = self.numbers[stays], self.lists
        if moves(renumber):
            chosen = np.zeros(len(lists.ends), dtype=np.bool_)
            chosen[numbers] = True
            numbers = (np.cumsum(chosen) - 1)[numbers]
            lists = lists.renumbered(renumber, chosen).chosen(np.flatnonzero(chosen))
        return Postings(self.keys[stays], numbers, lists)

    def _beside(self, other: Postings) -> Postings:
        """Both, where no key is in both and lists may be in any order, or of no key."""
        places = np.searchsorted(self.keys, other.keys)
        keys = np.insert(self.keys, places, other.keys)
        numbers = np.insert(self.numbers.astype(np.int64), places, _found(self.lists, other.lists)[other.numbers])
        lists = self.lists.beside(other.lists)
        first = np.full(len(lists.ends), len(keys))
        first[numbers[::-1]] = np.arange(len(keys))[::-1]  # of what is assigned several times the last counts
        order = np.argsort(first, kind="stable")[: np.count_nonzero(first < len(keys))]
        ranks = np.zeros(len(first), dtype=np.int64)
        ranks[order] = np.arange(len(order))
        return Postings(keys, ranks[numbers], lists.chosen(order))


def _found(lists: FileLists, others: FileLists) -> npt.NDArray[np.int64]:
    """Of each other list the number of the same one, or of its own behind them all.

    Only what has the same length, the same first byte and the same last one is looked at.
    """
    near = np.flatnonzero(is_among(lists.marks(), distinct(others.marks())))
    known = dict(zip(lists.chosen(near).each(), near.tolist(), strict=True))
    numbers = [known.get(each, number) for number, each in enumerate(others.each(), start=len(lists.ends))]
    return np.array(numbers, dtype=np.int64)


def _table(rows: U64) -> Postings:
    """From rows in order."""
    keys = _keys_of(rows)
    starts = np.flatnonzero(np.diff(keys, prepend=~keys[:1]))
    lists = listed(Members(np.diff(starts, append=len(keys)), _files_of(rows)))
    known: dict[bytes, int] = {}
    numbers = [known.setdefault(each, len(known)) for each in lists.each()]
    return Postings(keys[starts], np.array(numbers, dtype=np.int64), joined_lists(known))


def _ordered(pieces: Sequence[tuple[U32, npt.NDArray[Any]]]) -> U64:
    """Keys and files as rows in order."""
    rows = np.concatenate([np.zeros(0, dtype=np.uint64), *(_joined(*piece) for piece in pieces)])
    rows.sort()
    return rows


def is_among(some: npt.NDArray[Any], ordered: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Of each number whether it is among others, which are in order: `np.isin` would bring them into one again."""
    if not len(ordered):
        return np.zeros(len(some), dtype=np.bool_)
    found: npt.NDArray[np.bool_] = ordered[np.searchsorted(ordered, some).clip(max=len(ordered) - 1)] == some
    return found


def _joined(keys: npt.NDArray[np.uint32], files: npt.NDArray[Any]) -> U64:
    """Rows as one number each, in the order of the rows."""
    return keys.astype(np.uint64) << np.uint64(32) | files.astype(np.uint64)


def _keys_of(rows: U64) -> U32:
    return (rows >> np.uint64(32)).astype(np.uint32)


def _files_of(rows: U64) -> U32:
    return (rows & np.uint64(LOW)).astype(np.uint32)


def moves(renumber: npt.NDArray[np.int64]) -> bool:
    """Whether a file that stays has another number than it had."""
    there = np.flatnonzero(renumber >= 0)
    return not np.array_equal(renumber[there], there)


def leaving_files(renumber: npt.NDArray[np.int64], added: Iterable[int]) -> npt.NDArray[np.int64]:
    """The files whose rows go: they are gone, or have others now."""
    return np.flatnonzero((renumber < 0) | np.isin(renumber, np.array(list(added), dtype=np.int64)))


EMPTY: Final = Postings(np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.int64), NO_LISTS)
