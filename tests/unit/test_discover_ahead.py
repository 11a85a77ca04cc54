"""Files that were indexed before are looked at while git walks; that look alone lets nothing in."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from tests.support.trees import run_git, tree

from everdex.config import IndexConfig
from everdex.discover import discover, start_discovery
from everdex.discover.model import Candidate, Discovery, FileStat
from everdex.roots import Root

FILES = {"a.py": "a = 1\n", "dir/b.py": "b = 2\n", "dir/c.py": "c = 3\n", "dir/sub/d.py": "d = 4\n"}


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tree(tmp_path / "root", FILES, git=True), True)


def ahead(root: Root, config: IndexConfig | None = None, known: Iterable[Candidate] | None = None) -> Discovery:
    """A discovery that was told of some files before; without `known`, of the tree's, as they never looked."""
    told = [never(key) for key in FILES] if known is None else known
    with start_discovery(root, config or IndexConfig()) as search:
        search.judge_ahead({file.path_key: file for file in told})
        return search.result()


def never(key: str) -> Candidate:
    return Candidate(key, key, FileStat(0, 0, 0, 0))


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _socket(path: Path) -> None:
    path.unlink()
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's whole address is short
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
    finally:
        os.chdir(here)


def _link_out(path: Path) -> None:
    path.unlink()
    path.symlink_to("/etc/hostname")


def _linked_directory(path: Path) -> None:
    moved = path.parent.rename(path.parent.parent.parent / "moved")  # same inodes, same times
    (path.parent).symlink_to(moved)


def _directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "spoil",
    [
        _fifo, _socket, _link_out, _linked_directory, _directory, Path.unlink,
        lambda path: path.write_text("x" * 2_000),
        lambda path: (path.parent.parent / ".everdexignore").write_text("dir/b.py\n"),
    ],
    ids=["fifo", "socket", "link out", "linked directory", "directory", "gone", "too large", "ignored by us"],
)  # fmt: skip
def test_a_known_path_that_is_no_longer_eligible_is_out(root: Root, spoil: Callable[[Path], object]) -> None:
    """Whatever a file has become, being known before does not keep it in."""
    config = IndexConfig(max_file_size_bytes=1_000)
    before = ahead(root, config)
    assert before == ahead(root, config, before.files)
    assert "dir/b.py" in [file.path_key for file in before.files]
    spoil(root.path / "dir/b.py")
    for known in (None, before.files):
        found = ahead(root, config, known)
        assert "dir/b.py" not in [file.path_key for file in found.files]
        assert found == discover(root, config)


def test_a_known_file_has_the_stat_of_today(root: Root) -> None:
    """A write that keeps size and modification time is seen by its change time; a chmod likewise."""
    before = ahead(root)
    path = root.path / "dir/b.py"
    seen = path.stat()
    path.write_text("b = 3\n")
    os.utime(path, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    (root.path / "a.py").chmod(0o600)
    found = ahead(root, known=before.files)
    assert found == discover(root, IndexConfig())
    changed = {new.path_key for old, new in zip(before.files, found.files, strict=True) if old.stat != new.stat}
    assert changed == {"a.py", "dir/b.py"}


def test_a_known_path_that_git_now_ignores_is_out(root: Root) -> None:
    """A file that is untracked and ignored is not listed, however well it was known."""
    run_git(root.path, "rm", "-q", "--cached", "dir/b.py")
    (root.path / ".gitignore").write_text("b.py\n")
    found = ahead(root)
    assert "dir/b.py" not in [file.path_key for file in found.files]
    assert found == discover(root, IndexConfig())


@pytest.mark.parametrize("key", ["../outside.py", "dir/../../outside.py", "/etc/hostname", "a\nb.py", "no.py", "ü.py"])
def test_a_key_that_git_does_not_list_changes_nothing(root: Root, key: str) -> None:
    """Keys come from a snapshot; one that names no listed file is neither a candidate nor a skip."""
    (root.path.parent / "outside.py").write_text("x = 1\n")
    assert ahead(root, known=[*map(never, FILES), never(key)]) == discover(root, IndexConfig())


def test_without_git_nothing_is_judged_ahead(tmp_path: Path) -> None:
    """The walker finds the files itself, and finds the same."""
    bare = Root(tree(tmp_path / "bare", FILES), False)
    assert ahead(bare, known=[never("a.py"), never("gone.py")]) == discover(bare, IndexConfig())


def test_giving_up_ends_git(root: Root) -> None:
    """A caller that fails before it asks for the result leaves no process behind."""
    with start_discovery(root, IndexConfig()):
        pass
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
