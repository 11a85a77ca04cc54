"""A store on a file system that may only be read, as in an image or on a disk that went bad: what is there answers."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.commands import everdex
from support.trees import tree


@pytest.fixture
def root(tmp_path: Path, home: Path) -> Iterator[Path]:
    """An indexed tree whose store nobody can write to any more; nobody has read it before."""
    files = {"a.py": "def load():\n    return 1\n", "b.py": "import a\n\na.load()\n", "pyproject.toml": "[project]\n"}
    made = tree(tmp_path / "tree", files)
    assert everdex("index", cwd=made).code == 0
    assert everdex("refresh", cwd=made).code == 0
    for name in ("graph", "cache"):
        shutil.rmtree(next(home.glob("data/*")) / name)
    bound = subprocess.run(["mount", "--bind", home, home], capture_output=True, check=False)
    if bound.returncode != 0:
        pytest.skip("mounting needs privileges")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", home], check=True)
        yield made
    finally:
        subprocess.run(["umount", "-l", home], check=True)


@pytest.mark.parametrize(
    "command",
    ["search load", "symbols load", "index", "status", "files", "health", "audit", "gate a.py", "chunks", "contexts"],
)
def test_what_is_published_is_read(root: Path, command: str) -> None:
    """No lock, no cache and no memory of a check is worth an answer."""
    done = everdex(*command.split(), cwd=root)
    assert (done.code, "Read-only" in done.err) == (0, False), done.err


@pytest.mark.parametrize("command", ["callers load", "callees b.py", "refs load", "impact load", "map"])
def test_a_graph_that_cannot_be_kept_is_made_for_the_answer(root: Path, home: Path, command: str) -> None:
    """The answer is that of a store that may be written, and says with every question why it takes so long."""
    done = everdex(*command.split(), cwd=root)
    kept = next(home.glob("data/*")) / "graph"
    assert done.err.startswith(f"warning: the graph could not be kept: {kept}: Read-only file system\n")
    assert not kept.exists()
    writable = everdex(*command.split(), cwd=root, env={"EVERDEX_HOME": f"{home}-other"})
    assert (done.code, done.out) == (writable.code, writable.out) == (0, done.out)


def test_a_picture_can_be_had_elsewhere(root: Path, tmp_path: Path) -> None:
    """The store keeps none, and the file that somebody names is written."""
    done = everdex("architecture", "--output", tmp_path / "plan.svg", cwd=root)
    assert (done.code, (tmp_path / "plan.svg").read_bytes()[:5]) == (0, b"<svg ")


def test_what_was_asked_for_is_remembered(root: Path) -> None:
    """Jobs that are over can be read; a new one cannot be noted."""
    assert "job 1: succeeded" in everdex("jobs", cwd=root).out
    assert everdex("refresh", cwd=root).code == 70


@pytest.mark.parametrize("command", ["search fresh", "index", "callers load", "board claim x"])
def test_what_has_to_be_written_says_that_it_cannot(root: Path, command: str) -> None:
    """Stale rows never answer in the place of an edit: the error names the file, and --no-sync is there for the old."""
    (root / "a.py").write_text("def fresh():\n    return 2\n")
    done = everdex(*command.split(), cwd=root)
    assert (done.code, "Read-only file system" in done.err, "Traceback" in done.err) == (70, True, False)
    assert everdex("search", "load", "--no-sync", cwd=root).out.startswith("a.py:1:")


@pytest.mark.parametrize("command", ["callers load", "search load"])
def test_an_edit_that_cannot_be_indexed_names_the_way_around(root: Path, command: str) -> None:
    """A question about a tree that has moved on fails, and its hint says how the last snapshot answers all the same."""
    (root / "c.py").write_text("import a\n\na.load()\n")
    done = everdex(*command.split(), cwd=root)
    assert (done.code, done.out) == (70, "")
    assert "; --no-sync answers from the last snapshot\n" in done.err
    assert everdex(*command.split(), "--no-sync", cwd=root).code == 0
