"""`everdex index` as a person or a script meets it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
from pathlib import Path

import pytest

from everdex.service.index import Index
from everdex.snapshot.lease import hold_lease
from support.commands import COMMAND, everdex, on_terminal
from support.processes import PATIENCE_S, alive, children, running, until
from support.trees import commit_all, run_git, tree

ENVELOPE = {
    "schema_version", "request_id", "store_id", "snapshot_id", "digest", "config_fingerprint", "ignore_fingerprint",
    "query_fingerprint", "git", "degraded", "freshness", "limits_hit", "warnings", "timings_ms",
}  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small git repository."""
    files = {"app.py": "def serve():\n    return 1\n", "lib/util.py": "def helper():\n    return 2\n"}
    return tree(tmp_path / "project", files, git=True)


def test_a_first_index_counts_and_a_second_says_up_to_date_in_one_line(repository: Path) -> None:
    """A warm index without changes prints one line and publishes nothing."""
    first = everdex("index", cwd=repository)
    assert first.code == 0
    assert re.fullmatch(r"indexed: 2 added; now 2 files, 2 chunks, snapshot \w{26}, [\d.]+ m?s\n", first.out)
    second = everdex("index", cwd=repository)
    assert re.fullmatch(r"up to date: 2 files, 2 chunks, snapshot \w{26}, [\d.]+ m?s\n", second.out)
    assert (second.code, second.err) == (0, "")
    assert re.findall(r"\w{26}", second.out) == re.findall(r"\w{26}", first.out)


def test_files_that_turn_out_to_be_no_text_are_told_apart(repository: Path) -> None:
    """What was added and what is indexed add up: a file is known to be binary only once it is read."""
    (repository / "table.py").write_bytes(b"\0\1")
    told = "indexed: 3 added; now 2 files, 2 chunks, 1 file left out by content, snapshot "
    assert everdex("index", cwd=repository).out.startswith(told)


def test_json_is_one_document_in_the_envelope(repository: Path) -> None:
    """`--json` prints one document with the envelope and the counts of what was done."""
    everdex("index", cwd=repository)
    (repository / "app.py").write_text("def serve():\n    return 3\n")
    (repository / "lib/util.py").rename(repository / "lib/moved.py")
    (repository / "new.py").write_text("x = 1\n")
    document = everdex("index", "--json", cwd=repository).json
    assert document.keys() >= ENVELOPE
    assert document["published"] is True
    wanted = {"added": 1, "modified": 1, "deleted": 0, "renamed": 1, "touched": 0, "unchanged": 0}
    assert document["changes"] == wanted
    assert document["counts"]["files_indexed"] == 3
    assert document["freshness"]["state"] == "fresh"
    assert document["git"]["dirty"] is True


def test_dry_run_says_what_would_happen_and_writes_nothing(repository: Path, home: Path) -> None:
    """Not even the home directory is made."""
    (repository / "big.bin").write_bytes(b"\0")
    document = everdex("index", "--dry-run", "--json", cwd=repository).json
    assert document["add"] == ["app.py", "lib/util.py"]
    assert document["snapshot_id"] is None
    assert document["skipped"] == {"unsupported_type": 1}
    assert document["bytes_to_index"] == sum((repository / name).stat().st_size for name in document["add"])
    assert not home.exists()
    shown = everdex("index", "--dry-run", cwd=repository)
    assert "add: 2\n  app.py\n" in shown.out
    assert shown.out.endswith("nothing was written\n")
    assert not home.exists()


def test_dry_run_against_an_index_names_every_kind_of_change(repository: Path) -> None:
    """Adds, modifies, deletes and renames are told apart, and the store stays as it was."""
    (repository / "old.py").write_text("old = 1\n")
    before = everdex("index", "--json", cwd=repository).json["snapshot_id"]
    (repository / "app.py").write_text("changed = 1\n")
    (repository / "old.py").unlink()
    (repository / "lib/util.py").rename(repository / "lib/moved.py")
    (repository / "new.py").write_text("new = 1\n")
    document = everdex("index", "--dry-run", "--json", cwd=repository).json
    assert (document["add"], document["modify"], document["delete"]) == (["new.py"], ["app.py"], ["old.py"])
    assert document["rename"] == [{"from": "lib/util.py", "to": "lib/moved.py"}]
    assert everdex("status", "--no-sync", "--json", cwd=repository).json["snapshot_id"] == before


def test_rebuild_publishes_the_same_content_anew(repository: Path) -> None:
    """Two snapshots of the same content share a digest and not an id."""
    first = everdex("index", "--json", cwd=repository).json
    second = everdex("index", "--rebuild", "--json", cwd=repository).json
    assert second["digest"] == first["digest"]
    assert second["snapshot_id"] != first["snapshot_id"]
    assert second["counts"]["chunks_indexed"] == first["counts"]["chunks_indexed"]


def test_home_and_the_file_system_are_refused_without_force(tmp_path: Path, home: Path) -> None:
    """$HOME and / are indexed only by those who mean it; then reading needs no more force."""
    nest = tree(tmp_path / "nest", {"a.py": "nested = 1\n"})
    environment = {"HOME": os.fspath(nest)}
    for path in ("/", nest):
        refused = everdex("index", path, "--json", env=environment)
        assert (refused.code, refused.json["error"]["code"]) == (2, "root_refused")
    assert not home.exists()
    assert everdex("search", "nested", nest, env=environment).code == 2
    assert everdex("index", "--force-root", nest, env=environment).code == 0
    assert everdex("search", "--mode", "literal", "nested", nest, env=environment).out == "a.py:1:nested = 1\n"


@pytest.mark.parametrize(
    ("config", "named"),
    [
        ("[index]\nspeed = 9\n", "index.speed"),
        ("[index]\nmax_file_size_bytes = 99999999999\n", "1 to 10485760"),
        ("not toml", "not valid TOML"),
    ],
)
def test_a_bad_configuration_is_named(repository: Path, config: str, named: str) -> None:
    """Exit code 2 and a message that names the key and the bound."""
    (repository / ".everdex.toml").write_text(config)
    done = everdex("index", "--json", cwd=repository)
    assert done.code == 2
    assert done.json["error"]["code"] == "config_invalid"
    assert named in done.json["error"]["message"]


def test_a_sync_over_the_byte_limit_is_refused(repository: Path) -> None:
    """The limit is named, and nothing is published."""
    (repository / ".everdex.toml").write_text("[index]\nmax_bytes_per_sync = 10\n")
    done = everdex("index", cwd=repository)
    assert done.code == 2
    assert "index.max_bytes_per_sync" in done.err


def test_colliding_names_are_refused_unless_degraded_is_allowed(repository: Path) -> None:
    """Strict by default: exit code 15 names both paths."""
    (repository / "App.py").write_text("other = 1\n")
    refused = everdex("index", "--json", cwd=repository)
    assert (refused.code, refused.json["error"]["code"]) == (15, "path_collision")
    assert "App.py, app.py" in refused.json["error"]["message"]
    assert everdex("index", "--allow-degraded", cwd=repository).code == 0


def test_a_second_writer_is_told_that_it_is_busy(repository: Path) -> None:
    """Exit code 10 with a time to try again; a search meanwhile answers from what there is and says it is stale."""
    everdex("index", cwd=repository)
    (repository / "new.py").write_text("brand_new = 1\n")
    with hold_lease(Index.open(repository).store()):
        busy = everdex("index", "--json", cwd=repository)
        found = everdex("search", "--mode", "literal", "def ", "--json", cwd=repository).json
    assert (busy.code, busy.json["error"]["code"]) == (10, "busy")
    assert busy.json["error"]["retry_after_ms"] > 0
    assert found["freshness"]["state"] == "stale"
    assert found["freshness"]["dirty_count"] == 1
    assert len(found["results"]) == 2


@pytest.mark.parametrize(
    "command", [["index"], ["compact", "--force"], ["gc", "--apply"], ["repair"], ["upgrade-store"]], ids=lambda c: c[0]
)
def test_a_writer_that_is_soon_done_costs_nobody_an_error(repository: Path, command: list[str]) -> None:
    """A daemon indexes each edit unasked: who writes on a user's word meanwhile comes after it, and is not `busy`."""
    everdex("index", cwd=repository)
    (repository / "new.py").write_text("brand_new = 1\n")
    with hold_lease(Index.open(repository).store()):
        process = subprocess.Popen([*COMMAND, *command], cwd=repository, stdout=subprocess.DEVNULL)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
    assert process.wait(timeout=PATIENCE_S) == 0


def test_wait_outlasts_another_writer(repository: Path) -> None:
    """`--wait` indexes as soon as the other writer is done."""
    everdex("index", cwd=repository)
    (repository / "new.py").write_text("brand_new = 1\n")
    process = None
    with hold_lease(Index.open(repository).store()):
        process = subprocess.Popen([*COMMAND, "index", "--wait"], cwd=repository, stderr=subprocess.PIPE, text=True)
        assert process.stderr is not None
        assert process.stderr.readline() == "waiting for another writer\n"
    assert process.wait(timeout=PATIENCE_S) == 0
    process.stderr.close()
    assert everdex("search", "--mode", "literal", "brand_new", cwd=repository).code == 0


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, home: Path) -> None:
    """Exit code 12, no staging, no lease, no workers, and the next index is complete."""
    body = "".join(f"def function_{number}():\n    return {number}\n" for number in range(400))
    files = {f"package/module_{number}.py": body for number in range(250)}
    root = tree(tmp_path / "large", files)
    # Whoever is started in the background ignores interrupts, and so does what it starts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [*COMMAND, "index"], cwd=root, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    signal.signal(signal.SIGINT, before)
    assert process.stderr is not None
    assert process.stderr.readline() == "indexing 250 files\n"
    workers = until(lambda: running("worker_main", children(process.pid)), "workers")
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out) == (12, "")
    assert err.startswith("everdex: interrupted\n")
    assert "Traceback" not in err
    (store,) = (home / "data").iterdir()
    assert list((store / "staging").iterdir()) == []
    until(lambda: not any(map(alive, workers)), "the workers' end")
    assert everdex("status", "--json", cwd=root).json["error"]["code"] == "not_indexed"


def test_progress_on_a_terminal_shows_phase_count_and_rate(tmp_path: Path) -> None:
    """A bar while there is something to wait for, and only the result when it is done."""
    body = "".join(f"def function_{number}():\n    return {number}\n" for number in range(120))
    root = tree(tmp_path / "many", {f"module_{number}.py": body for number in range(120)})
    seen = on_terminal("index", "--workers", "1", cwd=root)
    assert seen.code == 0
    assert "indexing" in seen.out
    assert "/120" in seen.out
    assert "indexed: 120 added; now 120 files" in seen.out.splitlines()[-1]


def test_without_a_terminal_progress_is_at_most_one_line(tmp_path: Path) -> None:
    """A log file does not fill with bars."""
    root = tree(tmp_path / "many", {f"module_{number}.py": "x = 1\n" for number in range(60)})
    assert everdex("index", cwd=root).err == "indexing 60 files\n"


def test_a_worktree_has_its_own_store(repository: Path, tmp_path: Path) -> None:
    """Two directories never share a store, and a path inside a repository means the repository."""
    commit_all(repository)
    other = tree(tmp_path / "other" / "project", {"app.py": "x = 1\n"})
    one = everdex("index", repository / "lib", "--json").json
    two = everdex("index", other, "--json").json
    assert one["canonical_root"] == os.fspath(repository)
    assert one["store_id"] != two["store_id"]


def test_two_writers_at_once_one_publishes_the_other_is_busy_or_finds_it_done(repository: Path) -> None:
    """Concurrent first indexes end in one snapshot and no error but `busy`."""
    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(everdex("index", cwd=repository).code)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(set(codes)) in ([0], [0, 10])
    assert everdex("status", "--json", cwd=repository).json["seq"] == 1


def test_quiet_says_nothing_but_errors(tmp_path: Path) -> None:
    """For hooks: an index is made without a word, and a refusal still has one."""
    root = tree(tmp_path / "project", {f"f{number}.py": "x = 1\n" for number in range(40)})
    done = everdex("index", "--quiet", root)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert everdex("status", "--json", root).json["counts"]["files_indexed"] == 40
    refused = everdex("index", "--quiet", tmp_path / "none")
    assert (refused.code, refused.err.startswith("everdex: ")) == (2, True)


def test_what_one_may_look_for_in_vain_is_said(tmp_path: Path) -> None:
    """Code in a submodule, in a repository inside, or too large is not in the index, and `index` says so every time."""
    part = tree(tmp_path / "part", {"p.py": "part = 1\n"}, git=True)
    limited = "[index]\nmax_file_size_bytes = 1000\n"
    root = tree(tmp_path / "tree", {"a.py": "x = 1\n", ".everdex.toml": limited}, git=True)
    assert "not in the index" not in everdex("index", cwd=root).err
    run_git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", part, "sub")
    tree(root / "inner", {"i.py": "x = 2\n"}, git=True)
    (root / "long.py").write_text("x = 1\n" * 1000)
    told = "not in the index: 1 submodule, 1 folder with its own repository, 1 file above the size limit; "
    for _ in range(2):
        assert everdex("index", cwd=root).err.startswith(told)
    assert everdex("index", "--quiet", cwd=root).err == ""
