"""`everdex contexts` and `refresh --semantic`: which projects there are, and having them indexed."""

from __future__ import annotations

from pathlib import Path

import pytest

import everdex as api
from everdex.semantic import keeper
from everdex.service.index import Index
from everdex.surfaces.api.state_model import ContextsAnswer
from support.commands import everdex, on_terminal
from support.daemons import Daemon
from support.indexers import copying, export_index, put_indexer
from support.trees import tree

_FILES = {
    "pyproject.toml": "", "core.py": "def helper(a):\n    return a\n", "app.py": "from core import helper\nhelper(1)\n",
    "web/tsconfig.json": "{}", "web/x.ts": "let x = 1\n", "README.md": "# Hello\n",
}  # fmt: skip


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tree(tmp_path / "project", _FILES, git=True)
    Index.open(made).sync()
    put_indexer(tmp_path / "bin", monkeypatch, copying(export_index(made, tmp_path / "index.scip")))
    return made


def test_contexts_are_listed_with_what_they_need(root: Path, tmp_path: Path) -> None:
    """A line each on a pipe: state, files, and the indexer or how to get it."""
    done = everdex("contexts", cwd=root)
    assert done.code == 0
    assert done.lines == [
        f"python:.: never, 0 of 2 files, scip-python 9.9.9 ({tmp_path}/bin/scip-python)",
        "typescript:web: never, 0 of 1 file, scip-typescript is not installed: "
        "npm install -g @sourcegraph/scip-typescript",
    ]
    assert done.err.splitlines()[-1] == "2 contexts; 3 files in none; the daemon does not run indexers unasked"


def test_contexts_on_a_terminal_are_for_people(root: Path) -> None:
    """Names in a column, the build file and the tool below."""
    shown = on_terminal("contexts", cwd=root)
    lines = [line.rstrip() for line in shown.out.splitlines()]
    assert any("python:." in line and "0 of 2 files" in line for line in lines)
    assert any(line.startswith("  web/tsconfig.json · scip-typescript is not installed") for line in lines)


def test_a_repository_without_build_files_has_none(tmp_path: Path) -> None:
    """Exit code 1, and a word of why."""
    done = everdex("contexts", cwd=tree(tmp_path / "plain", {"a.py": "x = 1\n"}))
    assert (done.code, done.out) == (1, "")
    assert "no contexts" in done.err


def test_having_contexts_indexed(root: Path, tmp_path: Path) -> None:
    """Those with an indexer are, the others are told; a second time there is nothing to do."""
    done = everdex("refresh", "--semantic", cwd=root)
    assert done.code == 0
    assert done.lines == ["job 1: succeeded  python:.  everything  2 files indexed"]
    assert "typescript:web: scip-typescript is not installed" in done.err
    again = everdex("refresh", "--semantic", "--json", cwd=root)
    assert (again.code, again.json["jobs"]) == (1, [])
    (python, _) = everdex("contexts", "--json", cwd=root).json["contexts"]
    assert (python["state"], python["current_files"], python["error"]) == ("current", 2, None)
    assert "python:." in everdex("jobs", cwd=root).out


def test_while_an_indexer_runs_one_can_see_it(root: Path) -> None:
    """A clock on a terminal, a line in a log, and nothing in JSON; only the result stays."""
    seen = on_terminal("refresh", "--semantic=python:.", cwd=root)
    assert "running scip-python for python:." in seen.out
    assert seen.out.splitlines()[-1].endswith("job 1: succeeded  python:.  everything  2 files indexed")
    (root / "app.py").write_text("from core import helper\nhelper(2)\n")
    assert everdex("refresh", "--semantic=python:.", cwd=root).err == "running scip-python for python:.\n"
    (root / "app.py").write_text("from core import helper\nhelper(3)\n")
    assert everdex("refresh", "--semantic=python:.", "--json", cwd=root).err == ""


def test_what_this_kernel_keeps_an_indexer_from_is_told(root: Path) -> None:
    """Before one is run, and of each run."""
    confined = everdex("contexts", "--json", cwd=root).json["confined"]
    (job,) = everdex("refresh", "--semantic=python:.", "--json", cwd=root).json["jobs"]
    assert job["result"]["confined"] == confined == keeper.confinement(connects=False)["confined"]


def test_a_context_is_asked_for_by_name(root: Path) -> None:
    """One that has no indexer, or does not exist, is an error with a hint."""
    missing = everdex("refresh", "--semantic", "typescript:web", cwd=root)
    assert missing.code == 2
    assert "hint: npm install -g @sourcegraph/scip-typescript" in missing.err
    assert everdex("refresh", "--semantic=rust:.", cwd=root).code == 2
    assert everdex("refresh", "--semantic=python:.", "--json", cwd=root).json["jobs"][0]["context"] == "python:."


def test_a_failed_indexer_is_a_failed_command(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its last words; and out of time is out of time."""
    put_indexer(tmp_path / "bin", monkeypatch, 'sys.exit("it is \\x1b[31mbroken")')
    done = everdex("refresh", "--semantic", cwd=root)
    assert done.code == 70
    assert r"indexer_failed: scip-python ended with 1: it is \x1b[31mbroken" in done.out
    put_indexer(tmp_path / "bin", monkeypatch, "time.sleep(600)")
    done = everdex("refresh", "--semantic", "--budget", "1500", cwd=root)
    assert (done.code, "timeout" in done.out) == (11, True)


def test_only_one_way_at_a_time(root: Path) -> None:
    """Importing an index and running an indexer are two requests."""
    assert everdex("refresh", "--semantic", "--scip", "x.scip", cwd=root).code == 2


def test_what_was_imported_from_elsewhere_is_listed_too(root: Path, tmp_path: Path) -> None:
    """As a context without a project of ours."""
    assert everdex("refresh", "--scip", tmp_path / "index.scip", cwd=root).code == 0
    found = everdex("contexts", "--json", cwd=root).json["contexts"][-1]
    assert (found["state"], found["current_files"] > 0, found["tool"]["path"]) == ("imported", True, None)
    assert everdex("contexts", cwd=root).lines[-1].startswith(f"{found['name']}: imported, ")


def test_every_surface_lists_the_same(root: Path) -> None:
    """The daemon, the command without it, an older snapshot and the Python API."""
    plain = everdex("contexts", "--json", cwd=root).json
    older = everdex("contexts", "--json", "--snapshot", plain["snapshot_id"], cwd=root).json
    assert older["contexts"] == plain["contexts"]
    with api.open(root, daemon=False) as index:
        answer = index.contexts()
        assert isinstance(answer, ContextsAnswer)
        assert [context.name for context in answer.contexts] == ["python:.", "typescript:web"]
        (job,) = index.refresh_semantic("python")
        assert (job.status, job.context) == ("succeeded", "python:.")
    with Daemon(root):
        text, document = everdex("contexts", cwd=root), everdex("contexts", "--json", cwd=root)
        assert text.lines[0].startswith("python:.: current, 2 of 2 files")
        assert document.json["contexts"] == everdex("contexts", "--json", "--offline", cwd=root).json["contexts"]
        assert "run only when asked for" in everdex("status", cwd=root).out
