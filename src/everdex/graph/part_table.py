"""The parts of one file and what each looked at: a row of bits for each part, a column for each key.

The keys of others' content stand in the graph's table of reads already; here are only those of the file's own, which
matter when the file itself changes. Keys are hashes of 32 bits: two that collide cost a part that is resolved in vain.
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

_LEVEL: Final = 6
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
    looked: Bits  # one row a part; columns for `others`, then for `own`

    def stale(self, changed: U32) -> frozenset[int]:
        """The parts that looked at one of these keys."""
        columns = np.isin(np.concatenate((self.others, self.own)), changed)
        return frozenset(np.flatnonzero(self.looked[:, columns].any(axis=1)).tolist())

    def encode(self) -> bytes:
        packed = _Packed(
            _differences([node for node, _ in self.parts]),
            np.array([digest for _, digest in self.parts], dtype=np.uint64).tobytes(),
            _differences(self.of_sites),
            self.own.tobytes(),
            np.packbits(self.looked.T, axis=1).tobytes(),
        )
        return zlib.compress(msgspec.msgpack.encode(packed), _LEVEL)


def decode(blob: bytes, others: U32) -> PartTable:
    """The table of a file that looked at these keys of others."""
    packed = _DECODER.decode(zlib.decompress(blob))
    own = np.frombuffer(packed.own, dtype=np.uint32)
    count = len(packed.nodes)
    rows = np.frombuffer(packed.looked, dtype=np.uint8).reshape(len(others) + len(own), -(-count // 8))
    looked = np.unpackbits(rows, axis=1, count=count).T.astype(np.bool_)
    digests: list[int] = np.frombuffer(packed.digests, dtype=np.uint64).tolist()
    parts = tuple(zip(accumulate(packed.nodes), digests, strict=True))
    return PartTable(parts, tuple(accumulate(packed.of_sites)), others, own, looked)


def _differences(numbers: Sequence[int]) -> list[int]:
    found: list[int] = np.diff(np.array(numbers, dtype=np.int64), prepend=0).tolist()
    return found


def table_of(parts: Parts, before: PartTable | None) -> PartTable:
    """The table of a file that was resolved in parts, some of them kept from before."""
    names = np.array([key32(key) for key in parts.keys], dtype=np.uint32)
    is_own = _bits((parts.own,), len(names))[0]
    rows = [number for number, part in enumerate(parts.all) if part.kept < 0]
    fresh = _bits([parts.all[number].looked for number in rows], len(names))
    found = [(np.array(rows, dtype=np.int64), fresh, names, is_own)]
    if before is not None:
        rows = [number for number, part in enumerate(parts.all) if part.kept >= 0]
        looked = before.looked[[parts.all[number].kept for number in rows]]
        is_own = np.arange(looked.shape[1]) >= len(before.others)
        found.append((np.array(rows, dtype=np.int64), looked, np.concatenate((before.others, before.own)), is_own))
    halves: list[tuple[U32, Bits]] = []
    for half in (False, True):
        used = [keys[(own == half) & looked.any(axis=0)] for _, looked, keys, own in found]
        keys = np.unique(np.concatenate(used))
        matrix = np.zeros((len(parts.all), len(keys)), dtype=np.bool_)
        for numbers, looked, names, own in found:
            row, column = np.nonzero(looked & (own == half))
            matrix[numbers[row], np.searchsorted(keys, names[column])] = True
        halves.append((keys, matrix))
    (others, first), (own_keys, second) = halves
    named = tuple((part.node, part.digest) for part in parts.all)
    return PartTable(named, parts.of_sites, others, own_keys, np.concatenate((first, second), axis=1))


def _bits(numbers: Sequence[int], width: int) -> Bits:
    """Numbers as rows of bits, the lowest first."""
    size = max(1, -(-width // 8))
    packed = np.frombuffer(b"".join([number.to_bytes(size, "little") for number in numbers]), dtype=np.uint8)
    rows = np.unpackbits(packed.reshape(len(numbers), size), axis=1, count=width, bitorder="little")
    return rows.astype(np.bool_)
