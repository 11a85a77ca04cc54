"""Runs of bytes by file: what is spliced is what putting them together one by one would give."""

from __future__ import annotations

import random

import pytest

from everdex.graph.stored.blobs import NO_BLOBS, Blobs, joined
from everdex.numeric import np


def _whole(blobs: Blobs) -> Blobs:
    return Blobs((b"".join(blobs.pieces),), blobs.ends)


@pytest.mark.parametrize("seed", range(200))
def test_spliced_is_what_one_by_one_gives(seed: int) -> None:
    """Files kept in stretches, moved, gone and new, some of them empty."""
    chance = random.Random(seed)
    old = [chance.randbytes(chance.randrange(4)) for _ in range(chance.randrange(5))]
    kept = [number for number in range(len(old)) if chance.random() < 0.8]
    for _ in range(chance.randrange(4)):
        kept.insert(chance.randrange(len(kept) + 1), -1)
    fresh = {number: chance.randbytes(chance.randrange(4)) for number, each in enumerate(kept) if each < 0}
    spliced = _whole(_whole(joined(old)).spliced(np.array(kept, dtype=np.int64), fresh))
    assert [spliced.of(number) for number in range(len(kept))] == [
        fresh[number] if each < 0 else old[each] for number, each in enumerate(kept)
    ]


def test_everything_may_be_new() -> None:
    """From nothing: as many as there are, and none."""
    assert NO_BLOBS.spliced(np.array([-1, -1], dtype=np.int64), {0: b"a", 1: b"bc"}).pieces == [b"a", b"bc"]
    assert NO_BLOBS.spliced(np.zeros(0, dtype=np.int64), {}).pieces == []
