"""Readers in other processes, while a writer publishes, compacts and collects: every answer is one whole generation."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Thread

import pytest

from everdex import clock, limits
from everdex.errors import Busy, SnapshotNotFound
from everdex.search.model import Mode, SearchRequest
from everdex.service.index import Index, Reading
from everdex.snapshot import active
from everdex.upkeep.housekeeping import compact_now, gc_now
from support.processes import PATIENCE_S, Child
from support.stores import Workspace, synced

_PUBLISHES = 110
_FILES = tuple(f"{place}/part{number}.py" for number, place in enumerate(("a", "a", "b", "c", "c/d", "e")))

# Asks in three ways until its input ends; prints one line per answer: what was seen, and from where.
_READER = """
import json, re, select, sys
from everdex.search.model import Mode, SearchRequest
from everdex.service.index import Index, Reading

print("ready", flush=True)
index = Index.open(ARGS[0])
asked = (
    SearchRequest("generation marker", k=50, paths=("part*",)),
    SearchRequest("generation marker", Mode.LEXICAL, k=50, paths=("part*",)),
    SearchRequest("^generation = ", Mode.REGEX, k=50),
)
while not select.select([sys.stdin], [], [], 0.02)[0]:
    with index.searcher(Reading(sync=False)) as searcher:
        for answer in map(searcher.answer, asked):
            seen = [(r["path"], re.search("generation = ([0-9]+)", r["snippet"])[1]) for r in answer.body["results"]]
            print(json.dumps([answer.origin.snapshot_id, sorted(seen)]), flush=True)
print("end", flush=True)
"""


def _generation(number: int) -> dict[str, str]:
    """Every part with this number, and one note of eight: it keeps its segment, with the dead parts in it, in use."""
    return {f"notes/n{number % 8}.py": f"note = {number}\n"} | {
        name: f'"""Part {place}."""\n\n\ndef marker_{place}():\n    return {number * 7}\n\n\ngeneration = {number}\n'
        for place, name in enumerate(_FILES)
    }


def _whole(number: int) -> list[list[str]]:
    return sorted([name, str(number)] for name in _FILES)


def _publish_many(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, int], int]:
    """snapshot id -> its generation, and how many snapshots were collected on the way."""
    published: dict[str, int] = {}
    collected = 0
    real = clock.now
    for number in range(1, _PUBLISHES + 1):
        made.write(_generation(number))
        published[made.sync(auto_compact=number % 20 == 0).manifest.snapshot_id] = number
        if number % 10 == 5:
            compact_now(made.store, force=True)
            published[active.pin(made.store).manifest.snapshot_id] = number
        if number % 10 == 0:
            with monkeypatch.context() as patched:
                patched.setattr(clock, "now", lambda: real() + limits.RETAIN_SNAPSHOTS_MIN_AGE_S + 1)
                try:
                    collected += len(gc_now(made.store, dry_run=False).snapshots)
                except Busy:
                    continue  # a reader was in the way all the time, which is its right
    return published, collected


def test_no_answer_mixes_two_generations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over a hundred publishes with compaction and collection, each answer holds every file of one generation."""
    made = synced(tmp_path / "tree", _generation(0))
    first = active.pin(made.store).manifest.snapshot_id
    with Child(_READER, made.path) as one, Child(_READER, made.path) as two:
        assert one.line() == two.line() == "ready"
        # Reading starts before writing does; from here on their output is drained at the end.
        seen = [json.loads(one.line()), json.loads(two.line())]
        published, collected = _drained(made, monkeypatch, (one, two), seen)
    published[first] = 0
    assert collected > 0
    assert len({snapshot for snapshot, _ in seen}) > 10
    for snapshot, files in seen:
        assert files == _whole(published[snapshot])


def _drained(
    made: Workspace, monkeypatch: pytest.MonkeyPatch, readers: tuple[Child, ...], seen: list[list]
) -> tuple[dict[str, int], int]:
    def drain(reader: Child) -> None:
        while (line := reader.line()) and line != "end":
            seen.append(json.loads(line))

    threads = [Thread(target=drain, args=(reader,)) for reader in readers]
    for thread in threads:
        thread.start()
    result = _publish_many(made, monkeypatch)
    for reader in readers:
        reader.go()
    for reader, thread in zip(readers, threads, strict=True):
        thread.join(PATIENCE_S)
        assert reader.process.wait(PATIENCE_S) == 0
    return result


def test_an_older_retained_snapshot_answers_as_it_was(tmp_path: Path) -> None:
    """`--snapshot ID` gives exactly the generation it was published with, in every mode, after whatever came later."""
    made = synced(tmp_path / "tree", _generation(0))
    published = {active.pin(made.store).manifest.snapshot_id: 0}
    for number in range(1, 9):
        made.write(_generation(number))
        published[made.sync(auto_compact=False).manifest.snapshot_id] = number
    assert len(active.pin(made.store).manifest.segments) > 5
    made.remove(*_FILES)
    made.sync()
    compact_now(made.store, force=True)
    index = Index.open(made.path)
    for snapshot_id, number in published.items():
        reading = Reading(snapshot_id=snapshot_id)
        for mode, query in ((Mode.HYBRID, "generation marker"), (Mode.REGEX, "^generation"), (Mode.LITERAL, "tion =")):
            results = index.search(SearchRequest(query, mode, k=50, paths=("part*",)), reading).body["results"]
            assert sorted(result["path"] for result in results) == sorted(_FILES)
            assert all(f"generation = {number}\n" in result["snippet"] + "\n" for result in results)
    gone = SearchRequest("generation marker", paths=("part*",))
    assert index.search(gone, Reading(sync=False)).body["results"] == []


def test_a_collected_snapshot_is_unknown_and_the_retained_ones_are_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After collection a snapshot either answers completely or is refused by name; there is nothing between."""
    made = synced(tmp_path / "tree", _generation(0))
    published = {active.pin(made.store).manifest.snapshot_id: 0}
    for number in range(1, 12):
        made.write(_generation(number))
        published[made.sync(auto_compact=False).manifest.snapshot_id] = number
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + limits.RETAIN_SNAPSHOTS_MIN_AGE_S + 1)
    report = gc_now(made.store, dry_run=False)
    assert len(report.retained) == limits.RETAIN_SNAPSHOTS_MIN
    index = Index.open(made.path)
    for snapshot_id, number in published.items():
        asked = SearchRequest("^generation = ", Mode.REGEX, k=50)
        if snapshot_id in report.retained:
            found = index.search(asked, Reading(snapshot_id=snapshot_id)).body["results"]
            assert {result["snippet"] for result in found} == {f"generation = {number}"}
        else:
            with pytest.raises(SnapshotNotFound, match=snapshot_id):
                index.search(asked, Reading(snapshot_id=snapshot_id))
