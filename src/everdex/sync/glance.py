"""The fast answer to "did anything change?": are all stamps what they were when the tree last equalled the snapshot?

It remembers a *standstill* (`changes.standstill`) of one snapshot, one root and one set of rules. That only saves time:
if the memory is damaged, missing or out of date, the tree is compared in full. Only a full comparison that found
nothing to do writes it.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import msgspec

from everdex.changes.standstill import Hopeless, Standstill, standstill, still
from everdex.config import Config
from everdex.durable import replace_atomically
from everdex.errors import StorageFailure
from everdex.roots import Root
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.store import Store
from everdex.sync.look import Look

# 1: paths with size, mtime, ctime, inode.
# 2: .sln, .slnx and rust-toolchain, which were passed over, are indexed: an older look saw less
# 3: scripts that only their first line lets in
_VERSION: Final = 3
_DIGEST_BYTES: Final = 16


class _Memory(msgspec.Struct, frozen=True, array_like=True):
    version: int
    snapshot_id: str
    rules: bytes
    files: int
    seen: Standstill | None  # None: this tree can only be looked at in full


class Stands(msgspec.Struct, frozen=True):
    """The tree certainly equals the snapshot; between two glances with one `proof` nothing in it was changed."""

    files: int
    proof: bytes


def stands(root: Root, config: Config, store: Store, base: Manifest) -> Stands | None:
    """Whether the tree stands as it did; None when that takes a look."""
    recalled = _recall(store, base)
    if recalled is None:
        return None
    proof, memory = recalled
    if memory.seen is None or memory.rules != _rules(root, config, store):
        return None
    return Stands(memory.files, proof) if still(root, memory.seen) else None


def remember(root: Root, config: Config, store: Store, seen: Look) -> None:
    """Keep how the tree stands, after a look that found nothing to do."""
    if seen.base is None or seen.listed is None or seen.discovery.collisions or seen.discovery.warnings:
        return
    rules = _rules(root, config, store)
    before = _recall(store, seen.base)
    if before is not None and before[1].seen is None and before[1].rules == rules:
        return
    try:
        stands = standstill(root, seen.listed, seen.started_ns, seen.home)
    except Hopeless:
        stands = None
    else:
        if stands is None:
            return
    memory = _Memory(_VERSION, seen.base.snapshot_id, rules, len(seen.discovery.files), stands)
    raw = msgspec.msgpack.encode(memory)
    try:
        replace_atomically(_path(store), _digest(raw) + raw, store.permissions)
    except StorageFailure:
        return  # only a saving: the next look is a full one again


def _recall(store: Store, base: Manifest) -> tuple[bytes, _Memory] | None:
    """What is remembered for a snapshot, and its digest."""
    try:
        raw = _path(store).read_bytes()
        digest = raw[:_DIGEST_BYTES]
        if digest != _digest(raw[_DIGEST_BYTES:]):
            return None
        memory = msgspec.msgpack.decode(raw[_DIGEST_BYTES:], type=_Memory)
    except (OSError, msgspec.DecodeError):
        return None
    return (digest, memory) if memory.version == _VERSION and memory.snapshot_id == base.snapshot_id else None


def _rules(root: Root, config: Config, store: Store) -> bytes:
    """What decides, besides the tree, which files are in."""
    return _digest(msgspec.msgpack.encode((str(root.path), config.index, store.info.shared)))


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=_DIGEST_BYTES).digest()


def _path(store: Store) -> Path:
    return store.cache / "standstill"
