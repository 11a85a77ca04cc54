"""Looking after a store from the command line: damage, repair, collection, compaction, sharing."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from everdex.service.index import Index
from support.commands import everdex
from support.stores import rewritten
from support.trees import tree


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    files = {f"module_{number}.py": f"def function_{number}():\n    return {number}\n" for number in range(5)}
    return tree(tmp_path / "project", files, git=True)


def _store(repository: Path) -> Path:
    return Index.open(repository).store().path


def _artifacts(store: Path) -> list[Path]:
    return sorted(path for path in (store / "segments").rglob("*") if path.is_file())


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0x10
    mode = path.stat().st_mode
    path.chmod(0o600)
    path.write_bytes(data)
    path.chmod(stat.S_IMODE(mode))


@pytest.mark.parametrize("name", ["rows.db", "vectors.i8", "lexical.bin", "files.jsonl"])
def test_a_flipped_bit_is_corrupt_and_repair_mends_it(repository: Path, name: str) -> None:
    """Exit code 14 instead of a wrong answer; after `repair` the answers are as before."""
    before = everdex("search", "function", "--json", cwd=repository).json["results"]
    (damaged,) = (path for path in _artifacts(_store(repository)) if path.name == name)
    _flip(damaged)
    broken = everdex("search", "function", "--json", cwd=repository)
    assert (broken.code, broken.json["error"]["code"]) == (14, "corrupt")
    assert everdex("health", cwd=repository).code == 14
    dry = everdex("repair", "--dry-run", "--json", cwd=repository).json
    assert dry["scope"] == "files"
    assert everdex("search", "function", cwd=repository).code == 14
    assert everdex("repair", cwd=repository).code == 0
    assert everdex("search", "function", "--json", cwd=repository).json["results"] == before
    assert everdex("health", "--json", cwd=repository).json["status"] in ("ok", "degraded")
    assert everdex("audit", "--json", cwd=repository).json["clean"] is True


def test_a_newer_schema_is_refused_by_name(repository: Path) -> None:
    """Exit code 13 names the artifact and the version; upgrade-store refuses as well and changes nothing."""
    everdex("index", cwd=repository)
    store = _store(repository)
    assert everdex("upgrade-store", "--json", cwd=repository).json["status"] == "up_to_date"
    for path in (store / "manifests").iterdir():
        rewritten(path, schema_version=99)
    for command in (("search", "function"), ("index",), ("upgrade-store",)):
        done = everdex(*command, "--json", cwd=repository)
        assert (done.code, done.json["error"]["code"]) == (13, "incompatible")
        assert "manifest has schema version 99" in done.json["error"]["message"]


def test_gc_is_a_dry_run_unless_told(repository: Path, home: Path) -> None:
    """Without --apply nothing goes; with it nothing that a retained snapshot needs."""
    for number in range(8):
        (repository / "module_0.py").write_text(f"value = {number}\n")
        everdex("index", cwd=repository)
    everdex("search", "value", cwd=repository)  # whoever looks takes the readers' lock; so does a dry run
    before = sorted(home.rglob("*"))
    dry = everdex("gc", "--json", cwd=repository).json
    assert dry["dry_run"] is True
    assert sorted(home.rglob("*")) == before
    assert everdex("gc", "--apply", cwd=repository).code == 0
    assert everdex("audit", cwd=repository).code == 0
    assert everdex("search", "--mode", "literal", "value = 7", cwd=repository).code == 0


def test_compaction_changes_no_answer(repository: Path) -> None:
    """`compact --force` leaves one segment, no tombstones, and the same results to the last score."""
    everdex("index", cwd=repository)
    (repository / "module_1.py").write_text("def function_1():\n    return 'changed'\n")
    everdex("index", cwd=repository)
    (repository / "module_2.py").unlink()
    (repository / "module_3.py").rename(repository / "renamed.py")
    before = everdex("search", "function return", "--json", cwd=repository).json
    report = everdex("compact", "--force", "--json", cwd=repository).json
    assert (report["compacted"], report["segments_after"], report["tombstones_after"]) == (True, 1, 0)
    after = everdex("search", "function return", "--json", cwd=repository).json
    assert after["results"] == before["results"]
    assert after["snapshot_id"] != before["snapshot_id"]
    assert after["digest"] == before["digest"]
    assert everdex("compact", "--force", "--json", cwd=repository).json["compacted"] is False


def test_stores_lists_every_store_and_gc_keeps_the_current_one(repository: Path, tmp_path: Path) -> None:
    """Whole stores go only when unused for long and not the one of PATH."""
    other = tree(tmp_path / "other", {"a.py": "x = 1\n"})
    mine = everdex("index", repository, "--json").json["store_id"]
    theirs = everdex("index", other, "--json").json["store_id"]
    listed = everdex("stores", "--json").json["stores"]
    assert {item["store_id"]: item["canonical_root"] for item in listed} == {mine: str(repository), theirs: str(other)}
    kept = everdex("gc", "--stores", "--apply", "--json", cwd=repository).json
    assert {item["store_id"]: item["reason"] for item in kept["kept"]} == {mine: "current", theirs: "recent"}
    gone = everdex("gc", "--stores", "--apply", "--unused-days", "0", "--json", cwd=repository).json
    assert [item["store_id"] for item in gone["deleted"]] == [theirs]
    assert [item["store_id"] for item in everdex("stores", "--json").json["stores"]] == [mine]


def test_a_shared_store_leaves_untracked_files_out(repository: Path, tmp_path: Path) -> None:
    """Opt-in by --shared-store: group permissions, tracked files only, and reading needs the same option."""
    shared = tmp_path / "shared"
    (repository / "scratch.py").write_text("scratch = 1\n")
    document = everdex("index", "--shared-store", shared, "--json", cwd=repository).json
    assert (document["counts"]["files_indexed"], document["git"]["untracked_included"]) == (5, False)
    assert stat.S_IMODE(shared.stat().st_mode) == 0o2770
    assert everdex("search", "--shared-store", shared, "function", cwd=repository).code == 0
    assert everdex("search", "--mode", "literal", "scratch", "--shared-store", shared, cwd=repository).code == 1
    assert everdex("status", "--shared-store", shared, "--json", cwd=repository).json["shared"] is True
    assert everdex("status", cwd=repository).code == 2
    (repository / ".everdex.toml").write_text('[index]\nexclude = ["module_1.py"]\n')
    mismatch = everdex("index", "--shared-store", shared, "--json", cwd=repository)
    assert (mismatch.code, mismatch.json["error"]["code"]) == (13, "incompatible")


def test_a_shared_store_says_when_it_holds_what_nobody_committed(repository: Path, tmp_path: Path) -> None:
    """STORE: `git.dirty` is set, and status and health warn, until a clean tree is published."""
    shared = ("--shared-store", tmp_path / "shared")
    everdex("index", *shared, cwd=repository)
    assert everdex("status", *shared, "--json", cwd=repository).json["warnings"] == []
    (repository / "module_1.py").write_text("def uncommitted():\n    return 1\n")
    assert everdex("index", *shared, "--json", cwd=repository).json["git"]["dirty"]
    assert "uncommitted" in everdex("status", *shared, "--json", cwd=repository).json["warnings"][0]
    checks = {item["code"]: item for item in everdex("health", *shared, "--json", cwd=repository).json["checks"]}
    assert checks["repo_hygiene"]["status"] == "warn"
    assert "uncommitted" in checks["repo_hygiene"]["message"]
    everdex("index", cwd=repository)
    assert everdex("status", "--json", cwd=repository).json["warnings"] == []


def test_reading_a_shared_store_that_is_not_there_makes_none(repository: Path, tmp_path: Path) -> None:
    """A mistyped --shared-store is an error, not a new store."""
    done = everdex("status", "--shared-store", tmp_path / "typo", cwd=repository)
    assert done.code == 2
    assert not os.path.lexists(tmp_path / "typo")
