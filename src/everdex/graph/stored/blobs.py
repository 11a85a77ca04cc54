"""A run of bytes for each file, one after another: looked into one by one, copied in stretches.

Knows nothing of what the bytes mean.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from everdex.numeric import np, npt


@dataclass(frozen=True, slots=True)
class Blobs:
    """Those of all files, by number."""

    pieces: Sequence[bytes | memoryview]  # one after another they are the bytes of all files
    ends: npt.NDArray[Any]  # where each file's end

    def of(self, number: int) -> bytes:
        """One file's, where all are in one piece."""
        (piece,) = self.pieces
        return bytes(piece[int(self.ends[number - 1]) if number else 0 : int(self.ends[number])])

    def size(self, number: int) -> int:
        """How many bytes one file has."""
        return int(self.ends[number]) - (int(self.ends[number - 1]) if number else 0)

    def empty(self) -> list[int]:
        """The files that have none."""
        found: list[int] = np.flatnonzero(np.diff(self.ends, prepend=self.ends.dtype.type(0)) == 0).tolist()
        return found

    def spliced(self, kept: npt.NDArray[np.int64], fresh: Mapping[int, bytes]) -> Blobs:
        """Of each new file those that the file had which `kept` names, or `fresh` ones where that is -1.

        Files that stand one after another in both are copied as one.
        """
        starts = np.concatenate((np.zeros(1, dtype=np.int64), self.ends.astype(np.int64)))
        lengths = np.zeros(len(kept), dtype=np.int64)
        lengths[kept >= 0] = np.diff(starts)[kept[kept >= 0]]
        for number, blob in fresh.items():
            lengths[number] = len(blob)
        (piece,) = self.pieces
        whole, pieces = memoryview(piece), list[bytes | memoryview]()
        begins = [0, *(np.flatnonzero((np.diff(kept) != 1) | (kept[:-1] < 0) | (kept[1:] < 0)) + 1).tolist(), len(kept)]
        for first, last in pairwise(begins):
            if first < last:
                old = int(kept[first])
                pieces.append(whole[starts[old] : starts[old + last - first]] if old >= 0 else fresh[first])
        return Blobs(pieces, np.cumsum(lengths))


def joined(each: Sequence[bytes]) -> Blobs:
    """From one for each file."""
    return Blobs(each, np.cumsum([len(blob) for blob in each], dtype=np.int64))


NO_BLOBS: Final = Blobs((b"",), np.zeros(0, dtype=np.int64))
