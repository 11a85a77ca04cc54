"""refs, callers, callees, impact, map and graph export as a user runs them, on real Python."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.commands import answer_of, everdex, on_terminal
from support.graphs import asker
from support.stores import synced
from support.trees import tree


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tree(
        tmp_path_factory.mktemp("graph") / "project",
        {
            "shop/__init__.py": "",
            "shop/stock.py": (
                "class Stock:\n"
                "    def __init__(self, size: int) -> None:\n        self.size = size\n\n"
                "    def take(self, count: int) -> int:\n        return check(count)\n\n\n"
                "class Cold(Stock):\n"
                "    def take(self, count: int) -> int:\n        return super().take(count)\n\n\n"
                "def check(count: int) -> int:\n    return count\n"
            ),
            "shop/till.py": (
                "from shop.stock import Stock, check\n\n\n"
                "def sell(count: int) -> int:\n"
                "    stock = Stock(9)\n    print(count)\n    return stock.take(count)\n\n\n"
                "def audit(unknown):\n    return unknown.take(1)\n"
            ),
            "tests/test_till.py": "from shop.till import sell\n\n\ndef test_sell():\n    assert sell(1) == 1\n",
            "pyproject.toml": '[project]\nname = "shop"\n[project.scripts]\nshop = "shop.till:sell"\n',
            "notes.md": "# Notes\n",
        },
        git=True,
    )


def test_on_a_terminal_remarks_stand_below_what_they_are_about(project: Path) -> None:
    """Results and remarks go two ways, and arrive on one terminal in the order in which they were said."""
    shown = on_terminal("callers", "shop/stock.py::check", project, env={"NO_COLOR": "1"}).out
    assert shown.index("return check(count)") < shown.index("1 caller, 1 resolved")


def test_of_one_distance_what_is_certain_is_told_first(tmp_path: Path) -> None:
    """A list that is cut keeps what somebody has to look at in any case."""
    files = {
        "a.py": "def maybe(unknown):\n    unknown.go()\n",
        "b.py": "class Engine:\n    def go(self): ...\nclass Other:\n    def go(self): ...\n",
        "c.py": "from b import Engine\n\n\ndef surely():\n    Engine().go()\n",
    }
    found = answer_of("impact", "b.py::Engine.go", tree(tmp_path / "project", files))["affected"]
    assert [(item["name"], item["certainty"]) for item in found] == [("surely", "resolved"), ("maybe", "ambiguous")]


def test_a_test_without_a_name_is_told_by_its_title(tmp_path: Path) -> None:
    """Whoever reads what a change affects wants to know which tests, not how many functions stand before them."""
    files = {
        "till.ts": "export function close() { return 1; }\n",
        "till.test.ts": 'import { close } from "./till";\n\nit("closes twice", () => {\n  close();\n});\n',
    }
    root = tree(tmp_path / "project", files)
    assert everdex("impact", "close", cwd=root).lines[0] == 'till.test.ts:4:it("closes twice") → close'
    shown = on_terminal("callers", "close", root, env={"NO_COLOR": "1"}).out
    assert 'it("closes twice")  lambda' in shown


def test_refs_in_a_pipe_are_path_line_text(project: Path) -> None:
    """The definition, then every use; what is known about them goes to stderr."""
    done = everdex("refs", "check", cwd=project)
    assert done.lines == [
        "shop/stock.py:14:def check(count: int) -> int:",
        "shop/stock.py:6:return check(count)",
        "shop/till.py:1:from shop.stock import Stock, check",
    ]
    assert done.code == 0
    assert "2 references" in done.err


def test_every_place_carries_what_stands_around_it(project: Path) -> None:
    """Whoever holds a place can make sure that it is still there: before, the name, after, byte for byte."""
    found = everdex("refs", "check", "--json", cwd=project).json
    called = everdex("callers", "check", "--json", cwd=project).json["callers"]
    places = [found["definition"], *found["references"], *(site for caller in called for site in caller["sites"])]
    assert len(places) > 3
    for place in places:
        data = (project / place["path"]).read_text()
        assert data[: place["byte_start"]].endswith(place["before"])
        assert data[place["byte_start"] : place["byte_end"]] == "check"
        assert data[place["byte_end"] :].startswith(place["after"])
        assert place["before"] + place["after"]


def test_callers_with_certainty_and_what_could_be_missing(project: Path) -> None:
    """An undecided call of the same name is counted, never dropped."""
    document = answer_of("callers", "Stock.take", project)
    assert {item["qualified_name"] for item in document["callers"]} >= {"shop.till.sell", "shop.stock.Cold.take"}
    undecided = document["could_add"]["ambiguous"] + document["could_add"]["unresolved"]
    listed = {site["path"] + f":{site['line']}" for item in document["callers"] for site in item["sites"]}
    assert undecided or "shop/till.py:11" in listed
    assert document["freshness"]["state"] == "fresh"


def test_calling_a_class_is_calling_its_constructor(project: Path) -> None:
    """Asked by the class or by `__init__`, the same caller."""
    for name in ("Stock", "Stock.__init__"):
        assert [item["qualified_name"] for item in answer_of("callers", name, project)["callers"]] == ["shop.till.sell"]


def test_callees_in_a_pipe(project: Path) -> None:
    """Definitions on stdout; calls out of the repository are counted."""
    done = everdex("callees", "sell", project)
    assert "shop/stock.py:5:Stock.take(self, count: int) -> int" in done.lines
    assert "external" in done.err


def test_callees_on_a_terminal_name_what_is_outside_once(tmp_path: Path) -> None:
    """With all its lines: calls of libraries do not push the repository's own off the screen."""
    calls = "    os.getcwd()\n    os.getcwd()\n    os.getpid()\n    own()\n"
    text = f"import os\n\n\ndef go():\n{calls}\n\ndef own():\n    pass\n"
    root = tree(tmp_path / "tree", {"a.py": text})
    shown = on_terminal("callees", "go", root, env={"NO_COLOR": "1"}).out.splitlines()
    outside = shown.index("outside the repository")
    assert [line.strip() for line in shown[outside + 1 : outside + 3]] == [
        "5  os.getcwd  called at 5, 6", "7  os.getpid"
    ]  # fmt: skip
    assert shown.index("a.py") < outside


def test_impact_finds_the_tests_through_a_way(project: Path) -> None:
    """From a helper to the test that would fail, with the chain between them."""
    document = answer_of("impact", "check", "--depth", 5, project)
    assert document["tests"] == ["tests/test_till.py"]
    test = next(item for item in document["affected"] if item["name"] == "test_sell")
    names = [step["symbol"]["qualifiedName"] for step in test["way"]]
    assert names == ["shop.stock.Stock.take", "shop.till.sell", "tests.test_till.test_sell"]
    piped = everdex("impact", "check", project)
    assert "shop/till.py:7:sell → Stock.take → check" in piped.lines


def test_impact_says_how_many_tests_it_does_not_name(tmp_path: Path) -> None:
    """Ten files of tests are named, a line each; how many more there are stands below, and where all of them are."""
    test = "from core import f\n\n\ndef test_f():\n    f()\n"
    files = {f"tests/test_{number:02}.py": test for number in range(12)}
    root = tree(tmp_path / "tree", {"core.py": "def f():\n    pass\n", **files})
    lines = everdex("impact", "f", root).err.splitlines()
    named = [f"  tests/test_{number:02}.py" for number in range(10)]
    assert lines[lines.index("12 test files") :] == ["12 test files", *named, "  and 2 more (--json has all)"]
    assert len(answer_of("impact", "f", root)["tests"]) == 12


def test_impact_goes_through_overridden_methods(project: Path) -> None:
    """Who calls the base's method may end in the override: affected, but not certain; who overrides is affected."""
    override = answer_of("impact", "Cold.take", project)
    found = {item["qualified_name"]: item["certainty"] for item in override["affected"]}
    assert found["shop.till.sell"] == "ambiguous"
    base = answer_of("impact", "Stock.take", project)
    relations = {item["qualified_name"]: item["way"][0]["relation"] for item in base["affected"] if item["depth"] == 1}
    assert relations["shop.stock.Cold.take"] in ("calls", "overrides")


@pytest.mark.parametrize(
    "name",
    ["shop/till.py:4", "shop/till.py::sell", "shop/till.py:sell", "shop.till.sell", "till.sell", "shop/till.py:6"],
)
def test_a_symbol_is_named_from_where_one_is(project: Path, name: str) -> None:
    """Paths are taken from the current directory, names from anywhere."""
    assert answer_of("callers", name, project)["symbol"]["qualified_name"] == "shop.till.sell"
    if "/" in name:
        done = everdex("callers", name.removeprefix("shop/"), cwd=project / "shop")
        assert (done.code, done.lines) == (0, ["tests/test_till.py:5:assert sell(1) == 1"])


def test_several_definitions_end_in_a_list_and_exit_2(project: Path) -> None:
    """On stderr for a person, as candidates in JSON; stdout has no results to mistake for an answer."""
    done = everdex("callers", "take", project)
    assert (done.code, done.out) == (2, "")
    assert "shop/stock.py:5:Stock.take(self, count: int) -> int" in done.err
    document = answer_of("callers", "take", project, code=2)
    assert len(document["matches"]) == len(document["resolution"]["candidates"]) == 2


def test_overloads_are_told_apart_by_their_lines(tmp_path: Path) -> None:
    """Where file and name are the same, nobody is told to ask by them."""
    source = "class A {\n  void f(int x) {}\n  void f(String x) {}\n  void g() {}\n}\n"
    root = tree(tmp_path / "java", {"A.java": source, "b/B.java": "class B {\n  void g() {}\n}\n"})
    assert "2 definitions fit A.java::A.f; name one by path:line\n" in everdex("callers", "A.java::A.f", cwd=root).err
    assert "2 definitions fit g; name one by path:line or path::name\n" in everdex("callers", "g", cwd=root).err


def test_nothing_of_that_name_suggests_what_is_like_it(project: Path) -> None:
    """Exit 1, and did-you-mean on stderr."""
    done = everdex("refs", "chekc", project)
    assert (done.code, done.out) == (1, "")
    assert "no definition is called chekc" in done.err
    assert "check" in done.err
    assert everdex("callers", "audit", project).code == 1


def test_definitions_and_calls_are_counted_apart(tmp_path: Path) -> None:
    """Callers and callees are definitions; what is resolved or external are calls, of which one may have several."""
    text = "import os\n\n\ndef own():\n    pass\n\n\ndef go():\n    own()\n    own()\n    os.getcwd()\n\n\ngo()\n"
    root = tree(tmp_path / "tree", {"a.py": text})
    assert "1 callee in the repository; 3 calls: 2 resolved, 1 external" in everdex("callees", "go", root).err
    assert "1 caller; 2 calls: 2 resolved" in everdex("callers", "own", root).err
    assert "1 caller, 1 resolved" in everdex("callers", "go", root).err
    assert "0 callees\n" in everdex("callees", "own", root).err


@pytest.mark.parametrize("command", ["refs", "callers", "callees", "impact"])
def test_on_a_terminal_results_are_grouped(project: Path, command: str) -> None:
    """Headings and line numbers, for people."""
    shown = on_terminal(command, "shop/till.py::sell", project, env={"NO_COLOR": "1"}).out
    assert re.search(r"^ +\d+  \S", shown, re.MULTILINE)
    assert "\x1b[3" not in shown


def test_the_map_has_every_section(project: Path) -> None:
    """What it is written in, where it starts, what it needs, how it is tested, what matters."""
    sections = {part["name"]: part["items"] for part in answer_of("map", project)["sections"]}
    assert sections["languages"][0]["language"] == "python"
    assert sections["entry_points"][0]["name"] == "shop"
    assert sections["tests"][0]["directory"] == "tests"
    assert {name for item in sections["public_api"] for name in item["names"]} >= {"Stock", "sell"}
    assert any(item["qualified_name"] == "shop.till.sell" for item in sections["central"])
    assert "Central symbols" in everdex("map", project, "--budget", 600).out


def test_export_prints_or_writes_one_document(project: Path, tmp_path: Path) -> None:
    """On stdout, or into a file with the envelope on stdout."""
    document = answer_of("graph", "export", project)
    names = {node["id"]: node["qualified_name"] for node in document["nodes"]}
    calls = {(names[edge["from"]], names[edge["to"]]) for edge in document["edges"] if edge["kind"] == "calls"}
    assert {("shop.till.sell", "shop.stock.Stock.__init__"), ("shop.till.sell", "shop.stock.Stock.take")} <= calls
    assert ("shop.stock.Stock.take", "shop.stock.check") in calls
    written = answer_of("graph", "export", project, "-o", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text())["nodes"] == document["nodes"]
    assert (written["format"], written["bytes"]) == ("json", (tmp_path / "out.json").stat().st_size)
    tags = everdex("graph", "export", "--format", "ctags", project)
    assert any(line.startswith("sell\tshop/till.py\t4;") for line in tags.lines)
    refused = everdex("graph", "export", project, "-o", tmp_path / "no" / "such.json")
    assert (refused.code, "such.json" in refused.err) == (70, True)


def test_reading_options_hold(project: Path, tmp_path: Path) -> None:
    """--snapshot answers as it was, --no-sync as it is indexed, --offline says what it cannot promise."""
    copy = tree(tmp_path / "copy", {"a.py": "def f():\n    pass\n", "b.py": "from a import f\n\nf()\n"}, git=True)
    before = answer_of("callers", "f", copy)
    (copy / "b.py").write_text("")
    assert answer_of("callers", "f", copy, "--no-sync")["callers"] == before["callers"]
    assert answer_of("callers", "f", copy, code=1)["callers"] == []
    assert answer_of("callers", "f", copy, "--snapshot", before["snapshot_id"])["callers"] == before["callers"]
    assert "offline" in answer_of("callers", "f", copy, "--offline", code=1)["warnings"][0]


@pytest.mark.parametrize("files", [{}, {"notes.md": "# Notes\n"}])
def test_repositories_with_nothing_to_resolve(tmp_path: Path, files: dict[str, str]) -> None:
    """Empty, or in no language that is resolved: nothing found, nothing fails."""
    root = tree(tmp_path / "bare", files, git=True)
    assert everdex("callers", "x", root).code == 1
    assert everdex("map", root).code in (0, 1)
    assert answer_of("graph", "export", root)["nodes"] == []


def test_a_name_in_a_file_is_what_the_file_defines_by_it(tmp_path: Path) -> None:
    """Not the file of that name, nor a method where a function is called exactly so."""
    text = (
        "def run():\n    return Box().run()\n\n\n"
        "class Box:\n    def run(self):\n        return 1\n\n    def lone(self):\n        pass\n"
    )
    files = {"core/run.py": text, "core/lone.py": text.replace("def run()", "def go()")}
    root = tree(tmp_path / "tree", files, git=True)
    found = everdex("callers", "core/lone.py::lone", "--json", cwd=root).json
    assert found["symbol"]["qualified_name"] == "core.lone.Box.lone"
    for asked, line in (("run", 1), ("Box.run", 6), ("lone", 9)):
        assert everdex("callers", f"core/run.py::{asked}", "--json", cwd=root).json["symbol"]["name_line"] == line
    assert everdex("callers", "run", "--json", cwd=root).code == 2


def test_a_member_can_be_named_by_a_class_that_inherits_it(tmp_path: Path) -> None:
    """The nearest one through the bases; of two that are equally near both are listed; a cycle of bases ends."""
    files = {
        "base.py": "class Root:\n    size = 1\n\n    def run(self): ...\n    def stop(self): ...\n",
        "one.py": "from base import Root\n\n\nclass One(Root):\n    def stop(self):\n        pass\n",
        "two.py": "class Two:\n    def stop(self):\n        pass\n",
        "both.py": "from one import One\nfrom two import Two\n\n\nclass Both(One, Two):\n    pass\n",
        "loop.py": "class A(B):\n    pass\n\n\nclass B(A):\n    pass\n",
    }
    root = tree(tmp_path / "tree", files, git=True)
    named = (("Both.run", "base.Root.run"), ("both.Both.size", "base.Root.size"), ("One.stop", "one.One.stop"))
    for asked, meant in named:
        assert everdex("refs", asked, "--json", cwd=root).json["symbol"]["qualified_name"] == meant
    several = everdex("refs", "Both.stop", "--json", cwd=root)
    assert (several.code, [item["qualified_name"] for item in several.json["matches"]]) == (
        2, ["one.One.stop", "two.Two.stop"],
    )  # fmt: skip
    for asked in ("A.run", "Both.nothing", "Nobody.run"):
        assert everdex("refs", asked, "--json", cwd=root).code == 1


def test_a_member_by_its_heir_is_found_wherever_it_is_written_and_the_answer_says_so(tmp_path: Path) -> None:
    """What a struct of Go embeds has its methods in other files; also where the file of the heir is named."""
    files = {
        "go.mod": "module example.com/m\n",
        "head/a.go": "package head\n\ntype base struct{}\n\ntype Head struct{ base }\n\n"
        "func use(h *Head) {\n\th.Commit()\n}\n",
        "head/b.go": "package head\n\nfunc (b *base) Commit() {}\n",
        "kept.ts": "export class Kept { put() {} }\n",
        "more.ts": 'import { Kept } from "./kept";\nclass More extends Kept {}\nnew More().put();\n',
        "Up.java": "class Up { void go() { } }\n",
        "Down.java": "class Down extends Up { static void f(Down d) { d.go(); } }\n",
    }
    root = tree(tmp_path / "tree", files, git=True)
    asked = (
        ("Head.Commit", "base.Commit"), ("head/a.go::Head.Commit", "base.Commit"), ("More.put", "Kept.put"),
        ("more.ts::More.put", "Kept.put"), ("Down.go", "Up.go"), ("Down.java::Down.go", "Up.go"),
    )  # fmt: skip
    for name, meant in asked:
        for command in ("callers", "refs", "impact"):
            found = everdex(command, name, "--json", cwd=root).json
            assert found["symbol"]["qualified_name"].endswith(meant), (command, name)
            assert f"{name.rpartition('::')[2]} is inherited; this is about {meant}" in found["warnings"]
        assert everdex("symbols", name, "--json", cwd=root).json["definitions"][0]["qualified_name"] == meant
    assert not any("inherited" in said for said in everdex("callers", "Up.go", "--json", cwd=root).json["warnings"])
    assert everdex("callers", "head/b.go::Head.Commit", "--json", cwd=root).code == 1


def test_declarations_stand_after_the_definition(tmp_path: Path) -> None:
    """Whoever changes a function of C has to change them, too; asked for calls only, they are none."""
    files = {"a.h": "int twice(int a);\n", "a.c": '#include "a.h"\nint twice(int a) { return a; }\nint x = twice(1);\n'}
    root = tree(tmp_path / "declared", files, git=True)
    done = everdex("refs", "twice", cwd=root)
    assert done.lines == ["a.c:2:int twice(int a) { return a; }", "a.h:1:int twice(int a);", "a.c:3:int x = twice(1);"]
    assert everdex("refs", "--role", "call", "twice", cwd=root).lines == ["a.c:3:int x = twice(1);"]


def test_a_repository_is_started_by_functions_and_by_no_stylesheet(tmp_path: Path) -> None:
    """A macro called main, a stylesheet named so, and what only lies beside a command's main start nothing."""
    made = synced(
        tmp_path / "tree",
        {
            "compat.h": "#define main weak main\n", "run.c": "int main(void) { return 0; }\n",
            "css/main.scss": "a { b: c }\n", "main.rb": "go\n", "cmd/tool/tool.go": "package main\n\nfunc main() {}\n",
            "cmd/tool/notes.go": "package main\n\nfunc notes() {}\n",
        },
    )  # fmt: skip
    entries = next(part for part in asker(made)("map")["sections"] if part["name"] == "entry_points")["items"]
    assert [item["path"] for item in entries] == ["main.rb", "run.c", "cmd/tool/tool.go"]


def test_what_starts_a_repository_is_told_by_how_its_language_begins(tmp_path: Path) -> None:
    """Where a program begins in a function a name alone says nothing; the one that uses most of the others is first,
    and what is compiled in several ways is told once."""
    files = {
        "check.c": "#ifdef A\nint main(void) { return 0; }\n#else\nint main(int c) { return c; }\n#endif\n",
        "src/tool.c": '#include "part.h"\nint main(void) { return part(); }\n',
        "src/part.h": "int part(void);\n", "src/part.c": "int part(void) { return 1; }\n",
        "cmd/main.go": "package cmd\n\nfunc Main() {}\n", "lib/commands/main.rs": "pub struct Main;\n",
        "app/App.java": "class App {\n  public static void main(String[] a) {}\n  static class In {\n"
        "    public static void main(String[] a) {}\n  }\n}\n",
        "app/Row.java": "class Row {\n  void main() {}\n}\n",
        "app/Tool.kt": "object Tool {\n  fun main(a: Array<String>) {}\n}\n",
        "app/P.cs": "namespace N { class P { static int Main(string[] a) { return 0; } } }\n",
        "stub.pyi": "def main() -> None: ...\n", ".storybook/main.ts": "export default {}\n",
        "artisan": "#!/usr/bin/env php\n<?php\n", "gradlew": "#!/bin/sh\n", "public/index.php": "<?php\n",
        "lib/index.php": "<?php\n", "Rakefile": "task :x\n",
        "do.py": "from one import a\nfrom two import b\n\n\ndef main():\n    return a, b\n", "one.py": "a = 1\n",
        "two.py": "b = 2\n",
    }  # fmt: skip
    made = synced(tmp_path / "tree", files)
    entries = next(part for part in asker(made)("map")["sections"] if part["name"] == "entry_points")["items"]
    assert [item["text"] for item in entries] == [
        "artisan: by its name", "public/index.php: by its name", "src/tool.c:2: main", "check.c:2: main",
        "app/App.java:2: App.main", "app/P.cs:1: N.P.Main", "app/Tool.kt:2: Tool.main",
        "do.py:5: main",
    ]  # fmt: skip


def test_a_page_says_what_it_runs(tmp_path: Path) -> None:
    """Browsers and bundlers begin with the modules of a page; a name beside it is not told again."""
    page = '<script>1</script><script type="module" src="/app/go.ts"></script><script src="./main.ts" type=module>'
    made = synced(tmp_path / "tree", {
        "web/index.html": page + '<script type="module" src="../../out.ts"></script>', "web/app/go.ts": "1\n",
        "web/main.ts": "1\n", "out.ts": "1\n", "web/old.html": '<script src="old.js"></script>', "web/old.js": "1\n",
    })  # fmt: skip
    entries = next(part for part in asker(made)("map")["sections"] if part["name"] == "entry_points")["items"]
    assert [(item["text"], item["why"]) for item in entries] == [
        ("web/app/go.ts: run by web/index.html", "page"), ("web/main.ts: run by web/index.html", "page"),
    ]  # fmt: skip


def test_the_map_looks_into_modules_that_only_hold_others(tmp_path: Path) -> None:
    """Ruby's are opened in every file, so they would be all that is public and central; nor does a package offer what
    only Python asks it for."""
    files = {
        "lib/kit/row.rb": "module Kit\n  LIMIT = 3\n  class Row\n    def go; end\n  end\nend\n",
        "lib/kit/tools.rb": "module Kit\n  module Tools\n    def self.dig; end\n  end\nend\n",
        **{f"lib/use{n}.rb": "Kit::Row.new.go\nKit::Tools.dig\n" for n in range(3)},
        "pkg/__init__.py": "def __getattr__(name):\n    return name\n\n\ndef run():\n    return 1\n",
        "pkg/use.py": "from pkg import run\n\nrun()\n",
    }
    sections = {each["name"]: each["items"] for each in asker(synced(tmp_path / "tree", files))("map")["sections"]}
    offered = {item["path"]: item["names"] for item in sections["public_api"]}
    assert offered["lib/kit/row.rb"] == ["Row", "LIMIT"]
    assert offered["lib/kit/tools.rb"] == ["Tools"]
    assert offered["pkg/__init__.py"] == ["run"]
    assert "Kit" not in [item["qualified_name"] for item in sections["central"]]
    assert {"Kit.Row", "Kit.Tools"} <= {item["qualified_name"] for item in sections["central"]}


def test_the_map_of_several_packages_lists_them_and_not_where_each_begins(tmp_path: Path) -> None:
    """What most depends on comes first; an example is no package, and a main is still an entry point."""
    made = synced(
        tmp_path / "tree",
        {
            "package.json": '{"name": "@us/root", "private": true}',
            "packages/app/package.json": '{"name": "@us/app"}', "packages/app/main.ts": "import '@us/core'\n",
            "packages/app/index.ts": "import { one } from '@us/core'\nexport const two = one\n",
            "packages/core/package.json": '{"name": "@us/core", "description": "What all others need."}',
            "packages/core/src/index.ts": "export const one = 1\n",
            "packages/core/sub/package.json": '{"main": "index.js"}', "packages/core/sub/index.js": "1\n",
            "crates/fast/Cargo.toml": '[package]\nname = "fast"\ndescription = "fast"\n',
            "crates/fast/src/lib.rs": "pub fn f() {}\n",
            "packages/broken/package.json": '{"name": 3}', "packages/odd/package.json": "[",
            "examples/first/package.json": '{"name": "first"}', "examples/first/index.js": "1\n",
        },
    )  # fmt: skip
    sections = {part["name"]: part["items"] for part in asker(made)("map")["sections"]}
    assert [item["text"] for item in sections["packages"]] == [
        "@us/core: packages/core/, What all others need.", "fast: crates/fast/", "@us/app: packages/app/",
    ]  # fmt: skip
    assert [item["text"] for item in sections["entry_points"]] == ["packages/app/main.ts: by its name"]


def test_attributes_before_a_definition_are_no_list_of_its_parameters(tmp_path: Path) -> None:
    """What C# writes in brackets before a class is not put behind its name."""
    made = synced(tmp_path / "tree", {"a.cs": "[Serializable]\npublic class A { void M() { new A(); } }\n"})
    assert asker(made)("callers", "A")["symbol"]["text"] == "[Serializable] public class A"


def test_a_name_behind_type_parameters_is_not_told_twice(tmp_path: Path) -> None:
    """Java writes a method's own before what it returns."""
    made = synced(tmp_path / "tree", {"A.java": "class A { <T> T first(T[] of) { return of[0]; } }\n"})
    assert asker(made)("callers", "A.first")["symbol"]["text"] == "A: <T> T first(T[] of)"


def test_a_line_that_a_file_has_not_is_told(project: Path) -> None:
    """Whoever asks by a place is told when it is none; a place in a file that is out says that."""
    for asked in ("shop/stock.py:999", "shop/stock.py:0", "shop/stock.py:999:4", f"shop/stock.py:{'9' * 9}"):
        ended = everdex("callers", asked, project)
        assert ended.code == 1
        assert "shop/stock.py has 15 lines" in ended.err
    assert "no indexed file has the path 'shop/none.py'" in everdex("callers", "shop/none.py:3:4", project).err


def test_functions_without_a_name_stand_apart_from_how_they_are_written(tmp_path: Path) -> None:
    """What a callback is called is not run together with its text."""
    made = synced(tmp_path / "tree", {"a.js": "function run(f) { f(); }\nrun(function (x) { return x; });\n"})
    (callee,) = asker(made)("callees", "run")["callees"]
    assert callee["text"] == "<lambda1> function (x)"
