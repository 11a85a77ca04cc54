"""The writer's lease: one writer at a time, fenced by an epoch that never goes back.

The lease file says who writes and when it last gave a sign of life; every change to it happens inside
the guard. It may be taken over when its heartbeat is older than its TTL, or at once when its owner is
provably dead (the owner's lifetime lock is free). The epoch is kept after release and only grows, so a
writer that lost its lease can be told apart at publish time however late it wakes. On a full disk, too, it
can be taken and released: who wants to delete needs it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from everdex import clock, limits, versions
from everdex.durable import (
    decode_json,
    encode_json,
    is_full,
    replace_atomically,
    replace_without_room,
    storage_errors,
)
from everdex.errors import Busy, EverdexError, LeaseLost, StorageFailure
from everdex.snapshot import manifest as manifests
from everdex.snapshot.guard import Guard, hold_guard, is_locked, lock_for_life
from everdex.snapshot.store import Store

# A heartbeat from further in the future is none of a clock that runs ahead: that one was wrong, or ours was set back.
_AHEAD_S: Final = 86_400


class LeaseFile(msgspec.Struct, frozen=True):
    """writer_lease.json."""

    schema_version: int
    owner_id: str
    pid: int
    hostname: str
    started_at: str
    last_heartbeat_at: str
    lease_epoch: int
    lease_ttl_ms: int
    staging_txn_id: str
    released: bool


class Lease(msgspec.Struct):
    """A lease we were granted. `require` before every expensive stage; publishing checks it again."""

    store: Store
    owner_id: str
    epoch: int
    txn_id: str
    after_crash: bool = True  # the last writer did not release its lease, so it may have left things behind
    lost: threading.Event = msgspec.field(default_factory=threading.Event)

    def require(self) -> None:
        """Raise `LeaseLost` unless the lease on disk is still ours."""
        if self.lost.is_set() or not _ours(read_lease(self.store), self):
            raise LeaseLost(f"writer lease epoch {self.epoch} was taken over")

    @property
    def staging(self) -> Path:
        return self.store.staging / self.txn_id


def lease_path(store: Store) -> Path:
    return store.locks / "writer_lease.json"


def guard_path(store: Store) -> Path:
    return store.locks / "lease_guard.lock"


def read_lease(store: Store) -> LeaseFile | None:
    """The lease on disk; None when there is none or it is unreadable (then nobody can prove ownership)."""
    try:
        raw = lease_path(store).read_bytes()
    except FileNotFoundError:
        return None
    try:
        loose = decode_json(raw)
    except msgspec.DecodeError:
        return None
    if not isinstance(loose, dict) or not isinstance(loose.get("schema_version"), int):
        return None
    # Before its shape: a newer lease may look different and still be alive.
    versions.check_readable("writer_lease", loose["schema_version"], str(lease_path(store)))
    try:
        lease = msgspec.convert(loose, LeaseFile)
        clock.parse_rfc3339(lease.last_heartbeat_at)
    except (msgspec.ValidationError, ValueError):
        return None
    return lease


@contextmanager
def hold_lease(store: Store, *, ttl_ms: int = limits.LEASE_TTL_MS) -> Iterator[Lease]:
    """Be the one writer: granted with a new epoch, kept alive by a heartbeat, released at the end."""
    lease, lifetime = _acquire(store, ttl_ms)
    stop = threading.Event()
    heart = threading.Thread(target=_beat, args=(lease, ttl_ms, stop), name="everdex-heartbeat", daemon=True)
    heart.start()
    try:
        yield lease
    finally:
        stop.set()
        heart.join()
        _release(lease, lifetime)


def _acquire(store: Store, ttl_ms: int) -> tuple[Lease, int]:
    with hold_guard(guard_path(store), store.permissions) as guard:
        current = read_lease(store)
        if current is not None and _is_alive(store, current):
            raise Busy(
                f"process {current.pid} on {current.hostname} is writing this index since {current.started_at}",
                retry_after_ms=1_000,
            )
        after_crash = current is None or not current.released
        lease = Lease(store, clock.new_ulid(), _next_epoch(store, current), clock.new_ulid(), after_crash)
        lifetime = _begin_lifetime(lease)
        try:
            guard.require()
            replace_without_room(
                lease_path(store), _content(lease, ttl_ms, started_at=clock.rfc3339()), store.permissions
            )
        except BaseException:
            _end_lifetime(lease, lifetime)
            raise
        _forget_dead_owners(store, lease)
        return lease, lifetime


def _forget_dead_owners(store: Store, lease: Lease) -> None:
    for path in store.locks.glob("owner-*.lock"):
        if path != _lifetime_path(store, lease.owner_id) and not is_locked(path):
            path.unlink(missing_ok=True)


def _begin_lifetime(lease: Lease) -> int:
    path, store = _lifetime_path(lease.store, lease.owner_id), lease.store
    try:
        return lock_for_life(path, store.permissions)
    except StorageFailure as failure:
        if not is_full(failure):
            raise
    # No file can be made: a second name for one that is there, and that nobody locks otherwise, does as well.
    with storage_errors(path):
        os.link(store.path / "store.json", path)
    return lock_for_life(path, store.permissions)


def _end_lifetime(lease: Lease, lifetime: int) -> None:
    _lifetime_path(lease.store, lease.owner_id).unlink(missing_ok=True)
    os.close(lifetime)


def holder(store: Store) -> LeaseFile | None:
    """Who writes now; None when the lease was released, its owner is dead or its heartbeat too old."""
    current = read_lease(store)
    return current if current is not None and _is_alive(store, current) else None


def _is_alive(store: Store, lease: LeaseFile) -> bool:
    age_s = clock.now() - clock.parse_rfc3339(lease.last_heartbeat_at)
    if lease.released or age_s * 1000 > lease.lease_ttl_ms:
        return False
    if lease.hostname == os.uname().nodename:
        return is_locked(_lifetime_path(store, lease.owner_id))
    # A lock of another host cannot be judged from here: only its heartbeat can.
    return age_s > -_AHEAD_S


def _next_epoch(store: Store, current: LeaseFile | None) -> int:
    """Above the lease's own and above every published one: the lease file may be lost, damaged or set back."""
    published = 0
    for path in sorted(store.manifests.glob("*.json"), reverse=True):
        try:
            published = manifests.read(path).lease_epoch
        except EverdexError:
            continue
        break  # epochs grow with the number, so the newest readable one is the highest
    return max(current.lease_epoch if current else 0, published) + 1


def _beat(lease: Lease, ttl_ms: int, stop: threading.Event) -> None:
    while not stop.wait(ttl_ms / 3000):
        try:
            with hold_guard(guard_path(lease.store), lease.store.permissions) as guard:
                current = read_lease(lease.store)
                if not _ours(current, lease):
                    lease.lost.set()
                    return
                assert current is not None
                guard.require()
                # Never written over: `require` reads it meanwhile, and a missed beat is none the worse.
                content = _content(lease, ttl_ms, started_at=current.started_at)
                replace_atomically(lease_path(lease.store), content, lease.store.permissions)
        except LeaseLost:
            lease.lost.set()
            return
        except (Busy, StorageFailure):
            continue  # one missed beat: the next comes before the TTL, and who steals meanwhile is seen by `require`
        except (EverdexError, OSError):
            lease.lost.set()
            return


def _release(lease: Lease, lifetime: int) -> None:
    try:
        with hold_guard(guard_path(lease.store), lease.store.permissions) as guard:
            current = read_lease(lease.store)
            if _ours(current, lease) and guard.held():
                assert current is not None
                released = msgspec.structs.replace(current, released=True, last_heartbeat_at=clock.rfc3339())
                replace_without_room(lease_path(lease.store), encode_json(released), lease.store.permissions)
    finally:
        _end_lifetime(lease, lifetime)


def _content(lease: Lease, ttl_ms: int, *, started_at: str) -> bytes:
    content = LeaseFile(
        schema_version=versions.ARTIFACTS["writer_lease"].writable,
        owner_id=lease.owner_id,
        pid=os.getpid(),
        hostname=os.uname().nodename,
        started_at=started_at,
        last_heartbeat_at=clock.rfc3339(),
        lease_epoch=lease.epoch,
        lease_ttl_ms=ttl_ms,
        staging_txn_id=lease.txn_id,
        released=False,
    )
    return encode_json(content)


def _ours(current: LeaseFile | None, lease: Lease) -> bool:
    return (
        current is not None
        and not current.released
        and current.owner_id == lease.owner_id
        and current.lease_epoch == lease.epoch
    )


def _lifetime_path(store: Store, owner_id: str) -> Path:
    return store.locks / f"owner-{owner_id}.lock"


def preflight(lease: Lease, guard: Guard) -> None:
    """Inside the guard, last thing before a publish becomes visible (IDX.MUST.002)."""
    guard.require()
    lease.require()
