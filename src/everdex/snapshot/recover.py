"""Where every writer starts: finishes or removes what a crash left behind, and gives the snapshot to build on.

Only the lease holder may call it. Published snapshots are never touched; what no numbered manifest refers to was never
published, and the writer that left it is dead or fenced.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import msgspec

from everdex.durable import remove_leftovers
from everdex.errors import Corrupt
from everdex.snapshot import active
from everdex.snapshot import manifest as manifests
from everdex.snapshot.lease import Lease
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.publish import activate
from everdex.snapshot.store import Store


class Base(msgspec.Struct, frozen=True):
    """Where a writer starts from: the newest published snapshot and the number it may take."""

    manifest: Manifest | None
    next_seq: int


def begin(lease: Lease) -> Base:
    """Recover what a crash left behind and say what to build on. Only a lease holder may call this."""
    store = lease.store
    numbers = active.published(store)
    _refuse_lost_numbers(store, numbers)
    _remove_orphans(store, lease)  # first: it needs no room and makes some
    newest = active.newest_valid(store) if numbers and _pointer_behind(store, numbers) else None
    if newest is not None:
        lease.require()
        activate(store, newest)
    manifest = active.pin(store).manifest if numbers else None
    return Base(manifest, (numbers[0][0] if numbers else 0) + 1)


def _refuse_lost_numbers(store: Store, numbers: list[tuple[int, Path]]) -> None:
    """An active snapshot beyond the highest number means that numbers were lost; going on would reuse them."""
    pointer = active.read_pointer(store)
    if pointer is None or not active.manifest_path(store, pointer).is_file():
        return
    seq = manifests.read(active.manifest_path(store, pointer)).seq
    if not numbers or numbers[0][0] < seq:
        raise Corrupt(f"manifests/{seq:012d}.json is missing, though its snapshot is active")


def _pointer_behind(store: Store, numbers: list[tuple[int, Path]]) -> bool:
    """Whether ACTIVE_SNAPSHOT does not name the newest numbered manifest."""
    pointer = active.read_pointer(store)
    if pointer is None or not active.manifest_path(store, pointer).is_file():
        return True
    return not os.path.samefile(active.manifest_path(store, pointer), numbers[0][1])


def _remove_orphans(store: Store, lease: Lease) -> None:
    """Directories that no numbered manifest knows were never published; their writer is gone."""
    for entry in store.staging.iterdir():
        if entry.name != lease.txn_id:
            shutil.rmtree(entry, ignore_errors=True)
    for directory in (store.path, store.cache, store.locks):
        remove_leftovers(directory)
    # A writer that ends in order takes its unpublished directories with it; reading every manifest is for the rest.
    known = _known(store) if lease.after_crash else None
    if known is None:
        return  # also when a manifest is damaged: what it refers to is unknown, so everything is left to repair
    # A writer that is frozen, not dead, may still want to link its manifest. First it loses the file to link
    # from; then the numbers are read again: what was linked until then is published, the rest never will be.
    orphans = [entry for entry in store.snapshots.iterdir() if entry.name not in known]
    for entry in orphans:
        (entry / "manifest.json").unlink(missing_ok=True)
    known = _known(store)
    if known is None:
        return
    for seq, path in active.published(store):
        home = active.manifest_path(store, manifests.read(path).snapshot_id)
        if home.parent in orphans:
            os.link(active.numbered_path(store, seq), home)
    for directory in (store.snapshots, store.segments):
        for entry in directory.iterdir():
            if entry.name not in known:
                shutil.rmtree(entry, ignore_errors=True)


def _known(store: Store) -> set[str] | None:
    """Names of every segment and snapshot directory that a published manifest needs; None if one is unreadable."""
    known: set[str] = set()
    for _, path in active.published(store):
        try:
            manifest = manifests.read(path)
        except Corrupt:
            return None
        known.add(manifest.snapshot_id)
        known.update(segment.segment_id for segment in manifest.segments)
        known.update(Path(item.path).parent.name for item in manifest.tombstones)
    return known
