"""upgrade-store: say whether this build can go on with a store, and change nothing that it cannot read.

There is no migration, since indexing again makes the same from the tree: a store is up to date or must be indexed anew.
Newer artifacts are refused, as everywhere; the last good snapshot stays as it is in every case.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import msgspec

from everdex import versions
from everdex.durable import decode_json
from everdex.errors import Corrupt, NotIndexed
from everdex.snapshot import active, integrity
from everdex.snapshot import manifest as manifests
from everdex.snapshot.lease import hold_lease, lease_path
from everdex.snapshot.store import Store

UP_TO_DATE: Final = "up_to_date"
REINDEX_REQUIRED: Final = "reindex_required"


@dataclass(frozen=True, slots=True)
class ArtifactVersion:
    artifact: str
    found: int | None  # None when the file is not there
    min_readable: int
    max_readable: int
    writable: int


@dataclass(frozen=True, slots=True)
class UpgradeReport:
    status: str
    artifacts: tuple[ArtifactVersion, ...]
    active_snapshot_id: str | None

    def to_dict(self) -> dict[str, object]:
        hint = "run `everdex index --rebuild`" if self.status == REINDEX_REQUIRED else ""
        return {**asdict(self), "artifacts": [asdict(item) for item in self.artifacts], "hint": hint}


def upgrade_store(store: Store) -> UpgradeReport:
    """Validate schemas, then checksums, under the writer lease."""
    found = _found(store)
    older = {item.artifact for item in found if item.found is not None and item.found < item.min_readable}
    anew = UpgradeReport(REINDEX_REQUIRED, found, active.read_pointer(store))
    if "writer_lease" in older:
        return anew  # who holds a lease of another shape cannot be told, so nobody may take it
    with hold_lease(store):
        if older:
            return anew
        manifest = active.pin(store).manifest
        for _, path in active.published(store):
            manifests.read(path)
        integrity.verify(store, manifest, full=True)
        return UpgradeReport(UP_TO_DATE, _found(store), manifest.snapshot_id)


def _found(store: Store) -> tuple[ArtifactVersion, ...]:
    numbers = active.published(store)
    if not numbers:
        raise NotIndexed(f"{store.info.canonical_root} has no published snapshot yet")
    manifest = numbers[0][1]
    return (
        _version("store", store.path / "store.json", "schema_version"),
        _version("manifest", manifest, "schema_version"),
        _version("chunk_row", manifest, "chunk_row_schema_version"),
        _version("index_state", store.state_path, "schema_version"),
        _version("writer_lease", lease_path(store), "schema_version"),
    )


def _version(artifact: str, path: Path, field: str) -> ArtifactVersion:
    known = versions.ARTIFACTS[artifact]
    try:
        document = decode_json(path.read_bytes())
    except FileNotFoundError:
        document = None
    except msgspec.DecodeError as error:
        raise Corrupt(f"{path} is damaged: {error}") from error
    found = document.get(field) if isinstance(document, dict) else None
    number = found if isinstance(found, int) else None
    return ArtifactVersion(artifact, number, known.min_readable, known.max_readable, known.writable)
