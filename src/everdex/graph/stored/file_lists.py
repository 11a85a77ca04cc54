"""Lists of files as bytes: each list is its gaps, of a byte or more each, with a zero behind them.

A file's number is one less than the sum of the gaps up to it, so no gap is zero; a gap is written seven bits at a time,
the lowest first, all but its last byte with the high bit set. So a zero byte ends a list and stands nowhere else: lists
are found without being decoded, and many are decoded at once. Knows nothing of what the lists are of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

from everdex.numeric import distinct, np, npt

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.int64]
_MORE: Final = 0x80
_BITS: Final = 7
_AT_ONCE: Final = 1 << 18  # bytes
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


@dataclass(frozen=True)
class FileLists:
    """Lists by number; none is empty."""

    data: U8

    @cached_property
    def _bounds(self) -> Numbers:
        return np.concatenate((np.zeros(1, dtype=np.int64), np.flatnonzero(self.data == 0) + 1))

    @cached_property
    def _known(self) -> dict[bytes, Members]:
        """What was asked for: after an edit the same is asked twice, for the file's parts and for its rows."""
        return {}

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

    @property
    def members(self) -> Members:
        """All of them decoded."""
        return _together([block._decoded() for block in self._blocks()])

    def only(self, numbers: npt.NDArray[Any]) -> Members:
        """Of each those that are among these files."""
        key = numbers.astype(np.int64).tobytes()
        if key not in self._known:
            self._known[key] = _together([block._only(numbers) for block in self._blocks()])
        return self._known[key]

    def renumbered(self, numbers: Numbers, chosen: npt.NDArray[np.bool_]) -> FileLists:
        """With other numbers for the files, in the same order, in the chosen lists; the others are as they were.

        Where a file comes or goes a list has one gap that is another, and its other bytes are copied.
        """
        moved = (numbers - np.arange(len(numbers))).astype(np.int32)
        made, first = [self.data[:0]], 0
        for block in self._blocks():
            last = first + len(block.ends)
            made.append(block._moved(moved, chosen[first:last]))
            first = last
        return FileLists(np.concatenate(made))

    def _blocks(self) -> Iterator[FileLists]:
        """All of them, so many at once that what is worked out of them is small and the same memory is used again."""
        cuts = np.searchsorted(self.ends, np.arange(_AT_ONCE, len(self.data), _AT_ONCE))
        for low, high in pairwise(distinct(np.concatenate((self._bounds[[0, -1]], self._bounds[cuts]))).tolist()):
            yield FileLists(self.data[low:high])

    def _sums(self) -> U32:
        """Of each byte the sum of its list's gaps up to it."""
        data, ends = self.data, self.ends
        sums = (data & (_MORE - 1)).astype(np.uint32)
        later = np.flatnonzero(data >= _MORE) + 1
        while len(later):  # the third byte of a gap is behind the first of these, and behind the second
            sums[later] <<= np.uint32(_BITS)
            later = later[data[later] >= _MORE] + 1
        np.cumsum(sums, dtype=np.uint32, out=sums)  # what is too large for it does not show in the difference
        before = np.zeros(len(ends), dtype=np.uint32)
        before[1:] = sums[ends[:-1] - 1]
        sums -= np.repeat(before, np.diff(self._bounds))
        return sums

    def _decoded(self) -> Members:
        is_file = self._is_file
        counts = np.diff(np.cumsum(is_file, dtype=np.int64)[self.ends - 1], prepend=0)
        return Members(counts, self._sums()[is_file] - np.uint32(1))

    def _only(self, numbers: npt.NDArray[Any]) -> Members:
        sums = self._sums()
        places = np.flatnonzero(among(sums, numbers + 1) & self._is_file)
        owners = np.searchsorted(self.ends, places, "right")
        return Members(np.bincount(owners, minlength=len(self.ends)), sums[places] - np.uint32(1))

    def _moved(self, moved: npt.NDArray[np.int32], chosen: npt.NDArray[np.bool_]) -> U8:
        """The bytes when files have moved by so much in the chosen lists."""
        members = self._decoded()
        by, first = moved[members.files], _starts(members.counts)[:-1]
        change = np.diff(by, prepend=np.int32(0))
        change[first] = by[first]
        change[~np.repeat(chosen, members.counts)] = 0
        places = np.flatnonzero(change)
        before = members.gaps()[places]
        after = (before + change[places]).astype(np.uint32)
        sizes = _sizes(before)
        starts = np.flatnonzero(self._is_file)[places] + 1 - sizes
        kept = np.delete(self.data, _stretches(starts, sizes))
        return np.insert(kept, np.repeat(starts - _starts(sizes)[:-1], _sizes(after)), _written(after))


def _together(parts: Sequence[Members]) -> Members:
    counts = [np.zeros(0, dtype=np.int64), *(part.counts for part in parts)]
    files = [np.zeros(0, dtype=np.uint32), *(part.files for part in parts)]
    return Members(np.concatenate(counts), np.concatenate(files))


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
