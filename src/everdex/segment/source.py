"""A file's bytes as a segment keeps them: one zlib stream with points at which decompression can start.

Every search result shows a piece of a file, and reading a large file from its beginning for a piece near its end was a
sixth of a first answer's time. So the compressor is reset every `_STRIDE` bytes and the places are stored. Whoever
wants the whole file need not know.
"""

from __future__ import annotations

import struct
import zlib
from typing import Final

import msgspec

# Measured over django and sympy: 16 KiB makes the streams 3 % longer and a piece three times faster to read.
_STRIDE: Final = 16_384
# Level 4 compresses code to 23 % at 85 MB/s here; level 6 gains one point at half the speed.
_LEVEL: Final = 4
_PLACE: Final = struct.Struct("<I")
_NO_HEADER: Final = -zlib.MAX_WBITS


class PackedSource(msgspec.Struct, frozen=True):
    """`entrances` are the offsets in `stream`, as u32, at which the second and every further stride begins."""

    stream: bytes
    entrances: bytes


def pack(data: bytes) -> PackedSource:
    if len(data) <= _STRIDE:
        return PackedSource(zlib.compress(data, _LEVEL), b"")
    packer = zlib.compressobj(_LEVEL)
    pieces, entrances, size = [], [], 0
    for start in range(0, len(data), _STRIDE):
        if start:
            pieces.append(packer.flush(zlib.Z_FULL_FLUSH))
            size += len(pieces[-1])
            entrances.append(size)
        pieces.append(packer.compress(data[start : start + _STRIDE]))
        size += len(pieces[-1])
    pieces.append(packer.flush())
    return PackedSource(b"".join(pieces), b"".join(map(_PLACE.pack, entrances)))


def piece(stream: bytes, entrances: bytes, start: int, end: int) -> bytes:
    """data[start:end] of what was packed; only what lies between the entrance before it and its end is unpacked."""
    passed = min(start // _STRIDE, len(entrances) // _PLACE.size)
    if not passed:
        return zlib.decompressobj().decompress(stream, end)[start:end]
    (at,) = _PLACE.unpack_from(entrances, (passed - 1) * _PLACE.size)
    begun = passed * _STRIDE
    return zlib.decompressobj(_NO_HEADER).decompress(memoryview(stream)[at:], end - begun)[start - begun : end - begun]
