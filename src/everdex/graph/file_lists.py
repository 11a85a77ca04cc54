"""Lists of files as bytes: each list is its gaps, of a byte or more each, with a zero behind them.

A file's number is one less than the sum of the gaps up to it, so no gap is zero; a gap is written seven bits at a time,
the lowest first, all but its last byte with the high bit set. So a zero byte ends a list and stands nowhere else: lists
are found without being decoded, and many are decoded at once. Knows nothing of what the lists are of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from everdex.numeric import np, npt

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.int64]
_MORE: Final = 0x80
_BITS: Final = 7
_FEW: Final = 16  # looking through a column for one number takes a twentieth of what a look-up of every row does


@dataclass(frozen=True, slots=True)
class Members:
    """Lists that are decoded."""

    counts: Numbers  # of each list
    files: U32  # of one list after the other

    def of(self, numbers: npt.NDArray[Any]) -> Members:
        """Of some lists, as often as each is named."""
        counts = self.counts[numbers]
        return Members(counts, self.files[_stretches(_starts(self.counts)[numbers], counts)])

    def gaps(self) -> U32:
        """From each to the next; of the first of a list from before all files."""
        gaps, first = np.diff(self.files, prepend=np.uint32(0)), _starts(self.counts)[:-1]
        gaps[first] = self.files[first] + np.uint32(1)
        return gaps

    def only(self, numbers: npt.NDArray[Any]) -> Members:
        """Of each list those that are among these files."""
        places = np.flatnonzero(among(self.files, numbers))
        owners = np.searchsorted(np.cumsum(self.counts), places, "right")
        return Members(np.bincount(owners, minlength=len(self.counts)), self.files[places])


@dataclass(frozen=True)
class FileLists:
    """Lists by number; none is empty."""

    data: U8

    @cached_property
    def _bounds(self) -> Numbers:
        return np.concatenate((np.zeros(1, dtype=np.int64), np.flatnonzero(self.data == 0) + 1))

    @property
    def _is_file(self) -> npt.NDArray[np.bool_]:
        """Of each byte whether a gap ends there: it is neither a zero nor followed by another of its gap."""
        return self.data - np.uint8(1) < _MORE - 1

    @property
    def starts(self) -> Numbers:
        return self._bounds[:-1]

    @property
    def ends(self) -> Numbers:
        """Where each ends, its zero included."""
        return self._bounds[1:]

    def chosen(self, numbers: npt.NDArray[Any]) -> FileLists:
        """Some of them, in this order; those that stand one after the other are copied as one."""
        if not len(numbers):
            return NO_LISTS
        numbers = numbers.astype(np.int64)
        begins = np.concatenate((np.zeros(1, dtype=np.int64), np.flatnonzero(np.diff(numbers) != 1) + 1))
        first, last = numbers[begins], numbers[np.append(begins[1:], len(numbers)) - 1]
        stretches = zip(self.starts[first].tolist(), self.ends[last].tolist(), strict=True)
        return FileLists(np.concatenate([self.data[low:high] for low, high in stretches]))

    def beside(self, other: FileLists) -> FileLists:
        """These, and others behind them."""
        return FileLists(np.concatenate((self.data, other.data)))

    def marks(self) -> Numbers:
        """Of each its length, its first byte and its last: what differs there is not the same."""
        return self.ends - self.starts << 16 | self.data[self.starts].astype(np.int64) << 8 | self.data[self.ends - 2]

    def each(self) -> Iterator[bytes]:
        """Each as its bytes."""
        data = self.data.tobytes()
        return (data[low:high] for low, high in zip(self.starts.tolist(), self.ends.tolist(), strict=True))

    @cached_property
    def members(self) -> Members:
        """All of them decoded; after an edit that is asked for twice."""
        data = self.data
        sums = (data & (_MORE - 1)).astype(np.uint32)
        later = np.flatnonzero(data >= _MORE) + 1
        while len(later):  # the third byte of a gap is behind the first of these, and behind the second
            sums[later] <<= np.uint32(_BITS)
            later = later[data[later] >= _MORE] + 1
        np.cumsum(sums, dtype=np.uint32, out=sums)  # what is too large for it does not show in the difference
        ends = self.ends
        before = np.zeros(len(ends), dtype=np.uint32)
        before[1:] = sums[ends[:-1] - 1]
        sums -= np.repeat(before, np.diff(ends, prepend=0))
        is_file = self._is_file
        counts = np.diff(np.cumsum(is_file, dtype=np.int64)[ends - 1], prepend=0)
        return Members(counts, sums[is_file] - np.uint32(1))

    def renumbered(self, numbers: Numbers, chosen: npt.NDArray[np.bool_]) -> FileLists:
        """With other numbers for the files, in the same order, in the chosen lists; the others are as they were.

        Where a file comes or goes a list has one gap that is another, and its other bytes are copied.
        """
        members = self.members
        moved = (numbers - np.arange(len(numbers))).astype(np.int32)[members.files]
        first = _starts(members.counts)[:-1]
        change = np.diff(moved, prepend=np.int32(0))
        change[first] = moved[first]
        places = np.flatnonzero(change)
        places = places[chosen[np.searchsorted(first, places, "right") - 1]]
        before = members.gaps()[places]
        after = (before + change[places]).astype(np.uint32)
        sizes = _sizes(before)
        starts = np.flatnonzero(self._is_file)[places] + 1 - sizes
        kept = np.delete(self.data, _stretches(starts, sizes))
        return FileLists(np.insert(kept, np.repeat(starts - _starts(sizes)[:-1], _sizes(after)), _written(after)))


def listed(members: Members) -> FileLists:
    """Lists of ascending numbers as bytes."""
    return FileLists(_written(np.insert(members.gaps(), np.cumsum(members.counts), 0)))


def _written(gaps: U32) -> U8:
    """Gaps, and the zeros between them, as bytes."""
    places = _starts(_sizes(gaps))
    data = np.zeros(int(places[-1]), dtype=np.uint8)
    places = places[:-1]
    while len(places):
        is_more = gaps >= _MORE
        data[places] = gaps & (_MORE - 1) | is_more.astype(np.uint32) << _BITS
        places, gaps = places[is_more] + 1, gaps[is_more] >> np.uint32(_BITS)
    return data


def _sizes(gaps: U32) -> U8:
    """How many bytes each gap takes."""
    sizes = np.ones(len(gaps), dtype=np.uint8)
    wide = np.flatnonzero(gaps >= _MORE)
    for bits in range(_BITS, 32, _BITS):
        sizes[wide] += gaps[wide] >= 1 << bits
    return sizes


def _starts(counts: npt.NDArray[Any]) -> Numbers:
    """Where each of some stretches begins, and where the last one ends."""
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts, dtype=np.int64)))


def joined_lists(each: Iterable[bytes]) -> FileLists:
    """From the bytes of each."""
    return FileLists(np.frombuffer(b"".join(each), dtype=np.uint8))


def among(files: U32, numbers: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Of each row whether it is of one of these files."""
    if len(numbers) > _FEW:
        return np.isin(files, numbers.astype(files.dtype))
    found = np.zeros(len(files), dtype=np.bool_)
    for number in numbers.tolist():
        found |= files == number
    return found


def _stretches(starts: Numbers, counts: npt.NDArray[Any]) -> Numbers:
    """The places of stretches, one after the other."""
    ends = _starts(counts)
    return np.arange(ends[-1]) + np.repeat(starts - ends[:-1], counts)


NO_LISTS: Final = FileLists(np.zeros(0, dtype=np.uint8))
