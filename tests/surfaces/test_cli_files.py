"""`everdex files` and `everdex explain`: every path is in, or out for a named reason."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from support.commands import everdex
from support.trees import run_git, tree


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one of everything that must not be indexed."""
    root = tree(
        tmp_path / "project",
        {
            "app.py": "x = 1\n",
            "docs/guide.md": "# Guide\n",
            "empty.py": "",
            ".gitignore": "build/\n",
            ".everdexignore": "secret.py\n",
            "build/out.py": "y = 1\n",
            "secret.py": "z = 1\n",
            "nul.py": b"a\0b",
            "latin.py": "# caf\xe9\n".encode("latin-1"),
            "large.py": b"#" * 20_000_000,
            "picture.png": b"\x89PNG\0",
            "new\nline.py": "n = 1\n",
        },
    )
    os.mkfifo(root / "pipe.py")
    os.symlink("nowhere.py", root / "broken.py")
    os.symlink("loop_b.py", root / "loop_a.py")
    os.symlink("loop_a.py", root / "loop_b.py")
    os.symlink("/etc/passwd", root / "outside.py")
    run_git(root, "init", "-q")
    return root


ELIGIBLE = [".everdexignore", ".gitignore", "app.py", "docs/guide.md", "empty.py"]
REASONS = {
    "build/": "ignored",
    "secret.py": "ignored",
    "nul.py": "binary",
    "latin.py": "encoding",
    "large.py": "too_large",
    "picture.png": "unsupported_type",
    "new\\x0aline.py": "path_control_character",
    "pipe.py": "not_regular",
    "broken.py": "symlink_broken",
    "loop_a.py": "symlink_loop",
    "loop_b.py": "symlink_loop",
    "outside.py": "out_of_root",
}


def test_files_lists_the_eligible_set_without_an_index(repository: Path, home: Path) -> None:
    """Nothing need be indexed, and nothing is written."""
    document = everdex("files", "--json", cwd=repository).json
    assert [file["path"] for file in document["files"]] == ELIGIBLE
    assert document["files"][2] == {"path": "app.py", "size": 6, "language": "python", "role": "source"}
    assert not home.exists()
    assert everdex("files", cwd=repository).lines == ELIGIBLE


def test_skipped_names_every_path_that_is_out_with_its_reason(repository: Path) -> None:
    """Binary, encoding, size, links, FIFOs, odd names: each a named skip, before and after indexing."""
    for _ in range(2):
        document = everdex("files", "--skipped", "--json", cwd=repository).json
        found = {item["path"]: item["reason"] for item in document["skipped"]}
        assert {path: found.get(path) for path in REASONS} == REASONS
        assert everdex("index", cwd=repository).code == 0
    lines = everdex("files", "--skipped", cwd=repository).lines
    assert "nul.py\tbinary" in lines


def test_files_of_a_snapshot_are_those_it_was_made_of(repository: Path) -> None:
    """`--snapshot` lists what that snapshot has, whatever became of the tree."""
    old = everdex("index", "--json", cwd=repository).json["snapshot_id"]
    (repository / "app.py").unlink()
    everdex("index", cwd=repository)
    document = everdex("files", "--snapshot", old, "--skipped", "--json", cwd=repository).json
    assert [file["path"] for file in document["files"]] == ELIGIBLE
    skipped = {item["path"]: item["reason"] for item in document["skipped"]}
    assert skipped == {"latin.py": "encoding", "nul.py": "binary"}
    assert document["snapshot_id"] == old


@pytest.mark.parametrize("path", sorted(set(REASONS) - {"new\\x0aline.py", "build/"}))
def test_explain_says_why_a_path_is_out(repository: Path, path: str) -> None:
    """The same reason that `files --skipped` gives."""
    done = everdex("explain", path, "--json", cwd=repository)
    assert done.code == 0
    assert (done.json["eligible"], done.json["reason"]) == (False, REASONS[path])


def test_explain_knows_what_is_below_an_ignored_directory(repository: Path) -> None:
    """A path inside an ignored directory is out for the directory's sake."""
    document = everdex("explain", "build/out.py", "--json", cwd=repository).json
    assert (document["eligible"], document["reason"]) == (False, "ignored")


def test_explain_tells_what_the_index_knows(repository: Path) -> None:
    """In, how many chunks, and whether the file holds what is indexed; touching it changes nothing."""
    assert everdex("explain", "app.py", "--json", cwd=repository).json["indexed"] is None
    everdex("index", cwd=repository)
    document = everdex("explain", "app.py", "--json", cwd=repository).json
    assert document["eligible"] is True
    assert document["indexed"]["chunks"] == 1
    assert document["indexed"]["same_content"] is True
    os.utime(repository / "app.py", (1, 1))
    assert everdex("explain", "app.py", cwd=repository).lines[1].endswith("as it is on disk")
    (repository / "app.py").write_text("x = 22\n")
    done = everdex("explain", "app.py", cwd=repository)
    assert done.lines[0] == "app.py: in (python, source, 7 B)"
    assert done.lines[1].endswith(", changed since")


def test_explain_finds_the_repository_of_an_absolute_path(repository: Path, tmp_path: Path) -> None:
    """From anywhere, also through a link to the repository."""
    os.symlink(repository, tmp_path / "link")
    for path in (repository / "docs/guide.md", tmp_path / "link/docs/guide.md"):
        assert everdex("explain", path, "--json", cwd=tmp_path).json["path"] == "docs/guide.md"


def test_explain_of_what_is_not_there_or_outside(repository: Path) -> None:
    """A missing file is a usage error; a path outside the root is out, and says so."""
    missing = everdex("explain", "nope.py", "--json", cwd=repository)
    assert (missing.code, missing.json["error"]["code"]) == (2, "usage")
    outside = everdex("explain", "../elsewhere.py", "--json", cwd=repository)
    assert outside.json["reason"] == "out_of_root"


def test_a_socket_is_a_named_skip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Special files neither hang nor fail an index."""
    root = tree(tmp_path / "s", {"a.py": "x = 1\n"})
    monkeypatch.chdir(root)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("listening.py")
        assert everdex("index", cwd=root).code == 0
        document = everdex("files", "--skipped", "--json", cwd=root).json
    assert {"path": "listening.py", "reason": "not_regular", "detail": ""} in document["skipped"]
