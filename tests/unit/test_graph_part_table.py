"""Which parts of a file looked at which keys: after any edits the table is what the parts themselves would say."""

from __future__ import annotations

import random
import zlib
from collections.abc import Callable

import pytest

from everdex.graph.model import Part, Parts
from everdex.graph.stored.part_table import PartTable, decode, table_of
from everdex.graph.stored.postings import key32, keys32
from everdex.numeric import np

_KEYS = [*(f"own:{number}" for number in range(12)), *(f"other:{number}" for number in range(12))]
Looked = list[set[str]]  # of each part, at what


def _parts(now: Looked, kept: list[int], hashed: Callable[[str], int] = key32) -> Parts:
    """Parts that looked at this now; `kept` are those that they were before, or -1."""
    chance = random.Random(len(now))
    keys = chance.sample(_KEYS, len(_KEYS))
    own = sum(1 << place for place, key in enumerate(keys) if key.startswith("own:"))
    bits = [sum(1 << keys.index(key) for key in looked) for looked in now]
    parts = tuple(Part(2 * number, 7 * number, bits[number], kept[number]) for number in range(len(now)))
    return Parts(tuple(map(hashed, keys)), own, parts, tuple(range(len(now))))


def _is_told(table: PartTable, looked: Looked) -> None:
    """The table says what was looked at, by whom, and nothing else; also after it was stored."""
    stored = decode(table.encode(), table.others)
    asked = set().union(*looked)
    for each in (table, stored):
        assert each.parts == tuple((2 * number, 7 * number) for number in range(len(looked)))
        assert each.of_sites == tuple(range(len(looked)))
        assert each.others.tolist() == keys32(key for key in asked if key.startswith("other:")).tolist()
        assert each.own.tolist() == keys32(key for key in asked if key.startswith("own:")).tolist()
        for key in _KEYS:
            assert each.stale(keys32([key])) == {number for number, keys in enumerate(looked) if key in keys}
        some = keys32(_KEYS[3:15])
        assert each.stale(some) == {number for number, keys in enumerate(looked) if keys & set(_KEYS[3:15])}
        assert each.stale(keys32([])) == each.stale(keys32(["nobody"])) == frozenset()


def _some(chance: random.Random, most: int) -> set[str]:
    return set(chance.sample(_KEYS, chance.randrange(most)))


@pytest.mark.parametrize("seed", range(40))
def test_a_table_is_what_its_parts_say(seed: int) -> None:
    """Parts that are kept, moved, gone, new, or kept and looked at more, one edit after the other."""
    chance = random.Random(seed)
    looked = [_some(chance, 6) for _ in range(chance.randrange(1, 20))]
    table = table_of(_parts(looked, [-1] * len(looked)), None)
    _is_told(table, looked)
    for _ in range(4):
        kept = [number for number in range(len(looked)) if chance.random() < 0.8]
        if chance.random() < 0.3:
            chance.shuffle(kept)
        for _ in range(chance.randrange(3)):
            kept.insert(chance.randrange(len(kept) + 1), -1)
        kept = kept or [-1]
        now = [_some(chance, 4) if was < 0 or chance.random() < 0.2 else set() for was in kept]
        looked = [new | (looked[was] if was >= 0 else set()) for new, was in zip(now, kept, strict=True)]
        table = table_of(_parts(now, kept), table)
        _is_told(table, looked)


def test_keys_that_collide_are_one_key_of_both() -> None:
    """A part is resolved in vain then, and never left out."""

    def hashed(text: str) -> int:
        return key32("other:0" if text == "other:1" else text)

    first = table_of(_parts([{"other:0"}, {"other:1"}, {"own:0"}], [-1, -1, -1], hashed), None)
    again = table_of(_parts([set(), {"other:1"}, {"other:0"}], [0, -1, -1], hashed), first)
    assert first.others.tolist() == again.others.tolist() == [key32("other:0")]
    assert first.stale(keys32(["other:0"])) == {0, 1}
    assert again.stale(keys32(["other:0"])) == {0, 1, 2}


def test_a_table_says_what_another_says_when_nothing_was_found_anew() -> None:
    """Who was asked in vain looked at the same; one key more or less, or of another part, is something else."""
    first = table_of(_parts([{"other:0"}, {"own:0"}], [-1, -1]), None)
    assert table_of(_parts([{"other:0"}, set()], [-1, 1]), first).says(first)
    for now in ({"other:0", "other:1"}, {"other:1"}, set[str](), {"other:0", "own:0"}):
        assert not table_of(_parts([now, set()], [-1, 1]), first).says(first)


@pytest.mark.parametrize("count", [1, 255, 256, 257, 700])
def test_keys_that_the_same_parts_looked_at_share_a_row(count: int) -> None:
    """So many different rows, each of several keys, are told apart; a row is written once."""
    looked = np.packbits(np.eye(count, dtype=np.bool_), axis=1)
    order = np.array([number for number in range(count) for _ in range(3)])
    keys = np.arange(2 * len(order), dtype=np.uint32)
    parts = tuple((number, number) for number in range(count))
    rows = np.concatenate((looked[order], looked[order[::-1]]))
    table = PartTable(parts, (), keys[: len(order)], keys[len(order) :], rows)
    stored = decode(table.encode(), table.others)
    assert stored.says(table)
    once = PartTable(parts, (), keys[:count], keys[:0], looked)
    sizes = [len(zlib.decompress(each.encode())) for each in (table, once)]
    assert sizes[0] < sizes[1] + 10 * len(order)
