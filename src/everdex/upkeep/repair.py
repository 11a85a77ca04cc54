"""Repair: build a whole snapshot from what is left of a damaged store and the tree it describes.

Says its scope first: nothing, the pointer and its surroundings, the files of damaged segments, or everything.
What is undamaged is kept as it is; a snapshot that still passes its checks is never deleted. Tombstones
bury older versions whether or not the newer one survived, so dropping a segment cannot bring a dead row back.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import msgspec

from everdex import clock
from everdex.config import Config
from everdex.durable import fsync_directory, storage_errors
from everdex.errors import Corrupt, NotIndexed
from everdex.roots import Root, store_id
from everdex.semantic.kept import damaged_facts
from everdex.snapshot import active, integrity, log
from everdex.snapshot import manifest as manifests
from everdex.snapshot.lease import Lease, hold_lease, lease_path, read_lease
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.publish import activate
from everdex.snapshot.recover import Base
from everdex.snapshot.state import read_state, write_state
from everdex.snapshot.store import Store, described, open_store_at, store_path, write_info
from everdex.sync.model import SyncOptions
from everdex.sync.run import sync_onto

NOTHING: Final = "nothing"
POINTER: Final = "pointer"  # pointer, links, caches, state: nothing is indexed
FILES: Final = "files"  # the files whose rows were lost, and whatever changed since
EVERYTHING: Final = "everything"


@dataclass(frozen=True, slots=True)
class Damage:
    """One broken thing and what is done about it."""

    artifact: str  # path below the store
    problem: str
    remedy: str


@dataclass(frozen=True, slots=True)
class RepairReport:
    scope: str
    damage: tuple[Damage, ...]
    dry_run: bool
    snapshot_id: str | None  # active afterwards; in a dry run what is built on
    files_indexed: int
    verified: bool  # a full check passed at the end

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self), "damage": [asdict(item) for item in self.damage]}


@dataclass(frozen=True, slots=True)
class _Diagnosis:
    scope: str
    damage: tuple[Damage, ...]
    base: Manifest | None  # what to build on, without its damaged segments
    next_seq: int
    unreadable: tuple[Path, ...]  # numbered manifests that are beyond reading


def open_for_repair(root: Root, config_fingerprint: str, *, shared_path: Path | None = None, dry_run: bool) -> Store:
    """The store, also when store.json itself is damaged: what it must say follows from root and configuration."""
    path = shared_path or store_path(store_id(root.path, config_fingerprint))
    try:
        return open_store_at(path, root, config_fingerprint)
    except Corrupt:
        # setgid was set when the store was made shared, and nowhere else.
        shared = bool(path.stat().st_mode & stat.S_ISGID)
        store = described(path, root, config_fingerprint, shared=shared)
        if not dry_run:
            write_info(store)
        return store


def repair(
    root: Root, config: Config, store: Store, *, dry_run: bool, options: SyncOptions | None = None
) -> RepairReport:
    """Mend the store, or say what would be done. Raises `NotIndexed` when there is nothing to mend."""
    if dry_run:
        found = _diagnose(store)
        base = found.base.snapshot_id if found.base else None
        return RepairReport(found.scope, found.damage, True, base, 0, verified=False)
    with hold_lease(store) as lease:
        return _mend(root, config, lease, options or SyncOptions())


def _mend(root: Root, config: Config, lease: Lease, options: SyncOptions) -> RepairReport:
    store = lease.store
    found = _diagnose(store)
    _restore_links(store)
    _drop_caches(store)
    files = 0
    if found.scope in (FILES, EVERYTHING):
        report = sync_onto(root, config, lease, Base(found.base, found.next_seq), options)
        files = report.added + report.modified + report.renamed
    elif found.scope == POINTER:
        assert found.base is not None
        lease.require()
        activate(store, found.base)
    # Only now that a newer number stands: the next number must never be one that was used before.
    for path in found.unreadable:
        _forget(store, path)
    manifest = active.pin(store).manifest
    integrity.verify(store, manifest, full=True)
    if read_state(store) is None:
        write_state(store, manifest)
    log.append(
        store, "repair", scope=found.scope, damaged=len(found.damage), files=files,
        snapshot_id=manifest.snapshot_id, lease_epoch=lease.epoch,
    )  # fmt: skip
    return RepairReport(found.scope, found.damage, False, manifest.snapshot_id, files, verified=True)


def _diagnose(store: Store) -> _Diagnosis:
    damage: list[Damage] = []
    readable: list[Manifest] = []
    unreadable: list[Path] = []
    numbers = active.published(store)
    for seq, path in numbers:
        manifest = _readable(path, lambda found, seq=seq: found.seq == seq)  # type: ignore[misc]
        if manifest is None:
            unreadable.append(path)
            damage.append(Damage(f"manifests/{path.name}", "unreadable", "removed once a newer snapshot stands"))
        else:
            readable.append(manifest)
    for manifest in _unnumbered(store, {seq for seq, _ in numbers}):
        damage.append(Damage(f"manifests/{manifest.seq:012d}.json", "missing", "linked again"))
        readable.append(manifest)
    readable.sort(key=lambda manifest: -manifest.seq)
    if not readable and not unreadable and not any(store.snapshots.iterdir()):
        raise NotIndexed(f"{store.info.canonical_root} has no published snapshot yet")
    base, scope = _base(store, readable, damage)
    # The newest number is unreadable: what it held is gone, so the tree is compared with an older snapshot.
    if unreadable and scope == NOTHING and (not readable or numbers[0][1] in unreadable):
        scope = FILES
    if scope == NOTHING and base is not None and _surroundings(store, base, readable, damage):
        scope = POINTER
    highest = max([seq for seq, _ in numbers] + [manifest.seq for manifest in readable], default=0)
    return _Diagnosis(scope, tuple(damage), base, highest + 1, tuple(unreadable))


def _base(store: Store, readable: list[Manifest], damage: list[Damage]) -> tuple[Manifest | None, str]:
    """The newest snapshot whose tombstones are whole, less its damaged segments."""
    for rank, manifest in enumerate(readable):
        broken = {reference.path for reference in integrity.damaged(store, manifest)}
        lost = [item.path for item in manifest.tombstones if item.path in broken]
        segments = tuple(segment for segment in manifest.segments if segment.path not in broken)
        known = {item.artifact for item in damage}
        for path in sorted(broken - known):
            remedy = "an older snapshot is built on" if path in lost else "its files are indexed again"
            damage.append(Damage(path, "missing or fails its checksum", remedy))
        if lost:
            continue
        whole = len(segments) == len(manifest.segments) and rank == 0
        return msgspec.structs.replace(manifest, segments=segments), NOTHING if whole else FILES
    return None, EVERYTHING


def _unnumbered(store: Store, numbers: set[int]) -> Iterator[Manifest]:
    """The active snapshot, when its number is missing: the pointer proves that it was published."""
    pointer = active.read_pointer(store)
    if pointer is not None:
        manifest = _readable(active.manifest_path(store, pointer), lambda found: found.snapshot_id == pointer)
        if manifest is not None and manifest.seq not in numbers:
            yield manifest


def _readable(path: Path, fits: Callable[[Manifest], bool]) -> Manifest | None:
    try:
        manifest = manifests.read(path)
    except Corrupt:
        return None
    return manifest if fits(manifest) else None


def _surroundings(store: Store, base: Manifest, readable: list[Manifest], damage: list[Damage]) -> bool:
    """Damage that costs no rows: pointer, second names of manifests, state, lease, caches."""
    before = len(damage)
    if active.read_pointer(store) != base.snapshot_id:
        damage.append(Damage("ACTIVE_SNAPSHOT", "does not name the newest valid snapshot", "rewritten"))
    for manifest in readable:
        home = active.manifest_path(store, manifest.snapshot_id)
        if _readable(home, lambda found, wanted=manifest: found == wanted) is None:  # type: ignore[misc]
            damage.append(Damage(f"snapshots/{manifest.snapshot_id}/manifest.json", "unreadable", "linked again"))
    state = read_state(store)
    if state is None or state.active_snapshot_id != base.snapshot_id:
        damage.append(Damage("index_state.json", "unreadable or out of date", "rewritten"))
    if lease_path(store).exists() and read_lease(store) is None:
        damage.append(Damage("locks/writer_lease.json", "unreadable", "rewritten with a higher epoch"))
    damage += [Damage(f"cache/{path.name}", "unreadable", "removed") for path in _broken_caches(store)]
    damage += [
        Damage(f"semantic/{name}", "fails its checksum", "removed: import it again") for name in damaged_facts(store)
    ]
    return len(damage) > before or any(item.remedy == "linked again" for item in damage)


def _broken_caches(store: Store) -> Iterator[Path]:
    for path in sorted(store.cache.glob("*.json")):
        try:
            msgspec.json.decode(path.read_bytes(), type=dict)
        except (msgspec.DecodeError, UnicodeDecodeError):
            yield path


def _drop_caches(store: Store) -> None:
    """What is only remembered, and cannot be believed."""
    for path in [*_broken_caches(store), *(store.semantic / name for name in damaged_facts(store))]:
        with storage_errors(path):
            path.unlink()


def _restore_links(store: Store) -> None:
    """Give every readable manifest both of its names again."""
    numbers = {seq for seq, _ in active.published(store)}
    for manifest in _unnumbered(store, numbers):
        _link(active.manifest_path(store, manifest.snapshot_id), active.numbered_path(store, manifest.seq))
    for seq, path in active.published(store):
        manifest_ = _readable(path, lambda found, seq=seq: found.seq == seq)  # type: ignore[misc]
        if manifest_ is None:
            continue
        home = active.manifest_path(store, manifest_.snapshot_id)
        if _readable(home, lambda found, wanted=manifest_: found == wanted) is None and home.parent.is_dir():  # type: ignore[misc]
            _link(path, home)


def _link(source: Path, target: Path) -> None:
    fresh = target.with_name(f"{target.name}.{clock.new_ulid()}")
    with storage_errors(target):
        os.link(source, fresh)
        os.replace(fresh, target)
    fsync_directory(target.parent)


def _forget(store: Store, number: Path) -> None:
    """Remove an unreadable numbered manifest, and the same file under its snapshot."""
    with storage_errors(number):
        inode = number.stat().st_ino
        for home in store.snapshots.glob("*/manifest.json"):
            if home.stat().st_ino == inode:
                home.unlink()
        number.unlink()
    fsync_directory(store.manifests)
