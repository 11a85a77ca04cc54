"""Where the user's home and everdex's own are unusual: unknown, relative, or on another file system than the tree."""

from __future__ import annotations

import os
import pwd
import subprocess
from pathlib import Path

import pytest

from everdex.errors import UsageError
from everdex.roots import canonical_root, everdex_home, user_home
from support.commands import everdex
from support.trees import tree


def _of_nobody(_number: int) -> None:
    raise KeyError("uid not found")


def test_a_user_without_a_home_can_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare user id in a container has none: with EVERDEX_HOME that is no matter, without it the error says so."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr(pwd, "getpwuid", _of_nobody)
    assert user_home() is None
    assert canonical_root(tmp_path).path == Path(os.path.realpath(tmp_path))
    assert everdex_home().is_absolute()
    monkeypatch.delenv("EVERDEX_HOME")
    with pytest.raises(UsageError, match="has no home directory") as told:
        everdex_home()
    assert "EVERDEX_HOME" in told.value.hint


def test_a_relative_home_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be another in every directory: a typed error, and nothing is made there."""
    root = tree(tmp_path / "tree", {"a.py": "def alpha():\n    return 1\n"})
    monkeypatch.delenv("EVERDEX_HOME")
    done = everdex("search", "alpha", cwd=root, env={"HOME": "here"})
    assert (done.code, "has no home directory" in done.err) == (2, True)
    assert sorted(path.name for path in root.iterdir()) == ["a.py"]
    assert everdex("search", "alpha", cwd=root, env={"HOME": "here", "EVERDEX_HOME": str(tmp_path / "own")}).code == 0


def test_a_relative_everdex_home_is_the_daemons_too(tmp_path: Path) -> None:
    """The daemon, who makes its graphs and who helps it start in other directories, and use the same store."""
    root = tree(tmp_path / "tree", {"a.py": "def alpha():\n    return 1\n", "b.py": "import a\n\na.alpha()\n"})
    env = {"EVERDEX_HOME": "../own"}
    assert everdex("serve", "--detach", cwd=root, env=env).code == 0
    try:
        assert "process" in everdex("status", cwd=root, env=env).out.partition("daemon")[2].splitlines()[0]
        assert everdex("callers", "alpha", "--wait", cwd=root, env=env).out.startswith("b.py:3:")
        (root / "c.py").write_text("def gamma():\n    return 3\n")
        assert everdex("search", "gamma", cwd=root, env=env).out.startswith("c.py:1:")
    finally:
        assert everdex("stop", cwd=root, env=env).code == 0
    assert len(list((tmp_path / "own/data").iterdir())) == 1
    assert not Path("/own").exists()


def test_a_store_on_another_file_system_is_one_like_any_other(tmp_path: Path) -> None:
    """Nothing is renamed or linked from the tree into the store: index, edit, graph and daemon."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", disk], capture_output=True, check=False).returncode:
        pytest.skip("mounting needs privileges")
    try:
        root = tree(tmp_path / "tree", {"a.py": "def alpha():\n    return 1\n", "b.py": "import a\n\na.alpha()\n"})
        env = {"EVERDEX_HOME": str(disk / "home")}
        assert everdex("index", cwd=root, env=env).code == 0
        (root / "a.py").write_text("def alpha():\n    return 2\n\n\ndef beta():\n    return alpha()\n")
        assert everdex("search", "beta", cwd=root, env=env).out.startswith("a.py:5:")
        assert everdex("callers", "alpha", cwd=root, env=env).out.splitlines()[:2] == [
            "a.py:6:return alpha()", "b.py:3:a.alpha()",
        ]  # fmt: skip
    finally:
        subprocess.run(["umount", "-l", disk], check=True)
