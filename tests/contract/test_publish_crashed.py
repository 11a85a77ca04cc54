"""What a writer that died in the middle of a publish left behind: rolled forward if it was committed, else removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everdex import clock, limits
from everdex.errors import LeaseLost
from everdex.snapshot import active, integrity, retention
from everdex.snapshot.lease import hold_lease, lease_path
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.recover import begin
from everdex.snapshot.store import Store
from support.stores import bare_store, live_rows, publish_files


def test_a_crash_between_number_and_pointer_is_rolled_forward(tmp_path: Path) -> None:
    """The numbered manifest is the commit: a pointer left behind is moved on by the next writer."""
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        first = publish_files(lease, {"a.py": 1})
        second = publish_files(lease, {"b.py": 1})
    store.active_path.write_text(f"{first.snapshot_id}\n")
    store.state_path.unlink()
    assert active.pin(store).manifest.snapshot_id == first.snapshot_id
    with hold_lease(store) as lease:
        base = begin(lease)
    assert base.manifest is not None
    assert base.manifest.snapshot_id == second.snapshot_id
    assert active.read_pointer(store) == second.snapshot_id
    assert second.snapshot_id in store.state_path.read_text()


def test_what_a_crash_left_unpublished_is_removed(tmp_path: Path) -> None:
    """Segments, snapshot directories, staging and temporaries that no published manifest knows go."""
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        publish_files(lease, {"a.py": 1})
        publish_files(lease, {"b.py": 1}, delete=["a.py"])
    before = sorted(path for path in store.path.rglob("*") if "locks" not in path.parts)
    orphan = clock.new_ulid()
    (store.segments / f"seg_{orphan}_0").mkdir()
    (store.snapshots / orphan).mkdir()
    (store.snapshots / orphan / "manifest.json").write_text("{}")
    (store.staging / orphan).mkdir()
    (store.path / "ACTIVE_SNAPSHOT.4194303.00000000.tmp").touch()
    (store.cache / "verified.json.4194303.00000000.tmp").touch()
    (store.locks / "writer_lease.json.4194303.00000000.tmp").touch()
    lease_path(store).write_bytes(lease_path(store).read_bytes().replace(b'"released":true', b'"released":false'))
    with hold_lease(store) as lease:
        begin(lease)
    assert sorted(path for path in store.path.rglob("*") if "locks" not in path.parts) == before
    assert list(store.locks.glob("*.tmp")) == []


def test_a_temporary_of_a_living_process_is_left_alone(tmp_path: Path) -> None:
    """A reader may be saving its checks while a writer cleans up."""
    store = bare_store(tmp_path)
    living = store.cache / f"verified.json.{os.getpid()}.00000000.tmp"
    living.touch()
    with hold_lease(store) as lease:
        begin(lease)
    assert living.exists()


def test_tombstones_in_a_collected_snapshots_directory_survive_a_crash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The directory has no number any more, and a published snapshot needs it: it is no orphan."""
    store, real = bare_store(tmp_path), clock.now
    with hold_lease(store) as lease:
        publish_files(lease, {"a.py": 1, "b.py": 1})
        publish_files(lease, {}, delete=["a.py"])
        for number in range(6):
            last = publish_files(lease, {"c.py": number + 1})
    monkeypatch.setattr(clock, "now", lambda: real() + 700)
    with hold_lease(store) as lease:
        retention.collect(lease)
    lease_path(store).write_bytes(lease_path(store).read_bytes().replace(b'"released":true', b'"released":false'))
    with hold_lease(store) as lease:
        begin(lease)
    integrity.verify(store, last, full=True)
    assert set(live_rows(store, last)) == {"b.py", "c.py"}


def test_who_lost_the_lease_while_recovering_leaves_the_pointer_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Frozen before the pointer is moved on: by then another writer has done so, and published."""
    store, real = bare_store(tmp_path), clock.now
    with hold_lease(store) as lease:
        first = publish_files(lease, {"a.py": 1})
        publish_files(lease, {"b.py": 1})
    store.active_path.write_text(f"{first.snapshot_id}\n")
    look, newest = active.newest_valid, []

    def frozen(store: Store) -> Manifest | None:
        monkeypatch.setattr(active, "newest_valid", look)
        found = look(store)
        monkeypatch.setattr(clock, "now", lambda: real() + limits.LEASE_TTL_MS / 1000 + 1)
        with hold_lease(store) as thief:
            newest.append(publish_files(thief, {"c.py": 1}).snapshot_id)
        return found

    monkeypatch.setattr(active, "newest_valid", frozen)
    with hold_lease(store) as zombie, pytest.raises(LeaseLost):
        begin(zombie)
    assert active.read_pointer(store) == newest[0]
