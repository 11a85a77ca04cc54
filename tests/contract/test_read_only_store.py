"""A store on a file system that may only be read, as in an image or on a disk that went bad: what is there answers."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.commands import everdex
from support.trees import tree


@pytest.fixture
def root(tmp_path: Path, home: Path) -> Iterator[Path]:
    """An indexed tree whose store nobody can write to any more; nobody has read it before."""
    made = tree(tmp_path / "tree", {"a.py": "def load():\n    return 1\n", "b.py": "import a\n\na.load()\n"})
    assert everdex("index", cwd=made).code == 0
    bound = subprocess.run(["mount", "--bind", home, home], capture_output=True, check=False)
    if bound.returncode != 0:
        pytest.skip("mounting needs privileges")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", home], check=True)
        yield made
    finally:
        subprocess.run(["umount", "-l", home], check=True)


@pytest.mark.parametrize(
    "command", ["search load", "symbols load", "index", "status", "files", "health", "audit", "gate a.py", "chunks"]
)
def test_what_is_published_is_read(root: Path, command: str) -> None:
    """No lock, no cache and no memory of a check is worth an answer."""
    done = everdex(*command.split(), cwd=root)
    assert (done.code, "Read-only" in done.err) == (0, False), done.err


@pytest.mark.parametrize("command", ["search fresh", "index", "callers load", "board claim x"])
def test_what_has_to_be_written_says_that_it_cannot(root: Path, command: str) -> None:
    """Stale rows never answer in the place of an edit: the error names the file, and --no-sync is there for the old."""
    (root / "a.py").write_text("def fresh():\n    return 2\n")
    done = everdex(*command.split(), cwd=root)
    assert (done.code, "Read-only file system" in done.err, "Traceback" in done.err) == (70, True, False)
    assert everdex("search", "load", "--no-sync", cwd=root).out.startswith("a.py:1:")
