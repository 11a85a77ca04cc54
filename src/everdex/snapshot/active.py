"""Which snapshot a reader gets: the one ACTIVE_SNAPSHOT names, read once, or one asked for by id.

When the pointer is missing or damaged, the newest manifest that passes every check is taken and the
answer says so; when none passes, the store is corrupt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from everdex.errors import Corrupt, NotIndexed, SnapshotNotFound
from everdex.snapshot import integrity
from everdex.snapshot import manifest as manifests
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.state import read_state
from everdex.snapshot.store import Store

_ULID = re.compile(r"[0-9A-HJKMNP-TV-Z]{26}")
_NUMBERED = re.compile(r"(\d{12})\.json")


class Pinned(msgspec.Struct, frozen=True):
    manifest: Manifest
    warnings: tuple[str, ...] = ()


def manifest_path(store: Store, snapshot_id: str) -> Path:
    return store.snapshots / snapshot_id / "manifest.json"


def numbered_path(store: Store, seq: int) -> Path:
    return store.manifests / f"{seq:012d}.json"


def published(store: Store) -> list[tuple[int, Path]]:
    """Every numbered manifest, newest first."""
    found = []
    if store.manifests.is_dir():
        for path in store.manifests.iterdir():
            match = _NUMBERED.fullmatch(path.name)
            if match:
                found.append((int(match[1]), path))
    return sorted(found, reverse=True)


def pin(store: Store, snapshot_id: str | None = None) -> Pinned:
    """Read the pointer once and load that manifest with its artifacts verified."""
    if snapshot_id is not None:
        manifest = retained(store, snapshot_id)
        integrity.verify(store, manifest)
        return Pinned(manifest)
    read_state(store)  # a newer one is refused before anything is answered
    active = read_pointer(store)
    if active is not None and manifest_path(store, active).is_file():
        manifest = _read(store, active)
        integrity.verify(store, manifest)
        return Pinned(manifest)
    if not published(store):
        raise NotIndexed(f"{store.info.canonical_root} has no published snapshot yet")
    for manifest in _valid(store):
        note = f"ACTIVE_SNAPSHOT was unreadable; using the newest valid snapshot {manifest.snapshot_id}"
        return Pinned(manifest, (note,))
    raise Corrupt(f"store {store.store_id}: no snapshot passes its integrity checks")


def read_pointer(store: Store) -> str | None:
    """The id in ACTIVE_SNAPSHOT, or None when it is missing or not an id."""
    try:
        text = store.active_path.read_bytes().decode("ascii", "replace")
    except FileNotFoundError:
        return None
    return text[:-1] if text.endswith("\n") and _ULID.fullmatch(text[:-1]) else None


def retained(store: Store, snapshot_id: str) -> Manifest:
    """The manifest of a snapshot that is kept; what it refers to is not looked at."""
    if not _ULID.fullmatch(snapshot_id) or not manifest_path(store, snapshot_id).is_file():
        raise SnapshotNotFound(f"no snapshot {snapshot_id!r} is retained in store {store.store_id}")
    manifest = _read(store, snapshot_id)
    # An unpublished directory left by a crash has no number: it is not a snapshot.
    if not numbered_path(store, manifest.seq).is_file():
        raise SnapshotNotFound(f"snapshot {snapshot_id} was never published")
    return manifest


def _read(store: Store, snapshot_id: str) -> Manifest:
    manifest = manifests.read(manifest_path(store, snapshot_id))
    if (manifest.snapshot_id, manifest.store_id) != (snapshot_id, store.store_id):
        raise Corrupt(f"{manifest_path(store, snapshot_id)} describes snapshot {manifest.snapshot_id} instead")
    return manifest


def _valid(store: Store) -> Iterator[Manifest]:
    for seq, path in published(store):
        try:
            manifest = manifests.read(path)
            if (manifest.seq, manifest.store_id) != (seq, store.store_id):
                continue
            integrity.verify(store, manifest, full=True)
        except Corrupt:
            continue
        yield manifest


def newest_valid(store: Store) -> Manifest | None:
    """The newest snapshot that passes a full check."""
    return next(_valid(store), None)
