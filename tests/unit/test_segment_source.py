"""Packed sources: whole and in pieces."""

from __future__ import annotations

import random
import zlib

from hypothesis import given
from hypothesis import strategies as st

from everdex.segment.source import pack, piece

TEXT = "".join(f"def name_{number}(value):\n    return value + {number * 7919}\n" for number in range(4_000)).encode()


def test_a_packed_source_is_one_ordinary_stream() -> None:
    """Whoever wants the whole file needs nothing but zlib, however long it is."""
    for size in (0, 1, 16_383, 16_384, 16_385, 70_000, len(TEXT)):
        assert zlib.decompress(pack(TEXT[:size]).stream) == TEXT[:size]


@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)), st.sampled_from([10, 16_384, 16_385, 50_000, len(TEXT)]))
def test_any_piece_is_that_slice(first: int, second: int, size: int) -> None:
    """A piece is the slice of the file, whether it lies in one stride, over an edge or over many."""
    start, end = sorted((min(first, size), min(second, size)))
    packed = pack(TEXT[:size])
    assert piece(packed.stream, packed.entrances, start, end) == TEXT[start:end]


def test_a_piece_at_the_end_does_not_need_the_beginning() -> None:
    """What lies before the last entrance is never looked at."""
    data = random.Random(3).randbytes(200_000)
    packed = pack(data)
    blind = b"\xff" * 150_000 + packed.stream[150_000:]
    assert piece(blind, packed.entrances, 199_000, 199_900) == data[199_000:199_900]
