"""Whole stores, upgrades, and compaction and collection on demand."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from everdex import clock
from everdex.errors import Busy, Corrupt, Incompatible, NotIndexed
from everdex.snapshot import active
from everdex.snapshot.lease import hold_lease, lease_path, read_lease
from everdex.snapshot.store import Store
from everdex.upkeep.housekeeping import compact_now, gc_now
from everdex.upkeep.stores import gc_stores, inventory
from everdex.upkeep.upgrade import upgrade_store
from everdex.view import open_view
from support.stores import rewritten, synced, workspace

_DAY = 86_400


@pytest.fixture
def month_later(monkeypatch: pytest.MonkeyPatch) -> None:
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + 31 * _DAY)


def test_the_inventory_lists_every_store(tmp_path: Path, home: Path) -> None:
    """One entry a store with what the contract asks for; a damaged store is listed with its problem."""
    first = synced(tmp_path / "one", {"a.py": "x = 1\n"})
    second = workspace(tmp_path / "two")
    assert [entry.store_id for entry in inventory()] == sorted([first.store.store_id, second.store.store_id])
    entry = next(entry for entry in inventory() if entry.store_id == first.store.store_id)
    assert entry.canonical_root == str(first.path)
    assert entry.config_fingerprint == first.store.info.config_fingerprint
    assert entry.active_snapshot_id == active.read_pointer(first.store)
    assert entry.size_bytes > 1_000
    assert entry.last_used_at >= entry.created_at[:19]
    (second.store.path / "store.json").write_bytes(b"?")
    damaged = next(entry for entry in inventory() if entry.store_id == second.store.store_id)
    assert damaged.canonical_root is None
    assert "store.json" in (damaged.problem or "")
    (home / "data" / "stray file").touch()
    assert len(inventory()) == 2


def test_recently_used_stores_are_kept(tmp_path: Path) -> None:
    """Thirty days without use are needed before a store may go."""
    made = synced(tmp_path / "one", {"a.py": "x = 1\n"})
    report = gc_stores(None, dry_run=False)
    assert [(kept.store_id, kept.reason) for kept in report.kept] == [(made.store.store_id, "recent")]


@pytest.mark.usefixtures("month_later")
def test_a_dry_run_deletes_nothing(tmp_path: Path) -> None:
    """By default it is only said what would go."""
    made = synced(tmp_path / "one", {"a.py": "x = 1\n"})
    report = gc_stores(None)
    assert report.dry_run
    assert [entry.store_id for entry in report.deleted] == [made.store.store_id]
    assert made.store.path.is_dir()


@pytest.mark.usefixtures("month_later")
def test_unused_stores_go_and_the_current_one_stays(tmp_path: Path, home: Path) -> None:
    """The current root's store is never deleted unless forced."""
    current = synced(tmp_path / "one", {"a.py": "x = 1\n"})
    other = synced(tmp_path / "two", {"a.py": "x = 1\n"})
    (home / "data" / ".trash-left-by-a-crash").mkdir()
    report = gc_stores(current.store.store_id, dry_run=False)
    assert [entry.store_id for entry in report.deleted] == [other.store.store_id]
    assert report.bytes_freed > 0
    assert [path.name for path in (home / "data").iterdir()] == [current.store.store_id]
    assert current.texts() == {"a.py": "x = 1\n"}
    gc_stores(current.store.store_id, dry_run=False, force=True)
    assert list((home / "data").iterdir()) == []


@pytest.mark.usefixtures("month_later")
def test_a_store_that_is_being_written_or_read_is_never_deleted(tmp_path: Path) -> None:
    """A live lease or an open view keeps a store, even when forced."""
    made = synced(tmp_path / "one", {"a.py": "x = 1\n"})
    with hold_lease(made.store):
        report = gc_stores(None, dry_run=False, force=True)
        assert [kept.reason for kept in report.kept] == ["in_use"]
    with open_view(made.store) as view:
        report = gc_stores(None, dry_run=False, force=True)
        assert [kept.reason for kept in report.kept] == ["in_use"]
        assert view.document(0).row.text == "x = 1\n"
    assert gc_stores(None, dry_run=False).deleted


@pytest.mark.usefixtures("month_later")
def test_a_damaged_store_is_deleted_only_by_force(tmp_path: Path) -> None:
    """What cannot be read may still be repaired."""
    made = synced(tmp_path / "one", {"a.py": "x = 1\n"})
    (made.store.path / "store.json").write_bytes(b"?")
    assert [kept.reason for kept in gc_stores(None, dry_run=False).kept] == ["damaged"]
    assert gc_stores(None, dry_run=False, force=True).deleted


def test_a_current_store_is_up_to_date(tmp_path: Path) -> None:
    """upgrade-store validates schemas and checksums and lists every artifact's version."""
    made = synced(tmp_path / "one", {"a.py": "x = 1\n"})
    report = upgrade_store(made.store)
    assert report.status == "up_to_date"
    assert report.active_snapshot_id == active.read_pointer(made.store)
    assert {item.artifact: item.found for item in report.artifacts} == {
        "store": 1, "manifest": 1, "chunk_row": 5, "index_state": 1, "writer_lease": 1,
    }  # fmt: skip


def test_upgrading_refuses_what_it_cannot_judge(tmp_path: Path) -> None:
    """A writer at work, a damaged segment, a newer manifest: each is an error and changes nothing."""
    made = synced(tmp_path / "one", {"a.py": "x = 1\n"})
    with hold_lease(made.store), pytest.raises(Busy):
        upgrade_store(made.store)
    newest = active.published(made.store)[0][1]
    raw = newest.read_bytes()
    rewritten(newest, schema_version=9)
    with pytest.raises(Incompatible, match="manifest has schema version 9"):
        upgrade_store(made.store)
    newest.write_bytes(raw)
    segment = made.store.path / active.pin(made.store).manifest.segments[0].path / "rows.db"
    segment.write_bytes(segment.read_bytes() + b"x")
    with pytest.raises(Corrupt):
        upgrade_store(made.store)
    with pytest.raises(NotIndexed):
        upgrade_store(workspace(tmp_path / "two").store)


def _contents(store: Store) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in store.path.rglob("*") if path.is_file()}


def test_an_older_store_must_be_indexed_anew_and_is_left_as_it_is(tmp_path: Path) -> None:
    """Below the readable range: said so under the lease, with nothing but the lease written."""
    made = synced(tmp_path / "one", {"a.py": "x = 1\n"})
    newest = active.published(made.store)[0][1]
    document = msgspec.json.decode(newest.read_bytes())
    newest.write_bytes(msgspec.json.encode({**document, "schema_version": 0}))
    with hold_lease(made.store), pytest.raises(Busy):
        upgrade_store(made.store)
    before, epoch = _contents(made.store), (read_lease(made.store) or pytest.fail("no lease")).lease_epoch
    assert upgrade_store(made.store).status == "reindex_required"
    after = _contents(made.store)
    assert {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)} == {
        lease_path(made.store)
    }
    assert (read_lease(made.store) or pytest.fail("no lease")).lease_epoch == epoch + 1


def test_an_older_lease_is_nobodys_to_take(tmp_path: Path) -> None:
    """A lease of a shape that this everdex does not know: nothing at all is written."""
    made = synced(tmp_path / "one", {"a.py": "x = 1\n"})
    rewritten(lease_path(made.store), schema_version=0)
    before = _contents(made.store)
    assert upgrade_store(made.store).status == "reindex_required"
    assert _contents(made.store) == before


def test_compacting_on_demand(tmp_path: Path) -> None:
    """Not due: nothing. Forced: one segment, no tombstones, the same rows; forced again: nothing to do."""
    made = synced(tmp_path / "one", {"a.py": "x = 1\n", "b.py": "y = 1\n"})
    made.write({"a.py": "x = 2\n"})
    made.sync()
    before = made.rows()
    assert not compact_now(made.store).compacted
    report = compact_now(made.store, force=True)
    assert (report.compacted, report.segments_before, report.segments_after) == (True, 2, 1)
    assert (report.tombstones_before, report.tombstones_after) == (1, 0)
    assert made.rows() == before
    assert not compact_now(made.store, force=True).compacted
    with hold_lease(made.store), pytest.raises(Busy):
        compact_now(made.store, force=True)


def test_compacting_an_empty_or_unpublished_store_does_nothing(tmp_path: Path) -> None:
    """No segments, no work, no error."""
    made = workspace(tmp_path / "one")
    assert not compact_now(made.store, force=True).compacted
    made.sync()
    assert not compact_now(made.store, force=True).compacted


def test_collecting_on_demand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """IDX.MUST.004: a dry run unless told; without the lease it is busy."""
    made = synced(tmp_path / "one", {"a.py": "x = 0\n"})
    for number in range(1, 8):
        made.write({"a.py": f"x = {number}\n"})
        made.sync()
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + 700)
    dry = gc_now(made.store)
    assert dry.dry_run
    assert len(dry.snapshots) == 3
    assert len(active.published(made.store)) == 8
    with hold_lease(made.store), pytest.raises(Busy):
        gc_now(made.store, dry_run=False)
    done = gc_now(made.store, dry_run=False)
    assert done.snapshots == dry.snapshots
    assert done.bytes_freed == dry.bytes_freed > 0
    assert len(active.published(made.store)) == 5
    assert made.texts() == {"a.py": "x = 7\n"}
