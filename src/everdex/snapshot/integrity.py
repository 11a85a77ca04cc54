"""Checksums of what a manifest refers to, verified before anything is read (IDX.MUST.006).

A check is remembered by inode, times and size of every file it covered, so that opening a snapshot
again costs a stat; `health` verifies in full. A remembered check that no longer fits is repeated.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from everdex import clock
from everdex.durable import hash_file, hash_tree, replace_atomically
from everdex.errors import Corrupt, StorageFailure
from everdex.segment.files import read_file_lines, read_tombstones
from everdex.segment.model import FILES_NAME
from everdex.snapshot.manifest import Manifest, SegmentRef, TombstoneRef
from everdex.snapshot.store import Store

# Kernels stamp files with the time of their last tick, which may be this long ago.
_TIMESTAMP_GRAIN_NS: Final = 50_000_000

Signature = list[tuple[str, int, int, int, int]]


class _Verified(msgspec.Struct):
    """cache/verified.json: artifact path -> its checksum and the stat of its files when it was checked."""

    artifacts: dict[str, tuple[str, Signature]] = {}


def verify(store: Store, manifest: Manifest, *, full: bool = False) -> None:
    """Raise `Corrupt`, naming the artifact, unless everything the manifest refers to is as it was sealed."""
    remembered = _Verified() if full else _load(store)
    fresh: dict[str, tuple[str, Signature]] = {}
    changed = full
    for reference in manifest.artifacts():
        signature = _signature(store.path / reference.path)
        if remembered.artifacts.get(reference.path) != (reference.sha256, signature):
            _verify_one(store, reference)
            changed = True
        if not _racy(signature):
            fresh[reference.path] = (reference.sha256, signature)
    if changed:
        _save(store, _Verified({**remembered.artifacts, **fresh}))


def damaged(store: Store, manifest: Manifest) -> list[SegmentRef | TombstoneRef]:
    """Every artifact of a snapshot that fails a full check."""
    broken = []
    for reference in manifest.artifacts():
        try:
            _verify_one(store, reference)
        except Corrupt:
            broken.append(reference)
    return broken


def _verify_one(store: Store, reference: SegmentRef | TombstoneRef) -> None:
    path = store.path / reference.path
    if not path.exists():
        raise Corrupt(f"{reference.path} is missing")
    size, digest = hash_tree(path) if isinstance(reference, SegmentRef) else hash_file(path)
    if size != reference.size_bytes:
        raise Corrupt(f"{reference.path} has {size} bytes; the manifest says {reference.size_bytes}")
    if digest != reference.sha256:
        raise Corrupt(f"{reference.path} fails its checksum")
    if isinstance(reference, SegmentRef):
        rows = sum(line.rows for line in read_file_lines(path / FILES_NAME))
        if rows != reference.rows:
            raise Corrupt(f"{reference.path} lists {rows} rows; the manifest says {reference.rows}")
    elif len(read_tombstones(path)) != reference.count:
        raise Corrupt(f"{reference.path} does not hold the {reference.count} tombstones of the manifest")


def _racy(signature: Signature) -> bool:
    """Changed so recently that a later change might leave the same times: not worth remembering."""
    newest = max((ctime_ns for _, _, _, ctime_ns, _ in signature), default=0)
    return clock.now() * 1e9 - newest < _TIMESTAMP_GRAIN_NS


def _signature(path: Path) -> Signature:
    try:
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        return [(item.name, *_stat(item)) for item in files]
    except FileNotFoundError as error:
        raise Corrupt(f"{path} is missing") from error


def _stat(path: Path) -> tuple[int, int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_ctime_ns, found.st_size


def _load(store: Store) -> _Verified:
    try:
        return msgspec.json.decode((store.cache / "verified.json").read_bytes(), type=_Verified)
    except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
        return _Verified()


def _save(store: Store, verified: _Verified) -> None:
    kept = {path: entry for path, entry in verified.artifacts.items() if (store.path / path).exists()}
    try:
        replace_atomically(store.cache / "verified.json", msgspec.json.encode(_Verified(kept)), store.permissions)
    except StorageFailure:
        return  # a store we may only read: the check holds, it just cannot be remembered
