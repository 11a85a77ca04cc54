"""Checksums before reading: a damaged store is told, never quoted."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from everdex.errors import Corrupt, EverdexError, Incompatible, NotIndexed, SnapshotNotFound
from everdex.snapshot import active, integrity
from everdex.snapshot.lease import lease_path
from everdex.snapshot.store import open_store
from everdex.view import open_view
from support.stores import Workspace, rewritten, synced

FILES = {"a.py": "def first():\n    return 1\n", "b.py": "def second():\n    return 2\n", "c.md": "# Title\n\nText.\n"}


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    made = synced(tmp_path / "tree", FILES)
    made.write({"a.py": "def first():\n    return 3\n"})
    made.remove("b.py")
    made.sync()
    return made


def _answer(made: Workspace) -> tuple[dict[str, str], tuple[str, ...]]:
    """Open the store from scratch and read everything, as a query would."""
    store = open_store(made.root, made.store.info.config_fingerprint)
    with open_view(store) as view:
        texts = {
            path_key: "".join(document.row.text for document in view.documents_of(path_key)) for path_key in view.paths
        }
        return texts, view.warnings


def _files(made: Workspace) -> list[Path]:
    """Every file of the store, except the embedding cache, which no answer is read from."""
    found = (path for path in made.store.path.rglob("*") if "embeddings" not in path.parts)
    return sorted(path for path in found if path.is_file() and path.stat().st_size)


def test_a_flipped_bit_anywhere_is_told_and_never_quoted(made: Workspace) -> None:
    """IDX.MUST.006: for every file of the store, first, middle and last byte: refused, recovered or irrelevant."""
    expected, _ = _answer(made)
    pinned = active.pin(made.store).manifest
    current = {made.store.path / reference.path for reference in pinned.artifacts()}
    current.add(active.manifest_path(made.store, pinned.snapshot_id))
    current.add(made.store.path / "store.json")
    refused = set()
    for path in _files(made):
        raw = path.read_bytes()
        for position in sorted({0, len(raw) // 3, len(raw) // 2, len(raw) - 1}):
            damaged = bytearray(raw)
            damaged[position] ^= 0x04
            path.write_bytes(damaged)
            try:
                texts, warnings = _answer(made)
                assert texts == expected, path
                if path == made.store.active_path:
                    assert "ACTIVE_SNAPSHOT was unreadable" in warnings[0]
                else:
                    assert path.parent not in current
                    assert path not in current
            except Corrupt:
                refused.add(path)
            finally:
                path.write_bytes(raw)
    assert {path.name for path in refused} == {
        "manifest.json", f"{pinned.seq:012d}.json", "tombstones.jsonl", "files.jsonl", "rows.db", "vectors.i8",
        "lexical.bin", "store.json",
    }  # fmt: skip
    assert _answer(made)[0] == expected


def test_a_sync_on_a_damaged_store_refuses_with_the_way_out(made: Workspace) -> None:
    """A writer does not build on what it cannot trust: corrupt, exit 14, `everdex repair`."""
    segment = made.store.path / active.pin(made.store).manifest.segments[0].path / "rows.db"
    damaged = bytearray(segment.read_bytes())
    damaged[100] ^= 1
    segment.write_bytes(damaged)
    made.write({"a.py": "x = 1\n"})
    with pytest.raises(Corrupt) as caught:
        made.sync()
    assert caught.value.exit_code == 14
    assert "everdex repair" in caught.value.hint


@pytest.mark.parametrize("part", ["rows.db", "vectors.i8", "lexical.bin", "files.jsonl", None])
def test_a_missing_or_extra_piece_of_a_segment_is_corrupt(made: Workspace, part: str | None) -> None:
    """A segment is the files it was sealed with, no fewer and no more."""
    directory = made.store.path / active.pin(made.store).manifest.segments[0].path
    if part is None:
        (directory / "extra").touch()
    else:
        (directory / part).unlink()
    with pytest.raises(Corrupt, match="segments/"):
        _answer(made)


@pytest.mark.parametrize(("kind", "field"), [("segments", "rows"), ("tombstones", "count")])
def test_a_manifest_that_counts_otherwise_than_its_artifacts_is_corrupt(made: Workspace, kind: str, field: str) -> None:
    """A checksum proves the bytes, not the numbers: rows and tombstones are counted when they are verified."""
    manifest = active.pin(made.store).manifest
    references = msgspec.to_builtins(getattr(manifest, kind))
    references[0][field] += 1
    rewritten(active.manifest_path(made.store, manifest.snapshot_id), **{kind: references})
    shutil.rmtree(made.store.cache)  # what was verified under the old numbers
    with pytest.raises(Corrupt, match="the manifest"):
        _answer(made)


def test_a_removed_segment_or_tombstone_file_is_corrupt(made: Workspace) -> None:
    """Missing tombstones would bring deleted files back, so their absence is corruption."""
    manifest = active.pin(made.store).manifest
    (made.store.path / manifest.tombstones[0].path).unlink()
    with pytest.raises(Corrupt, match="tombstones"):
        _answer(made)
    shutil.rmtree(made.store.path / manifest.segments[0].path)
    with pytest.raises(Corrupt, match="segments/"):
        _answer(made)


def test_a_damaged_pointer_is_recovered_with_a_warning(made: Workspace) -> None:
    """The newest snapshot that passes every check answers, and the answer says so."""
    expected, _ = _answer(made)
    for content in (b"", b"nonsense\n", b"\xff" * 27, b"01HZZ5X9T2K3R7G9FQ2A5V0J1M\n", None):
        if content is None:
            made.store.active_path.unlink()
        else:
            made.store.active_path.write_bytes(content)
        texts, warnings = _answer(made)
        assert texts == expected
        assert "ACTIVE_SNAPSHOT" in warnings[0]
    made.write({"d.py": "z = 1\n"})
    made.sync()
    assert _answer(made)[1] == ()


def test_a_damaged_pointer_skips_snapshots_that_fail_their_checks(made: Workspace) -> None:
    """Candidates are checked in full before one is taken; when none is left the store is corrupt."""
    made.store.active_path.unlink()
    newest = active.published(made.store)[0][1]
    newest.write_bytes(newest.read_bytes()[:-2])
    assert _answer(made)[0] == FILES
    for _, path in active.published(made.store):
        path.write_bytes(b"{}")
    with pytest.raises(EverdexError) as caught:
        _answer(made)
    assert caught.value.code in {"corrupt", "incompatible"}


def test_a_manifest_under_a_number_that_is_not_its_own_is_not_recovered(made: Workspace) -> None:
    """Without a pointer the newest number counts, if its manifest says so, too: a copy brings no old one back."""
    expected, _ = _answer(made)
    newest, oldest = active.published(made.store)[0], active.published(made.store)[-1]
    shutil.copy(oldest[1], active.numbered_path(made.store, newest[0] + 1))
    made.store.active_path.unlink()
    assert _answer(made)[0] == expected


def test_an_unpublished_snapshot_cannot_be_asked_for(made: Workspace) -> None:
    """What a crash left behind without a number is not a snapshot."""
    with pytest.raises(SnapshotNotFound):
        active.pin(made.store, "../../etc")
    _, path = active.published(made.store)[0]
    manifest = active.pin(made.store).manifest
    path.unlink()
    with pytest.raises(SnapshotNotFound, match="never published"):
        active.pin(made.store, manifest.snapshot_id)


def test_a_store_that_was_never_published_is_not_indexed(tmp_path: Path, made: Workspace) -> None:
    """An empty store is not a corrupt one."""
    from support.stores import bare_store

    with pytest.raises(NotIndexed):
        active.pin(bare_store(tmp_path))


def test_checks_are_remembered_and_repeated_when_a_file_was_touched(
    made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opening the same snapshot again costs no hashing, unless inode, times or size of a file changed."""
    time.sleep(0.06)
    _answer(made)
    hashed: list[Path] = []
    real = integrity.hash_tree
    monkeypatch.setattr(integrity, "hash_tree", lambda path: (hashed.append(path), real(path))[1])
    _answer(made)
    assert hashed == []
    segment = made.store.path / active.pin(made.store).manifest.segments[0].path
    os.utime(segment / "rows.db")
    _answer(made)
    assert hashed == [segment]


def test_checks_of_what_is_gone_are_forgotten(made: Workspace) -> None:
    """What is remembered does not outgrow the store."""
    time.sleep(0.06)
    _answer(made)
    old = {reference.path for reference in active.pin(made.store).manifest.artifacts()}
    made.sync(rebuild=True)
    for path in old:
        (shutil.rmtree if path.startswith("segments/") else os.unlink)(made.store.path / path)
    time.sleep(0.06)
    _answer(made)
    remembered = (made.store.cache / "verified.json").read_text()
    assert "segments/" in remembered
    assert [path for path in old if path in remembered] == []


def test_a_change_right_after_a_check_is_seen(made: Workspace) -> None:
    """A file sealed this instant is checked again: its times might not tell a change from the check."""
    directory = made.store.path / active.pin(made.store).manifest.segments[-1].path
    path = directory / "files.jsonl"
    before = path.stat()
    _answer(made)
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b'"a.py"', b'"z.py"'))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(Corrupt):
        _answer(made)


NEWER: dict[str, Callable[[Workspace], None]] = {
    "manifest": lambda made: rewritten(
        active.manifest_path(made.store, active.read_pointer(made.store) or ""), schema_version=99
    ),
    "chunk_row": lambda made: rewritten(
        active.manifest_path(made.store, active.read_pointer(made.store) or ""), chunk_row_schema_version=99
    ),
    "index_state": lambda made: rewritten(made.store.state_path, schema_version=99, new_field=1),
    "store": lambda made: rewritten(made.store.path / "store.json", schema_version=99),
}


@pytest.mark.parametrize("artifact", NEWER)
def test_a_newer_artifact_is_refused_by_name(made: Workspace, artifact: str) -> None:
    """An artifact of a newer everdex is refused for reading and writing, naming it and its version."""
    NEWER[artifact](made)
    for act in (lambda: _answer(made), lambda: _resync(made)):
        with pytest.raises(Incompatible, match=f"{artifact} has schema version 99") as caught:
            act()
        assert caught.value.exit_code == 13


def test_a_newer_lease_is_refused_by_writers(made: Workspace) -> None:
    """Readers do not need the lease; a writer must not overwrite one it cannot read."""
    rewritten(lease_path(made.store), schema_version=99)
    _answer(made)
    made.write({"a.py": "changed = 1\n"})
    with pytest.raises(Incompatible, match="writer_lease has schema version 99"):
        made.sync()


def _resync(made: Workspace) -> None:
    made.write({"a.py": "changed = 1\n"})
    type(made)(made.root, made.config, open_store(made.root, made.store.info.config_fingerprint)).sync()


def test_a_snapshot_that_is_asked_for_by_its_id_is_checked_as_well(made: Workspace) -> None:
    """Not only the active one: what only an older snapshot refers to may be damaged, too."""
    first = active.published(made.store)[-1][1]
    made.write({"c.md": "# Other\n", "a.py": "def last():\n    return 4\n"})
    made.sync()  # nothing of the first segment is live any more
    older = msgspec.json.decode(first.read_bytes())
    rows = made.store.path / older["segments"][0]["path"] / "rows.db"
    rows.chmod(0o600)
    rows.write_bytes(rows.read_bytes()[:-1] + b"\xff")
    active.pin(made.store)
    with pytest.raises(Corrupt):
        active.pin(made.store, older["snapshot_id"])


def test_a_full_check_believes_no_remembered_one(made: Workspace) -> None:
    """A disk may give other bytes with the same times: `health` and `repair` read all of it."""
    manifest = made.base()
    reference = manifest.segments[0]
    rows = made.store.path / reference.path / "rows.db"
    rows.chmod(0o600)
    rows.write_bytes(rows.read_bytes()[:-1] + b"\xff")
    files = sorted((made.store.path / reference.path).iterdir())
    stats = [(path.name, path.stat()) for path in files]
    stamps = [(name, seen.st_ino, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size) for name, seen in stats]
    remembered = {"artifacts": {reference.path: (reference.sha256, stamps)}}
    (made.store.cache / "verified.json").write_bytes(msgspec.json.encode(remembered))
    integrity.verify(made.store, manifest)
    with pytest.raises(Corrupt):
        integrity.verify(made.store, manifest, full=True)
