"""Where only the content of indexed files differs a sync looks at those, and publishes what a full look would have."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from equivalence.edits import start
from everdex import limits
from everdex.errors import PathCollision
from support.looks import discoveries, happened_beside_an_edit, is_all_seen, same_as_a_full_look, stands_still
from support.stores import Workspace, workspace
from support.trees import commit_all, run_git, tree

_FILES = {
    "main.py": "def main():\n    return 1111\n",
    "deep/er/other.py": "def other():\n    return 2\n",
    "deep/er/broken.py": b"\xff\xfe\x00\x01",
    "picture.png": b"\x89PNG\r\n\x00\x01",
    ".gitignore": "cache/\n*.log\n*.pyc\n",
    "deep/er/run.log": "started\n",
    "deep/er/cache/big.py": "def cached():\n    return 3\n",
    "tool": "#!/usr/bin/env python3\nprint(1)\n",
}


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    found = workspace(tree(tmp_path / "tree", _FILES, git=True))
    found.settle()
    return found


@pytest.fixture
def listings(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every time git is asked for the tree's files."""
    return discoveries(monkeypatch, "start_listing")


def _saved_beside(path: Path, text: str) -> None:
    """As editors save: written under another name, and renamed."""
    beside = path.with_name(f".{path.name}.tmp")
    beside.write_text(text)
    beside.replace(path)


def _same_size_and_time(path: Path) -> None:
    before = path.stat()
    path.write_text(path.read_text().replace("1111", "9999"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


_EDITS: dict[str, Callable[[Path], object]] = {
    "in place": lambda root: (root / "main.py").write_text("def main():\n    return 5\n"),
    "renamed over": lambda root: _saved_beside(root / "deep/er/other.py", "def other():\n    return 6\n"),
    "same size and mtime": lambda root: _same_size_and_time(root / "main.py"),
    "binary becomes text": lambda root: (root / "deep/er/broken.py").write_text("x = 1\n"),
    "text becomes binary": lambda root: (root / "main.py").write_bytes(b"\xff\xfe\x00\x01"),
    "emptied": lambda root: (root / "main.py").write_text(""),
    "a script": lambda root: (root / "tool").write_text("#!/bin/sh\necho 1\n"),
    "two of them": lambda root: [
        path.write_text("y = 2\n") for path in (root / "main.py", root / "deep/er/other.py")
    ],
}  # fmt: skip


@pytest.mark.parametrize("edit", _EDITS.values(), ids=_EDITS)
def test_an_edit_is_published_without_listing_the_tree(
    made: Workspace, tmp_path: Path, listings: list[object], edit: Callable[[Path], object]
) -> None:
    """git is not asked which files there are, however many edits follow, and the snapshot is that of a full look."""
    edit(made.path)
    assert made.sync().published
    assert not made.sync().published
    _saved_beside(made.path / "deep/er/other.py", "def once_more():\n    return 7\n")
    assert made.sync().modified
    assert listings == []
    same_as_a_full_look(made, tmp_path)


def test_a_tree_with_names_that_collide_is_remembered_like_any_other(
    made: Workspace, tmp_path: Path, listings: list[object]
) -> None:
    """What was allowed once costs no full look at a sync, is not forgotten by an edit, and a new one is asked about."""
    made.write({"Main.py": "def twin():\n    return 3\n"})
    made.sync(allow_degraded=True)
    made.settle()
    told = made.base().errors
    assert [error.code for error in told] == ["path_collision"]
    listings.clear()
    assert not made.sync().published
    made.write({"Main.py": "def twin():\n    return 4\n"})
    assert made.sync().modified
    assert not made.sync().published
    assert listings == []
    assert (made.base().errors, made.base().degraded) == (told, True)
    made.write({"TOOL": "#!/bin/sh\necho 2\n"})
    with pytest.raises(PathCollision):
        made.sync()
    made.remove("TOOL")
    made.remove("Main.py")
    made.sync()
    same_as_a_full_look(made, tmp_path)


_OTHERS: dict[str, Callable[[Path], object]] = {
    "new file": lambda root: (root / "deep/er/new.py").write_text("x = 1\n"),
    "new file of a name that was ignored as a directory": lambda root: (
        shutil.rmtree(root / "deep/er/cache"), (root / "deep/er/cache").write_text("#!/bin/sh\n"),
    ),
    "new ignored file": lambda root: (root / "deep/er/other.pyc").write_text("x"),
    "new directory": lambda root: (root / "deep/er/more").mkdir(),
    "new directory with a file": lambda root: tree(root / "deep/er/more", {"a.py": "x = 1\n"}),
    "deleted": lambda root: (root / "deep/er/broken.py").unlink(),
    "renamed": lambda root: (root / "deep/er/broken.py").rename(root / "deep/er/whole.py"),
    "moved directory": lambda root: (root / "deep/er").rename(root / "deep/est"),
    "ignore rule": lambda root: (root / ".gitignore").write_text("*.log\n"),
    "new ignore file": lambda root: (root / "deep/er/.gitignore").write_text("other.py\n"),
    "own ignore file": lambda root: (root / ".everdexignore").write_text("deep/\n"),
    "commit": lambda root: commit_all(root),
    "staged": lambda root: run_git(root, "add", "-A"),
    "untracked from now on": lambda root: run_git(root, "rm", "-q", "--cached", "main.py"),
    "branch": lambda root: run_git(root, "checkout", "-q", "-b", "side"),
    "stashed": lambda root: run_git(
        root, "-c", "user.name=t", "-c", "user.email=t@example.invalid", "stash", "-q", "--include-untracked"
    ),
    "became a repository": lambda root: tree(root / "deep", {}, git=True),
    "became a link": lambda root: (
        (root / "deep/er/other.py").unlink(), (root / "deep/er/other.py").symlink_to("../../main.py"),
    ),
    "became a directory": lambda root: (
        (root / "deep/er/other.py").unlink(), tree(root / "deep/er/other.py", {"a.py": "x = 1\n"}),
    ),
    "not to be read": lambda root: (root / "deep/er/other.py").chmod(0),
    "too large": lambda root: os.truncate(root / "deep/er/other.py", limits.MAX_FILE_SIZE_BYTES + 1),
    "no script any more": lambda root: (root / "tool").write_text("print(1)\n"),
    "a picture": lambda root: (root / "picture.png").write_bytes(b"\x89PNG\r\n\x00\x02"),
    "reverted": lambda root: (root / "main.py").write_bytes(_FILES["main.py"].encode()),  # type: ignore[union-attr]
}  # fmt: skip


@pytest.mark.parametrize("settled", [True, False])
@pytest.mark.parametrize("other", _OTHERS.values(), ids=_OTHERS)
def test_whatever_else_happened_beside_an_edit_is_seen(
    made: Workspace, other: Callable[[Path], object], settled: bool
) -> None:
    """An edit was published from a narrow look; the next sync sees everything else that happened with another edit."""
    happened_beside_an_edit(made, other, settled=settled)
    assert is_all_seen(made)


def test_a_second_write_within_one_tick_is_seen(made: Workspace) -> None:
    """A file that was written a moment before it was looked at is read again, however alike its stamps are."""
    for number in range(20):
        (made.path / "main.py").write_text(f"def main():\n    return {1000 + number}\n")
        made.sync()
        (made.path / "main.py").write_text(f"def main():\n    return {2000 + number}\n")
        made.sync()
        assert f"return {2000 + number}" in made.texts()["main.py"]


def test_a_file_of_the_last_moment_is_looked_at_again(made: Workspace) -> None:
    """Stamped so late that it could change unseen, it ends the standstill until it was seen to be old enough."""
    (made.path / "main.py").write_text("def main():\n    return 5\n")
    soon = time.time_ns() + 3_600 * 10**9
    os.utime(made.path / "main.py", ns=(soon, soon))
    assert made.sync().published
    assert not stands_still(made)


def test_without_an_answer_of_git_the_tree_is_looked_at_in_full(
    made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What HEAD is and whether the tree is dirty is part of a snapshot, and nobody else can tell."""
    monkeypatch.setenv("PATH", "/nonexistent")
    (made.path / "main.py").write_text("def main():\n    return 5\n")
    assert "git" in made.sync().warnings[0]


def test_a_file_with_a_second_name_is_indexed_under_both(tmp_path: Path) -> None:
    """A symlink is indexed under its own name: an edit of what it leads to changes two files."""
    root = tree(tmp_path / "tree", {"main.py": "y = 2\n", "links/other.py": "z = 3\n"}, git=True)
    (root / "links/main.py").symlink_to("../main.py")
    made = workspace(root)
    made.settle()
    (root / "main.py").write_text("y = 4\n")
    assert made.sync().modified == 2
    made.settle()
    (root / "links/other.py").write_text("z = 5\n")
    assert made.sync().modified == 1
    assert made.texts() == {"main.py": "y = 4\n", "links/main.py": "y = 4\n", "links/other.py": "z = 5\n"}


def test_many_edits_are_looked_at_in_full(made: Workspace, listings: list[object]) -> None:
    """A checkout or a formatter that goes over the tree is no handful of edits."""
    made.write({f"many/m{number}.py": f"x = {number}\n" for number in range(100)})
    made.settle()
    listings.clear()
    made.write({f"many/m{number}.py": f"x = {number + 1}\n" for number in range(100)})
    assert made.sync().modified == 100
    assert listings


@pytest.mark.parametrize("git", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_no_edit_goes_unnoticed_after_any_other(tmp_path: Path, seed: int, git: bool) -> None:
    """Random edits, alone or beside another, some at once and some in a tree that stands still: a full look never has
    anything to add."""
    editor = start(tmp_path / "tree", seed, git=git)
    made = workspace(tmp_path / "tree")
    history: list[str] = []
    stood = 0
    for number in range(20):
        if number % 2:
            made.settle()
            stood += stands_still(made)
        history.append(editor.step())
        if number % 3:
            made.sync()
            assert is_all_seen(made), history
        editor.modify()
        made.sync()
        assert is_all_seen(made), history
    assert stood
