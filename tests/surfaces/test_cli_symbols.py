"""`everdex symbols`: every definition of a name, never a guess; and what a file defines."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everdex.surfaces.api.index import Index
from support.commands import everdex
from support.trees import tree


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tree(
        tmp_path / "project",
        {
            "app/store.py": (
                "class SnapshotView:\n"
                '    """One snapshot. Read only."""\n\n'
                "    def close(self) -> None:\n        pass\n\n\n"
                "class Engine:\n    def close(self) -> None:\n        pass\n"
            ),
            "app/close.ts": "export function close(): void {}\n",
            "lib/open.go": "package lib\n\nfunc OpenStore() {}\n",
            "notes.txt": "nothing is defined here\n",
            "close": "a file that is called like a function\n",
        },
        git=True,
    )


def test_every_definition_of_a_name_is_listed(project: Path) -> None:
    """Several matches: one line each with whose it is, by path and place; none is chosen for the user."""
    done = everdex("symbols", "close", cwd=project / "app")
    assert done.lines == [
        "app/close.ts:1:export function close(): void",
        "app/store.py:4:SnapshotView: def close(self) -> None",
        "app/store.py:9:Engine: def close(self) -> None",
    ]
    assert done.code == 0


def test_code_stands_before_tests_and_headings(tmp_path: Path) -> None:
    """Whoever asks for a name mostly means what the code defines, wherever its path comes in the alphabet."""
    files = {"a.md": "# Widget\n", "b/test_widget.py": "class Widget: ...\n", "c/widget.py": "class Widget: ...\n"}
    done = everdex("symbols", "Widget", tree(tmp_path / "project", files, git=True))
    assert [line.split(":")[0] for line in done.lines] == ["c/widget.py", "b/test_widget.py", "a.md"]


@pytest.mark.parametrize("name", ["Engine.close", "Engine::close", "Engine#close", "Engine.close()"])
def test_a_qualified_name_says_which_one(project: Path, name: str) -> None:
    """However the language writes it."""
    document = everdex("symbols", name, project, "--json").json
    assert [(item["path"], item["start_line"]) for item in document["definitions"]] == [("app/store.py", 9)]


@pytest.mark.parametrize(
    ("asked", "folder"),
    [
        ("app/store.py:5", "."), ("app/store.py:5:9", "."), ("store.py:5", "app"), ("./app/store.py:4", "."),
        ("app/store.py::SnapshotView.close", "."), ("store.py::SnapshotView::close", "app"),
        ("app/store.py:SnapshotView.close", "."), ("store.py:SnapshotView::close", "app"),
    ],
)  # fmt: skip
def test_a_definition_is_named_by_its_file(project: Path, asked: str, folder: str) -> None:
    """With a line of it or its name there, as for every other command; no graph is made for that."""
    done = everdex("symbols", asked, cwd=project / folder)
    assert (done.lines, done.code) == (["app/store.py:4:SnapshotView: def close(self) -> None"], 0)


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        ("Eng*", ["app/store.py:8:class Engine"]),
        ("*o*e", ["app/close.ts:1", "app/store.py:4:SnapshotView", "app/store.py:9:Engine", "lib/open.go:3"]),
        ("*S*", ["app/store.py:1:class SnapshotView", "lib/open.go:3:func OpenStore()"]),
        ("Engine.*", ["app/store.py:9:Engine"]),
        ("*View.*", ["app/store.py:4:SnapshotView"]),
        ("app/store.py::*", ["app/store.py:1", "app/store.py:4", "app/store.py:8", "app/store.py:9"]),
        ("app/store.py::Engine.cl*", ["app/store.py:9"]),
    ],
)
def test_a_star_stands_for_any_letters(project: Path, asked: str, lines: list[str]) -> None:
    """Every definition whose name fits is listed, not only the nearest; a dotted name is fitted part by part."""
    done = everdex("symbols", asked, project)
    assert (len(done.lines), done.code) == (len(lines), 0)
    assert all(found.startswith(line) for found, line in zip(done.lines, lines, strict=True))
    document = everdex("symbols", asked, project, "--json").json
    assert {item["match"] for item in document["definitions"]} == {"pattern"}
    assert (document["omitted"], document["suggestions"]) == (0, [])


def test_a_pattern_fits_other_letters_only_where_none_are_the_same(project: Path) -> None:
    """And says so."""
    done = everdex("symbols", "eng*", project)
    assert (done.lines, done.code) == (["app/store.py:8:class Engine"], 0)
    assert "other letters" in done.err
    nothing = everdex("symbols", "zz*", project)
    assert (nothing.lines, nothing.code) == ([], 1)
    assert "no definition is called zz*" in nothing.err


def test_a_name_with_a_star_in_it_is_that_name(tmp_path: Path) -> None:
    """C++'s operators have one; who asks for `operator*` does not mean `operator+`."""
    source = "struct V {\n  V operator*(V o);\n  V operator+(V o);\n};\n"
    root = tree(tmp_path / "project", {"v.cpp": source}, git=True)
    assert everdex("symbols", "operator*", root).lines == ["v.cpp:2:V operator*(V o);"]
    assert len(everdex("symbols", "operat*", root).lines) == 2


@pytest.mark.parametrize("asked", ["app/store.py:999", "app/store.py::SnapshotView.none"])
def test_where_a_file_has_nothing_it_is_not_called_missing(project: Path, asked: str) -> None:
    done = everdex("symbols", asked, project)
    assert (done.lines, done.code) == ([], 1)
    assert f"app/store.py is in the index, and nothing that it defines is at {asked}" in done.err
    assert "no indexed file" not in done.err


def test_a_definition_is_named_by_its_id(project: Path) -> None:
    """Also when the graph that the id is from is that of an older snapshot."""
    symbol = everdex("refs", "SnapshotView.close", "--json", cwd=project).json["symbol"]["symbol"]["symbolId"]
    (project / "app/more.py").write_text("def more():\n    pass\n")
    done = everdex("symbols", symbol, cwd=project)
    assert done.lines == ["app/store.py:4:SnapshotView.close(self) -> None"]


def test_a_definition_reads_the_same_by_its_name_and_by_its_package(tmp_path: Path) -> None:
    """What the index finds by its name, and only the graph by that of its package, is called the same."""
    root = tree(tmp_path / "go", {"main.go": "package shop\n\nfunc Price(a int) int { return a }\n"})
    assert everdex("callers", "Price", root).code == 1
    documents = [everdex("symbols", name, root, "--json").json for name in ("Price", "shop.Price")]
    assert [item["qualified_name"] for document in documents for item in document["definitions"]] == ["Price", "Price"]


def test_a_definition_has_signature_doc_and_source(project: Path) -> None:
    """Everything to act on without opening the file, and the envelope of every answer."""
    document = everdex("symbols", "SnapshotView", project, "--json").json
    (found,) = document["definitions"]
    assert (found["signature"], found["doc"], found["kind"]) == ("class SnapshotView", "One snapshot.", "class")
    assert found["source"].startswith('class SnapshotView:\n    """One snapshot.')
    assert (found["start_line"], found["end_line"], found["match"]) == (1, 5, "exact")
    assert [entry["name"] for entry in document["outline"]["symbols"]] == ["SnapshotView", "close", "Engine", "close"]
    assert document["freshness"]["state"] == "fresh"
    assert document["suggestions"] == []


def test_another_case_of_letters_is_told_apart(project: Path) -> None:
    """It is found, and marked as not what was written."""
    (found,) = everdex("symbols", "openstore", project, "--json").json["definitions"]
    assert (found["name"], found["match"]) == ("OpenStore", "case")
    assert "nothing is called openstore; what is listed is written in other letters (case)" in (
        everdex("symbols", "openstore", project).err
    )
    assert "other letters" not in everdex("symbols", "OpenStore", project).err


@pytest.mark.parametrize(
    ("asked", "name", "how"),
    [("Snap", "SnapshotView", "prefix"), ("SnpVw", "SnapshotView", "humps"), ("SnapshotVeiw", "SnapshotView", "fuzzy")],
)
def test_names_like_it_are_suggestions_not_results(project: Path, asked: str, name: str, how: str) -> None:
    """Nothing on stdout and exit code 1; on stderr the name, how it is like it, and where it is."""
    done = everdex("symbols", asked, project)
    assert (done.code, done.out) == (1, "")
    assert f"no definition is called {asked}" in done.err
    assert f"like it ({how}): {name}  app/store.py:1  class" in done.err
    document = everdex("symbols", asked, project, "--json").json
    assert document["definitions"] == []
    assert document["suggestions"][0]["places"] == [
        {"path": "app/store.py", "start_line": 1, "kind": "class", "qualified_name": "SnapshotView"}
    ]


@pytest.mark.parametrize("command", ["symbols", "callers"])
def test_a_member_that_only_others_have_is_suggested_as_theirs(project: Path, command: str) -> None:
    """Nothing is misspelt, neither in letters nor in case: another owner has it."""
    said = everdex(command, "OpenStore.close", project).err
    assert "like it (owner): SnapshotView.close  app/store.py:4  method" in said


@pytest.mark.parametrize("command", ["symbols", "refs"])
def test_a_misspelt_member_is_suggested_with_its_owner(tmp_path: Path, command: str) -> None:
    """Whoever names the class means its member: that stands first, however many others are called so, and each says
    whose it is."""
    others = "".join(f"class A{number}:\n    def opne_all(self): ...\n    def open(self): ...\n" for number in range(6))
    root = tree(tmp_path / "many", {"a.py": others, "z.py": "class Zebra:\n    def open(self): ...\n"})
    done = everdex(command, "Zebra.opne", root)
    assert done.code == 1
    likes = [line for line in done.err.splitlines() if line.startswith("like it")]
    assert likes[0] == "like it (fuzzy): Zebra.open  z.py:2  method"
    assert likes[1] == "like it (fuzzy): A0.open  a.py:3  method"


def test_a_file_gives_its_outline(project: Path) -> None:
    """From the root, from where one stands, absolute, and through a link; nested definitions are indented."""
    expected = [
        "1:class SnapshotView", "4:  def close(self) -> None", "8:class Engine", "9:  def close(self) -> None",
    ]  # fmt: skip
    os.symlink(project, project.parent / "link")
    assert everdex("symbols", "app/store.py", cwd=project).lines == expected
    assert everdex("symbols", "store.py", cwd=project / "app").lines == expected
    assert everdex("symbols", project / "app/store.py", project, cwd=project.parent).lines == expected
    assert everdex("symbols", project.parent / "link/app/store.py", project, cwd=project.parent).lines == expected
    assert everdex("symbols", "./app/../app/store.py", cwd=project).lines == expected


def test_a_file_without_definitions_or_outside_the_index(project: Path) -> None:
    """Exit code 1; a path that is not indexed says where to ask why."""
    empty = everdex("symbols", "notes.txt", cwd=project)
    assert (empty.code, empty.out) == (1, "")
    assert "defines nothing" in empty.err
    missing = everdex("symbols", "app/none.py", cwd=project)
    assert missing.code == 1
    assert "no indexed file has the path 'app/none.py'" in missing.err


def test_symbols_follow_the_tree_and_old_snapshots_stay(project: Path) -> None:
    """An edit is seen at once; --snapshot and --no-sync answer as it was."""
    old = everdex("index", project, "--json").json["snapshot_id"]
    (project / "lib/open.go").write_text("package lib\n\nfunc OpenAgain() {}\n")
    assert everdex("symbols", "OpenAgain", project, "--no-sync").code == 1
    assert everdex("symbols", "OpenAgain", project).code == 0
    assert everdex("symbols", "OpenStore", project).code == 1
    assert everdex("symbols", "OpenStore", project, "--snapshot", old).code == 0


@pytest.mark.parametrize("asked", ["", "  ", "x" * 2_000])
def test_a_name_that_cannot_be_one_is_refused(project: Path, asked: str) -> None:
    """Empty or endless: a coded error."""
    done = everdex("symbols", asked, project, "--json")
    assert (done.code, done.json["error"]["code"]) == (2, "query_invalid")


def test_a_huge_definition_is_cut_and_says_so(project: Path) -> None:
    """No answer grows without bound."""
    (project / "big.py").write_text("def enormous():\n" + "    x = 1  # padding\n" * 5_000)
    document = everdex("symbols", "enormous", project, "--json").json
    assert len(document["definitions"][0]["source"]) <= 32_768
    assert document["limits_hit"] == ["max_snippet_bytes_total"]


def test_many_definitions_come_in_pages(tmp_path: Path) -> None:
    """Beyond fifty the rest is counted, and `cursor` leads to it; the API finds one wherever it is in the list."""
    root = tree(tmp_path / "many", {f"m{number:03}.py": "def same():\n    pass\n" for number in range(120)})
    seen, offset = [], 0
    while True:
        page = everdex("symbols", "same", "--offset", offset, "--json", cwd=root).json
        seen += [item["path"] for item in page["definitions"]]
        assert page["omitted"] == 120 - len(seen)
        if page["cursor"] is None:
            break
        assert page["cursor"]["snapshot_id"] == page["snapshot_id"]
        offset = page["cursor"]["offset"]
    assert seen == [f"m{number:03}.py" for number in range(120)]
    assert "70 more definitions not shown (--offset 50)" in everdex("symbols", "same", cwd=root).err
    with Index(root, daemon=False) as index:
        found = index.get_symbol("same", "m119.py")
        assert (found.path if found is not None else None) == "m119.py"
        assert index.get_symbol("same", "none.py") is None


@pytest.mark.parametrize("asked", ["caf\u00e9", "cafe\u0301", "\uff43afe\u0301"])
def test_a_name_is_found_in_every_spelling_that_python_takes_for_it(tmp_path: Path, asked: str) -> None:
    """Composed, taken apart, wide: to Python it is one name, and so it is for who asks."""
    files = {"a.py": "def cafe\u0301():\n    pass\n\n\ndef open_it():\n    caf\u00e9()\n"}
    project = tree(tmp_path / "project", files, git=True)
    assert [item["start_line"] for item in everdex("symbols", asked, project, "--json").json["definitions"]] == [1]
    assert everdex("symbols", asked, project).lines == ["a.py:1:def cafe\u0301()"]
    (caller,) = everdex("callers", asked, project, "--json").json["callers"]
    assert caller["symbol"]["qualifiedName"] == "a.open_it"


def test_a_graph_is_asked_by_the_very_letters(project: Path) -> None:
    """Who uses what differs in case only is not told; it is suggested as what it is."""
    done = everdex("callers", "snapshotVIEW", project)
    assert done.code == 1
    assert "like it (case): SnapshotView  app/store.py:1  class" in done.err
