"""What git says about the tree, from repositories that are not trusted."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from everdex import limits
from everdex.changes import git_state, git_suspects, start_git_state
from everdex.changes.model import GitState
from everdex.roots import Root, git_environment

UNKNOWN = "0123456789" * 4


def git(root: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.invalid")
    environment = {**git_environment(), "GIT_ALLOW_PROTOCOL": "file"}
    command = ["git", "-C", str(root), *identity, "-c", "protocol.file.allow=always", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.strip()


def commit(root: Root, **files: str | None) -> str:
    for name, text in files.items():
        path = root.path / f"{name}.py"
        if text is None:
            path.unlink()
        else:
            path.write_text(text)
    git(root.path, "add", "-A")
    git(root.path, "commit", "-qm", "x")
    return git(root.path, "rev-parse", "HEAD")


@pytest.fixture
def root(tmp_path: Path) -> Root:
    path = tmp_path / "tree"
    path.mkdir()
    git(path, "init", "-q")
    return Root(path, True)


def trap(tmp_path: Path) -> tuple[Path, Path]:
    """A script and the marker file that appears when it runs."""
    marker, script = tmp_path / "ran", tmp_path / "evil"
    script.write_text(f"#!/bin/sh\ntouch '{marker}'\ncat\n")
    script.chmod(0o755)
    return script, marker


def test_state_of_head_and_tree(root: Root) -> None:
    """HEAD and dirty follow commits, edits and staging; untracked files do not make it dirty."""
    assert git_state(root, True) == GitState(None, False, True)
    head = commit(root, a="1\n")
    assert git_state(root, False) == GitState(head, False, False)
    (root.path / "untracked.py").write_text("x\n")
    assert git_state(root, True) == GitState(head, False, True)
    (root.path / "a.py").write_text("22\n")
    assert git_state(root, True) == GitState(head, True, True)
    git(root.path, "add", "a.py")
    assert start_git_state(root).result(True) == GitState(head, True, True)


def test_no_git_no_state(tmp_path: Path) -> None:
    """Without a repository there is no head and nothing is dirty."""
    assert git_state(Root(tmp_path, False), True) == GitState(None, False, True)


def test_git_that_fails_for_good_is_reported_dirty(root: Root, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be told is never reported as clean."""
    monkeypatch.setattr(limits, "GIT_BACKOFF_MS", 1)
    commit(root, a="1\n")
    (root.path / ".git" / "index").write_bytes(b"not an index")
    assert git_state(root, True) == GitState(None, True, True)


def test_index_lock_does_not_matter(root: Root) -> None:
    """Status never waits for another process's lock, and leaves none behind."""
    head = commit(root, a="1\n")
    (root.path / ".git" / "index.lock").touch()
    assert git_state(root, True).head_sha == head


def test_suspects_along_one_line(root: Root) -> None:
    """Between ancestor and descendant: added, changed, removed; nothing else."""
    first = commit(root, a="1\n", b="1\n", c="1\n")
    second = commit(root, a="2\n", b=None, d="new\n")
    assert git_suspects(root, first, second) == {"a.py", "b.py", "d.py"}
    assert git_suspects(root, second, first) == {"a.py", "b.py", "d.py"}
    assert git_suspects(root, second, second) == frozenset()


def test_suspects_across_branches_count_both_sides(root: Root) -> None:
    """When the last commit is no ancestor, what either side changed since the merge base is suspect."""
    commit(root, a="1\n", b="1\n", c="1\n")
    git(root.path, "checkout", "-qb", "side")
    side = commit(root, a="side\n")
    git(root.path, "checkout", "-q", "-")
    main = commit(root, b="main\n")
    assert git_suspects(root, side, main) == {"a.py", "b.py"}


def test_suspects_with_odd_names(root: Root) -> None:
    """Names with quotes, newlines, tabs and other scripts come through; keys are NFC."""
    first = commit(root, a="1\n")
    second = commit(root, **{'q"uo te': "x", "new\nline": "x", "tab\t": "x", "e\u0301": "x", "日本": "x"})
    expected = {'q"uo te.py', "new\nline.py", "tab\t.py", "\u00e9.py", "日本.py"}
    assert git_suspects(root, first, second) == expected


def test_suspects_when_git_cannot_tell(root: Root, tmp_path: Path) -> None:
    """An unknown, missing, malformed or unrelated commit asks for a full scan."""
    first = commit(root, a="1\n")
    git(root.path, "checkout", "-q", "--orphan", "unrelated")
    other = commit(root, a="2\n")
    for last in (None, UNKNOWN, other, "HEAD", "--output=/tmp/x", first.upper(), first[:39], first + "\n"):
        assert git_suspects(root, last, first) is None, last
    assert git_suspects(root, first, None) is None
    assert git_suspects(Root(tmp_path, False), first, None) is None


def test_nothing_committed_nothing_suspect(root: Root, tmp_path: Path) -> None:
    """Before the first commit, and without git, there is nothing to reconcile."""
    assert git_suspects(root, None, None) == frozenset()
    assert git_suspects(Root(tmp_path, False), None, None) == frozenset()


def test_git_variables_of_the_caller_have_no_effect(
    root: Root, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_DIR in the environment does not redirect the question."""
    head = commit(root, a="1\n")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    assert git_state(root, True).head_sha == head


def test_fsmonitor_never_runs(root: Root, tmp_path: Path) -> None:
    """A monitor named in .git/config is not started."""
    script, marker = trap(tmp_path)
    first = commit(root, a="1\n")
    second = commit(root, a="2\n")
    git(root.path, "config", "core.fsmonitor", str(script))
    git_state(root, True)
    git_suspects(root, first, second)
    assert not marker.exists()
    git(root.path, "status")
    assert marker.exists()  # the trap does work


@pytest.mark.parametrize("driver", ["x", "a=b", "a.b"])
@pytest.mark.parametrize("included", [False, True])
def test_clean_program_never_runs(root: Root, tmp_path: Path, driver: str, included: bool) -> None:
    """A filter from .git/config, or from a file it includes, is not run on touched files."""
    script, marker = trap(tmp_path)
    commit(root, a="1\n")
    (root.path / ".git" / "info" / "attributes").write_text(f"*.py filter={driver}\n")
    where = tmp_path / "more" if included else root.path / ".git" / "config"
    git(root.path, "config", "--file", str(where), f"filter.{driver}.clean", str(script))
    git(root.path, "config", "--file", str(where), f"filter.{driver}.required", "true")
    if included:
        git(root.path, "config", "include.path", str(where))
    (root.path / "a.py").write_text("2\n")
    assert git_state(root, True).dirty
    assert not marker.exists()
    git(root.path, "add", "a.py")
    assert marker.exists()  # the trap does work


def test_clean_program_never_runs_in_a_linked_worktree(root: Root, tmp_path: Path) -> None:
    """There .git is a file and the configuration elsewhere: its filters are switched off all the same."""
    script, marker = trap(tmp_path)
    commit(root, a="1\n")
    linked = tmp_path / "linked"
    git(root.path, "worktree", "add", "-q", str(linked))
    (root.path / ".git" / "info" / "attributes").write_text("*.py filter=x\n")
    git(root.path, "config", "filter.x.clean", str(script))
    (linked / "a.py").write_text("2\n")
    assert git_state(Root(linked, True), True).dirty
    assert not marker.exists()
    git(linked, "add", "a.py")
    assert marker.exists()  # the trap does work


def test_submodule_configuration_is_not_entered(root: Root, tmp_path: Path) -> None:
    """git is not started inside a submodule, whose own configuration could run programs."""
    script, marker = trap(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    commit(Root(other, True), inside="x\n")
    git(root.path, "submodule", "add", "-q", str(other), "sub")
    head = commit(root, a="1\n")
    git(root.path / "sub", "config", "filter.x.clean", str(script))
    (root.path / ".git" / "modules" / "sub" / "info" / "attributes").write_text("*.py filter=x\n")
    (root.path / "sub" / "inside.py").write_text("y\n")
    assert git_state(root, True) == GitState(head, False, True)
    assert not marker.exists()
    git(root.path, "status")
    assert marker.exists()  # the trap does work


def test_missing_objects_are_not_fetched(root: Root, tmp_path: Path) -> None:
    """A partial clone's remote is never contacted, whatever program it names."""
    script, marker = trap(tmp_path)
    first = commit(root, a="1\n")
    second = commit(root, a="2\n")
    for key, value in (
        ("extensions.partialClone", "evil"),
        ("core.repositoryFormatVersion", "1"),
        ("remote.evil.url", f"ext::{script}"),
        ("remote.evil.promisor", "true"),
        ("protocol.ext.allow", "always"),
    ):
        git(root.path, "config", key, value)
    tree = git(root.path, "rev-parse", f"{first}^{{tree}}")
    (root.path / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    assert git_suspects(root, first, second) is None
    assert not marker.exists()
