"""What files offer under which keys: columns in the order of keys, searched by bisection, merged without sorting again.

Keys have 64 bits here, because resolvers and counts rely on the answers unchecked.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import xxhash

from everdex.graph.model import LIMITS, PLACES
from everdex.graph.stored.file_lists import among
from everdex.graph.stored.postings import FORMS, LOW, U32, U64, is_among, key64, leaving_files, moves
from everdex.numeric import distinct, np, npt


@dataclass(frozen=True, slots=True)
class FileOffers:
    """What one file offers: keys, what a reader of each could see, and one hash of it all."""

    keys: U64  # sorted
    contents: U32
    whole: int


def file_offers(offers: Mapping[str, int]) -> FileOffers:
    names = sorted(offers)
    keys, contents = _encoded(names), [offers[name] for name in names]
    whole = b"".join([b"%b\0%d\0" % pair for pair in zip(keys, contents, strict=True)])
    return _in_columns(keys, contents, xxhash.xxh64_intdigest(whole))


def file_counts(counts: Mapping[str, int]) -> FileOffers:
    """One file's part of a table of counts: the same columns, and nobody asks whether the whole has changed."""
    return _in_columns(_encoded(counts), counts.values(), 0)


def _encoded(names: Iterable[str]) -> list[bytes]:
    return [name.encode("utf-8", "surrogatepass") for name in names]


def _in_columns(keys: Iterable[bytes], contents: Iterable[int], whole: int) -> FileOffers:
    """Keys themselves are offered and counted, never that there are more of one: `key64` of them is this."""
    hashed = np.array(list(map(xxhash.xxh64_intdigest, keys)), dtype=np.uint64)
    values = np.array([content & LOW for content in contents], dtype=np.uint32)
    order = np.lexsort((values, hashed))
    return FileOffers(hashed[order], values[order], whole)


CAME_OR_WENT: Final = -1


def changed_keys(before: FileOffers | None, after: FileOffers | None) -> dict[int, int]:
    """Keys whose offers by one file differ, each with what it offered and offers joined by `^`; all of them when only
    the hash of the whole tells that something does."""
    if before is not None and after is not None and before.whole == after.whole:
        return {}
    old = dict(zip(before.keys.tolist(), before.contents.tolist(), strict=True)) if before else {}
    new = dict(zip(after.keys.tolist(), after.contents.tolist(), strict=True)) if after else {}
    both = {key: old[key] ^ new[key] if key in old and key in new else CAME_OR_WENT for key in old.keys() | new.keys()}
    return {key: change for key, change in both.items() if change} or dict.fromkeys(both, CAME_OR_WENT)


@dataclass(frozen=True, slots=True)
class Offers:
    """(key, file, content) ordered by key, then file."""

    keys: U64
    files: U32
    contents: U32

    def offering(self, key: str) -> list[int]:
        """Files that offer this key, ascending."""
        hashed = key64(key)
        view = self.keys.data  # bisect over a memoryview is several times quicker than one searchsorted
        place = bisect_left(view, hashed)
        found = []
        while place < len(view) and view[place] == hashed:
            found.append(int(self.files[place]))
            place += 1
        return found

    def offering_any(self, keys: Iterable[str]) -> list[int]:
        """Files that offer one of these keys, ascending."""
        pieces = [self.files[low:high] for low, high in self._spans(keys)]
        found: list[int] = distinct(np.concatenate(pieces)).tolist() if pieces else []
        return found

    def total(self, keys: Iterable[str]) -> int:
        """The sum over these keys and all files, in a table of counts."""
        return sum(int(self.contents[low:high].sum()) for low, high in self._spans(keys))

    def _spans(self, keys: Iterable[str]) -> list[tuple[int, int]]:
        """Where the rows of those keys are that somebody offers."""
        hashed = np.array(list(map(key64, keys)), dtype=np.uint64)
        low, high = np.searchsorted(self.keys, hashed), np.searchsorted(self.keys, hashed, "right")
        return [(first, last) for first, last in zip(low.tolist(), high.tolist(), strict=True) if first < last]

    def counts(self, keys: U64) -> npt.NDArray[np.int64]:
        """How many files offer each key."""
        return np.searchsorted(self.keys, keys, "right") - np.searchsorted(self.keys, keys)

    def totals(self, keys: U64) -> npt.NDArray[np.int64]:
        """The sum of what all files offer under each key, where that is counted."""
        low = np.searchsorted(self.keys, keys)
        counts = np.searchsorted(self.keys, keys, "right") - low
        ends = np.cumsum(counts)
        rows = np.arange(ends[-1] if len(ends) else 0) + np.repeat(low - ends + counts, counts)
        owners = np.repeat(np.arange(len(keys)), counts)
        found = np.zeros(len(keys), dtype=np.int64)
        np.add.at(found, owners, self.contents[rows])
        return found

    def of(self, numbers: Sequence[int], wholes: Sequence[int]) -> dict[int, FileOffers]:
        """The offers of some files; `wholes` are all files' hashes."""
        mask = among(self.files, np.array(numbers, dtype=np.uint32))
        keys, files, contents = self.keys[mask], self.files[mask], self.contents[mask]
        order = np.argsort(files, kind="stable")
        keys, files, contents = keys[order], files[order], contents[order]
        edges = np.searchsorted(files, np.array(numbers, dtype=np.uint32)), np.searchsorted(files, numbers, "right")
        return {
            number: FileOffers(keys[low:high], contents[low:high], wholes[number])
            for number, low, high in zip(numbers, edges[0].tolist(), edges[1].tolist(), strict=True)
        }

    def merged(self, renumber: npt.NDArray[np.int64], added: Mapping[int, FileOffers]) -> Offers:
        """With files renumbered (-1: gone) in an order-keeping way, and other offers of some, or those of new ones.

        After an edit nearly all rows stay where they are: only those that come and go are moved.
        """
        if not len(self.keys):
            return _ordered([(item.keys, number, item.contents) for number, item in added.items()])
        leaving = among(self.files, leaving_files(renumber, added))
        if sum(len(item.keys) for item in added.values()) > len(self.keys):  # as with `Postings`
            stay = ~leaving
            kept = Offers(self.keys[stay], renumber[self.files[stay]].astype(np.uint32), self.contents[stay])
            return kept.beside(_ordered([(item.keys, number, item.contents) for number, item in added.items()]))
        rows = np.flatnonzero(leaving)
        owners = renumber[self.files[rows]]
        order = np.argsort(owners, kind="stable")
        rows, owners = rows[order], owners[order]
        gone, come, contents = [rows[owners < 0]], [], self.contents.copy()
        for number, item in added.items():
            mine = rows[np.searchsorted(owners, number) : np.searchsorted(owners, number, "right")]
            keys = self.keys[mine]  # a file offers a key once, so both are in order and without doubles
            stays, is_known = is_among(keys, item.keys), is_among(item.keys, keys)
            contents[mine[stays]] = item.contents[is_known]
            gone.append(mine[~stays])
            come.append((item.keys[~is_known], number, item.contents[~is_known]))
        keys, files = self.keys, _renumbered(self.files, renumber).astype(np.uint32, copy=False)
        lost, new = np.concatenate(gone), _ordered(come)
        if len(lost):
            keys, files, contents = np.delete(keys, lost), np.delete(files, lost), np.delete(contents, lost)
        if len(new.keys):
            places = _places(keys, files, new.keys, new.files)
            keys, files = np.insert(keys, places, new.keys), np.insert(files, places, new.files)
            contents = np.insert(contents, places, new.contents)
        return Offers(keys, files, contents)

    def beside(self, other: Offers) -> Offers:
        """Both, where no file is in both."""
        keys = np.concatenate((self.keys, other.keys))
        files = np.concatenate((self.files, other.files))
        order = np.lexsort((files, keys))
        return Offers(keys[order], files[order], np.concatenate((self.contents, other.contents))[order])


def noted_keys(changed: Iterable[int], before: Offers, after: Offers) -> U32:
    """What readers have noted who have to be asked again: the keys, and of which limits some are on the other side."""
    keys = np.array(sorted(changed), dtype=np.uint64)
    files, places = (before.counts(keys), after.counts(keys)), (before.totals(keys), after.totals(keys))
    limits = [*((limit, *files) for limit in LIMITS), *((limit, *places) for limit in PLACES)]
    crossing = [
        keys[(were > limit) != (are > limit)] ^ np.uint64(form)
        for (limit, were, are), form in zip(limits, FORMS.values(), strict=True)
    ]
    return distinct(np.concatenate((keys, *crossing)).astype(np.uint32))


def _ordered(pieces: Sequence[tuple[U64, int, U32]]) -> Offers:
    """Keys of a file, its number and their contents, file by file, as one table."""
    if not pieces:
        return NO_OFFERS
    keys = np.concatenate([piece[0] for piece in pieces])
    files = np.repeat(np.array([piece[1] for piece in pieces], dtype=np.uint32), [len(piece[0]) for piece in pieces])
    order = np.lexsort((files, keys))
    return Offers(keys[order], files[order], np.concatenate([piece[2] for piece in pieces])[order])


def _renumbered(files: U32, renumber: npt.NDArray[np.int64]) -> U32:
    """The same array when every file that stays has the number that it had."""
    return renumber.astype(np.uint32)[files] if moves(renumber) else files


def _places(
    keys: npt.NDArray[Any], files: npt.NDArray[Any], wanted: npt.NDArray[Any], numbers: npt.NDArray[Any]
) -> npt.NDArray[np.int64]:
    """Before which of the rows that are there each of some others belongs."""
    spans = np.searchsorted(keys, wanted).tolist(), np.searchsorted(keys, wanted, "right").tolist()
    view = files.data
    return np.array([
        bisect_left(view, number, low, high) for number, low, high in zip(numbers.tolist(), *spans, strict=True)
    ], dtype=np.int64)  # fmt: skip


NO_OFFERS: Final = Offers(np.zeros(0, dtype=np.uint64), np.zeros(0, dtype=np.uint32), np.zeros(0, dtype=np.uint32))
