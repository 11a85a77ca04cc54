"""A tree that stands still is recognised without asking git, and whatever happens to a tree ends the standstill."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from everdex.sync import glance
from support.looks import is_all_seen, same_as_a_full_look, stands_still
from support.stores import Workspace, workspace
from support.trees import commit_all, run_git, tree

_FILES = {
    "main.py": "def main():\n    return 1111\n",
    "deep/er/other.py": "def other():\n    return 2\n",
    "picture.png": b"\x89PNG\r\n\x00\x01",
    ".gitignore": "cache/\n*.log\n",
    "logs/run.log": "started\n",
    "cache/big.py": "def cached():\n    return 3\n",
    "own/.gitignore": "*\n",
    "own/hidden.py": "def hidden():\n    return 4\n",
}


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    root = tree(tmp_path / "tree", _FILES, git=True)
    (root / "empty").mkdir()
    found = workspace(root)
    found.settle()
    assert stands_still(found)
    return found


def _same_size(root: Path) -> None:
    before = (root / "main.py").stat()
    (root / "main.py").write_text(_FILES["main.py"].replace("1111", "9999"))  # type: ignore[union-attr]
    os.utime(root / "main.py", ns=(before.st_atime_ns, before.st_mtime_ns))


def _move_branch(root: Path) -> None:
    """HEAD keeps its name and the index its bytes; only the branch is another commit."""
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
    other = run_git(root, *identity, "commit-tree", "-m", "x", "HEAD^{tree}")
    run_git(root, "update-ref", "refs/heads/main", other.strip())


_CHANGES: dict[str, Callable[[Path], object]] = {
    "same size and mtime": _same_size,
    "new file": lambda root: (root / "new.py").write_text("x = 1\n"),
    "new file in an empty directory": lambda root: (root / "empty/new.py").write_text("x = 1\n"),
    "new file beside ignored ones": lambda root: (root / "logs/new.py").write_text("x = 1\n"),
    "deleted": lambda root: (root / "deep/er/other.py").unlink(),
    "moved directory": lambda root: (root / "deep").rename(root / "high"),
    "ignore rule": lambda root: (root / ".gitignore").write_text("*.log\n"),
    "ignore file that ignores itself": lambda root: (root / "own/.gitignore").write_text("\n"),
    "own ignore file": lambda root: (root / ".everdexignore").write_text("deep/\n"),
    "picture of a commit": lambda root: (root / "picture.png").write_bytes(b"\x89PNG\r\n\x00\x02"),
    "branch of the same commit moved": _move_branch,
    "file became a link": lambda root: (
        (root / "deep/er/other.py").unlink(), (root / "deep/er/other.py").symlink_to("../../main.py"),
    ),
    "git's index gone": lambda root: (root / ".git/index").unlink(),
    "mode": lambda root: (root / "main.py").chmod(0o755),
}  # fmt: skip


@pytest.mark.parametrize("name", _CHANGES)
def test_every_change_ends_the_standstill(made: Workspace, name: str) -> None:
    """Whatever changes what a look would find is seen, and then the tree is looked at in full."""
    _CHANGES[name](made.path)
    assert not stands_still(made)
    made.sync()
    assert is_all_seen(made)


@pytest.mark.parametrize(
    "name", ["new file", "new file in an empty directory", "new file beside ignored ones", "same size and mtime"]
)
def test_a_change_after_a_standstill_is_indexed(made: Workspace, name: str) -> None:
    """The next sync publishes it."""
    _CHANGES[name](made.path)
    assert made.sync().published


def test_ignored_directories_may_change(made: Workspace) -> None:
    """What git would not list does not count: a build may write where it is ignored."""
    (made.path / "cache/more.py").write_text("x = 1\n")
    (made.path / "cache/deep").mkdir()
    assert stands_still(made)


def test_directories_ignored_only_by_one_person_are_watched(made: Workspace) -> None:
    """`.git/info/exclude` does not count in discovery, so it must not hide a directory here."""
    (made.path / ".git/info/exclude").write_text("private/\n")
    (made.path / "private").mkdir()
    made.settle()
    assert stands_still(made)
    (made.path / "private/mine.py").write_text("x = 1\n")
    assert made.sync().added == 1


def test_a_standing_tree_is_not_asked_about(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """No git process runs, and the report says how many files are unchanged."""
    monkeypatch.setenv("PATH", "/nonexistent")
    report = made.sync()
    assert not report.published
    assert report.unchanged == made.base().counts.files_indexed == 3
    assert report.warnings == ()


def test_our_own_ignore_file_counts_even_where_git_ignores_it(made: Workspace) -> None:
    """git lists neither it nor what it says; written in place, no directory moves."""
    made.write({".gitignore": "cache/\n*.log\n.everdexignore\n", ".everdexignore": "nothing\n"})
    made.settle()
    assert stands_still(made)
    (made.path / ".everdexignore").write_text("deep/\n")
    assert made.sync().deleted == 1


def test_git_may_look_as_often_as_it_likes(made: Workspace) -> None:
    """`git status` takes a lock in .git and leaves everything as it was: no reason to look again."""
    hour_ago = time.time() - 3_600
    for name in run_git(made.path, "ls-files").split():
        os.utime(made.path / name, (hour_ago, hour_ago))  # too old for git to write its index again and again
    run_git(made.path, "status")
    made.settle()
    run_git(made.path, "status")
    assert stands_still(made)
    made.settle()
    assert stands_still(made)


def test_rehashing_is_not_skipped(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who asks for every file to be hashed gets it."""
    asked: list[object] = []
    monkeypatch.setattr(glance, "look", lambda *arguments: asked.append(arguments))
    made.sync(always_rehash=True)
    assert asked == []


def test_files_of_the_last_moment_are_not_trusted(tmp_path: Path) -> None:
    """A tree written just before the look could change again within the same tick: no standstill yet."""
    made = workspace(tree(tmp_path / "tree", _FILES, git=True))
    made.sync()
    soon = time.time() + 3_600  # later than this look, however slow the machine is
    os.utime(made.path / "logs", (soon, soon))
    made.sync()
    assert not stands_still(made)


def test_a_damaged_memory_is_no_memory(made: Workspace) -> None:
    """A flipped bit costs a full look, never a wrong answer; the look writes a new one."""
    path = made.store.cache / "standstill"
    raw = bytearray(path.read_bytes())
    for place in range(0, len(raw), max(1, len(raw) // 40)):
        path.write_bytes(raw[:place] + bytes([raw[place] ^ 4]) + raw[place + 1 :])
        assert not stands_still(made)
    path.write_bytes(raw[: len(raw) // 2])
    assert not stands_still(made)
    made.sync()
    assert stands_still(made)


def test_submodules_are_left_to_git(tmp_path: Path) -> None:
    """Whether a submodule is dirty is decided inside it, so such a tree is always looked at in full."""
    inner = tree(tmp_path / "inner", {"a.py": "x = 1\n"}, git=True)
    root = tree(tmp_path / "tree", {"main.py": "y = 2\n"}, git=True)
    run_git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", os.fspath(inner), "inner")
    commit_all(root)
    made = workspace(root)
    made.settle()
    assert not stands_still(made)


def test_empty_directories_without_end_are_looked_at_in_full(made: Workspace) -> None:
    """git is asked about them level by level, and a hostile tree has thousands of levels: the asking is bounded."""
    made.path.joinpath(*["d"] * 40).mkdir(parents=True)
    made.settle()
    assert not stands_still(made)


def test_nested_repositories_stay_closed(tmp_path: Path) -> None:
    """A repository inside is out of the index, and what happens in it is its own business."""
    root = tree(tmp_path / "tree", {"main.py": "y = 2\n"}, git=True)
    tree(root / "nested", {"a.py": "x = 1\n"}, git=True)
    made = workspace(root)
    made.settle()
    assert stands_still(made)
    (root / "nested/a.py").write_text("x = 1_000\n")
    assert stands_still(made)
    (root / "nested/.git").rename(root / "nested/no-git")
    made.sync()
    assert "nested/a.py" in made.texts()


def test_linked_worktrees_stand_still_too(made: Workspace, tmp_path: Path) -> None:
    """HEAD and index of a linked worktree are elsewhere, and are watched there."""
    run_git(made.path, "worktree", "add", "-q", "-b", "side", os.fspath(tmp_path / "linked"))
    linked = workspace(tmp_path / "linked")
    linked.settle()
    assert stands_still(linked)
    (linked.path / "new.py").write_text("x = 1\n")
    linked.sync()
    linked.settle()
    assert stands_still(linked)
    run_git(linked.path, "add", "new.py")
    assert not stands_still(linked)


_LINKED = ("../main.py", "gone/for/good.py", "later.py", "../links/main.py", ".", "../a.png")


@pytest.mark.parametrize("git", [True, False])
@pytest.mark.parametrize("target", _LINKED)
def test_links_inside_the_tree_are_watched(tmp_path: Path, target: str, git: bool) -> None:
    """A link to a file, to nothing, to a link, a directory or a picture: what it leads to cannot change unnoticed."""
    root = tree(tmp_path / "tree", {"main.py": "y = 2\n", "links/other.py": "z = 3\n", "a.png": b"\x89PNG"}, git=git)
    (root / "links/main.py").symlink_to("../main.py")
    (root / "links/link.py").symlink_to(target)
    made = workspace(root)
    made.settle()
    assert stands_still(made)
    (root / "a.png").unlink()
    (root / "a.png").symlink_to("main.py")
    for path in ("links/gone/for/good.py", "links/later.py", "main.py"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("new = 1\n")
    assert not stands_still(made)
    made.sync()
    same_as_a_full_look(made, tmp_path)


@pytest.mark.parametrize("target", ["../cache/hop.py", "hop/../../main.py", "/main.py"])
def test_links_by_ways_that_nobody_watches_are_looked_at_in_full(made: Workspace, target: str) -> None:
    """Through an ignored directory, up again from somewhere else, or from the top of the machine."""
    (made.path / "deep/link.py").symlink_to(target)
    made.settle()
    assert not stands_still(made)


def test_links_out_of_the_tree_are_looked_at_in_full(tmp_path: Path) -> None:
    """What lies outside is not watched, so nothing is concluded from its silence."""
    root = tree(tmp_path / "tree", {"main.py": "y = 2\n"}, git=True)
    (root / "out.py").symlink_to("../elsewhere.py")
    made = workspace(root)
    made.settle()
    assert not stands_still(made)
