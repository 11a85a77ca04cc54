"""Answers that are right and would be misread: of a part of a tree, of a file that nobody names."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import everdex
from support.trees import tree

FILES = {
    "lib/core.py": "def helper():\n    return 1\n",
    "app.py": "from lib.core import helper\n\n\ndef run():\n    return helper()\n",
}


def test_a_directory_of_what_is_indexed_as_a_whole_says_that_it_is_a_part(tmp_path: Path) -> None:
    """Without git whoever stands deeper asks of less: nobody calls it there, and the answer says where to ask."""
    root = tree(tmp_path / "my project", FILES)
    assert everdex("callers", "helper", cwd=root).lines == ["app.py:5:return helper()"]
    inner = everdex("callers", "helper", cwd=root / "lib")
    assert (inner.code, inner.out) == (1, "")
    said = f"warning: this speaks of {root / 'lib'} only; {root} around it is indexed, too: ask there"
    assert said in inner.err.splitlines()
    assert "around it" not in everdex("callers", "helper", cwd=root).err


def test_a_directory_of_a_repository_means_all_of_it(tmp_path: Path) -> None:
    """With git there is one root, wherever one stands; one around the repository is another matter."""
    assert everdex("index", tree(tmp_path / "around", {"a.py": "x = 1\n"})).code == 0
    root = tree(tmp_path / "around" / "repository", FILES, git=True)
    done = everdex("callers", "helper", cwd=root / "lib")
    assert done.lines == ["app.py:5:return helper()"]
    assert "around it" not in done.err


@pytest.mark.parametrize("way", ["--offline", "--daemon"])
def test_naming_a_part_of_a_repository_narrows_nothing_and_says_so(tmp_path: Path, way: str) -> None:
    """Who knows grep means that part; the answer says how to ask for it, whoever gives it."""
    root = tree(tmp_path / "repository", FILES, git=True)
    try:
        done = everdex("search", "helper", "lib", way, cwd=root)
        said = f"warning: this speaks of all of {root}, not only of lib"
        assert f"{said}; `--path lib` narrows it" in done.err.splitlines()
        assert {line.partition(":")[0] for line in done.lines} == {"app.py", "lib/core.py"}
        for arguments in (("map", "lib"), ("files", "lib/core.py")):
            assert f"{said.removesuffix('lib')}{arguments[1]}" in everdex(*arguments, way, cwd=root).err.splitlines()
        for arguments in (("search", "helper", str(root)), ("search", "helper", "."), ("map",), ("files",)):
            assert "this speaks of all" not in everdex(*arguments, way, cwd=root / "lib").err
        narrowed = everdex("search", "helper", "--path", "lib", way, cwd=root)
        assert {line.partition(":")[0] for line in narrowed.lines} == {"lib/core.py"}
    finally:
        everdex("stop", cwd=root)


@pytest.mark.parametrize("command", ["callers", "refs"])
def test_that_nobody_names_a_file_is_not_said_of_what_it_defines(tmp_path: Path, command: str) -> None:
    """Nothing calls a file: the answer says what does tell who uses it."""
    root = tree(tmp_path / "project", FILES, git=True)
    done = everdex(command, "lib/core.py", cwd=root)
    assert (
        "warning: only what names lib/core.py itself is listed; `everdex impact lib/core.py` tells who uses what it"
        " defines"
    ) in done.err.splitlines()
    assert "itself" not in everdex(command, "helper", cwd=root).err
    assert any("run" in line for line in everdex("impact", "lib/core.py", cwd=root).lines)


def test_what_is_looked_for_may_begin_with_a_dash(tmp_path: Path) -> None:
    """It is taken for an option, and the hint says how to look for it."""
    root = tree(tmp_path / "project", {"a.sh": "run --max-columns 3\n"}, git=True)
    refused = everdex("search", "--max-columns", cwd=root)
    assert refused.code == 2
    assert "hint: run `everdex search --help`; what is no option goes after --" in refused.err.splitlines()
    assert everdex("search", "--", "--max-columns", cwd=root).lines == ["a.sh:1:run --max-columns 3"]


@pytest.mark.parametrize("path", ["../../run", "./run", "../Run"])
def test_a_path_that_is_not_there_is_no_name(tmp_path: Path, path: str) -> None:
    """What is called like its last part is not what was asked for."""
    done = everdex("symbols", path, cwd=tree(tmp_path / "project", FILES, git=True))
    assert (done.code, done.out) == (1, "")
    assert any(f"no indexed file has the path '{path}'" in line for line in done.err.splitlines())
