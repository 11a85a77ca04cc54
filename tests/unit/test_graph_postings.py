"""Tables of keys and files: what is merged after an edit is what sorting everything again would give."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from everdex.graph.model import LIMITS, PLACES, more_key, more_places_key
from everdex.graph.postings import EMPTY, NO_OFFERS, FileOffers, Offers, Postings, file_counts, key32, key64, noted_keys
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
    """The same of offers, where a file that stays may offer something else under a key, or it no longer."""
    chance = random.Random(seed)
    before = {f"f{each:03}": {key: chance.randrange(9) for key in chance.sample(range(40), 9)} for each in range(25)}
    after = {path: dict(keys) for path, keys in before.items() if chance.random() < 0.9}
    touched = [path for path in after if chance.random() < 0.2]
    for path in touched:
        del after[path][chance.choice(sorted(after[path]))]
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


def test_files_may_only_go() -> None:
    """Nothing comes in their place, and the one that is left has another number now."""
    before, after = {"a": {1, 2}, "b": {2, 3}}, {"b": {2, 3}}
    assert _pairs(_postings(before).merged(_renumber(before, after), {})) == [(2, 0), (3, 0)]


def test_a_file_beyond_the_narrow_numbers_keeps_its_number() -> None:
    """A table with files of two bytes takes in a file whose number needs more."""
    table = Postings(np.array([1, 2], dtype=np.uint32), np.array([0, 65535], dtype=np.uint16))
    merged = table.merged(np.arange(65536), {65536: np.array([1, 9], dtype=np.uint32)})
    assert _pairs(merged) == [(1, 0), (1, 65536), (2, 65535), (9, 65536)]


def _counted(files: dict[int, dict[str, int]]) -> Offers:
    return NO_OFFERS.merged(np.zeros(0, dtype=np.int64), {number: file_counts(each) for number, each in files.items()})


@pytest.mark.parametrize("files", sorted({limit + each for limit in (*LIMITS, *PLACES) for each in (0, 1, 2)}))
def test_one_more_or_less_matters_at_a_limit(files: int) -> None:
    """Who noted the key is asked again, and of those who noted only that there are more, those of this limit."""
    several = {number: {"many": 1, "other": 7} for number in range(files)}
    one_more = {**several, files: {"many": 1}}
    expected = {
        key32("many"),
        *(key32(more_key("many", limit)) for limit in LIMITS if limit == files),
        *(key32(more_places_key("many", limit)) for limit in PLACES if limit == files),
    }
    for before, after in ((several, one_more), (one_more, several)):
        assert set(noted_keys({key64("many")}, _counted(before), _counted(after)).tolist()) == expected


def test_places_are_summed_over_files_and_by_key() -> None:
    """Few files may have many places: what is more than a limit is their sum, of each key its own."""
    (limit,) = PLACES
    before = _counted({0: {"a": limit - 5, "b": 2, "c": 50}, 1: {"a": 5, "c": 50}, 2: {"b": 1}})
    after = _counted({0: {"a": limit - 5, "b": 2, "c": 60}, 1: {"a": 6, "c": 50}, 2: {"b": 2}})
    found = set(noted_keys(map(key64, ("a", "b", "c", "none")), before, after).tolist())
    assert found == {*map(key32, ("a", "b", "c", "none")), key32(more_places_key("a", limit))}
    assert noted_keys((), before, after).tolist() == []


def test_a_table_that_is_mostly_new_takes_memory_by_its_rows() -> None:
    """A graph that is finished from one that was hardly begun is put together in a few times its size."""
    files, each = 500, 2_000
    few = _postings({"a": {1, 2}})
    new = {number: np.arange(number, number + 3 * each, 3, dtype=np.uint32) for number in range(1, files + 1)}
    tracemalloc.start()
    try:
        merged = few.merged(np.array([0]), new)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(merged.keys) == files * each + 2
    assert peak < 8 * (merged.keys.nbytes + merged.files.nbytes)
