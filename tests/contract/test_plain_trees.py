"""A directory without git stands still too: nothing that happens in it goes unseen, and little is looked at again."""

from __future__ import annotations

import ctypes
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from everdex import limits
from support.looks import discoveries, happened_beside_an_edit, is_all_seen, same_as_a_full_look, stands_still
from support.stores import Workspace, workspace
from support.trees import run_git, tree

_FILES = {
    "main.py": "def main():\n    return 1111\n",
    "deep/er/other.py": "def other():\n    return 2\n",
    "deep/er/broken.py": b"\xff\xfe\x00\x01",
    "picture.png": b"\x89PNG\r\n\x00\x01",
    ".gitignore": "cache/\n*.log\n*.pyc\n",
    "deep/er/run.log": "started\n",
    "deep/er/cache/big.py": "def cached():\n    return 3\n",
    "own/.gitignore": "*\n",
    "own/hidden.py": "def hidden():\n    return 4\n",
    "twin/other.py": "def twin():\n    return 2\n",
    "half/.git/HEAD": "ref: refs/heads/main\n",
    "half/inside.py": "def inside():\n    return 5\n",
    "tool": "#!/usr/bin/env python3\nprint(1)\n",
}
_WHOLE = {name: text for name, text in _FILES.items() if not name.startswith("half/")}


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    root = tree(tmp_path / "tree", _WHOLE)
    (root / "empty").mkdir()
    found = workspace(root)
    found.settle()
    assert not found.root.is_git
    assert stands_still(found)
    return found


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every time the tree is walked."""
    return discoveries(monkeypatch, "walk")


def _replaced_by_a_twin(root: Path) -> None:
    """The same size and mtime; only ctime and inode tell."""
    path, other = root / "main.py", root / "main.new"
    before = path.stat()
    other.write_text(path.read_text().replace("1111", "9999"))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(path)


def _swapped(root: Path) -> None:
    (root / "deep/er").rename(root / "aside")
    (root / "twin").rename(root / "deep/er")
    (root / "aside").rename(root / "twin")


_CHANGES: dict[str, Callable[[Path], object]] = {
    "replaced by one of the same size and mtime": _replaced_by_a_twin,
    "new file": lambda root: (root / "new.py").write_text("x = 1\n"),
    "new file in an empty directory": lambda root: (root / "empty/new.py").write_text("x = 1\n"),
    "new file where all was ignored": lambda root: (root / "own/.gitignore").write_text("hidden.py\n"),
    "deleted": lambda root: (root / "deep/er/other.py").unlink(),
    "renamed": lambda root: (root / "deep/er/other.py").rename(root / "deep/er/another.py"),
    "directory renamed": lambda root: (root / "deep").rename(root / "high"),
    "directories swapped": _swapped,
    "directory moved out": lambda root: (root / "deep").rename(root.parent / "out"),
    "ignore rules changed": lambda root: (root / ".gitignore").write_text("*.log\n"),
    "ignore rules removed": lambda root: (root / ".gitignore").unlink(),
    "ignore rules made": lambda root: (root / "deep/er/.gitignore").write_text("other.py\n"),
    "our own ignore rules made": lambda root: (root / ".everdexignore").write_text("deep/\n"),
    "became a repository": lambda root: run_git(root / "deep", "init", "-q"),
    "became a worktree of another": lambda root: (
        run_git(root, "init", "-q", "--bare", "../bare"),
        (root / "deep/.git").write_text(f"gitdir: {root.parent}/bare\n"),
    ),
    "became a link": lambda root: (
        (root / "deep/er/other.py").unlink(), (root / "deep/er/other.py").symlink_to("../../main.py"),
    ),
    "became a directory": lambda root: (
        (root / "deep/er/other.py").unlink(), tree(root / "deep/er/other.py", {"a.py": "x = 1\n"}),
    ),
    "not to be read": lambda root: (root / "deep/er/other.py").chmod(0),
    "too large": lambda root: os.truncate(root / "deep/er/other.py", limits.MAX_FILE_SIZE_BYTES + 1),
    "no script any more": lambda root: (root / "tool").write_text("print(1)\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", _CHANGES)
def test_every_change_ends_the_standstill(made: Workspace, tmp_path: Path, name: str) -> None:
    """Whatever changes what a look would find is seen, and the next sync publishes what a full look would have."""
    _CHANGES[name](made.path)
    assert not stands_still(made)
    made.sync()
    same_as_a_full_look(made, tmp_path)


@pytest.mark.parametrize("settled", [True, False])
@pytest.mark.parametrize("name", _CHANGES)
def test_whatever_happened_beside_an_edit_is_seen(made: Workspace, name: str, settled: bool) -> None:
    """An edit was published from a narrow look; the next sync sees everything else that happened with another edit."""
    happened_beside_an_edit(made, _CHANGES[name], settled=settled)
    assert is_all_seen(made)


def test_our_own_ignore_rules_are_watched(made: Workspace, tmp_path: Path) -> None:
    """Changed in place or taken away, what they left out is in again."""
    (made.path / ".everdexignore").write_text("deep/\ntwin/\n")
    assert made.sync().deleted
    made.settle()
    assert stands_still(made)
    (made.path / ".everdexignore").write_text("twin/\n")
    assert made.sync().added
    made.settle()
    (made.path / ".everdexignore").unlink()
    assert made.sync().added
    same_as_a_full_look(made, tmp_path)


def test_a_standing_tree_is_not_walked(made: Workspace, walks: list[object]) -> None:
    """No directory is listed, and the report says how many files are unchanged."""
    report = made.sync()
    assert (report.published, report.unchanged) == (False, made.base().counts.files_indexed + 1)
    assert walks == []


@pytest.mark.parametrize("name", ["deep/er/other.py", "main.py", "tool", "deep/er/broken.py"])
def test_an_edit_is_published_without_a_walk(
    made: Workspace, tmp_path: Path, walks: list[object], name: str
) -> None:
    """Only the files that differ are looked at, written in place or beside and renamed, however many edits follow."""
    for number in range(3):
        (made.path / name).write_text(f"#!/bin/sh\necho {number}\n")
        assert made.sync().modified
        assert not made.sync().published
        beside = made.path / f"{name}.tmp"
        beside.write_text(f"#!/bin/sh\necho {number + 100}\n")
        beside.replace(made.path / name)
        assert made.sync().modified
    assert walks == []
    same_as_a_full_look(made, tmp_path)


def test_what_is_out_by_its_name_may_be_written(made: Workspace) -> None:
    """A picture, a database, an ignored log: what is in them decides nothing, so they do not end a standstill."""
    (made.path / "picture.png").write_bytes(b"\x89PNG\r\n\x00\x02")
    (made.path / "deep/er/run.log").write_text("ended\n")
    (made.path / "deep/er/cache/more.py").write_text("x = 1\n")
    assert stands_still(made)


def test_a_socket_that_became_a_file_is_seen(made: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Under the same name, beside an edit: the names of a directory are not all that there is to its entries."""
    monkeypatch.chdir(made.path)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind("late.py")
    made.settle()
    assert stands_still(made)
    listening.close()
    (made.path / "late.py").unlink()
    made.write({"late.py": "def late():\n    return 1\n", "main.py": "def main():\n    return 8\n"})
    assert made.sync().added == 1
    same_as_a_full_look(made, tmp_path)


def test_nested_repositories_stay_closed(made: Workspace) -> None:
    """What happens in one is its own business, until it is none any more."""
    run_git(made.path / "deep", "init", "-q")
    made.settle()
    assert stands_still(made)
    made.write({"deep/er/other.py": "x = 1_000\n", "deep/new.py": "x = 1\n"})
    run_git(made.path / "deep", "add", "-A")
    assert stands_still(made)
    (made.path / "deep/.git/HEAD").unlink()
    made.sync()
    assert "deep/new.py" in made.texts()


def test_half_a_repository_is_looked_at_each_time(tmp_path: Path) -> None:
    """Whether a directory with `.git` is a repository is decided inside: made whole, it is closed."""
    made = workspace(tree(tmp_path / "tree", _FILES))
    made.settle()
    assert not stands_still(made)
    assert "half/inside.py" in made.texts()
    for name in ("objects", "refs"):
        (made.path / "half/.git" / name).mkdir()
    made.sync()
    assert "half/inside.py" not in made.texts()


def test_a_root_that_becomes_a_repository_is_asked_as_one(made: Workspace) -> None:
    """`git init` in the root: from then on git says what is in, also where nothing else has changed."""
    run_git(made.path, "init", "-q")
    run_git(made.path, "add", "-f", "deep/er/cache/big.py")
    now = workspace(made.path)
    assert now.root.is_git
    assert now.store.path == made.store.path
    assert not stands_still(now)
    now.sync()
    assert "deep/er/cache/big.py" in now.texts()
    now.settle()
    shutil.rmtree(made.path / ".git")
    before = workspace(made.path)
    assert not stands_still(before)
    before.sync()
    assert "deep/er/cache/big.py" not in before.texts()


@pytest.fixture
def disk(made: Workspace) -> Iterator[Path]:
    """Another file system in one of the tree's directories."""
    place = made.path / "empty"
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", place], capture_output=True, check=False).returncode:
        pytest.skip("mounting needs privileges")
    yield place
    subprocess.run(["umount", "-l", place], check=False, capture_output=True)


def test_a_file_system_that_is_mounted_is_seen(made: Workspace, disk: Path) -> None:
    """What it brings is indexed, also an edit in it; what it takes away when it is gone is gone."""
    assert not stands_still(made)
    (disk / "new.py").write_text("x = 1\n")
    assert made.sync().added == 1
    made.settle()
    assert stands_still(made)
    (disk / "new.py").write_text("x = 2\n")
    assert made.sync().modified == 1
    made.settle()
    subprocess.run(["umount", disk], check=True)
    assert made.sync().deleted == 1


_UNWATCHED = ("../own/hop.py", "hop/../../main.py", "/main.py", "../../elsewhere.py", "er/cache/x")


@pytest.mark.parametrize("target", _UNWATCHED)
def test_links_by_ways_that_nobody_watches_are_looked_at_in_full(made: Workspace, target: str) -> None:
    """Through an ignored directory or link, up again, out of the tree or from the top of the machine."""
    (made.path / "own/hop.py").symlink_to("hidden.py")
    (made.path / "deep/link.py").symlink_to(target)
    made.settle()
    assert not stands_still(made)


def test_a_directory_that_may_not_be_read_costs_nothing(made: Workspace) -> None:
    """It is left out with a reason, the tree stands still around it, and it is seen when it opens."""
    done = subprocess.run(
        [sys.executable, "-c", _CLOSED, made.path], capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=_without_privileges if os.geteuid() == 0 else None,
    )  # fmt: skip
    assert done.stdout.split() == ["False", "True", "walks", "0", "modified", "1", "added", "1"], done.stderr


_CLOSED = """
import os, sys, time
from pathlib import Path
from everdex.discover import discovery
from everdex.sync import glance
from support.stores import workspace

made = workspace(Path(sys.argv[1]))
closed = made.path / "closed"
closed.mkdir()
(closed / "in.py").write_text("x = 1\\n")
closed.chmod(0)
made.settle()
print("closed/in.py" in made.texts())
print(glance.stands(made.root, made.config, made.store, made.base()) is not None)
walked, walk = [], discovery.walk
discovery.walk = lambda *arguments: walked.append(1) or walk(*arguments)
(made.path / "main.tmp").write_text("y = 1\\n")
(made.path / "main.tmp").rename(made.path / "main.py")
report = made.sync()
print("walks", len(walked), "modified", report.modified)
closed.chmod(0o755)
print("added", made.sync().added)
"""


def _without_privileges() -> None:
    """Root without the right to read everything: drop it for what is started next."""
    libc = ctypes.CDLL(None)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP
