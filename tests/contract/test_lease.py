"""The writer's lease: one writer, fenced by an epoch that only grows."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import msgspec
import pytest

from everdex import clock, limits
from everdex.errors import Busy, Incompatible, LeaseLost, StorageFailure
from everdex.snapshot import active
from everdex.snapshot import lease as leases
from everdex.snapshot.guard import hold_guard
from everdex.snapshot.lease import guard_path, hold_lease, holder, lease_path, read_lease
from everdex.snapshot.store import Store
from support.processes import Child, stopped, until
from support.stores import bare_store, publish_files

_WRITER = """
from pathlib import Path
from everdex.errors import EverdexError
from everdex.snapshot.lease import hold_lease
from everdex.snapshot.store import open_store_at
from support.stores import publish_files
store = open_store_at(Path(ARGS[0]))
try:
    with hold_lease(store, ttl_ms=int(ARGS[1])) as lease:
        print(lease.epoch, flush=True)
        input()
        publish_files(lease, {ARGS[2]: 1})
        print("published", flush=True)
except EverdexError as error:
    print(error.code, flush=True)
"""


def _edit(store: Store, **changes: object) -> None:
    path = lease_path(store)
    path.write_bytes(msgspec.json.encode({**msgspec.json.decode(path.read_bytes()), **changes}))


def test_a_second_writer_is_told_who_writes(tmp_path: Path) -> None:
    """While a lease is alive, another writer aborts at once, naming process and host."""
    store = bare_store(tmp_path)
    with Child(_WRITER, store.path, 120_000, "a.py") as child:
        assert child.line() == "1"
        with pytest.raises(Busy, match=f"process {child.process.pid} on"), hold_lease(store):
            pass
        child.go()
        assert child.line() == "published"


def test_a_dead_writers_lease_is_taken_at_once(tmp_path: Path) -> None:
    """A killed owner is proven dead by its lifetime lock: no TTL is waited for, and the epoch grows."""
    store = bare_store(tmp_path)
    with Child(_WRITER, store.path, 120_000, "a.py") as child:
        assert child.line() == "1"
        child.signal(signal.SIGKILL)
        child.process.wait()
    with hold_lease(store) as lease:
        assert lease.epoch == 2
        lease.require()
    assert [path.name for path in store.locks.glob("owner-*")] == []


def test_a_silent_writers_lease_is_stolen_after_its_ttl_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A live owner keeps its lease until its heartbeat is older than the TTL."""
    store = bare_store(tmp_path)
    with hold_lease(store) as first:
        start = clock.now()
        monkeypatch.setattr(clock, "now", lambda: start + limits.LEASE_TTL_MS / 1000 - 1)
        with pytest.raises(Busy), hold_lease(store):
            pass
        monkeypatch.setattr(clock, "now", lambda: start + limits.LEASE_TTL_MS / 1000 + 1)
        with hold_lease(store) as second:
            assert second.epoch == first.epoch + 1
            with pytest.raises(LeaseLost):
                first.require()
            second.require()


def test_another_hosts_lease_is_judged_by_its_heartbeat_alone(tmp_path: Path) -> None:
    """A lock of another host cannot be seen from here, so only time can end its lease."""
    store = bare_store(tmp_path)
    with hold_lease(store):
        pass
    _edit(store, released=False, hostname="elsewhere", last_heartbeat_at=clock.rfc3339())
    with pytest.raises(Busy, match="elsewhere"), hold_lease(store):
        pass
    _edit(store, last_heartbeat_at=clock.rfc3339(clock.now() - 121))
    with hold_lease(store):
        pass


def test_a_heartbeat_of_a_wrong_clock_ends_with_it(tmp_path: Path) -> None:
    """Another host's clock was a year ahead when it died: nobody waits for that year. Here a live owner is seen."""
    store = bare_store(tmp_path)
    year = 365 * 86_400
    with hold_lease(store):
        _edit(store, last_heartbeat_at=clock.rfc3339(clock.now() + year))
        with pytest.raises(Busy), hold_lease(store):
            pass
    _edit(store, released=False, hostname="elsewhere", last_heartbeat_at=clock.rfc3339(clock.now() + 3_600))
    with pytest.raises(Busy, match="elsewhere"), hold_lease(store):
        pass
    _edit(store, last_heartbeat_at=clock.rfc3339(clock.now() + year))
    with hold_lease(store) as lease:
        lease.require()


def test_the_epoch_grows_across_releases(tmp_path: Path) -> None:
    """Releasing a lease does not reset its epoch."""
    store = bare_store(tmp_path)
    epochs = []
    for _ in range(3):
        with hold_lease(store) as lease:
            epochs.append(lease.epoch)
    assert epochs == [1, 2, 3]


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"\xff\xfe", b'{"schema_version":1,"owner_id":"\xff"}', None])
def test_the_epoch_grows_across_a_damaged_lease(tmp_path: Path, damage: bytes | None) -> None:
    """When the lease file is lost or damaged, the epoch continues above every published one."""
    store = bare_store(tmp_path)
    for number in range(3):
        with hold_lease(store) as lease:
            publish_files(lease, {f"{number}.py": 1})
    if damage is None:
        lease_path(store).unlink()
    else:
        lease_path(store).write_bytes(damage)
    with hold_lease(store) as lease:
        assert lease.epoch == 4


def test_an_epoch_set_back_on_disk_is_not_believed(tmp_path: Path) -> None:
    """A lease file that says less than a published manifest cannot make the epoch go back."""
    store = bare_store(tmp_path)
    for number in range(3):
        with hold_lease(store) as lease:
            publish_files(lease, {f"{number}.py": 1})
    _edit(store, lease_epoch=1)
    with hold_lease(store) as lease:
        assert lease.epoch == 4


def test_a_lease_with_an_impossible_time_is_a_damaged_lease(tmp_path: Path) -> None:
    """A heartbeat that is no time proves nothing: the lease can be taken."""
    store = bare_store(tmp_path)
    with hold_lease(store):
        pass
    _edit(store, released=False, last_heartbeat_at="yesterday")
    assert read_lease(store) is None
    with hold_lease(store) as lease:
        lease.require()


def test_a_newer_lease_is_refused_whatever_its_shape(tmp_path: Path) -> None:
    """A lease written by a newer everdex is not overwritten, even when its fields are unknown here."""
    store = bare_store(tmp_path)
    lease_path(store).write_bytes(b'{"schema_version":7,"holders":[]}')
    with pytest.raises(Incompatible, match="writer_lease has schema version 7"), hold_lease(store):
        pass
    assert b"holders" in lease_path(store).read_bytes()


def test_the_heartbeat_keeps_a_lease_alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that works longer than its TTL keeps its lease as long as its heart beats."""
    store = bare_store(tmp_path)
    now = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: now[0])

    def beaten() -> bool:
        found = read_lease(store)
        return found is not None and found.last_heartbeat_at == clock.rfc3339()

    with hold_lease(store, ttl_ms=300) as lease:
        for _ in range(3):
            now[0] += 0.25
            until(beaten, "a beat")
        with pytest.raises(Busy), hold_lease(store):
            pass
        lease.require()


def test_a_lease_that_was_lost_once_stays_lost(tmp_path: Path) -> None:
    """A heart that finds the lease in other hands says so for good: no later file gives it back."""
    store = bare_store(tmp_path)
    with hold_lease(store, ttl_ms=30) as lease:
        with hold_guard(guard_path(store), store.permissions):
            ours = lease_path(store).read_bytes()
            _edit(store, lease_epoch=lease.epoch + 1)
        until(lease.lost.is_set, "its heart to notice")
        lease_path(store).write_bytes(ours)
        with pytest.raises(LeaseLost):
            lease.require()


def test_a_stopped_writer_that_wakes_publishes_nothing(tmp_path: Path) -> None:
    """IDX.MUST.002: a zombie whose lease was stolen aborts cleanly; the thief's snapshot stays active."""
    store = bare_store(tmp_path)
    with Child(_WRITER, store.path, 300, "zombie.py") as child:
        assert child.line() == "1"
        with hold_guard(guard_path(store), store.permissions):  # its heart is not inside when it is stopped
            child.signal(signal.SIGSTOP)
            until(lambda: stopped(child.process.pid), "it to stand still")
        until(lambda: holder(store) is None, "its TTL to pass")
        with hold_lease(store) as thief:
            published = publish_files(thief, {"thief.py": 1})
        child.signal(signal.SIGCONT)
        child.go()
        assert child.line() == "lease_lost"
        child.process.wait()
    assert active.pin(store).manifest.snapshot_id == published.snapshot_id
    assert len(active.published(store)) == 1
    assert len(list(store.segments.iterdir())) == 1
    assert list(store.staging.iterdir()) == []


def test_a_heartbeat_frozen_inside_the_guard_does_not_write_over_another_lease(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has read that the lease is its own; meanwhile the guard was taken from it, and then the lease."""
    store, beaten = bare_store(tmp_path), threading.Event()
    read = leases.read_lease

    def frozen(store: Store) -> leases.LeaseFile | None:
        found = read(store)
        if threading.current_thread().name == "everdex-heartbeat" and not beaten.is_set():
            os.replace(store.path / "fresh", guard_path(store))
            _edit(store, owner_id="another", lease_epoch=7)
            beaten.set()
        return found

    (store.path / "fresh").touch()
    with hold_lease(store, ttl_ms=3_000) as lease:
        monkeypatch.setattr(leases, "read_lease", frozen)
        until(lease.lost.is_set, "the beat")
    current = read(store)
    assert current is not None
    assert (current.owner_id, current.lease_epoch) == ("another", 7)


def test_a_lease_that_could_not_be_written_leaves_no_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a failing disk nobody is taken for a living writer afterwards."""
    store = bare_store(tmp_path)

    def fails(*_: object) -> None:
        raise StorageFailure("no room for a lease")

    with monkeypatch.context() as broken:
        broken.setattr(leases, "replace_without_room", fails)
        with pytest.raises(StorageFailure), hold_lease(store):
            pass
    assert not list(store.locks.glob("owner-*.lock"))
    with hold_lease(store) as lease:
        assert lease.epoch == 1
