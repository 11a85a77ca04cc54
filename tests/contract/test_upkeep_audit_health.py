"""Audit counts again, health asks every question; both change nothing."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import msgspec
import pytest

from everdex.durable import hash_tree
from everdex.errors import Corrupt, NotIndexed, SnapshotNotFound
from everdex.snapshot import active
from everdex.snapshot import manifest as manifests
from everdex.snapshot.lease import hold_lease, lease_path
from everdex.snapshot.manifest import Manifest
from everdex.upkeep.audit import audit
from everdex.upkeep.health import health
from support.stores import Workspace, synced, workspace

FILES: dict[str, str | bytes] = {
    "src/app.py": '"""An app."""\n\nimport os\n\n\nclass App:\n    def run(self):\n        return os.name\n',
    "src/twice.py": "def a():\n    pass\n\n\ndef a():\n    pass\n",
    "web/page.html": "<html>\n<script>\nfunction f() { return 1; }\n</script>\n</html>\n",
    "README.md": "# Title\n\ntext\n\n```python\nx = 1\n```\n\n## More\n\nmore text\n",
    "no_newline.txt": "last line without newline",
    "crlf.py": b"def f():\r\n    return 1\r\n",
    "umlaut.md": "# Überschrift\n\nGrößenänderung ☃\n",
    "empty.py": "",
    "data.bin.py": b"\0\1\2" * 100,
}
CODES = {
    "manifest_present", "segments_present", "tombstones_enforced", "compaction_policy", "casefold_collisions",
    "path_safety", "repo_hygiene", "artifact_integrity", "disk_budgets", "index_drift", "unicode_normalization",
    "lease", "embedder", "board", "pictures", "semantic",
}  # fmt: skip


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    made = synced(tmp_path / "tree", FILES, git=True)
    made.write({"src/app.py": "class App:\n    pass\n", "new.go": "package main\n\nfunc main() {}\n"})
    made.remove("README.md")
    made.sync()
    return made


def _republish(made: Workspace, **changes: object) -> None:
    """Rewrite the active manifest as a faulty writer would have: a valid checksum over wrong numbers."""
    manifest = manifests.read(active.published(made.store)[0][1])
    document = msgspec.to_builtins(manifest)
    document.update(changes)
    path = active.manifest_path(made.store, manifest.snapshot_id)
    path.write_bytes(manifests.seal(msgspec.convert(document, Manifest)))


def _rewrite(made: Workspace, statement: str) -> None:
    """Change the rows of the newest segment and publish checksums over the lie."""
    connection = sqlite3.connect(_newest(made) / "rows.db")
    connection.execute(statement)
    connection.commit()
    connection.close()
    _reseal(made)


def _newest(made: Workspace) -> Path:
    return made.store.path / made.base().segments[-1].path


def _reseal(made: Workspace) -> None:
    """Publish the newest segment as it is now, with checksums that fit."""
    manifest = manifests.read(active.published(made.store)[0][1])
    size, digest = hash_tree(made.store.path / manifest.segments[-1].path)
    segments = msgspec.to_builtins(manifest.segments)
    segments[-1].update(size_bytes=size, sha256=digest)
    _republish(made, segments=segments)


def test_an_honest_snapshot_has_no_findings(made: Workspace) -> None:
    """Ranges, tiling, uids, counts and widths of real files in several languages all agree."""
    report = audit(made.store)
    assert report.findings == ()
    first = manifests.read(active.published(made.store)[-1][1])
    assert first.counts.files_indexed == len(FILES) - 1  # what is left out by its content is not indexed
    assert report.rows == active.pin(made.store).manifest.counts.chunks_indexed
    assert audit(made.store).to_dict() == report.to_dict()


def test_wrong_counts_are_findings(made: Workspace) -> None:
    """Denormalised counts that drifted from the rows are named with what they should be."""
    manifest = active.pin(made.store).manifest
    right = manifest.counts.chunks_indexed
    _republish(made, counts={"files_indexed": 99, "chunks_indexed": right + 1, "tombstones_added": 7})
    found = {(finding.code, finding.expected, finding.actual) for finding in audit(made.store).findings}
    assert ("chunks_indexed", str(right), str(right + 1)) in found
    assert {code for code, *_ in found} == {
        "chunks_indexed", "segment_live_rows", "files_indexed", "tombstones_added",
    }  # fmt: skip


def test_wrong_rows_are_findings(made: Workspace) -> None:
    """A segment whose rows contradict its sources is found, although its checksum was computed over the lie."""
    _rewrite(made, "UPDATE chunks SET end_line = end_line + 5, byte_end = byte_end - 1 WHERE row_no = 0")
    codes = {finding.code for finding in audit(made.store).findings}
    assert {"line_range", "tiling"} <= codes


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("UPDATE files SET path_key = 'other.html' WHERE path_key = 'two.html'", "listed_files"),
        ("UPDATE chunks SET ordinal = ordinal + 1", "ordinals"),
        (
            "UPDATE chunks SET segment_id = '', span_hash = zeroblob(8), pre_hash = zeroblob(8),"
            " post_hash = zeroblob(8), collision = 0",
            "chunk_uid_collision",
        ),
        ("UPDATE files SET file_hash = zeroblob(32)", "file_hash"),
    ],
)
def test_names_and_places_are_counted_again(made: Workspace, statement: str, code: str) -> None:
    """Rows that name another file, another place or each other are findings, each by its own code."""
    made.write({"two.html": FILES["web/page.html"]})
    made.sync()
    _rewrite(made, statement)
    assert code in {finding.code for finding in audit(made.store).findings}


def test_a_segment_whose_parts_disagree_is_corrupt(made: Workspace) -> None:
    """Rows, vectors and index of a segment must have the same length, checksum or not."""
    _rewrite(made, "DELETE FROM chunks WHERE row_no = 0")
    assert "rows" in {finding.code for finding in audit(made.store).findings}
    report = health(made.root, made.config, made.store)
    assert report.status == "corrupt"
    assert "disagree" in str(report.check("artifact_integrity").details["problems"])


def test_a_lost_tombstone_is_corruption(made: Workspace) -> None:
    """A deleted file that would answer again is seen by its rows: more of them live than were published."""
    _republish(made, tombstones=())
    report = health(made.root, made.config, made.store)
    assert (report.status, report.check("tombstones_enforced").status) == ("corrupt", "fail")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../new.go", "path_safety"),
        ("/new.go", "path_safety"),
        ("a/../../new.go", "path_safety"),
        ("./new.go", "path_safety"),
        ("nu\u0308.go", "unicode_normalization"),
    ],
)
def test_a_path_that_no_sync_would_index_is_told(made: Workspace, path: str, code: str) -> None:
    """Health reads the indexed paths themselves: one that leads out of the root, or is no path key, is a failure."""
    listed = _newest(made) / "files.jsonl"
    listed.write_bytes(listed.read_bytes().replace(b'"new.go"', msgspec.json.encode(path)))
    _reseal(made)
    check = health(made.root, made.config, made.store).check(code)
    assert (check.status, check.details["paths"]) == ("fail", [path])


def test_a_damaged_snapshot_is_not_audited(made: Workspace) -> None:
    """Counting rows that fail their checksum proves nothing."""
    path = made.store.path / active.pin(made.store).manifest.segments[0].path / "vectors.i8"
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(Corrupt):
        audit(made.store)


def test_a_whole_and_current_index_is_healthy(made: Workspace) -> None:
    """Every code of the contract is there and ok."""
    report = health(made.root, made.config, made.store)
    assert {check.code for check in report.checks} == CODES
    assert [check for check in report.checks if check.status != "ok"] == []
    assert report.status == "ok"
    assert msgspec.json.decode(msgspec.json.encode(report.to_dict()))["status"] == "ok"


def test_a_changed_tree_is_drift(made: Workspace) -> None:
    """Health compares the tree with the index and counts the differences."""
    made.write({"new.go": "package other\n", "more.py": "x = 1\n"})
    made.remove("empty.py")
    report = health(made.root, made.config, made.store)
    drift = report.check("index_drift")
    assert (drift.status, report.status) == ("warn", "degraded")
    assert (drift.details["added"], drift.details["modified"], drift.details["deleted"]) == (1, 1, 1)


@pytest.mark.parametrize("part", ["rows.db", "vectors.i8", "lexical.bin", "files.jsonl"])
def test_damage_is_found_although_it_was_verified_before(made: Workspace, part: str) -> None:
    """Health verifies in full: a remembered check does not count."""
    health(made.root, made.config, made.store)
    path = made.store.path / active.pin(made.store).manifest.segments[0].path / part
    before = path.stat()
    raw = bytearray(path.read_bytes())
    raw[-1] ^= 1
    path.write_bytes(raw)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    report = health(made.root, made.config, made.store)
    assert report.status == "corrupt"
    assert report.check("artifact_integrity").status == "fail"
    assert {check.code for check in report.checks} == CODES


def test_a_snapshot_that_is_named_is_checked_for_itself(made: Workspace) -> None:
    """Damage in a segment that only an older snapshot has is that one's; older than the tree is no fault of it."""
    older = active.pin(made.store).manifest
    made.write({"later.py": "z = 1\n"})
    made.sync(rebuild=True)
    assert health(made.root, made.config, made.store, older.snapshot_id).status == "ok"
    path = made.store.path / older.segments[0].path / "rows.db"
    path.write_bytes(path.read_bytes()[:-1])
    report = health(made.root, made.config, made.store, older.snapshot_id)
    assert (report.status, report.snapshot_id) == ("corrupt", older.snapshot_id)
    assert {check.code for check in report.checks} == CODES
    assert health(made.root, made.config, made.store).status == "ok"
    active.manifest_path(made.store, older.snapshot_id).write_bytes(b"?")
    assert health(made.root, made.config, made.store, older.snapshot_id).check("manifest_present").status == "fail"
    with pytest.raises(SnapshotNotFound):
        health(made.root, made.config, made.store, "01ARZ3NDEKTSV4RRFFQ69G5FAV")


def test_damaged_manifests_and_pointer_are_told_apart(made: Workspace) -> None:
    """A lost pointer is a warning, an unreadable active manifest is corruption."""
    made.store.active_path.unlink()
    assert health(made.root, made.config, made.store).check("manifest_present").status == "warn"
    newest = active.published(made.store)[0][1]
    made.store.active_path.write_text(f"{manifests.read(newest).snapshot_id}\n")
    newest.write_bytes(newest.read_bytes()[:50])
    report = health(made.root, made.config, made.store)
    assert report.status == "corrupt"
    assert {check.code for check in report.checks} == CODES


def test_collisions_unsafe_links_and_many_untracked_files_are_warned_of(made: Workspace) -> None:
    """What the tree itself has wrong is a warning with the paths."""
    made.write({"Case.py": "x = 1\n", "case.py": "x = 2\n", **{f"junk/{n}.py": "y = 1\n" for n in range(30)}})
    (made.path / "escape.py").symlink_to("/etc/hostname")
    report = health(made.root, made.config, made.store)
    assert report.check("casefold_collisions").details["paths"] == [["Case.py", "case.py"]]
    assert report.check("path_safety").details["paths"] == ["escape.py"]
    assert report.check("repo_hygiene").status == "warn"
    assert report.status == "degraded"


def test_the_writer_is_named(made: Workspace) -> None:
    """While someone writes, health says who; a damaged lease is a warning."""
    with hold_lease(made.store):
        check = health(made.root, made.config, made.store).check("lease")
        assert check.details["pid"] == os.getpid()
    lease_path(made.store).write_bytes(b"?")
    assert health(made.root, made.config, made.store).check("lease").status == "warn"


def test_overdue_compaction_is_warned_of(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The policy's limits are measured against the active snapshot."""
    monkeypatch.setattr("everdex.limits.COMPACTION_OVERDUE_SEGMENTS", 2)
    assert health(made.root, made.config, made.store).check("compaction_policy").status == "warn"
    monkeypatch.setattr("everdex.limits.MAX_SEGMENTS_PER_SNAPSHOT", 1)
    assert health(made.root, made.config, made.store).check("compaction_policy").status == "fail"


def test_a_store_without_snapshots_has_no_health(tmp_path: Path) -> None:
    """Nothing published is not damage."""
    empty = workspace(tmp_path / "other")
    with pytest.raises(NotIndexed):
        health(empty.root, empty.config, empty.store)


def test_counts_of_a_segment_are_counted_each(made: Workspace) -> None:
    """Also where two lies about live rows add up to what the snapshot has."""
    segments = msgspec.to_builtins(made.base().segments)
    assert len(segments) == 2
    segments[0]["live_rows"] -= 1
    segments[1]["live_rows"] += 1
    _republish(made, segments=segments)
    found = [(finding.code, finding.subject) for finding in audit(made.store).findings]
    assert found == [("live_rows", segment["segment_id"]) for segment in segments]


@pytest.mark.parametrize(("name", "code"), [("vectors.i8", "vectors"), ("lexical.bin", "lexical_documents")])
def test_vectors_and_words_of_fewer_rows_are_findings(made: Workspace, name: str, code: str) -> None:
    """Parts of a segment that do not belong together are told apart, each whole in itself."""
    first, newest = (made.store.path / segment.path / name for segment in made.base().segments)
    newest.chmod(0o600)
    newest.write_bytes(first.read_bytes())
    _reseal(made)
    assert code in {finding.code for finding in audit(made.store).findings}
