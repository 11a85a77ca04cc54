"""index_state.json: a summary for people and scripts, written anew at every publish.

Nothing is decided by it, so a damaged one is simply rewritten. One of a newer schema is refused: its writer knows
something about this store that this build does not.
"""

from __future__ import annotations

import msgspec

from everdex import clock, versions
from everdex.durable import decode_json, encode_json, replace_atomically
from everdex.snapshot.manifest import Manifest
from everdex.snapshot.store import Store


class StateFile(msgspec.Struct, frozen=True):
    """index_state.json."""

    schema_version: int
    store_id: str
    canonical_root: str
    config_fingerprint: str
    ignore_fingerprint: str
    active_snapshot_id: str
    git: dict[str, str | bool | None]
    last_sync_at: str
    last_result: str


def read_state(store: Store) -> StateFile | None:
    """The state on disk; None when it is missing or damaged."""
    try:
        loose = decode_json(store.state_path.read_bytes())
    except (FileNotFoundError, msgspec.DecodeError):
        return None
    if not isinstance(loose, dict) or not isinstance(loose.get("schema_version"), int):
        return None
    versions.check_readable("index_state", loose["schema_version"], str(store.state_path))
    try:
        return msgspec.convert(loose, StateFile)
    except msgspec.ValidationError:
        return None


def state_of(store: Store, manifest: Manifest) -> StateFile:
    """What the state must say while this snapshot is active."""
    return StateFile(
        schema_version=versions.ARTIFACTS["index_state"].writable,
        store_id=store.store_id,
        canonical_root=manifest.canonical_root,
        config_fingerprint=manifest.config_fingerprint,
        ignore_fingerprint=manifest.ignore_fingerprint,
        active_snapshot_id=manifest.snapshot_id,
        git={
            "last_head_sha": manifest.git.head_sha,
            "dirty": manifest.git.dirty,
            "untracked_included": manifest.git.untracked_included,
        },
        last_sync_at=clock.rfc3339(),
        last_result="degraded" if manifest.degraded else "ok",
    )


def write_state(store: Store, manifest: Manifest) -> None:
    replace_atomically(store.state_path, encode_json(state_of(store, manifest)), store.permissions)
