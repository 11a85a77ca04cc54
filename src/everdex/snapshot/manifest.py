"""The manifest: one JSON document with its own checksum that lists all a snapshot consists of.

Its segments and tombstones alone define what is live; its parent is named for the record and never read. `seq` numbers
the publishes; a tombstone removes a path only from segments with a smaller `seq` than its own.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from everdex import versions
from everdex.changes.model import GitState
from everdex.durable import decode_json, is_sealed
from everdex.errors import Corrupt


class SegmentRef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kind: str  # delta, compacted
    ref_type: str  # segment_dir
    segment_id: str
    path: str  # relative to the store
    seq: int  # the publish that wrote it
    files: int
    rows: int
    live_rows: int
    size_bytes: int
    sha256: str


class TombstoneRef(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ref_type: str  # jsonl
    path: str
    seq: int
    count: int
    size_bytes: int
    sha256: str


class Git(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    head_sha: str | None
    dirty: bool
    untracked_included: bool


class Counts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    files_indexed: int
    chunks_indexed: int
    tombstones_added: int


class DegradedError(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    code: str
    message: str
    path_key: str


class Manifest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    schema_version: int
    chunk_row_schema_version: int
    seq: int
    snapshot_id: str
    parent_snapshot_id: str | None
    created_at: str
    canonical_root: str
    store_id: str
    config_fingerprint: str
    ignore_fingerprint: str
    digest: str
    lease_epoch: int
    git: Git
    segments: tuple[SegmentRef, ...]
    tombstones: tuple[TombstoneRef, ...]
    counts: Counts
    skipped: dict[str, int]  # reason -> number of paths
    degraded: bool
    errors: tuple[DegradedError, ...]
    manifest_sha256: str = ""

    def artifacts(self) -> tuple[SegmentRef | TombstoneRef, ...]:
        """Everything on disk that this snapshot refers to."""
        return (*self.segments, *self.tombstones)


def git_of(state: GitState) -> Git:
    return Git(state.head_sha, state.dirty, state.untracked_included)


def seal(manifest: Manifest) -> bytes:
    """The manifest's bytes for disk, with its own checksum filled in."""
    blank = msgspec.structs.replace(manifest, manifest_sha256="")
    digest = hashlib.sha256(msgspec.json.encode(blank)).hexdigest()
    return msgspec.json.encode(msgspec.structs.replace(manifest, manifest_sha256=digest)) + b"\n"


def decode(raw: bytes, where: Path) -> Manifest:
    """Check the seal and the versions (a newer schema is not corruption), then every field."""
    try:
        loose = decode_json(raw)
    except msgspec.DecodeError as error:
        raise Corrupt(f"{where} is not JSON: {error}") from error
    if not isinstance(loose, dict):
        raise Corrupt(f"{where} is not a manifest")
    if not raw.endswith(b"\n") or not is_sealed(raw[:-1], "manifest_sha256"):
        raise Corrupt(f"{where} fails its own checksum")
    versions.check_readable("manifest", loose.get("schema_version"), str(where))
    versions.check_readable("chunk_row", loose.get("chunk_row_schema_version"), str(where))
    try:
        return msgspec.json.decode(raw, type=Manifest)
    except msgspec.ValidationError as error:
        raise Corrupt(f"{where} is damaged: {error}") from error


def read(path: Path) -> Manifest:
    try:
        return decode(path.read_bytes(), path)
    except FileNotFoundError as error:
        raise Corrupt(f"{path} is missing") from error
