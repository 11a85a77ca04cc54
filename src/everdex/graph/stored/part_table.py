"""Which keys each part of a file read, as a bit table: one row a key, one column a part.

After an edit it tells which parts of a file can be kept. Only keys of the file's own content are listed here; those of
other files are in the graph's table of reads. Keys are 32-bit hashes: a collision makes one part be resolved in vain,
and never leaves one out.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from operator import sub
from typing import Final, NamedTuple

import msgspec

from everdex.graph.model import LEFT, Parts
from everdex.graph.stored.postings import U32, is_among
from everdex.numeric import distinct, np, npt

_LEVEL: Final = 4  # level 6 is 2 % smaller and takes a fifth longer, with every edit of the file
Bits = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.uint8]


class _Packed(msgspec.Struct, array_like=True, gc=False):
    nodes: list[int]  # as differences
    digests: bytes
    of_sites: list[int]  # as differences
    own: bytes
    row_numbers: list[bytes]  # of each key which row it has: the lowest bytes of all numbers, then the next
    rows: bytes  # bits of one key after another; each row that is different once, in the order in which they are met


class _Partly(_Packed, array_like=True, gc=False):
    left: list[int] = []  # no finished graph has any, and its tables do not say so
    names: list[str] = []


_DECODER: Final = msgspec.msgpack.Decoder(_Partly)


@dataclass(frozen=True, slots=True)
class PartTable:
    """Parts by number, keys in order."""

    parts: tuple[tuple[int, int], ...]  # node and digest
    of_sites: tuple[int, ...]
    others: U32  # keys of other files' content, and of nobody's in particular
    own: U32
    looked: Rows  # one row a key, `others` before `own`; a bit a part, eight to a byte
    left: frozenset[int] = frozenset()  # parts that nobody has resolved
    names: frozenset[str] = frozenset()  # none of these is written in those

    def stale(self, changed: U32) -> frozenset[int]:
        """The parts that looked at one of these keys, which are in order, and those that nobody has resolved."""
        rows = is_among(np.concatenate((self.others, self.own)), changed)
        found = np.bitwise_or.reduce(self.looked[rows], axis=0)
        return self.left.union(np.flatnonzero(np.unpackbits(found, count=len(self.parts))).tolist())

    def says(self, other: PartTable) -> bool:
        """Whether the same parts looked at the same keys, in both."""
        return (
            (self.parts, self.of_sites) == (other.parts, other.of_sites)
            and np.array_equal(self.others, other.others)
            and np.array_equal(self.own, other.own)
            and np.array_equal(self.looked, other.looked)
        )

    def encode(self) -> bytes:
        numbers, rows = _in_common(self.looked)
        columns = (
            _differences([node for node, _ in self.parts]),
            np.array([digest for _, digest in self.parts], dtype=np.uint64).tobytes(),
            _differences(self.of_sites),
            self.own.tobytes(),
            numbers,
            rows,
        )
        packed = _Partly(*columns, sorted(self.left), sorted(self.names)) if self.left else _Packed(*columns)
        return zlib.compress(msgspec.msgpack.encode(packed), _LEVEL)


def decode(blob: bytes, others: U32) -> PartTable:
    """The table of a file that looked at these keys of others."""
    packed = _DECODER.decode(zlib.decompress(blob))
    own = np.frombuffer(packed.own, dtype=np.uint32)
    count = len(packed.nodes)
    rows = np.frombuffer(packed.rows, dtype=np.uint8).reshape(-1, -(-count // 8) or 1)
    numbers = np.zeros(len(others) + len(own), dtype=np.uint32)
    for place, column in enumerate(packed.row_numbers):
        numbers |= np.frombuffer(column, dtype=np.uint8).astype(np.uint32) << np.uint32(8 * place)
    looked = rows[numbers]
    digests: list[int] = np.frombuffer(packed.digests, dtype=np.uint64).tolist()
    parts = tuple(zip(accumulate(packed.nodes), digests, strict=True))
    left, names = frozenset(packed.left), frozenset(packed.names)
    return PartTable(parts, tuple(accumulate(packed.of_sites)), others, own, looked, left, names)


def _in_common(looked: Rows) -> tuple[list[bytes], bytes]:
    """Of each key the number of its row, and the rows: most keys have one in common with others."""
    data, width = looked.tobytes(), looked.shape[1] or 1
    rows: dict[bytes, int] = {}
    found = [rows.setdefault(data[place : place + width], len(rows)) for place in range(0, len(data), width)]
    numbers = np.array(found, dtype=np.uint32)
    size = np.min_scalar_type(max(0, len(rows) - 1)).itemsize
    return [(numbers >> np.uint32(8 * place)).astype(np.uint8).tobytes() for place in range(size)], b"".join(rows)


class InParts(NamedTuple):
    """How far a file is resolved."""

    nodes: tuple[int, ...]  # of its parts
    left: frozenset[int]  # parts that nobody has resolved
    names: frozenset[str]  # none of these is written in those


def in_parts(blob: bytes) -> InParts:
    packed = _DECODER.decode(zlib.decompress(blob))
    return InParts(tuple(accumulate(packed.nodes)), frozenset(packed.left), frozenset(packed.names))


def _differences(numbers: Sequence[int]) -> list[int]:
    return list(map(sub, numbers, chain((0,), numbers)))


def table_of(parts: Parts, before: PartTable | None) -> PartTable:
    """The table of a file that was resolved in parts, some of them kept from before."""
    asked = [number for number, part in enumerate(parts.all) if part.kept < 0 or part.looked]
    names = np.array(parts.keys, dtype=np.uint32)
    is_own = _bits((parts.own,), len(names))[:, 0]
    looked = _bits([parts.all[number].looked for number in asked], len(names))
    if before is None:
        kept = np.zeros((0, -(-len(parts.all) // 8)), dtype=np.uint8)
        earlier, earlier_own = names[:0], names[:0]
    else:
        kept, earlier, earlier_own = _kept(before, [part.kept for part in parts.all]), before.others, before.own
    of_others, of_own = (looked.any(axis=1) & (is_own == own) for own in (False, True))
    others, first = _joined(earlier, kept[: len(earlier)], asked, names[of_others], looked[of_others])
    own, second = _joined(earlier_own, kept[len(earlier) :], asked, names[of_own], looked[of_own])
    named = tuple((part.node, part.digest) for part in parts.all)
    left = frozenset(number for number, part in enumerate(parts.all) if part.kept == LEFT)
    return PartTable(named, parts.of_sites, others, own, np.concatenate((first, second)), left, parts.names)


def _kept(before: PartTable, columns: Sequence[int]) -> Rows:
    """What was looked at before, of the parts as they are now; -1 is one that was not."""
    chosen = np.array(columns, dtype=np.int64)
    is_kept = chosen >= 0
    if len(columns) == len(before.parts) and np.array_equal(chosen[is_kept], np.flatnonzero(is_kept)):
        return before.looked & np.packbits(is_kept)
    kept = np.unpackbits(before.looked, axis=1, count=len(before.parts))[:, chosen]
    kept[:, ~is_kept] = 0
    return np.packbits(kept, axis=1)


def _joined(earlier: U32, kept: Rows, asked: list[int], names: U32, looked: Bits) -> tuple[U32, Rows]:
    """The keys that some part looked at, and the parts that did: those kept from earlier, and those that were asked."""
    if not len(earlier) and -(-looked.shape[1] // 8) == kept.shape[1] and asked == list(range(len(asked))):
        order = np.argsort(names)  # nothing is from earlier: only the order is another
        keys = names[order]
        if (keys[1:] != keys[:-1]).all():
            return keys, np.packbits(looked[order], axis=1)
    alive = kept.any(axis=1)
    keys, joined = (earlier, kept) if alive.all() else (earlier[alive], kept[alive])
    new = distinct(names[~is_among(names, keys)])
    if len(new):  # after an edit none or few: the rest of a large table is not copied for them
        among = np.searchsorted(keys, new)
        keys, joined = np.insert(keys, among, new), np.insert(joined, among, 0, axis=0)
    places = np.searchsorted(keys, names)
    for number, part in enumerate(asked):  # of a part that has grown also what was kept
        joined[places[looked[:, number]], part >> 3] |= np.uint8(0x80 >> (part & 7))
    return keys, joined


def _bits(numbers: Sequence[int], height: int) -> Bits:
    """Numbers as columns of bits, the lowest first."""
    size = max(1, -(-height // 8))
    packed = np.frombuffer(b"".join([number.to_bytes(size, "little") for number in numbers]), dtype=np.uint8)
    rows = np.unpackbits(packed.reshape(len(numbers), size), axis=1, count=height, bitorder="little")
    return np.ascontiguousarray(rows.T).view(np.bool_)
