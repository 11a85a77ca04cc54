"""docs/seeds.md is true: every section has a row, every row names files and tests that exist; and what the
specifications fix by number or by field is fixed here."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from everdex import limits
from everdex.canvas import meta
from everdex.identity.symbols import ChunkRef, SymbolRef
from everdex.segment.model import ChunkRow
from everdex.service.describe import chunk_map
from everdex.snapshot.lease import LeaseFile
from everdex.snapshot.state import StateFile
from everdex.view import open_view
from support.stores import synced

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "seeds.md").read_text()
ROWS = re.findall(r"^\| (.+) \| (.+) \| (.+) \| (.*?) ?\|$", PAGE, re.MULTILINE)

# The headings of the specifications that ask for something; the specifications themselves are not in the repository.
SECTIONS = {
    "STORE": """
        Requirement IDs; Canonical Root And Store Identity; Repo SSOT Config And Fingerprint Inputs; Hard Safety Limits;
        Defaults; On-Disk Layout; Permissions; Artifact caches; Atomic publish; Manifest Schema;
        Manifest is self-contained; Degraded errors schema; Artifact Integrity; Compatibility matrix; Upgrade workflow;
        Downgrade policy; LanceDB Physical Strategy; Segment naming; Storage Engine Semantics; Chunk Row Schema;
        Tombstones And The Live View; Tombstone artifact format; File Eligibility; Canonical path_key;
        Out-of-root enforcement; Symlink loop defense; Casefold collision detection; Unicode normalization;
        Repo State Semantics; Change Detection; Stable File Reads; Hashes and IDs; Embed cache key;
        Artifact Determinism; Strict Publish; index_state.json Schema; writer_lease.json Schema; Integrity Checks;
        Audit; Corruption Handling And Repair; Incremental repair mapping; Reader Model And Cross-Process GC Safety;
        Retention, GC, And Orphan Cleanup; Store Lifecycle Management; CI And Test Budgets""",
    "INDEX": """
        Architecture; Semantic layer; Freshness Axis; Certainty Axis; Combined State and Mutation Behavior;
        State Computation; Commit Order; Fresh HEAD at Import Time; RefreshScope and Scope Lattice;
        Monotonic Widening; SQLite Schema; Occurrence anchors; Decision cache; Key Interfaces;
        Correctness Invariants""",
    "IDENTITY": """
        3.1 docId; 3.2 chunkId; 3.3 chunkUid; 3.3.2 Collision handling; 4.1 metaV2 required fields;
        4.2 Mapping artifacts; 5.2 to 5.4 symbolKey, signatureKey, scopedId; 5.5 symbolId;
        6.1, 6.2 ChunkRef and SymbolRef; 6.3 Unresolved and ambiguous references; 7 Join precedence rules;
        9.1 chunkuid-stability-lineshift; 9.2 chunkuid-collision-disambiguation; 9.3 symbolref-envelope-required;
        9.4 join-precedence""",
    "DIGEST": """
        graph_meta.json; Ownership model; Merkle tree definition; Stat reuse; Architecture images; Call-edge cache;
        One lock, one writer; Stale-writer prevention; Quality rules; Hooks changes""",
    "REFRESH": """
        1 Change detection; 2 Refresh scheduler; 3 Incremental parse update; 4 Incremental call-edge update;
        5 Freshness gates for impact rendering; 6 Persistence and cross-process safety; 7 Observability;
        Stable function IDs; Tests; Option B: daemon""",
    "DESIGN": """
        Where the specifications disagree; The way through the house; The store; The resolver;
        Query contract: every answer; Query contract: errors and exit codes; Daemon contract; The command line""",
}


def _rows() -> list[tuple[str, str, str, str]]:
    return [row for row in ROWS if row[0] != "section" and not row[0].startswith("---")]


@cache
def _tests(path: Path) -> frozenset[str]:
    return frozenset(node.name for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef))


def test_every_section_has_its_row_once() -> None:
    """Under each specification the sections that ask for something, in its order."""
    for name, listed in SECTIONS.items():
        body = PAGE.partition(f"\n## {name}")[2].partition("\n## ")[0]
        titles = [row[0] for row in re.findall(r"^\| (.+?) \| (.+) \|$", body, re.MULTILINE)][1:]
        assert titles == [" ".join(title.split()) for title in listed.split(";")], name


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row[0])
def test_every_row_names_what_exists(row: tuple[str, str, str, str]) -> None:
    """The files it is done in, and the test that shows it; a row without a test says nothing."""
    _, done_in, shown_by, _ = row
    for name in re.findall(r"`([\w/.]+)`", done_in):
        assert (ROOT / "src" / "everdex" / name).is_file() or (ROOT / name).is_file(), name
    assert re.search(r"`|\]\(", done_in)
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", shown_by)
    assert len(named) == 1
    path, test = ROOT / named[0][0], named[0][1]
    assert path.is_file(), path
    assert not test or test in _tests(path), f"{path.name} has no {test}"


def test_the_limits_are_those_of_the_specification() -> None:
    """STORE's hard limits and defaults, and the numbers that DESIGN gives the daemon."""
    assert {name: getattr(limits, name) for name in STORED} == STORED


STORED = {
    "MAX_FILE_SIZE_BYTES": 10_485_760, "MAX_CHUNKS_PER_FILE": 2_000, "MAX_BYTES_PER_SYNC": 268_435_456,
    "RETAIN_SNAPSHOTS_MIN": 5, "RETAIN_SNAPSHOTS_MIN_AGE_S": 600, "STAGING_TTL_S": 1_800,
    "GC_SAFETY_MARGIN_MS": 120_000, "LEASE_TTL_MS": 120_000, "MAX_SEGMENTS_PER_SNAPSHOT": 64,
    "MAX_TOTAL_SEGMENTS_REFERENCED": 256, "MAX_TOMBSTONES_PER_SNAPSHOT": 250_000,
    "COMPACTION_OVERDUE_SEGMENTS": 48, "COMPACTION_OVERDUE_TOMBSTONES": 200_000, "MAX_SYMLINK_HOPS": 32,
    "STORE_UNUSED_DAYS": 30, "DAEMON_RECONCILE_S": 300, "MAX_REQUEST_BYTES": 1 << 20,
    "MAX_RESPONSE_BYTES": 10 << 20, "DAEMON_WORKERS": 8, "DAEMON_QUEUE": 32, "DAEMON_PER_CLIENT": 4,
    "QUERY_TIMEOUT_MS": 60_000, "MAX_SOCKET_PATH_BYTES": 100, "MAX_RESULTS": 200, "MAX_RESULTS_PER_FILE": 50,
    "MAX_CANDIDATES": 10_000, "MAX_SNIPPET_BYTES": 32 << 10, "MAX_SNIPPET_BYTES_TOTAL": 1 << 20,
    "MAX_CHUNK_LINES": 75, "MAX_CHUNK_CHARS": 2_000, "GUARD_TTL_MS": 10_000, "GUARD_WAIT_MS": 5_000,
    "GUARD_POLL_MS": 25,
}  # fmt: skip


def test_a_row_has_every_column_of_the_specification(tmp_path: Path) -> None:
    """STORE's ChunkRow: the required columns (the embedding lies beside), unique where it says so."""
    made = synced(tmp_path / "tree", {"a.py": "def f():\n    pass\n\n\ndef g():\n    pass\n", "b.md": "# T\n\ntext\n"})
    required = {
        "row_id", "chunk_id", "path_key", "path_key_ci", "ordinal", "file_hash", "chunk_hash", "chunker_version",
        "kind", "text", "start_line", "end_line", "byte_start", "byte_end", "language",
    }  # fmt: skip
    assert required <= set(ChunkRow.__struct_fields__)
    with open_view(made.store) as view:
        rows = [document.row for path in view.paths for document in view.documents_of(path)]
        assert len({(row.path_key, row.ordinal) for row in rows}) == len({row.row_id for row in rows}) == len(rows) > 1
        assert all(getattr(row, name) not in ("", None) for row in rows for name in required - {"language"})
        snapshot = view.manifest.snapshot_id
        assert [item.segment_id for item in view.manifest.segments] == [f"seg_{snapshot}_0"]


def test_files_of_a_store_have_every_field_of_the_specification() -> None:
    """index_state.json, writer_lease.json and graph_meta.json, field by field."""
    assert set(StateFile.__struct_fields__) == {
        "schema_version", "store_id", "canonical_root", "config_fingerprint", "ignore_fingerprint",
        "active_snapshot_id", "git", "last_sync_at", "last_result",
    }  # fmt: skip
    assert set(LeaseFile.__struct_fields__) >= {
        "schema_version", "owner_id", "pid", "hostname", "started_at", "last_heartbeat_at", "lease_epoch",
        "lease_ttl_ms", "staging_txn_id",
    }  # fmt: skip
    assert set(meta.GraphMeta.__struct_fields__) >= {
        "version", "project_path", "generated_at", "parser", "merkle", "graph", "architecture", "updated_by",
    }  # fmt: skip
    assert set(meta.GraphPart.__struct_fields__) == {"digest", "stats", "parse_summary", "quality", "symbol_files"}


def test_every_chunk_has_the_required_meta_fields(tmp_path: Path) -> None:
    """IDENTITY §4.1, and `collisionOf` exactly where two chunks are the same in the same surroundings."""
    twin = "x = 1\n" * 40
    made = synced(tmp_path / "tree", {"a.md": f"# A\n\n{twin}\n" * 8, "b.py": "y = 2\n"})
    with open_view(made.store) as view:
        metas = [item["metaV2"] for item in chunk_map(view, meta=True)]
    required = {"chunkId", "chunkUid", "chunkUidAlgoVersion", "spanHash", "preHash", "postHash"}
    assert metas
    for found in metas:
        assert set(found) - {"collisionOf"} == required
        assert found["chunkUidAlgoVersion"] == "v1"
        assert re.fullmatch(r"cu:v1:xxh64:[0-9a-f]{16}(:c\d+)?", found["chunkUid"])
        assert (":c" in found["chunkUid"]) == ("collisionOf" in found)
    assert any("collisionOf" in found for found in metas)


def test_references_leave_in_envelopes_with_every_field() -> None:
    """IDENTITY §6.1 and §6.2."""
    chunk = ChunkRef(1, "cu", "chunk_1", "a.py", None, 0, 4)
    assert set(chunk.to_dict()) == {"docId", "chunkUid", "chunkId", "file", "segmentId", "range"}
    symbol = SymbolRef("sk:v1:0", symbol_id="scip:x", defining_chunk=chunk).to_dict()
    assert set(symbol) == {
        "symbolId", "scopedId", "symbolKey", "signatureKey", "kind", "qualifiedName", "languageId", "definingChunk",
        "evidence",
    }  # fmt: skip
    assert symbol["evidence"] == {"scheme": "scip", "confidence": "high"}
