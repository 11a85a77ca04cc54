"""Tables of keys and files: what is merged after an edit is what sorting everything again would give."""

from __future__ import annotations

import random

import pytest

from everdex.graph.postings import EMPTY, NO_OFFERS, FileOffers, Offers, Postings
from everdex.numeric import np

Rows = dict[str, set[int]]  # keys by path


def _postings(rows: Rows) -> Postings:
    return EMPTY.merged(np.zeros(0, dtype=np.int64), _columns(rows))


def _columns(rows: Rows) -> dict[int, np.ndarray]:
    return {number: np.array(sorted(rows[path]), dtype=np.uint32) for number, path in enumerate(sorted(rows))}


def _pairs(table: Postings) -> list[tuple[int, int]]:
    return list(zip(table.keys.tolist(), table.files.tolist(), strict=True))


def _renumber(before: Rows, after: Rows) -> np.ndarray:
    numbers = {path: number for number, path in enumerate(sorted(after))}
    return np.array([numbers.get(path, -1) for path in sorted(before)], dtype=np.int64)


@pytest.mark.parametrize("seed", range(40))
def test_a_merged_table_is_what_sorting_everything_gives(seed: int) -> None:
    """Files that come, go, move and have other keys: the rows are those of a table made from nothing."""
    chance = random.Random(seed)
    paths = [f"f{each:03}" for each in chance.sample(range(60), 30)]
    before: Rows = {path: {chance.randrange(50) for _ in range(chance.randrange(20))} for path in paths}
    after = {path: set(keys) for path, keys in before.items() if chance.random() < 0.9}
    touched = {path for path in after if chance.random() < chance.choice((0.05, 0.8))}
    for path in touched:
        after[path] ^= {chance.randrange(50) for _ in range(chance.randrange(4))}
    new = {f"n{each}": {chance.randrange(50)} for each in range(chance.randrange(3))}
    after |= new
    columns, numbers = _columns(after), {path: number for number, path in enumerate(sorted(after))}
    narrow = Postings(_postings(before).keys, _postings(before).files.astype(np.uint16))  # as a file has them
    others = {numbers[path]: columns[numbers[path]] for path in touched | set(new)}
    merged = narrow.merged(_renumber(before, after), others)
    assert _pairs(merged) == _pairs(_postings(after))


@pytest.mark.parametrize("seed", range(20))
def test_merged_offers_are_what_sorting_everything_gives(seed: int) -> None:
    """The same of offers, where a file that stays may offer something else under the same key."""
    chance = random.Random(seed)
    before = {f"f{each:03}": {key: chance.randrange(9) for key in chance.sample(range(40), 9)} for each in range(25)}
    after = {path: dict(keys) for path, keys in before.items() if chance.random() < 0.9}
    touched = [path for path in after if chance.random() < 0.2]
    for path in touched:
        after[path][chance.randrange(40)] = chance.randrange(9)
    numbers = {path: number for number, path in enumerate(sorted(after))}

    def offers(rows: dict[str, dict[int, int]], chosen: list[str]) -> dict[int, FileOffers]:
        order = sorted(rows)
        return {
            order.index(path): FileOffers(
                np.array(sorted(rows[path]), dtype=np.uint64),
                np.array([rows[path][key] for key in sorted(rows[path])], dtype=np.uint32), 0,
            )
            for path in chosen
        }  # fmt: skip

    def made(rows: dict[str, dict[int, int]]) -> Offers:
        return NO_OFFERS.merged(np.zeros(0, dtype=np.int64), offers(rows, sorted(rows)))

    merged = made(before).merged(
        np.array([numbers.get(path, -1) for path in sorted(before)], dtype=np.int64), offers(after, touched)
    )
    for column in ("keys", "files", "contents"):
        assert getattr(merged, column).tolist() == getattr(made(after), column).tolist()


def test_a_file_beyond_the_narrow_numbers_keeps_its_number() -> None:
    """A table with files of two bytes takes in a file whose number needs more."""
    table = Postings(np.array([1, 2], dtype=np.uint32), np.array([0, 65535], dtype=np.uint16))
    merged = table.merged(np.arange(65536), {65536: np.array([1, 9], dtype=np.uint32)})
    assert _pairs(merged) == [(1, 0), (1, 65536), (2, 65535), (9, 65536)]
