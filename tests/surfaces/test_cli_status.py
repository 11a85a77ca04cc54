"""`everdex status` and `everdex chunks`: what the store holds, in words and in JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everdex.service.index import Index
from everdex.snapshot.lease import hold_lease
from support.commands import everdex
from support.trees import run_git, tree


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    body = "".join(f"def function_{number}(value):\n    return value + {number}\n\n\n" for number in range(60))
    return tree(tmp_path / "project", {"app.py": body, "README.md": "# T\n\n```python\nx = 1\n```\n"}, git=True)


def test_status_of_an_unknown_repository_is_not_indexed(repository: Path, home: Path) -> None:
    """Exit code 2, a hint, and nothing is made."""
    done = everdex("status", cwd=repository)
    assert done.code == 2
    assert done.err == f"everdex: {repository} has no index yet\nhint: run `everdex index` first\n"
    assert not home.exists()


def test_status_tells_store_snapshot_git_and_limits(repository: Path, home: Path) -> None:
    """Everything a person asks about an index, from one document."""
    indexed = everdex("index", "--json", cwd=repository).json
    document = everdex("status", "--json", cwd=repository).json
    assert document["canonical_root"] == str(repository)
    assert document["store_path"] == str(home / "data" / document["store_id"])
    assert document["snapshot_id"] == document["active_snapshot_id"] == indexed["snapshot_id"]
    assert (document["seq"], document["segments"], document["tombstones"]) == (1, 1, 0)
    assert document["digest"] == indexed["digest"]
    assert document["git"]["head_sha"] == run_git(repository, "rev-parse", "HEAD").strip()
    assert document["counts"]["files_indexed"] == 2
    assert [item["snapshot_id"] for item in document["snapshots"]] == [indexed["snapshot_id"]]
    assert document["size_bytes"] > 0
    assert document["freshness"]["state"] == "fresh"
    assert document["writer"] is None
    assert document["limits"]["max_file_size_bytes"] == 10_485_760


def test_status_lists_the_older_snapshots_that_can_be_asked(repository: Path) -> None:
    """`--snapshot` takes one of them, and a hint sends people here."""
    old = everdex("index", "--json", cwd=repository).json["snapshot_id"]
    (repository / "app.py").write_text("x = 1\n")
    everdex("index", cwd=repository)
    retained = everdex("status", cwd=repository).out.partition("retained")[2]
    assert retained.split()[:3] == ["2", "snapshots", f"{old},"]


def test_status_checks_the_tree_unless_told_not_to(repository: Path) -> None:
    """A change makes it stale, with counts; --no-sync does not look; nothing is indexed either way."""
    before = everdex("index", "--json", cwd=repository).json["snapshot_id"]
    (repository / "new.py").write_text("x = 1\n")
    (repository / "README.md").unlink()
    document = everdex("status", "--json", cwd=repository).json
    assert document["freshness"]["state"] == "stale"
    assert document["freshness"]["dirty_count"] == 2
    assert document["pending"] == {"add": 1, "modify": 0, "delete": 1, "rename": 0}
    assert document["snapshot_id"] == before
    assert "freshness   stale: 1 to add, 1 to delete" in everdex("status", cwd=repository).lines
    unchecked = everdex("status", "--no-sync", "--json", cwd=repository).json
    assert (unchecked["freshness"]["state"], unchecked["pending"]) == ("unchecked", None)


def test_status_names_the_writer(repository: Path) -> None:
    """Whoever holds the lease is named while it is alive, and only then."""
    everdex("index", cwd=repository)
    with hold_lease(Index.open(repository).store()) as lease:
        writer = everdex("status", "--json", cwd=repository).json["writer"]
    assert writer["lease_epoch"] == lease.epoch
    assert everdex("status", "--json", cwd=repository).json["writer"] is None


def test_status_shows_what_was_skipped_and_what_is_degraded(repository: Path) -> None:
    """Skips by reason, without a word about the content."""
    (repository / "blob.py").write_bytes(b"\0")
    everdex("index", cwd=repository)
    assert "skipped     binary 1" in everdex("status", cwd=repository).lines


def test_chunks_has_exactly_one_line_a_doc_id_in_order(repository: Path) -> None:
    """docIds count from 0, and each line's range is the chunk's bytes."""
    done = everdex("chunks", cwd=repository)
    chunks = [json.loads(line) for line in done.lines]
    assert [chunk["docId"] for chunk in chunks] == list(range(len(chunks)))
    assert len(chunks) == everdex("status", "--json", cwd=repository).json["counts"]["chunks_indexed"]
    assert all(list(chunk) == ["docId", "chunkUid", "chunkId", "file", "segmentId", "start", "end"] for chunk in chunks)
    assert len({chunk["chunkUid"] for chunk in chunks}) == len(chunks)
    assert [chunk["segmentId"] for chunk in chunks if chunk["file"] == "README.md" and chunk["segmentId"]]
    hits = everdex("search", "function_7", "--json", cwd=repository).json["results"]
    for hit in hits:
        chunk = chunks[hit["docId"]]
        assert (chunk["chunkUid"], chunk["chunkId"]) == (hit["chunkUid"], hit["chunkId"])
        assert (chunk["start"], chunk["end"]) == (hit["byte_start"], hit["byte_end"])


def test_chunks_output_is_the_same_bytes_in_a_file(repository: Path, tmp_path: Path) -> None:
    """--output writes what stdout would have, and leaves no temporary behind."""
    target = tmp_path / "out" / "chunk_uid_map.jsonl"
    target.parent.mkdir()
    printed = everdex("chunks", cwd=repository).out
    done = everdex("chunks", "-o", target, cwd=repository)
    assert (done.code, done.out) == (0, "")
    assert target.read_text() == printed
    assert list(target.parent.iterdir()) == [target]
    document = everdex("chunks", "--json", cwd=repository).json
    assert document["chunks"] == [json.loads(line) for line in printed.splitlines()]
    missing = everdex("chunks", "-o", tmp_path / "no" / "such" / "file", cwd=repository)
    assert missing.code == 2
    assert not (tmp_path / "no").exists()


def test_status_proves_what_the_last_refresh_did(tmp_path: Path) -> None:
    """However many edits went before: one refresh, the files read and resolved again, the calls looked for again."""
    root = tree(tmp_path / "calls", {
        "core.py": "def helper():\n    pass\n", "app.py": "from core import helper\n\nhelper()\nhelper()\n",
        "apart.py": "def alone():\n    pass\n\n\nalone()\n",
    })  # fmt: skip
    assert everdex("index", "--json", cwd=root).json["changes"]["added"] == 3
    assert everdex("status", "--json", cwd=root).json["refresh_summary"] is None
    everdex("callers", "helper", cwd=root)
    first = everdex("status", "--json", cwd=root).json["refresh_summary"]
    assert (first["last_refresh_reason"], first["invalidated_edges_count"], first["edges_total"]) == ("no_graph", 0, 3)
    assert (first["defs_updated_files"], first["call_edges_updated_files"]) == (3, 3)
    for name in ("aid", "support"):
        (root / "core.py").write_text(f"def {name}():\n    pass\n")
        everdex("index", cwd=root)
    (root / "apart.py").write_text("x = 1\n")
    behind = everdex("status", "--json", cwd=root).json["refresh_summary"]
    assert (behind["dirty_files_count"], behind["last_refresh_at"]) == (1, first["last_refresh_at"])
    everdex("callers", "support", cwd=root)
    document = everdex("status", "--json", cwd=root).json
    summary = document["refresh_summary"]
    assert (summary["last_refresh_reason"], summary["dirty_files_count"]) == ("changed", 0)
    assert (summary["defs_updated_files"], summary["call_edges_updated_files"]) == (2, 3)
    assert (summary["invalidated_edges_count"], summary["edges_total"]) == (3, 0)
    assert summary["digest"] == document["digest"]
    assert "3 files resolved, 0 calls inside the repository" in everdex("status", cwd=root).out
