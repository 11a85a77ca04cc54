"""Files whose names say nothing and whose first lines say what they are: indexed as that, and as nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everdex.service.index import Index, Reading
from everdex.sync import run
from everdex.sync.look import Look
from everdex.view import open_view
from support.graphs import asker
from support.stores import Workspace, synced
from support.trees import tree

PYTHON, SHELL = "#!/usr/bin/env python3\n", "#!/bin/sh\n"
FILES = {
    "shop/__init__.py": "",
    "shop/core.py": "def greet():\n    return 1\n",
    "bin/tool": PYTHON + "from shop.core import greet\n\n\ndef main():\n    return greet()\n\n\nmain()\n",
    "bin/lib": SHELL + "say() { echo 1; }\n",
    "bin/run": SHELL + ". ./bin/lib\nsay\n",
    "bin/serve": "#!/usr/bin/env -S node --trace\nconst { add } = require('./adder');\nadd(1);\n",
    "bin/adder.js": "exports.add = function add(x) { return x; };\n",
    "bin/gem": "#!/usr/bin/ruby3.1\ndef shine; end\nshine\n",
}


def _callers(made: Workspace, symbol: str) -> list[str]:
    found = asker(made)("callers", symbol)["callers"]
    return sorted(f"{site['path']}:{site['line']}" for caller in found for site in caller["sites"])


def _languages(made: Workspace) -> dict[str, str]:
    """By path, as the snapshot, the listing of the tree and the listing of the snapshot say it: all the same."""
    with open_view(made.store) as view:
        found = dict(zip(view.paths, view.file_languages, strict=True))
        snapshot = view.manifest.snapshot_id
    index = Index.open(made.path)
    for chosen in (Reading(), Reading(snapshot_id=snapshot)):
        listed = index.files(reading=chosen).to_dict()
        assert {file["path"]: file["language"] for file in listed["files"]} == found
    return found


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    return synced(tmp_path / "tree", FILES, git=True)


@pytest.mark.parametrize(
    ("symbol", "caller"),
    [("greet", "bin/tool:6"), ("main", "bin/tool:9"), ("say", "bin/run:3"), ("bin/adder.js::add", "bin/serve:3"),
     ("shine", "bin/gem:3"), ("bin/tool:5", "bin/tool:9")],
)  # fmt: skip
def test_calls_in_scripts_count(made: Workspace, symbol: str, caller: str) -> None:
    """Whoever asks who calls something is told of the scripts that do."""
    assert _callers(made, symbol) == [caller]


def test_nobody_imports_a_script(tmp_path: Path) -> None:
    """A script beside a package of its name takes nothing from it, and is found under no dotted name."""
    files = {**FILES, "bin/shop": PYTHON + "def greet(): ...\n"}
    files["user.py"] = "import shop\nimport bin.shop\n\n\nshop.core.greet()\nbin.shop.greet()\n"
    made = synced(tmp_path / "tree", files)
    assert _callers(made, "shop/core.py::greet") == ["bin/tool:6", "user.py:5"]
    assert _callers(made, "bin/shop::greet") == []


def test_another_first_line_is_another_language(made: Workspace) -> None:
    """A script that is rewritten in another language is that; one that says nothing any more is out, with its calls."""
    before = _languages(made)
    assert before["bin/tool"] == "python"
    assert before["bin/gem"] == "ruby"
    made.write({"bin/tool": SHELL + "main() { echo; }\nmain\n"})
    made.sync()
    assert _languages(made) == {**before, "bin/tool": "bash"}
    assert _callers(made, "greet") == []
    made.write({"bin/tool": FILES["bin/tool"].removeprefix("#!")})
    made.sync()
    assert _languages(made) == {path: language for path, language in before.items() if path != "bin/tool"}
    made.write({"bin/tool": FILES["bin/tool"]})
    made.sync()
    assert _languages(made) == before
    assert _callers(made, "greet") == ["bin/tool:6"]


def test_a_name_that_suggests_a_language_gives_way_to_the_first_line(tmp_path: Path) -> None:
    """`build` and `install` are names of scripts, too; also what only `include` lets in is what it says."""
    files = {".everdex.toml": '[index]\ninclude = ["*.tool"]\n', "build": SHELL, "install": PYTHON, "BUILD.x/BUILD": ""}
    made = synced(tmp_path / "tree", {**files, "a.tool": PYTHON, "b.tool": "text\n", "a.h": "class A {};\n"})
    assert _languages(made) == {
        ".everdex.toml": "toml", "BUILD.x/BUILD": "bazel", "a.h": "cpp", "a.tool": "python", "b.tool": "text",
        "build": "bash", "install": "python",
    }  # fmt: skip


def test_a_listing_says_what_indexing_will(tmp_path: Path) -> None:
    """Before anything is indexed, the language of a script is known as well."""
    index = Index.open(tree(tmp_path / "tree", {"build": SHELL, "tool": PYTHON}))
    listed = index.listing().to_dict()["files"]
    assert [(file["path"], file["language"]) for file in listed] == [("build", "bash"), ("tool", "python")]


def test_a_script_that_ceases_to_be_one_while_it_is_read(made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look and the read the first line may go: then the file is out, as a clean build would have it."""

    class Looking(Look):
        def __init__(self, *given: object) -> None:
            super().__init__(*given)  # type: ignore[arg-type]
            made.write({"bin/tool": "nothing\n", "bin/new": "nothing\n"})

    made.write({"bin/tool": FILES["bin/tool"] + "\n", "bin/new": PYTHON})
    monkeypatch.setattr(run, "Look", Looking)
    made.sync()
    assert not {"bin/tool", "bin/new"} & _languages(made).keys()
    monkeypatch.undo()
    assert not made.sync().published


def test_what_is_remembered_of_a_tree_does_not_hide_a_new_script(made: Workspace) -> None:
    """A file that becomes a script is seen by the next look, also with the size and time it had."""
    made.write({"bin/later": "#?" + PYTHON[2:]})
    old = os.stat(made.path / "bin/adder.js").st_mtime_ns
    os.utime(made.path / "bin/later", ns=(old, old))
    made.sync()
    made.sync()
    made.write({"bin/later": PYTHON})
    os.utime(made.path / "bin/later", ns=(old, old))
    assert made.sync().added == 1


def test_explain_tells_a_script_from_what_is_none(made: Workspace) -> None:
    """The same words as for every other file."""
    made.write({"bin/data": "1\n"})
    index = Index.open(made.path)
    assert index.explain("bin/tool").to_dict()["language"] == "python"
    assert index.explain("bin/data").to_dict()["reason"] == "unsupported_type"
