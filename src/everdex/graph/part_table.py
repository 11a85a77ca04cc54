"""Which keys each part of a file read, as a bit table: one row a key, one column a part.

After an edit it tells which parts of a file can be kept. Only keys of the file's own content are listed here; those of
other files are in the graph's table of reads. Keys are 32-bit hashes: a collision makes one part be resolved in vain,
and never leaves one out.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

import msgspec

from everdex.graph.model import Parts
from everdex.graph.postings import U32, key32
from everdex.numeric import np, npt

_LEVEL: Final = 4  # level 6 is 5 % smaller and takes three times as long, with every edit of the file
Bits = npt.NDArray[np.bool_]


class _Packed(msgspec.Struct, array_like=True, gc=False):
    nodes: list[int]  # as differences
    digests: bytes
    of_sites: list[int]  # as differences
    own: bytes
    looked: bytes  # bits of one key after another


_DECODER: Final = msgspec.msgpack.Decoder(_Packed)


@dataclass(frozen=True, slots=True)
class PartTable:
    """Parts by number, keys in order."""

    parts: tuple[tuple[int, int], ...]  # node and digest
    of_sites: tuple[int, ...]
    others: U32  # keys of other files' content, and of nobody's in particular
    own: U32
    looked: Bits  # one row a key, `others` before `own`; a column a part

    def stale(self, changed: U32) -> frozenset[int]:
        """The parts that looked at one of these keys."""
        rows = np.isin(np.concatenate((self.others, self.own)), changed)
        return frozenset(np.flatnonzero(self.looked[rows].any(axis=0)).tolist())

    def encode(self) -> bytes:
        packed = _Packed(
            _differences([node for node, _ in self.parts]),
            np.array([digest for _, digest in self.parts], dtype=np.uint64).tobytes(),
            _differences(self.of_sites),
            self.own.tobytes(),
            np.packbits(self.looked, axis=1).tobytes(),
        )
        return zlib.compress(msgspec.msgpack.encode(packed), _LEVEL)


def decode(blob: bytes, others: U32) -> PartTable:
    """The table of a file that looked at these keys of others."""
    packed = _DECODER.decode(zlib.decompress(blob))
    own = np.frombuffer(packed.own, dtype=np.uint32)
    count = len(packed.nodes)
    rows = np.frombuffer(packed.looked, dtype=np.uint8).reshape(len(others) + len(own), -(-count // 8))
    looked = np.unpackbits(rows, axis=1, count=count).view(np.bool_)
    digests: list[int] = np.frombuffer(packed.digests, dtype=np.uint64).tolist()
    parts = tuple(zip(accumulate(packed.nodes), digests, strict=True))
    return PartTable(parts, tuple(accumulate(packed.of_sites)), others, own, looked)


def _differences(numbers: Sequence[int]) -> list[int]:
    found: list[int] = np.diff(np.array(numbers, dtype=np.int64), prepend=0).tolist()
    return found


def table_of(parts: Parts, before: PartTable | None) -> PartTable:
    """The table of a file that was resolved in parts, some of them kept from before."""
    names = np.array([key32(key) for key in parts.keys], dtype=np.uint32)
    asked = [number for number, part in enumerate(parts.all) if part.kept < 0]
    looked = _bits([parts.all[number].looked for number in asked], len(names))
    found = [(asked, names, _bits((parts.own,), len(names))[:, 0], looked)]
    if before is not None:
        kept = [number for number, part in enumerate(parts.all) if part.kept >= 0]
        looked = before.looked[:, [parts.all[number].kept for number in kept]]
        is_own = np.arange(len(looked)) >= len(before.others)
        found.append((kept, np.concatenate((before.others, before.own)), is_own, looked))
    others, first = _joined(found, len(parts.all), own=False)
    own, second = _joined(found, len(parts.all), own=True)
    named = tuple((part.node, part.digest) for part in parts.all)
    return PartTable(named, parts.of_sites, others, own, np.concatenate((first, second)))


def _joined(found: Sequence[tuple[list[int], U32, Bits, Bits]], width: int, *, own: bool) -> tuple[U32, Bits]:
    """The keys that some part looked at, and the parts that did, from several tables over some parts each."""
    chosen = [np.flatnonzero((is_own == own) & looked.any(axis=1)) for _, _, is_own, looked in found]
    keys = np.unique(np.concatenate([names[rows] for rows, (_, names, _, _) in zip(chosen, found, strict=True)]))
    joined = np.zeros((len(keys), width), dtype=np.bool_)
    for rows, (numbers, names, _, looked) in zip(chosen, found, strict=True):
        places = np.searchsorted(keys, names[rows])
        joined[np.ix_(places, np.array(numbers, dtype=np.int64))] = looked[rows]
        for again in np.flatnonzero(np.bincount(places, minlength=1)[places] > 1):  # hashes that collide
            joined[places[again], numbers] |= looked[rows[again]]
    return keys, joined


def _bits(numbers: Sequence[int], height: int) -> Bits:
    """Numbers as columns of bits, the lowest first."""
    size = max(1, -(-height // 8))
    packed = np.frombuffer(b"".join([number.to_bytes(size, "little") for number in numbers]), dtype=np.uint8)
    rows = np.unpackbits(packed.reshape(len(numbers), size), axis=1, count=height, bitorder="little")
    return np.ascontiguousarray(rows.T).view(np.bool_)
