"""The fast answer to "did anything change?": are all stamps what they were when the tree last equalled the snapshot?

It remembers a *standstill* (`changes.standstill`) of one snapshot, one root and one set of rules. That only saves time:
if the memory is damaged, missing or out of date, the tree is compared in full. A full comparison that found nothing to
do writes it. Where only files differ that are indexed already, a `Narrow` look at those is enough, and what it leaves
the tree equal to is remembered from there.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import Final

import msgspec

from everdex.changes.standstill import Hopeless, Stamp, Standstill, differing, lists_the_same, standstill
from everdex.config import CONFIG_NAME, IGNORE_NAME, Config
from everdex.durable import replace_atomically
from everdex.errors import StorageFailure
from everdex.roots import Root
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.store import Store
from everdex.sync.look import Look, NarrowLook, NotNarrow, only_collisions

# 1: paths with size, mtime, ctime, inode.
# 2: .sln, .slnx and rust-toolchain, which were passed over, are indexed: an older look saw less
# 3: scripts that only their first line lets in
# 4: what directories hold besides, and what was left out, so that a look at what differs is enough
# 5: nested repositories, and trees without git
_VERSION: Final = 5
_DIGEST_BYTES: Final = 16
_FEW: Final = 64  # paths that differ; for more the tree is looked at in full


class _Memory(msgspec.Struct, frozen=True, array_like=True):
    version: int
    snapshot_id: str
    rules: bytes
    files: int
    seen: Standstill | None  # None: this tree can only be looked at in full
    left_out: dict[str, int] = {}  # reason -> number of paths
    linked: list[bytes] = []  # where symlinks lead: what changes there is indexed under two names


class Stands(msgspec.Struct, frozen=True):
    """The tree certainly equals the snapshot; between two glances with one `proof` nothing in it was changed."""

    files: int
    proof: bytes


class Narrow(msgspec.Struct, frozen=True):
    """All but the content of some indexed files is as it was when the tree last equalled the snapshot."""

    seen: Look  # at those files
    memory: _Memory
    differing: dict[bytes, Stamp]  # how they, and the directories they are in, look now


def stands(root: Root, config: Config, store: Store, base: Manifest) -> Stands | None:
    """Whether the tree stands as it did; None when that takes a look."""
    recalled = _recalled(root, config, store, base)
    if recalled is None:
        return None
    proof, memory, seen = recalled
    return Stands(memory.files, proof) if differing(root, seen, 0) == {} else None


def look(root: Root, config: Config, store: Store, base: Manifest) -> Stands | Narrow | None:
    """The same, or a look at what differs where that is indexed files only; None when it takes a full look."""
    started_ns = time.time_ns()
    recalled = _recalled(root, config, store, base)
    differ = None if recalled is None else differing(root, recalled[2], _FEW)
    if recalled is None or differ is None:
        return None
    proof, memory, seen = recalled
    if not differ:
        return Stands(memory.files, proof)
    folders = differ.keys() & frozenset(seen.directories)
    files = sorted(differ.keys() - folders)
    if any(map(_decides, files)) or not frozenset(memory.linked).isdisjoint(files):
        return None
    if folders and not lists_the_same(root, seen, folders):
        return None
    try:
        return Narrow(NarrowLook(root, config, store, base, files, memory.left_out, started_ns), memory, differ)
    except NotNarrow:
        return None


def _decides(path: bytes) -> bool:
    """Whether a file says which others are in: git's rules, ours, or what is ours to ask."""
    name = os.path.basename(path)
    return name.startswith(b".git") or name in (IGNORE_NAME.encode(), CONFIG_NAME.encode())


def renew(store: Store, manifest: Manifest, found: Narrow) -> None:
    """Keep how the tree stands after a narrow look, and what was published after it, if anything."""
    memory = found.memory
    assert memory.seen is not None
    seen = memory.seen.renewed(found.differing, found.seen.started_ns)
    if not only_collisions(manifest) or (seen == memory.seen and manifest.snapshot_id == memory.snapshot_id):
        return
    _write(store, msgspec.structs.replace(memory, snapshot_id=manifest.snapshot_id, seen=seen))


def remember(root: Root, config: Config, store: Store, seen: Look) -> None:
    """Keep how the tree stands, after a look that found nothing to do."""
    if seen.base is None or seen.listed is None or seen.discovery.warnings:
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
    files = seen.discovery.files
    linked = [file.disk_path.encode() for file in files if file.disk_path != file.path_key]
    _write(
        store, _Memory(_VERSION, seen.base.snapshot_id, rules, len(files), stands, seen.left_out, linked)
    )


def _write(store: Store, memory: _Memory) -> None:
    raw = msgspec.msgpack.encode(memory)
    try:
        replace_atomically(_path(store), _digest(raw) + raw, store.permissions)
    except StorageFailure:
        return  # only a saving: the next look is a full one again


def _recalled(root: Root, config: Config, store: Store, base: Manifest) -> tuple[bytes, _Memory, Standstill] | None:
    """What is remembered of a snapshot under these rules, its digest, and the standstill in it."""
    recalled = _recall(store, base)
    if recalled is None or recalled[1].seen is None or recalled[1].rules != _rules(root, config, store):
        return None
    return *recalled, recalled[1].seen


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
    return _digest(msgspec.msgpack.encode((str(root.path), root.is_git, config.index, store.info.shared)))


def _digest(raw: bytes) -> bytes:
    return hashlib.blake2b(raw, digest_size=_DIGEST_BYTES).digest()


def _path(store: Store) -> Path:
    return store.cache / "standstill"
