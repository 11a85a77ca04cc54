"""Tables of keys and files: what is merged after an edit is what sorting everything again would give."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from everdex.graph.model import LIMITS, PLACES, more_key, more_places_key
from everdex.graph.stored.file_lists import FileLists, Members, listed
from everdex.graph.stored.offers import NO_OFFERS, FileOffers, Offers, file_counts, noted_keys
from everdex.graph.stored.postings import EMPTY, Postings, key32, key64
from everdex.numeric import np

Rows = dict[str, set[int]]  # keys by path


def _postings(rows: Rows) -> Postings:
    return EMPTY.merged(np.zeros(0, dtype=np.int64), _columns(rows))


def _columns(rows: Rows) -> dict[int, np.ndarray]:
    return {number: np.array(sorted(rows[path]), dtype=np.uint32) for number, path in enumerate(sorted(rows))}


def _pairs(table: Postings) -> list[tuple[int, int]]:
    keys, files = table.pairs()
    return list(zip(keys.tolist(), files.tolist(), strict=True))


def _renumber(before: Rows, after: Rows) -> np.ndarray:
    numbers = {path: number for number, path in enumerate(sorted(after))}
    return np.array([numbers.get(path, -1) for path in sorted(before)], dtype=np.int64)


def _columns_of(table: Postings) -> tuple[list[int], list[int], bytes]:
    """All that is written of a table."""
    return table.keys.tolist(), table.numbers.tolist(), table.lists.data.tobytes()


def _as_read(table: Postings) -> Postings:
    """As a graph has it that was opened: numbers of as few bytes as they need, and nothing that can be written to."""
    numbers = np.frombuffer(table.numbers.astype(np.uint8).tobytes(), dtype=np.uint8)
    return Postings(table.keys, numbers, FileLists(np.frombuffer(table.lists.data.tobytes(), dtype=np.uint8)))


@pytest.mark.parametrize("seed", range(60))
def test_a_merged_table_is_what_sorting_everything_gives(seed: int) -> None:
    """Files that come, go, move and have other keys: what is written is what a table made from nothing would be."""
    chance = random.Random(seed)
    far = chance.choice((0, 100, 20_000))  # files before these, of which no key is known: gaps of one to three bytes
    paths = [f"f{each:03}" for each in chance.sample(range(60), 30)]
    before: Rows = {path: {chance.randrange(50) for _ in range(chance.randrange(20))} for path in paths}
    before |= {f"e{each:05}": set() for each in range(far)}
    after = {path: set(keys) for path, keys in before.items() if path < "f" or chance.random() < 0.9}
    touched = {path for path in after if path > "f" and chance.random() < chance.choice((0.05, 0.8))}
    for path in touched:
        after[path] ^= {chance.randrange(50) for _ in range(chance.randrange(4))}
    new = {f"{chance.choice('an')}{each}": {chance.randrange(50)} for each in range(chance.randrange(3))}
    after |= new
    columns, numbers = _columns(after), {path: number for number, path in enumerate(sorted(after))}
    others = {numbers[path]: columns[numbers[path]] for path in touched | set(new)}
    merged = _as_read(_postings(before)).merged(_renumber(before, after), others)
    assert _columns_of(merged) == _columns_of(_postings(after))
    assert _pairs(merged) == sorted((key, numbers[path]) for path in after for key in after[path])


@pytest.mark.parametrize("seed", range(20))
def test_a_table_answers_what_its_rows_say(seed: int) -> None:
    """Who has a key, one of several keys, and what keys some files have, for keys and files that are not there, too."""
    chance = random.Random(seed)
    shared = [set(chance.sample(range(40), chance.randrange(1, 9))) for _ in range(3)]
    count = chance.choice((1, 30, 400))
    rows = {f"f{each:03}": chance.choice(shared) ^ {chance.randrange(40)} for each in range(count)}
    table, files = _as_read(_postings(rows)), sorted(rows)
    for key in range(42):
        assert table.holders(key) == [number for number, path in enumerate(files) if key in rows[path]]
    for count in (0, 1, 5, 42):
        keys = set(chance.sample(range(42), count))
        found = table.holders_of_any(np.array(sorted(keys), dtype=np.uint32))
        assert found == [number for number, path in enumerate(files) if rows[path] & keys]
    for count in (0, 1, min(20, len(files))):
        wanted = chance.sample(range(len(files)), count)
        found = {number: keys.tolist() for number, keys in table.of(wanted).items()}
        assert found == {number: sorted(rows[files[number]]) for number in wanted}
    assert (EMPTY.holders(1), EMPTY.of([]), EMPTY.pairs()[0].tolist()) == ([], {}, [])


def test_tables_beside_each_other_are_one() -> None:
    """Rows of other files are put together as if they had been one table."""
    first = {0: np.array([1, 5], dtype=np.uint32), 3: np.array([5], dtype=np.uint32)}
    second = {2: np.array([5, 7], dtype=np.uint32)}
    nobody = np.zeros(0, dtype=np.int64)
    both = EMPTY.merged(nobody, first).beside(EMPTY.merged(nobody, second))
    assert _columns_of(both) == _columns_of(EMPTY.merged(nobody, first | second))
    assert _pairs(both) == [(1, 0), (5, 0), (5, 2), (5, 3), (7, 2)]


def test_keys_with_the_same_files_share_a_list() -> None:
    """A key more that the same files have takes its own bytes and none for the files."""
    rows = {f"f{each}": {1, 2, 9} for each in range(9)}
    table, less = _postings(rows), _postings({path: {1, 2} for path in rows})
    assert table.lists.data.tobytes() == less.lists.data.tobytes() == bytes([1] * 9 + [0])


@pytest.mark.parametrize("seed", range(10))
def test_lists_of_files_are_read_as_they_were_written(seed: int) -> None:
    """Gaps of each number of bytes, at both ends of what it can hold, are what they were; so is the largest number."""
    chance = random.Random(seed)
    edges = [(1 << bits) + more for bits in (7, 14, 21, 28) for more in (-2, -1, 0, 1)] + [0, 2**32 - 2]
    lists = [sorted(set(chance.sample(edges, chance.randrange(1, 9)))) for _ in range(30)]
    counts = np.array([len(each) for each in lists])
    written = listed(Members(counts, np.array([file for each in lists for file in each], dtype=np.uint32)))
    assert len(written.ends) == len(lists)
    read = FileLists(written.data).members
    assert read.counts.tolist() == counts.tolist()
    assert read.files.tolist() == [file for each in lists for file in each]


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


def test_a_list_that_is_gone_is_not_taken_for_one_that_reads_the_same_now() -> None:
    """What the gone file's list was before all files moved is what another one is now: it is there once."""
    before, after = {"a": {2}, "b": {1}}, {"b": {1, 9}}
    merged = _postings(before).merged(_renumber(before, after), _columns(after))
    assert _columns_of(merged) == _columns_of(_postings(after))


def test_a_file_beyond_the_narrow_numbers_keeps_its_number() -> None:
    """A table of 65,536 files takes in one more."""
    table = EMPTY.merged(
        np.zeros(0, dtype=np.int64), {0: np.array([1], dtype=np.uint32), 65535: np.array([2], dtype=np.uint32)}
    )
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
    rows = files * each + 2
    assert len(_pairs(merged)) == rows
    assert peak < 64 * rows
