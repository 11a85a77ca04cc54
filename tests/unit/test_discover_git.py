"""Discovery in a git repository: whose rules count, and what a hostile repository cannot do."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from everdex import limits
from everdex.config import IndexConfig
from everdex.discover import discover
from everdex.discover.model import Skip, SkipReason
from everdex.errors import Busy
from everdex.roots import Root, canonical_root, git_environment


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "protocol.file.allow=always")
    environment = {**git_environment(), "GIT_ALLOW_PROTOCOL": "file"}
    subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True, env=environment)


@pytest.fixture
def root(tmp_path: Path) -> Root:
    path = tmp_path / "tree"
    path.mkdir()
    git(path, "init", "-q")
    (path / "a.py").write_text("x = 1\n")
    return Root(path, True)


def keys(root: Root, **options: bool) -> list[str]:
    """Eligible Python files."""
    found = discover(root, IndexConfig(), **options)  # type: ignore[arg-type]
    return [candidate.path_key for candidate in found.files if candidate.path_key.endswith(".py")]


def test_tracked_wins_over_gitignore(root: Root) -> None:
    """A tracked file that a `.gitignore` matches is in, and not reported as ignored."""
    (root.path / "build").mkdir()
    for name in ("kept.py", "other.py"):
        (root.path / "build" / name).write_text("x\n")
    git(root.path, "add", "-f", "build/kept.py")
    (root.path / ".gitignore").write_text("build/\n")
    found = discover(root, IndexConfig(), with_ignored=True)
    assert "build/kept.py" in [candidate.path_key for candidate in found.files]
    assert [skip.path_key for skip in found.skipped if skip.reason is SkipReason.IGNORED] == ["build/other.py"]


def test_personal_excludes_never_count(root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither `.git/info/exclude` nor a global excludes file changes the eligible set."""
    (root.path / ".git" / "info" / "exclude").write_text("a.py\n")
    (tmp_path / "excludes").write_text("*.py\n")
    (tmp_path / ".gitconfig").write_text(f"[core]\n\texcludesFile = {tmp_path}/excludes\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert keys(root) == ["a.py"]


def test_case_setting_of_the_repository_does_not_count(root: Root) -> None:
    """core.ignoreCase would make the same tree differ from one clone to the next."""
    git(root.path, "config", "core.ignoreCase", "true")
    (root.path / ".gitignore").write_text("A.PY\n")
    assert keys(root) == ["a.py"]


def test_untracked_files_can_be_left_out(root: Root) -> None:
    """Without untracked files, each is named with that reason."""
    (root.path / "b.py").write_text("x\n")
    git(root.path, "add", "a.py")
    found = discover(root, IndexConfig(), include_untracked=False)
    assert [candidate.path_key for candidate in found.files] == ["a.py"]
    assert Skip("b.py", SkipReason.UNTRACKED) in found.skipped
    assert discover(root, IndexConfig(untracked=False)).files == found.files


def test_deleted_but_tracked_is_simply_gone(root: Root) -> None:
    """The working tree is the truth, not the index."""
    git(root.path, "add", "a.py")
    (root.path / "a.py").unlink()
    found = discover(root, IndexConfig())
    assert (found.files, found.skipped) == ((), ())


def test_submodule_is_ineligible(root: Root, tmp_path: Path) -> None:
    """A submodule is one skip; nothing inside it is listed."""
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "inside.py").write_text("x\n")
    git(other, "add", "-A")
    git(other, "commit", "-qm", "x")
    git(root.path, "submodule", "add", "-q", str(other), "sub dir")
    found = discover(root, IndexConfig())
    assert [candidate.path_key for candidate in found.files] == [".gitmodules", "a.py"]
    assert Skip("sub dir/", SkipReason.SUBMODULE) in found.skipped


def test_tracked_directory_replaced_by_a_symlink_is_gone(root: Root, tmp_path: Path) -> None:
    """Tracked names below a symlink are not looked up through it, inside or outside the root."""
    (root.path / "pkg").mkdir()
    (root.path / "pkg" / "m.py").write_text("x\n")
    git(root.path, "add", "-A")
    outside = tmp_path / "outside"
    (root.path / "pkg").rename(outside)
    (root.path / "pkg").symlink_to(outside)
    found = discover(root, IndexConfig())
    assert [candidate.path_key for candidate in found.files] == ["a.py"]
    assert Skip("pkg", SkipReason.OUT_OF_ROOT) in found.skipped


def test_broken_index_falls_back_to_the_walker(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """When git cannot answer the tree is walked, and the answer says so."""
    monkeypatch.setattr(limits, "GIT_BACKOFF_MS", 1)
    (root.path / ".git" / "index").write_bytes(b"not an index")
    found = discover(root, IndexConfig())
    assert found.source == "walk"
    assert [candidate.path_key for candidate in found.files] == ["a.py"]
    assert "git" in found.warnings[0]
    with pytest.raises(Busy, match="untracked"):
        discover(root, IndexConfig(), include_untracked=False)


def test_index_lock_does_not_matter(root: Root) -> None:
    """Another git process holding the index lock does not stop discovery."""
    git(root.path, "add", "a.py")
    (root.path / ".git" / "index.lock").touch()
    assert discover(root, IndexConfig()).source == "git"


def test_unmerged_paths_appear_once(root: Root) -> None:
    """A path in conflict has three index entries and is one file."""
    git(root.path, "add", "-A")
    git(root.path, "commit", "-qm", "base")
    git(root.path, "checkout", "-qb", "side")
    (root.path / "a.py").write_text("side\n")
    git(root.path, "commit", "-qam", "side")
    git(root.path, "checkout", "-q", "-")
    (root.path / "a.py").write_text("main\n")
    git(root.path, "commit", "-qam", "main")
    with pytest.raises(subprocess.CalledProcessError):
        git(root.path, "merge", "side")
    assert keys(root) == ["a.py"]


def test_git_variables_of_the_caller_have_no_effect(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_DIR and friends cannot redirect discovery to another repository."""
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    (other / "wrong.py").write_text("x\n")
    git(other, "add", "-A")
    for name, value in (
        ("GIT_DIR", other / ".git"),
        ("GIT_WORK_TREE", other),
        ("GIT_INDEX_FILE", other / ".git/index"),
    ):
        monkeypatch.setenv(name, str(value))
    assert keys(root) == ["a.py"]


def test_repository_cannot_name_another_root(root: Root) -> None:
    """core.worktree in .git/config does not move the root elsewhere."""
    git(root.path, "config", "core.worktree", "/etc")
    assert canonical_root(root.path).path == root.path


def test_fsmonitor_of_a_hostile_repository_never_runs(root: Root, tmp_path: Path) -> None:
    """A program named in .git/config is not run because we listed files."""
    marker = tmp_path / "ran"
    script = tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch '{marker}'\n")
    script.chmod(0o755)
    git(root.path, "add", "-A")
    git(root.path, "config", "core.fsmonitor", str(script))
    discover(root, IndexConfig(), with_ignored=True)
    assert not marker.exists()
    git(root.path, "status")
    assert marker.exists()  # the trap does work
