"""The manifest: one self-checking document that says everything about a snapshot."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from everdex.errors import Corrupt, EverdexError, Incompatible
from everdex.snapshot import active
from everdex.snapshot import manifest as manifests
from everdex.snapshot.lease import hold_lease
from support.stores import bare_store, publish_files, rewritten, synced


def _published(tmp_path: Path) -> bytes:
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        publish_files(lease, {"a.py": 2, "b.py": 1})
        manifest = publish_files(lease, {"a.py": 3}, delete=["b.py"])
    return active.manifest_path(store, manifest.snapshot_id).read_bytes()


def test_a_manifest_has_every_field_of_the_contract(tmp_path: Path) -> None:
    """The published manifest carries what the store's contract lists, with sizes and checksums."""
    made = synced(tmp_path / "tree", {"a.py": "x = 1\n", "b.py": "y = 2\n"}, git=True)
    made.write({"a.py": "x = 3\n"})
    report = made.sync()
    document = msgspec.json.decode(active.manifest_path(made.store, report.manifest.snapshot_id).read_bytes())
    assert {
        "schema_version", "chunk_row_schema_version", "snapshot_id", "parent_snapshot_id", "created_at",
        "canonical_root", "store_id", "config_fingerprint", "ignore_fingerprint", "lease_epoch", "git",
        "segments", "tombstones", "counts", "degraded", "errors", "digest", "seq",
    } <= set(document)  # fmt: skip
    assert set(document["git"]) == {"head_sha", "dirty", "untracked_included"}
    assert document["git"]["dirty"] is True
    assert document["counts"] == {"files_indexed": 2, "chunks_indexed": 2, "tombstones_added": 1}
    assert document["lease_epoch"] == 2
    for reference in (*document["segments"], *document["tombstones"]):
        assert len(reference["sha256"]) == 64
        assert reference["size_bytes"] > 0


def test_no_flipped_bit_of_a_manifest_goes_unnoticed(tmp_path: Path) -> None:
    """Whatever single bit of a manifest flips, it is corrupt: neither another manifest nor one of another version."""
    raw = _published(tmp_path)
    for position in range(len(raw)):
        for bit in range(8):
            damaged = bytearray(raw)
            damaged[position] ^= 1 << bit
            with pytest.raises(Corrupt):
                manifests.decode(bytes(damaged), tmp_path)


@pytest.mark.parametrize("cut", [0, 1, 100, -1])
def test_a_truncated_manifest_is_corrupt(tmp_path: Path, cut: int) -> None:
    """Half a manifest is no manifest."""
    with pytest.raises(Corrupt):
        manifests.decode(_published(tmp_path)[:cut], tmp_path)


@pytest.mark.parametrize("field", ["schema_version", "chunk_row_schema_version"])
def test_a_newer_manifest_is_refused_by_name_and_version(tmp_path: Path, field: str) -> None:
    """A newer schema is not corruption: the error names the artifact and its version."""
    path = tmp_path / "manifest.json"
    path.write_bytes(_published(tmp_path))
    rewritten(path, **{field: 9, "something_new": 1})
    raw = path.read_bytes()
    artifact = "manifest" if field == "schema_version" else "chunk_row"
    with pytest.raises(Incompatible, match=f"{artifact} has schema version 9") as caught:
        manifests.decode(raw, tmp_path)
    assert caught.value.exit_code == 13


def test_a_manifest_filed_under_another_name_is_corrupt(tmp_path: Path) -> None:
    """A whole manifest that belongs to another snapshot or store does not answer for this one."""
    store = bare_store(tmp_path)
    with hold_lease(store) as lease:
        first = publish_files(lease, {"a.py": 1})
        second = publish_files(lease, {"b.py": 1})
    path = active.manifest_path(store, second.snapshot_id)
    path.unlink()
    path.write_bytes(active.manifest_path(store, first.snapshot_id).read_bytes())
    with pytest.raises(EverdexError) as caught:
        active.pin(store)
    assert caught.value.code == "corrupt"
