"""Roots made to break an indexer, through the real command: gone, replaced, oddly named; always one clear line."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.commands import COMMAND, clear_error, everdex
from support.trees import run_git, tree

_HEALTHY = "def healthy_widget():\n    return 'fine'\n"
_COMMANDS = (("index",), ("search", "x"), ("files",), ("chunks",), ("upgrade-store",))


@pytest.mark.parametrize("what", ["deleted", "a file", "a FIFO", "a dangling link"])
def test_a_root_that_is_no_more(tmp_path: Path, what: str) -> None:
    """Deleted, or replaced by something else, between two commands: every command says so in one line."""
    root = tree(tmp_path / "place" / "tree", {"healthy.py": _HEALTHY})
    assert everdex("index", root).code == 0
    shutil.rmtree(root)
    if what == "a file":
        root.write_text("x = 1\n")
    elif what == "a FIFO":
        os.mkfifo(root)
    elif what == "a dangling link":
        root.symlink_to("nowhere")
    for command in _COMMANDS:
        done = everdex(*command, root)
        # A file stands for the directory around it, which holds nothing that was ever indexed.
        if what in ("a file", "a FIFO") and done.code in (0, 1):
            continue
        clear_error(done, "usage")


def test_a_working_directory_that_is_no_more(tmp_path: Path) -> None:
    """A shell may stand in a deleted directory: every command that needs one says so."""
    gone = tmp_path / "gone"
    script = 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"'
    for command in (("index",), ("search", "x"), ("files",), ("status",)):
        whole = ["sh", "-c", script, gone, *COMMAND, *command]
        done = subprocess.run(whole, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        assert done.returncode == 2, done.stderr
        assert done.stderr.startswith("everdex: ")


@pytest.mark.parametrize("name", [b"new\nline", b"-k", b"esc\x1b[31m", b" ", b"x" * 200])
def test_a_root_with_an_odd_name(tmp_path: Path, name: bytes) -> None:
    """The directory's own name is not a key: it may be anything, and goes out escaped."""
    root = Path(os.fsdecode(os.path.join(os.fsencode(tmp_path), name)))
    tree(root, {"healthy.py": _HEALTHY}, git=True)
    assert everdex("search", "healthy_widget", cwd=root).out.startswith("healthy.py:1:")
    for command in ("status", "health"):
        done = everdex(command, cwd=root)
        assert done.code == 0, done.err
        assert "\x1b" not in done.out + done.err
    assert everdex("index", "--json", cwd=root).json["published"] is False


def test_a_root_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """A store names its root in JSON; a path that has no text is refused before anything is written."""
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xffbytes"))
    tree(root, {"healthy.py": _HEALTHY})
    for command in ("index", "files", "status"):
        clear_error(everdex(command, cwd=root), "usage", "udcff")


@pytest.mark.parametrize("where", ["bare.git", "bare.git/hooks", "tree/.git", "tree/.git/refs"])
def test_git_has_no_files_of_its_own_to_look_at(tmp_path: Path, where: str) -> None:
    """Whoever stands in a bare repository or in .git would search in its hooks and take that for the project."""
    root = tree(tmp_path / "tree", {"healthy.py": _HEALTHY}, git=True)
    run_git(root, "clone", "-q", "--bare", ".", "../bare.git")
    for command in (("index",), ("search", "healthy_widget"), ("files",), ("status",)):
        clear_error(everdex(*command, cwd=tmp_path / where), "usage", "git's own files")
    assert everdex("index", "--force-root", cwd=tmp_path / where).code == 0
    run_git(tmp_path / "bare.git", "worktree", "add", "-q", tmp_path / "bare.git/main")
    assert everdex("search", "healthy_widget", cwd=tmp_path / "bare.git/main").out.startswith("healthy.py:1:")
