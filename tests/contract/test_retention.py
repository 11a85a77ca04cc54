"""Retention and collection: what may go is decided first; the lease and the readers' lock come before deletion."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everdex import clock, limits
from everdex.errors import Busy, Corrupt, LeaseLost
from everdex.snapshot import active, integrity, retention
from everdex.snapshot import manifest as manifests
from everdex.snapshot.guard import lock_for_life
from everdex.snapshot.lease import hold_lease, lease_path
from everdex.view import open_view
from support.stores import bare_store, live_rows, publish_files, synced


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Old enough for retention; leases are taken afterwards."""
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + limits.RETAIN_SNAPSHOTS_MIN_AGE_S + 1)


def _history(tmp_path: Path, count: int) -> tuple:
    store = bare_store(tmp_path)
    made = []
    with hold_lease(store) as lease:
        for number in range(count):
            made.append(publish_files(lease, {"same.py": number + 1}))
    return store, made


def test_young_snapshots_are_kept(tmp_path: Path) -> None:
    """Nothing replaced within the last ten minutes goes, however many there are."""
    store, made = _history(tmp_path, 9)
    plan = retention.plan(store)
    assert (plan.snapshots, plan.segments) == ((), ())
    assert len(plan.retained) == len(made)


@pytest.mark.usefixtures("later")
def test_the_newest_five_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Older snapshots go with the segments that only they refer to; the rest stays whole and readable."""
    store, made = _history(tmp_path, 9)
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + 700)
    dry = retention.plan(store)
    assert dry.snapshots == tuple(manifest.snapshot_id for manifest in reversed(made[:4]))
    assert len(active.published(store)) == 9
    with hold_lease(store) as lease:
        done = retention.collect(lease)
    assert done == dry
    assert len(active.published(store)) == len(list(store.segments.iterdir())) == 5
    for manifest in made[4:]:
        pinned = active.pin(store, manifest.snapshot_id).manifest
        integrity.verify(store, pinned, full=True)
        assert live_rows(store, pinned)["same.py"][1] == manifest.seq


def test_tombstones_in_a_collected_snapshots_directory_survive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A retained manifest may refer to tombstones of a snapshot that is gone; they stay as long as it does."""
    store = bare_store(tmp_path)
    real = clock.now
    with hold_lease(store) as lease:
        publish_files(lease, {"a.py": 1, "b.py": 1})
        publish_files(lease, {}, delete=["a.py"])
        for number in range(6):
            last = publish_files(lease, {"c.py": number + 1})
    monkeypatch.setattr(clock, "now", lambda: real() + 700)
    with hold_lease(store) as lease:
        assert len(retention.collect(lease).snapshots) == 3
        integrity.verify(store, last, full=True)
        assert retention.plan(store).snapshots == ()  # what stays for its tombstones is not said to go
        assert set(live_rows(store, last)) == {"b.py", "c.py"}
        again = publish_files(lease, {"d.py": 1})
    integrity.verify(store, again, full=True)
    assert set(live_rows(store, again)) == {"b.py", "c.py", "d.py"}
    with hold_lease(store) as lease:
        publish_files(lease, {"e.py": 1}, delete=["b.py"])  # nothing older than the first tombstone is left
        for number in range(6):
            publish_files(lease, {"c.py": number + 1})
    monkeypatch.setattr(clock, "now", lambda: real() + 1_400)
    with hold_lease(store) as lease:
        retention.collect(lease)
    published = [manifests.read(path) for _, path in active.published(store)]
    needed = {Path(item.path).parent.name for manifest in published for item in manifest.tombstones}
    assert {path.name for path in store.snapshots.iterdir()} == needed | {m.snapshot_id for m in published}


def test_the_active_snapshot_is_never_collected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its age, and whatever was published after it."""
    store, made = _history(tmp_path, 9)
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + 700)
    store.active_path.write_text(f"{made[0].snapshot_id}\n")
    plan = retention.plan(store, keep=1)
    assert {made[0].snapshot_id, made[8].snapshot_id} == set(plan.retained)
    assert not set(plan.segments) & {segment.segment_id for segment in made[0].segments}


def test_collection_needs_the_writer_lease(tmp_path: Path) -> None:
    """IDX.MUST.004: a collector whose lease was taken deletes nothing, and a second one cannot start."""
    store, _ = _history(tmp_path, 3)
    with hold_lease(store) as lease:
        with pytest.raises(Busy), hold_lease(store):
            pass
        lease_path(store).unlink()
        with pytest.raises(LeaseLost):
            retention.collect(lease, keep=1)
    assert len(active.published(store)) == 3


def test_collection_waits_for_readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """IDX.MUST.005: a reader holds the shared lock as long as its view is open; collection needs it alone."""
    made = synced(tmp_path / "tree", {"a.py": "x = 1\n"})
    for number in range(6):
        made.write({"a.py": f"x = {number + 2}\n"})
        made.sync()
    real = clock.now
    with open_view(made.store) as view:
        monkeypatch.setattr(clock, "now", lambda: real() + 700)
        with hold_lease(made.store) as lease, pytest.raises(Busy, match="readers"):
            retention.collect(lease, wait_ms=30)
        assert view.document(0).row.text == "x = 7\n"
    with hold_lease(made.store) as lease:
        assert retention.collect(lease).snapshots
    assert made.texts() == {"a.py": "x = 7\n"}


def test_stale_staging_is_collected_and_fresh_staging_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only staging older than its TTL may go."""
    store, _ = _history(tmp_path, 1)
    (store.staging / "old").mkdir()
    assert retention.plan(store).staging == ()
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + limits.STAGING_TTL_S + 1)
    with hold_lease(store) as lease:
        assert retention.collect(lease).staging == ("old",)
    assert list(store.staging.iterdir()) == []


def test_nothing_is_collected_while_a_manifest_is_unreadable(tmp_path: Path) -> None:
    """What a damaged manifest refers to is unknown, so nothing may be deleted."""
    store, made = _history(tmp_path, 7)
    (store.snapshots / made[1].snapshot_id / "manifest.json").write_bytes(b"{}x")
    with pytest.raises(Corrupt):
        retention.plan(store, keep=1)


def test_the_copy_that_an_indexer_works_on_is_not_said_to_go(tmp_path: Path) -> None:
    """It goes once nobody works on it."""
    store, _ = _history(tmp_path, 1)
    (store.scratch / "copy").mkdir(parents=True)
    handle = lock_for_life(store.indexer_lock, store.permissions)
    assert retention.plan(store).scratch == ()
    os.close(handle)
    assert retention.plan(store).scratch == ("copy",)


def test_numbers_are_gone_for_good_before_what_they_stand_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that a power cut brings back must not stand for a snapshot of which parts are gone."""
    store, _ = _history(tmp_path, 9)
    real, steps = clock.now, []
    monkeypatch.setattr(clock, "now", lambda: real() + 700)
    flush, remove = retention.fsync_directory, retention.remove_all
    monkeypatch.setattr(retention, "fsync_directory", lambda path: (steps.append(f"flush {path.name}"), flush(path)))
    monkeypatch.setattr(retention, "remove_all", lambda path: (steps.append(path.parent.name), remove(path)))
    with hold_lease(store) as lease:
        retention.collect(lease)
    assert steps[0] == "flush manifests"
    assert set(steps[1:]) == {"snapshots", "segments"}
