"""Where a store's artifacts lie, and the policy it was created with.

A store is created once as private or shared and keeps that policy; a shared one proves at every start
that its file system can do what publishing needs.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Final

import msgspec

from everdex import clock, limits, versions
from everdex.durable import (
    PRIVATE,
    SHARED,
    Permissions,
    decode_json,
    encode_json,
    is_sealed,
    make_directory,
    open_lasting,
    replace_atomically,
)
from everdex.errors import Corrupt, Incompatible, NotIndexed, StorageFailure, UsageError
from everdex.roots import Root, everdex_home, store_id

# Network file systems do not keep the promises that publishing relies on (statfs f_type values).
_NETWORK_FILE_SYSTEMS: Final = {0x6969: "nfs", 0x517B: "smb", 0xFF534D42: "cifs", 0xFE534D42: "smb2", 0x01021997: "9p"}


class StoreInfo(msgspec.Struct, frozen=True):
    """store.json: written once, when the store is created. It carries its own checksum."""

    schema_version: int
    store_id: str
    canonical_root: str
    config_fingerprint: str
    created_at: str
    shared: bool
    info_sha256: str = ""


class Store(msgspec.Struct, frozen=True):
    """Paths and policy of one store; opening it touches nothing."""

    path: Path
    info: StoreInfo

    @property
    def permissions(self) -> Permissions:
        return SHARED if self.info.shared else PRIVATE

    @property
    def store_id(self) -> str:
        return self.info.store_id

    @property
    def active_path(self) -> Path:
        return self.path / "ACTIVE_SNAPSHOT"

    @property
    def state_path(self) -> Path:
        return self.path / "index_state.json"

    @property
    def manifests(self) -> Path:
        return self.path / "manifests"

    @property
    def snapshots(self) -> Path:
        return self.path / "snapshots"

    @property
    def segments(self) -> Path:
        return self.path / "segments"

    @property
    def staging(self) -> Path:
        return self.path / "staging"

    @property
    def locks(self) -> Path:
        return self.path / "locks"

    @property
    def readers_lock(self) -> Path:
        return self.locks / "readers.lock"

    @property
    def logs(self) -> Path:
        return self.path / "logs"

    @property
    def cache(self) -> Path:
        return self.path / "cache"

    @property
    def graphs(self) -> Path:
        """Derived graphs; made when the first of them is."""
        return self.path / "graph"

    @property
    def semantic(self) -> Path:
        """What was imported from indexers; made when the first of it is."""
        return self.path / "semantic"

    @property
    def plans(self) -> Path:
        """Rename plans that can be carried out; made when the first of them is."""
        return self.path / "plans"

    @property
    def decisions(self) -> Path:
        """What was decided about open places; made when the first of them is."""
        return self.path / "decisions"

    @property
    def canvas(self) -> Path:
        """Kept pictures and what they are of, and the evidence board; made when the first of them is."""
        return self.path / "canvas"

    @property
    def scratch(self) -> Path:
        """Where an indexer works; made when one does."""
        return self.path / "scratch"

    @property
    def indexer_lock(self) -> Path:
        """Held by whoever runs an indexer: then what is in `scratch` is in use."""
        return self.locks / "indexer.lock"

    def directories(self) -> tuple[Path, ...]:
        return (
            self.path, self.manifests, self.snapshots, self.segments, self.staging, self.locks, self.logs,
            self.cache, self.cache / "embeddings",
        )  # fmt: skip

    def touch_last_used(self) -> None:
        """Remember that the store was used, at most once an hour."""
        marker = self.path / "last_used"
        try:
            if clock.now() - marker.stat().st_mtime < limits.LAST_USED_COALESCE_S:
                return
        except FileNotFoundError:
            pass
        handle = open_lasting(marker, os.O_WRONLY, self.permissions)
        try:
            os.utime(handle)
        finally:
            os.close(handle)


def store_path(identifier: str) -> Path:
    return everdex_home() / "data" / identifier


def open_store(root: Root, config_fingerprint: str) -> Store:
    """The existing store of a root and configuration; `NotIndexed` when there is none."""
    path = store_path(store_id(root.path, config_fingerprint))
    return open_store_at(path, root, config_fingerprint)


def open_store_at(path: Path, root: Root | None = None, config_fingerprint: str | None = None) -> Store:
    try:
        raw = (path / "store.json").read_bytes()
    except FileNotFoundError:
        raise NotIndexed(f"{root.path if root else path} has no index yet") from None
    except OSError as error:
        raise StorageFailure(f"{path / 'store.json'}: {error.strerror}") from error
    info = _decode_info(raw, path)
    if config_fingerprint is not None and info.config_fingerprint != config_fingerprint:
        raise Incompatible(
            f"{path}: this store was made for configuration {info.config_fingerprint[:12]}, "
            f"not {config_fingerprint[:12]}"
        )
    if root is not None and not info.shared and info.canonical_root != os.fspath(root.path):
        raise Incompatible(f"{path}: this store belongs to {info.canonical_root}, not {root.path}")
    store = Store(path, info)
    if info.shared:
        check_capabilities(store)
    return store


def _decode_info(raw: bytes, path: Path) -> StoreInfo:
    try:
        loose = decode_json(raw)
        if not isinstance(loose, dict):
            raise Corrupt(f"{path / 'store.json'} is not a store description")
        if not is_sealed(raw, "info_sha256"):
            raise Corrupt(f"{path / 'store.json'} fails its own checksum")
        versions.check_readable("store", loose.get("schema_version"), str(path / "store.json"))
        return msgspec.convert(loose, StoreInfo)
    except msgspec.DecodeError as error:
        raise Corrupt(f"{path / 'store.json'} is damaged: {error}") from error


def _seal_info(info: StoreInfo) -> bytes:
    blank = msgspec.structs.replace(info, info_sha256="")
    return encode_json(msgspec.structs.replace(info, info_sha256=hashlib.sha256(encode_json(blank)).hexdigest()))


def create_store(root: Root, config_fingerprint: str, *, shared_path: Path | None = None) -> Store:
    """Open the store, making it first if need be. `shared_path` asks for a shared store at that place."""
    path = shared_path or store_path(store_id(root.path, config_fingerprint))
    try:
        store = open_store_at(path, root, config_fingerprint)
    except NotIndexed:
        store = _make(path, root, config_fingerprint, shared=shared_path is not None)
    if store.info.shared != (shared_path is not None):
        kind = "shared" if store.info.shared else "single-user"
        raise UsageError(f"{path} was created as a {kind} store and stays one")
    return store


def described(path: Path, root: Root, config_fingerprint: str, *, shared: bool) -> Store:
    """A store as it would be made now; nothing is written."""
    info = StoreInfo(
        schema_version=versions.ARTIFACTS["store"].writable,
        store_id=path.name,
        canonical_root=os.fspath(root.path),
        config_fingerprint=config_fingerprint,
        created_at=clock.rfc3339(),
        shared=shared,
    )
    return Store(path, info)


def _make(path: Path, root: Root, config_fingerprint: str, *, shared: bool) -> Store:
    store = described(path, root, config_fingerprint, shared=shared)
    if not shared:
        make_directory(everdex_home(), PRIVATE)
    for directory in store.directories():
        make_directory(directory, store.permissions)
    if shared:
        check_capabilities(store)
    os.close(open_lasting(store.readers_lock, os.O_RDONLY, store.permissions))  # for readers that may write nothing
    write_info(store)
    return store


def write_info(store: Store) -> None:
    """Write store.json: when a store is made, and again when repair finds it damaged."""
    replace_atomically(store.path / "store.json", _seal_info(store.info), store.permissions)


def check_capabilities(store: Store) -> None:
    """Refuse a shared store on a file system that cannot publish safely."""
    _refuse_network(store.path)
    probe = store.locks / f"probe-{os.getpid()}-{clock.new_ulid()}"
    moved = probe.with_suffix(".moved")
    try:
        handle = os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, store.permissions.file)
        with open(handle, "wb") as stream:
            stream.write(b"probe")
            stream.flush()
            os.fsync(stream.fileno())
        if probe.read_bytes() != b"probe":
            raise StorageFailure(f"{store.path}: a write could not be read back")
        try:
            os.close(os.open(probe, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC))
        except FileExistsError:
            pass
        else:
            raise StorageFailure(f"{store.path}: exclusive create does not exclude")
        os.replace(probe, moved)
    except OSError as error:
        raise StorageFailure(f"{store.path}: shared store refused: {error.strerror}") from error
    finally:
        probe.unlink(missing_ok=True)
        moved.unlink(missing_ok=True)


def _refuse_network(path: Path) -> None:
    magic = _file_system_magic(path)
    if magic in _NETWORK_FILE_SYSTEMS:
        raise UsageError(
            f"{path} is on a network file system ({_NETWORK_FILE_SYSTEMS[magic]}); a shared store must be local",
            hint="use a per-worktree store, which is the default",
        )


def _file_system_magic(path: Path) -> int:
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(256)
    if libc.statfs(os.fsencode(path), buffer) != 0:
        raise StorageFailure(f"{path}: {os.strerror(ctypes.get_errno())}")
    return ctypes.c_long.from_buffer(buffer).value & 0xFFFFFFFF
