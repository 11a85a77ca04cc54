"""Repair: whatever single thing is broken, the store answers rightly again, and no more is redone than needed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from everdex.errors import Busy, Corrupt, EverdexError, Incompatible, LeaseLost, NotIndexed
from everdex.snapshot import active, integrity, retention
from everdex.snapshot import manifest as manifests
from everdex.snapshot.lease import Lease, hold_lease, lease_path
from everdex.snapshot.store import Store, create_store, open_store, open_store_at
from everdex.sync.compact import compact
from everdex.upkeep.audit import audit
from everdex.upkeep.health import health
from everdex.upkeep.repair import open_for_repair, repair
from support.stores import Workspace, live_rows, rewritten, synced, workspace

BASE = {f"base/{n}.py": f"def base_{n}():\n    return {n}\n" for n in range(6)}


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    """Three segments: the base, an edit with a deletion, and an addition."""
    made = synced(tmp_path / "tree", BASE)
    made.write({"base/0.py": "def edited():\n    return 'new'\n"})
    made.remove("base/1.py")
    made.sync()
    made.write({"added.py": "def added():\n    pass\n"})
    made.sync()
    return made


def _flip(path: Path) -> None:
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 0x10
    path.write_bytes(raw)


def _reopen(made: Workspace) -> Workspace:
    return Workspace(made.root, made.config, open_store(made.root, made.store.info.config_fingerprint))


def _whole(made: Workspace, expected: dict[tuple[str, int], tuple[str, str]]) -> None:
    """The store is as good as one that was never damaged."""
    again = _reopen(made)
    assert again.rows() == expected
    assert audit(again.store).findings == ()
    assert health(again.root, again.config, again.store).status == "ok"
    assert not again.sync().published
    retention.plan(again.store)
    again.write({"later.py": "z = 1\n"})
    again.sync()
    assert again.texts()["later.py"] == "z = 1\n"


def test_a_whole_store_needs_nothing(made: Workspace) -> None:
    """Repairing an undamaged store publishes nothing."""
    before = active.published(made.store)
    report = repair(made.root, made.config, made.store, dry_run=False)
    assert (report.scope, report.damage, report.verified) == ("nothing", (), True)
    assert active.published(made.store) == before


@pytest.mark.parametrize("part", ["rows.db", "vectors.i8", "lexical.bin", "files.jsonl", None])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_damaged_segment_costs_only_its_own_files(made: Workspace, which: int, part: str | None) -> None:
    """The files that lived in the segment are indexed again; the other segments are used as they are."""
    expected = made.rows()
    manifest = active.pin(made.store).manifest
    lost = {key for key, (segment, _) in live_rows(made.store, manifest).items()
            if segment == manifest.segments[which].segment_id}  # fmt: skip
    directory = made.store.path / manifest.segments[which].path
    if part is None:
        shutil.rmtree(directory)
    else:
        _flip(directory / part)
    with pytest.raises(Corrupt) as caught:
        made.sync()
    assert "everdex repair" in caught.value.hint
    dry = repair(made.root, made.config, made.store, dry_run=True)
    assert (dry.scope, dry.dry_run) == ("files", True)
    assert [item.artifact for item in dry.damage] == [manifest.segments[which].path]
    with pytest.raises(Corrupt):
        made.rows()
    report = repair(made.root, made.config, made.store, dry_run=False)
    assert (report.scope, report.files_indexed, report.verified) == ("files", len(lost), True)
    kept = {segment.segment_id for segment in active.pin(made.store).manifest.segments}
    assert {s.segment_id for i, s in enumerate(manifest.segments) if i != which} <= kept
    _whole(made, expected)


def test_dropping_the_newest_version_does_not_revive_an_older_one(made: Workspace) -> None:
    """The replace tombstone keeps the old version buried even when the new one is lost and the file is gone."""
    manifest = active.pin(made.store).manifest
    made.remove("base/0.py")
    shutil.rmtree(made.store.path / manifest.segments[1].path)
    repair(made.root, made.config, made.store, dry_run=False)
    assert "base/0.py" not in made.texts()
    assert "base/1.py" not in made.texts()


def test_older_versions_stay_buried_after_compaction_too(made: Workspace) -> None:
    """Compacting the small segments and then losing the result leaves nothing dead alive."""
    manifest = active.pin(made.store).manifest
    small = frozenset(segment.segment_id for segment in manifest.segments[1:])
    with hold_lease(made.store) as lease:
        compacted = compact(lease, manifest, small)
    expected = made.rows()
    _flip(made.store.path / compacted.segments[-1].path / "files.jsonl")
    report = repair(made.root, made.config, made.store, dry_run=False)
    assert report.files_indexed == 2
    _whole(made, expected)


def test_changes_since_the_damage_are_picked_up(made: Workspace) -> None:
    """Repair ends with an index of the tree as it is now, not as it was."""
    _flip(made.store.path / active.pin(made.store).manifest.segments[0].path / "rows.db")
    made.write({"base/3.py": "changed = True\n"})
    made.remove("base/4.py")
    repair(made.root, made.config, made.store, dry_run=False)
    texts = made.texts()
    assert texts["base/3.py"] == "changed = True\n"
    assert "base/4.py" not in texts
    assert texts["base/5.py"] == BASE["base/5.py"]


def test_damaged_tombstones_fall_back_to_an_older_snapshot(made: Workspace) -> None:
    """Without its tombstones a snapshot cannot be told from its past, so a whole older one is built on."""
    expected = made.rows()
    manifest = active.pin(made.store).manifest
    _flip(made.store.path / manifest.tombstones[0].path)
    report = repair(made.root, made.config, made.store, dry_run=False)
    assert (report.scope, report.verified) == ("files", True)
    assert report.files_indexed == 2
    _whole(made, expected)


def test_a_damaged_active_manifest_falls_back_to_an_older_snapshot(made: Workspace) -> None:
    """Number and name of the lost snapshot are never used again, and the broken manifest goes."""
    expected = made.rows()
    lost = active.pin(made.store).manifest
    _flip(active.manifest_path(made.store, lost.snapshot_id))
    with pytest.raises(Corrupt):
        made.sync()
    report = repair(made.root, made.config, made.store, dry_run=False)
    assert report.scope == "files"
    assert report.files_indexed == 1
    mended = active.pin(made.store).manifest
    assert mended.seq > lost.seq
    assert [seq for seq, _ in active.published(made.store)] == [mended.seq, 2, 1]
    _whole(made, expected)


def test_a_damaged_older_manifest_is_removed(made: Workspace) -> None:
    """An unreadable snapshot of the past blocks collection until repair removes it."""
    expected = made.rows()
    first = active.published(made.store)[-1][1]
    _flip(first)
    with pytest.raises(EverdexError):
        retention.plan(made.store)
    report = repair(made.root, made.config, made.store, dry_run=False)
    assert [item.artifact for item in report.damage] == [f"manifests/{first.name}"]
    assert not first.exists()
    _whole(made, expected)


def test_everything_lost_is_rebuilt(made: Workspace) -> None:
    """With no manifest left, the tree is indexed anew into the same store, above every used number."""
    expected = made.rows()
    for _, path in active.published(made.store):
        path.write_bytes(b"rubbish")
    report = repair(made.root, made.config, made.store, dry_run=False)
    assert (report.scope, report.verified) == ("everything", True)
    assert active.pin(made.store).manifest.seq == 4
    _whole(made, expected)


@pytest.mark.parametrize("content", [b"", b"nonsense\n", b"01HZZ5X9T2K3R7G9FQ2A5V0J1M\n", None])
def test_a_damaged_pointer_is_pointed_at_the_newest_snapshot(made: Workspace, content: bytes | None) -> None:
    """Nothing is indexed for a pointer: it is rewritten."""
    expected = made.rows()
    newest = active.read_pointer(made.store)
    made.store.active_path.unlink()
    if content is not None:
        made.store.active_path.write_bytes(content)
    report = repair(made.root, made.config, made.store, dry_run=False)
    assert (report.scope, report.files_indexed) == ("pointer", 0)
    assert [item.artifact for item in report.damage] == ["ACTIVE_SNAPSHOT"]
    assert active.read_pointer(made.store) == newest
    _whole(made, expected)


def test_lost_names_of_manifests_are_linked_again(made: Workspace) -> None:
    """A manifest has two names; either one gives back the other, also the number of the active snapshot."""
    expected = made.rows()
    numbers = active.published(made.store)
    snapshot = active.pin(made.store).manifest.snapshot_id
    active.manifest_path(made.store, snapshot).unlink()
    assert repair(made.root, made.config, made.store, dry_run=False).scope == "pointer"
    assert active.read_pointer(made.store) == snapshot
    assert made.rows() == expected
    shutil.rmtree(made.store.manifests)
    made.store.manifests.mkdir(mode=0o700)
    made.write({"added.py": "other = 1\n"})
    with pytest.raises(Corrupt, match="000000000003"):
        made.sync()
    assert made.rows() == expected
    assert repair(made.root, made.config, made.store, dry_run=False).scope == "pointer"
    assert active.published(made.store)[0] == numbers[0]
    made.sync()
    assert made.texts()["added.py"] == "other = 1\n"


def test_damaged_state_lease_and_caches_are_rewritten(made: Workspace) -> None:
    """Things that can be derived are derived again; the epoch still grows."""
    expected, caches = made.rows(), ("verified.json", "touched.json")
    with hold_lease(made.store) as lease:
        epoch = lease.epoch
    for path in (made.store.state_path, lease_path(made.store), *map(made.store.cache.joinpath, caches)):
        path.write_bytes(b"\xff{")
    dry = repair(made.root, made.config, made.store, dry_run=True)
    assert {item.artifact for item in dry.damage} == {
        "index_state.json", *(f"cache/{name}" for name in caches), "locks/writer_lease.json",
    }  # fmt: skip
    assert repair(made.root, made.config, made.store, dry_run=False).scope == "pointer"
    assert not (made.store.cache / "touched.json").exists()
    with hold_lease(made.store) as lease:
        assert lease.epoch >= epoch
    _whole(made, expected)


def test_a_damaged_store_description_is_written_again(made: Workspace) -> None:
    """store.json follows from root and configuration; nothing else needs to change."""
    expected = made.rows()
    _flip(made.store.path / "store.json")
    with pytest.raises(Corrupt):
        _reopen(made)
    fingerprint = made.store.info.config_fingerprint
    open_for_repair(made.root, fingerprint, dry_run=True)
    with pytest.raises(Corrupt):
        _reopen(made)
    store = open_for_repair(made.root, fingerprint, dry_run=False)
    assert repair(made.root, made.config, store, dry_run=False).scope == "nothing"
    _whole(made, expected)


def test_valid_snapshots_survive_a_repair(made: Workspace) -> None:
    """Older snapshots that pass their checks stay readable by id."""
    older = [path for _, path in active.published(made.store)[1:]]
    assert older
    _flip(made.store.path / active.pin(made.store).manifest.segments[2].path / "rows.db")
    repair(made.root, made.config, made.store, dry_run=False)
    for path in older:
        pinned = active.pin(made.store, manifests.read(path).snapshot_id).manifest
        integrity.verify(made.store, pinned, full=True)


def test_repair_needs_the_lease_and_refuses_newer_schemas(made: Workspace) -> None:
    """Nobody mends under a writer's hands, nor what a newer everdex wrote."""
    with hold_lease(made.store), pytest.raises(Busy):
        repair(made.root, made.config, made.store, dry_run=False)
    newest = active.published(made.store)[0][1]
    rewritten(newest, schema_version=9)
    with pytest.raises(Incompatible):
        repair(made.root, made.config, made.store, dry_run=False)


def test_there_is_nothing_to_repair_before_the_first_index(tmp_path: Path) -> None:
    """An empty store is not damaged."""
    empty = workspace(tmp_path / "other")
    with pytest.raises(NotIndexed):
        repair(empty.root, empty.config, empty.store, dry_run=False)


def test_every_single_damaged_file_can_be_repaired(made: Workspace) -> None:
    """Flip a bit in each file of the store in turn: repair always leads back to the same rows."""
    expected = made.rows()
    saved = made.store.path.with_name("saved")
    shutil.copytree(made.store.path, saved, symlinks=True)
    names = sorted(
        path.relative_to(saved) for path in saved.rglob("*")
        if path.is_file() and path.stat().st_size and "embeddings" not in path.parts
    )  # fmt: skip
    for name in names:
        shutil.rmtree(made.store.path)
        shutil.copytree(saved, made.store.path)
        _flip(made.store.path / name)
        store = open_for_repair(made.root, made.store.info.config_fingerprint, dry_run=False)
        repair(made.root, made.config, store, dry_run=False)
        again = _reopen(made)
        assert again.rows() == expected, name
        assert not again.sync().published, name


def test_a_damaged_description_of_a_shared_store_stays_one_of_a_shared_store(made: Workspace, tmp_path: Path) -> None:
    """Its directory says so; as a private one nobody of the group could open it again."""
    fingerprint, place = made.store.info.config_fingerprint, tmp_path / "group" / "store"
    shared = create_store(made.root, fingerprint, shared_path=place)
    _flip(shared.path / "store.json")
    assert open_for_repair(made.root, fingerprint, shared_path=place, dry_run=False).info.shared
    assert open_store_at(place, made.root, fingerprint).info.shared


def test_a_repair_whose_lease_was_taken_over_moves_no_pointer(
    made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who looked at the damage for too long does not point over the one who writes now."""
    made.store.active_path.unlink()
    made.store.active_path.write_bytes(b"damaged\n")

    @contextmanager
    def overtaken(store: Store) -> Iterator[Lease]:
        with hold_lease(store) as lease:
            lease.lost.set()
            yield lease

    monkeypatch.setattr("everdex.upkeep.repair.hold_lease", overtaken)
    with pytest.raises(LeaseLost):
        repair(made.root, made.config, made.store, dry_run=False)
    assert active.read_pointer(made.store) is None
