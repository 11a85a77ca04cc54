"""The live view: tombstones are applied in one place, and speak only of older segments."""

from __future__ import annotations

import random
import threading
from pathlib import Path

import msgspec
import pytest

from everdex import limits
from everdex.errors import Corrupt, PublishConflict
from everdex.segment.files import read_tombstones
from everdex.snapshot import active
from everdex.snapshot.lease import Lease, hold_lease
from everdex.snapshot.live import live_map
from everdex.snapshot.manifest import Manifest
from everdex.sync import pool
from everdex.sync.compact import compact, compact_if_due
from everdex.sync.timing import Timings
from everdex.upkeep.audit import audit
from everdex.upkeep.housekeeping import compact_now
from everdex.view import open_view
from support.stores import Workspace, bare_store, live_rows, publish_files, synced

FILES = {
    "keep.py": "def keep():\n    return 'kept'\n",
    "edit.py": "def edit():\n    return 'first'\n",
    "old/name.py": "def moved():\n    return 'moved'\n",
    "gone.py": "def gone():\n    return 'gone'\n",
    "notes.md": "# Notes\n\nSome text.\n",
}


def _all_segments(manifest: Manifest) -> frozenset[str]:
    return frozenset(segment.segment_id for segment in manifest.segments)


def _compact(made: Workspace, chosen: frozenset[str] | None = None) -> Manifest:
    with hold_lease(made.store) as lease:
        manifest = active.pin(made.store).manifest
        return compact(lease, manifest, chosen or _all_segments(manifest))


def test_deleted_files_answer_nothing_though_their_rows_are_still_on_disk(tmp_path: Path) -> None:
    """IDX.MUST.001: the old segment still holds the rows; no way of reading the view shows them."""
    made = synced(tmp_path / "tree", FILES)
    made.remove("gone.py")
    made.sync()
    with open_view(made.store) as view:
        assert any(path == "gone.py" for segment in view.segments for _, path, *_ in segment.rows.files())
        assert "gone.py" not in view.paths
        assert view.symbols_named("gone") == []
        assert "gone.py" not in {line.path_key for line in view.file_lines()}
        assert view.doc_count == len(set(view.doc_rows.tolist())) == view.manifest.counts.chunks_indexed
        texts = {view.document(number).row.text for number in range(view.doc_count)}
        assert not any("gone" in text for text in texts)
        with pytest.raises(KeyError):
            view.documents_of("gone.py")


def test_replaced_and_emptied_files_lose_their_old_rows(tmp_path: Path) -> None:
    """IDX.MUST.001: only the newest version of a file is live, also when that version is empty."""
    made = synced(tmp_path / "tree", FILES)
    made.write({"edit.py": "def edit():\n    return 'second'\n", "gone.py": ""})
    made.sync()
    texts = made.texts()
    assert texts["edit.py"] == "def edit():\n    return 'second'\n"
    assert "gone.py" not in texts


def test_a_file_deleted_and_added_again_is_live(tmp_path: Path) -> None:
    """A tombstone speaks only of segments older than itself."""
    made = synced(tmp_path / "tree", FILES)
    made.remove("gone.py")
    made.sync()
    made.write({"gone.py": FILES["gone.py"]})
    made.sync()
    assert made.texts() == FILES


def test_the_newest_segment_wins_even_without_a_tombstone(tmp_path: Path) -> None:
    """A path that two segments hold is live in the newer one only."""
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        publish_files(lease, {"a.py": 1, "b.py": 1})
        manifest = publish_files(lease, {"a.py": 5}, bury_replaced=False)
    assert live_rows(store, manifest)["a.py"] == (manifest.segments[1].segment_id, 5)
    assert manifest.counts.chunks_indexed == 6


def test_a_segment_with_nothing_live_is_no_longer_referred_to(tmp_path: Path) -> None:
    """Once every file of a segment is replaced or deleted, new snapshots do without it and its tombstones."""
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        publish_files(lease, {"a.py": 1, "b.py": 1})
        manifest = publish_files(lease, {"a.py": 2}, delete=["b.py"])
    assert [segment.seq for segment in manifest.segments] == [2]
    assert manifest.tombstones == ()


def test_a_file_deleted_while_segments_are_merged_stays_dead(tmp_path: Path) -> None:
    """A publish that drops a segment writes the tombstones it needs anew, its own among them."""
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        first = publish_files(lease, {"a.py": 1})
        publish_files(lease, {"b.py": 1, "c.py": 1})
        dropped = frozenset({first.segments[0].segment_id})
        manifest = publish_files(lease, {"a.py": 1}, drop=dropped, delete=["b.py"], bury_replaced=False)
    assert live_rows(store, manifest).keys() == {"a.py", "c.py"}


def test_a_tombstone_goes_with_the_last_segment_that_holds_its_path(tmp_path: Path) -> None:
    """A merge keeps the tombstones of dead paths that a remaining segment has, and no others."""
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        publish_files(lease, {"kept.py": 1, "other.py": 1})
        second = publish_files(lease, {"a.py": 1, "b.py": 1})
        publish_files(lease, {}, delete=["b.py", "other.py"])
        chosen = frozenset({second.segments[1].segment_id})
        manifest = publish_files(lease, {"a.py": 1}, drop=chosen, bury_replaced=False)
    assert [item.count for item in manifest.tombstones] == [1]
    assert live_rows(store, manifest).keys() == {"kept.py", "a.py"}


def test_a_compaction_of_what_is_no_longer_active_is_refused(tmp_path: Path) -> None:
    """What was published since a compaction looked would be lost with it."""
    made = synced(tmp_path / "tree", FILES)
    seen = made.base()
    made.write({"edit.py": "def edit():\n    return 'second'\n"})
    made.sync()
    before = made.texts()
    with hold_lease(made.store) as lease, pytest.raises(PublishConflict):
        compact(lease, seen, _all_segments(seen))
    assert made.texts() == before


def test_compaction_after_modify_rename_and_delete_loses_nothing(tmp_path: Path) -> None:
    """Rows, uids, texts and symbols are the same before and after; nothing dead comes back."""
    made = synced(tmp_path / "tree", FILES)
    made.write({"edit.py": "def edit():\n    return 'second'\n"})
    made.sync()
    (made.path / "new").mkdir()
    (made.path / "old/name.py").rename(made.path / "new/name.py")
    made.sync()
    made.remove("gone.py")
    made.sync()
    before = made.rows()
    manifest = _compact(made)
    assert made.rows() == before
    assert len(manifest.segments) == 1
    assert manifest.segments[0].kind == "compacted"
    assert manifest.counts.chunks_indexed == manifest.segments[0].rows == len(before)
    with open_view(made.store) as view:
        assert [symbol.path_key for symbol in view.symbols_named("moved")] == ["new/name.py"]
        assert view.source("edit.py") == b"def edit():\n    return 'second'\n"
    assert not made.sync().published
    made.remove("edit.py")
    made.sync()
    assert "edit.py" not in made.texts()


def test_compaction_of_some_segments_keeps_older_versions_buried(tmp_path: Path) -> None:
    """Compacting only the small segments does not let the big one's old rows answer again."""
    made = synced(tmp_path / "tree", FILES)
    big = active.pin(made.store).manifest.segments[0].segment_id
    for text in ("second", "third"):
        made.write({"edit.py": f"def edit():\n    return '{text}'\n"})
        made.sync()
    made.remove("gone.py")
    made.sync()
    before = made.rows()
    manifest = _compact(made, _all_segments(active.pin(made.store).manifest) - {big})
    assert made.rows() == before
    assert big in _all_segments(manifest)
    made.remove("edit.py")
    made.sync()
    assert "edit.py" not in made.texts()


def test_compaction_prunes_tombstones(tmp_path: Path) -> None:
    """IDX.MUST.007: once no segment is older than a tombstone, the tombstone is gone."""
    made = synced(tmp_path / "tree", FILES)
    made.remove("gone.py")
    made.sync()
    made.write({"edit.py": "x = 1\n"})
    manifest = made.sync().manifest
    assert sum(item.count for item in manifest.tombstones) == 2
    assert _compact(made).tombstones == ()
    assert "gone.py" not in made.texts()


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> int:
    """A tree that is small for everybody else is a large one."""
    monkeypatch.setattr(limits, "SEGMENT_ROWS", 4)
    monkeypatch.setattr(pool, "_BATCH_FILES", 2)
    return 4


def test_a_large_sync_fills_one_segment_after_another(
    tmp_path: Path, small_segments: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it holds in memory does not grow with the tree; rows, order and digest are those of one segment."""
    files = {f"m{number:02}.py": f"def f{number}():\n    return {number}\n" for number in range(21)}
    made = synced(tmp_path / "tree", files)
    manifest = made.base()
    assert len(manifest.segments) == 6
    assert all(segment.rows <= small_segments for segment in manifest.segments)
    assert not made.sync().published
    monkeypatch.setattr(limits, "SEGMENT_ROWS", 1_000)
    whole = synced(tmp_path / "whole" / "tree", files)
    assert len(whole.base().segments) == 1
    assert (made.rows(), manifest.digest) == (whole.rows(), whole.base().digest)
    assert manifest.counts == whole.base().counts


def test_a_file_of_more_rows_than_a_segment_takes_is_not_divided(tmp_path: Path, small_segments: int) -> None:
    """It has a segment to itself, in a sync and in a compaction."""
    long = "".join(f"def f{number}():\n" + "    work()\n" * 60 + "\n\n" for number in range(9))
    made = synced(tmp_path / "tree", {"a.py": "x = 1\n", "b.py": "x = 2\n", "long.py": long, "z.py": "x = 3\n"})
    before = made.rows()
    assert max(segment.rows for segment in made.base().segments) > small_segments
    made.remove("b.py")
    made.sync()
    assert sorted(segment.files for segment in _compact(made).segments) == [1, 1, 1]
    assert made.rows() == {key: row for key, row in before.items() if key[0] != "b.py"}


def test_full_segments_are_not_merged_again_and_again(tmp_path: Path, small_segments: int) -> None:
    """Merging makes as few segments as hold the rows, leaves the full ones alone, and has nothing to do twice."""
    files = {f"m{number:02}.py": f"def f{number}():\n    return {number}\n" for number in range(80)}
    made = synced(tmp_path / "tree", files)
    full = _all_segments(made.base())
    assert len(full) == 20  # each of them less than a quarter of all rows
    for number in range(14):
        made.write({f"n{number}.py": f"value = {number}\n"})
        assert not made.sync().compacted
    for number in range(14, 18):
        made.write({f"n{number}.py": f"value = {number}\n"})
        made.sync()
    after = made.base()
    assert full < _all_segments(after)
    assert len(after.segments) < 20 + 18
    rows = made.rows()
    assert compact_now(made.store, force=True).segments_after == 25
    assert made.rows() == rows
    assert not compact_now(made.store, force=True).compacted


def test_many_small_syncs_stay_under_the_segment_limit(tmp_path: Path) -> None:
    """Compaction runs by itself, and what it merges stays searchable."""
    made = synced(tmp_path / "tree", FILES)
    expected = dict(FILES)
    for number in range(40):
        name = f"n{number % 25}.py"
        expected[name] = f"value_{number} = {number}\n"
        made.write({name: expected[name]})
        manifest = made.sync().manifest
        assert len(manifest.segments) <= 20
    assert made.texts() == expected


def test_too_many_tombstones_make_a_compaction_due(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tombstones are bounded: at the overdue mark everything is merged and they go."""
    made = synced(tmp_path / "tree", FILES)
    made.remove("gone.py")
    monkeypatch.setattr("everdex.limits.COMPACTION_OVERDUE_TOMBSTONES", 1)
    report = made.sync()
    assert report.compacted
    assert report.manifest.tombstones == ()
    with hold_lease(made.store) as lease:
        assert compact_if_due(lease, report.manifest, Timings()) is None


def test_tombstones_say_why(tmp_path: Path) -> None:
    """Every tombstone has one of the three reasons of the contract."""
    made = synced(tmp_path / "tree", FILES)
    made.write({"edit.py": "x = 1\n"})
    made.remove("gone.py")
    (made.path / "old/name.py").rename(made.path / "renamed.py")
    manifest = made.sync().manifest
    lines = read_tombstones(made.store.path / manifest.tombstones[0].path)
    assert {line.path_key: line.reason for line in lines} == {
        "edit.py": "replace",
        "gone.py": "delete",
        "old/name.py": "rename_from",
    }


def test_the_view_refuses_a_manifest_whose_counts_lie(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Live rows are counted when a view is opened; a mismatch is corruption, not an answer."""
    made = synced(tmp_path / "tree", FILES)
    monkeypatch.setattr("everdex.view.snapshot_view.live_map", lambda path, manifest: _short(live_map(path, manifest)))
    with pytest.raises(Corrupt, match="live rows"), open_view(made.store):
        pass


def _short(live: object) -> object:
    return msgspec.structs.replace(live, live_rows=(0,))  # type: ignore[type-var]


def test_readers_during_a_hundred_publishes_never_see_a_mixed_state(tmp_path: Path) -> None:
    """Every file of a snapshot belongs to the same version, however often a writer publishes meanwhile."""
    names = [f"f{number}.py" for number in range(4)]
    made = synced(tmp_path / "tree", dict.fromkeys(names, "version = 0\n"))
    stop = threading.Event()
    seen: set[str] = set()
    wrong: list[set[str]] = []

    def read() -> None:
        while not stop.is_set():
            texts = set(made.texts().values())
            seen.update(texts)
            if len(texts) != 1:
                wrong.append(texts)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for version in range(1, 101):
        made.write(dict.fromkeys(names, f"version = {version}\n"))
        made.sync()
    stop.set()
    for reader in readers:
        reader.join()
    assert wrong == []
    assert len(seen) > 1


def _merge(lease: Lease, manifest: Manifest, chosen: frozenset[str]) -> Manifest:
    """What compaction does, at the level of file lists."""
    live = live_rows(lease.store, manifest)
    moved = {path_key: rows for path_key, (segment, rows) in live.items() if segment in chosen}
    return publish_files(lease, moved, drop=chosen, bury_replaced=False)


@pytest.mark.parametrize("seed", range(4))
def test_random_histories_match_a_dictionary(tmp_path: Path, seed: int) -> None:
    """Any sequence of adds, edits, deletes and partial compactions leaves exactly the newest versions live."""
    chance = random.Random(seed)
    store = bare_store(tmp_path)
    model: dict[str, int] = {}
    names = [f"{letter}.py" for letter in "abcdefgh"]
    with hold_lease(store) as lease:
        manifest = publish_files(lease, {})
        for step in range(60):
            if chance.random() < 0.25 and manifest.segments:
                ids = [segment.segment_id for segment in manifest.segments]
                manifest = _merge(lease, manifest, frozenset(chance.sample(ids, chance.randint(1, len(ids)))))
            else:
                written = dict.fromkeys(chance.sample(names, chance.randint(0, 3)), step + 1)
                gone = [name for name in model if name not in written and chance.random() < 0.2]
                manifest = publish_files(lease, written, delete=gone)
                model = {name: rows for name, rows in {**model, **written}.items() if name not in gone}
            live = live_rows(store, manifest)
            assert {path_key: rows for path_key, (_, rows) in live.items()} == model
            assert manifest.counts.chunks_indexed == sum(model.values())
            assert manifest.counts.files_indexed == len(model)


def test_tombstones_do_not_grow_with_every_publish(tmp_path: Path) -> None:
    """However often files are edited, deleted and made again, their files stay few, and they bury the same."""
    files = {f"f{number}.py": f"x{number} = 1\n" * 40 for number in range(70)}
    made = synced(tmp_path / "tree", files)
    most = 0
    for number in range(120):
        name = f"f{number % 7}.py" if number < 60 else f"f{number - 50}.py"
        if number % 3 == 1 or number >= 60:
            made.remove(*([name] if (made.path / name).exists() else []))
        else:
            made.write({name: f"y{number} = 1\n"})
        most = max(most, len(made.sync().manifest.tombstones))
    assert most <= 49
    expected = {path.name: path.read_text() for path in made.path.glob("*.py")}
    assert made.texts() == expected
    assert audit(made.store).clean
