"""Who may have an indexer run, on what copy of the tree, and what is left when it is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from everdex.errors import ConfigError, IndexerMissing, LimitExceeded, UsageError
from everdex.semantic import mirror
from everdex.semantic.discovery import context_id
from everdex.semantic.tools import TOOLS
from everdex.service import indexing, maintain
from everdex.service.index import Index
from everdex.service.refreshing import RefreshJobs, semantic_answer
from everdex.snapshot.guard import lock_for_life
from everdex.state.jobs import JobStatus
from support.indexers import copying, export_index, put_indexer
from support.scenes import FILES, Scene
from support.stores import synced


def test_a_repository_cannot_have_an_indexer_run(scene: Scene) -> None:
    """Its configuration has no word for it."""
    scene.made.write({".everdex.toml": "[semantic]\nunasked = true\n"})
    with pytest.raises(ConfigError, match="unknown table or key 'semantic'"):
        Index.open(scene.made.path)


def test_a_queued_job_needs_a_daemon_that_may_run_it(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the user's own settings say that one may."""
    with pytest.raises(UsageError, match="may not run indexers"):
        semantic_answer(scene.index, None, None, queue=True)
    monkeypatch.setenv("EVERDEX_SEMANTIC", "1")
    (job,) = semantic_answer(scene.index, None, None, queue=True).to_dict()["jobs"]
    assert job["status"] == "queued"


def test_without_an_indexer_nothing_is_queued(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the program and how to get it."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with pytest.raises(IndexerMissing, match=r"python:\.: scip-python is not installed") as told:
        indexing.enqueue(scene.index)
    assert told.value.hint == "npm install -g @sourcegraph/scip-python"
    (context,) = scene.contexts()["contexts"]
    assert (context["tool"]["path"], context["state"]) == (None, "never")
    assert scene.jobs.next_queued(semantic=True) is None


def test_an_indexer_that_is_gone_by_then_fails_the_job(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A queued job outlives an uninstallation."""
    number = scene.enqueue()
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    done = scene.jobs.run(number)
    assert (done.status, done.error_code) == (JobStatus.FAILED, "indexer_missing")


def test_contexts_without_an_indexer_do_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are told beside the jobs; asked for by name, they are an error."""
    scene = Scene(tmp_path, monkeypatch, {**FILES, "web/package.json": "{}", "web/x.js": "let x = 1\n"})
    numbers, missing = indexing.enqueue(scene.index)
    assert (len(numbers), [error.code for error in missing]) == (1, ["indexer_missing"])
    for name in ("typescript:web", "typescript", "web", context_id("typescript", "web")):
        with pytest.raises(IndexerMissing, match="scip-typescript"):
            indexing.enqueue(scene.index, name)
    with pytest.raises(UsageError, match=r"no context is called 'rust'; there are python:\., typescript:web"):
        indexing.enqueue(scene.index, "rust")


def test_an_indexer_works_on_a_copy_of_the_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it writes where it runs is not in the tree; it reads what was indexed, and packages that are installed."""
    files = {
        "web/tsconfig.json": "{}", "web/x.ts": "let x = 1\n", "web/node_modules/dep/index.d.ts": "export {}\n",
        ".gitignore": "node_modules\n", "lib/core.ts": "export let y = 2\n",
    }  # fmt: skip
    made = synced(tmp_path / "tree", files, git=True)
    index = Index.open(made.path)
    scip = export_index(made.path, tmp_path / "index.scip")
    body = (
        'open("planted.ts", "w")\n'
        'seen = [open("x.ts").read(), open("node_modules/dep/index.d.ts").read(), open("../lib/core.ts").read()]\n'
        f'assert seen == [{files["web/x.ts"]!r}, "export {{}}\\n", {files["lib/core.ts"]!r}], seen\n'
    )
    put_indexer(tmp_path / "bin", monkeypatch, body + copying(scip), name="scip-typescript")
    before = sorted(path.relative_to(made.path) for path in made.path.rglob("*") if ".git/" not in str(path))
    (number,), _ = indexing.enqueue(index)
    done = RefreshJobs(index).run(number)
    assert (done.status, done.error) == (JobStatus.SUCCEEDED, None)
    after = sorted(path.relative_to(made.path) for path in made.path.rglob("*") if ".git/" not in str(path))
    assert before == after


def test_a_directory_that_became_a_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies outside the repository is neither copied nor linked."""
    outside = tmp_path / "outside"
    (outside / "node_modules").mkdir(parents=True)
    made = synced(tmp_path / "tree", {"web/tsconfig.json": "{}", "web/x.ts": "let x = 1\n"})
    scip = export_index(made.path, tmp_path / "index.scip")
    body = 'assert not os.path.lexists("node_modules")\n' + copying(scip)
    put_indexer(tmp_path / "bin", monkeypatch, body, name="scip-typescript")
    (made.path / "web" / "node_modules").symlink_to(outside / "node_modules")
    (number,), _ = indexing.enqueue(Index.open(made.path))
    done = RefreshJobs(Index.open(made.path)).run(number)
    assert (done.status, done.error) == (JobStatus.SUCCEEDED, None)


def test_what_a_killed_indexer_left_is_collected(scene: Scene) -> None:
    """By gc when nobody indexes again, though not while somebody does."""
    left = scene.made.store.scratch / "01ABC" / "tree"
    left.mkdir(parents=True)
    (left / "big.py").write_bytes(bytes(1_000))
    left.chmod(0o500)
    handle = lock_for_life(scene.made.store.indexer_lock, scene.made.store.permissions)
    assert maintain.gc(scene.index, apply=True).to_dict()["staging"] == ()
    os.close(handle)
    told = maintain.gc(scene.index, apply=True).to_dict()
    assert (told["staging"], told["bytes_freed"]) == (("01ABC",), 1_000)
    assert not scene.made.store.scratch.exists()


def test_what_is_nested_beyond_all_measure_is_removed(scene: Scene) -> None:
    """Directories deeper than a path can be long: a run that makes them has failed, and nothing stays of it."""
    nest = "for _ in range(5_000):\n    os.mkdir('d')\n    os.chdir('d')\nos.chmod('.', 0)\n"
    scene.install(f"{nest}open(output, 'w').write('x')")
    done = scene.run()
    assert (done.status, done.error_code) == (JobStatus.FAILED, LimitExceeded.code)
    assert not scene.made.store.scratch.exists()
    left = scene.made.store.scratch / "left"  # as a killed everdex leaves it
    left.mkdir(parents=True)
    subprocess.run([sys.executable, "-c", f"import os\n{nest}"], cwd=left, check=True)
    assert scene.index.status().to_dict()["size_bytes"] > 0
    maintain.gc(scene.index, apply=True)
    assert not scene.made.store.scratch.exists()


def test_a_copy_follows_no_directory_out_of_the_repository(tmp_path: Path) -> None:
    """One may become a link between the look at the tree and the copy."""
    root, outside, copy = (tmp_path / name for name in ("tree", "outside", "copy"))
    (outside / "node_modules").mkdir(parents=True)
    (outside / "package-lock.json").write_text("{}")
    root.mkdir()
    copy.mkdir()
    (root / "web").symlink_to(outside)
    mirror.make(copy, root, ["web/x.ts"], lambda _: b"let x = 1\n", TOOLS["scip-typescript"])
    assert sorted(path.name for path in copy.rglob("*")) == ["web", "x.ts"]


def test_a_failed_context_says_why(scene: Scene) -> None:
    """Its listing has the job, the code and the last words of the indexer."""
    scene.install('sys.exit("no such project")')
    done = scene.run()
    (context,) = scene.contexts()["contexts"]
    assert context["state"] == "failed"
    assert context["error"] == {"job_id": done.id, "code": "indexer_failed", "message": done.error}
    assert str(done.error).endswith("no such project")


def test_a_version_is_asked_for_once(scene: Scene) -> None:
    """As long as the program's file is the same; a damaged memory of it is none."""
    assert scene.contexts()["contexts"][0]["tool"]["version"] == "9.9.9"
    scene.install("import missing")
    kept_versions = scene.made.store.cache / "tools.json"
    for damaged in (b"{", b"[]", b"\xff"):
        kept_versions.write_bytes(damaged)
        assert scene.contexts()["contexts"][0]["tool"]["version"] == "9.9.9"
