"""Several definitions of one name, in every language that has such: each is a definition, and calls never guess.

A case has a definition to a line. `calls` says by the line of a call what it leads to: lines of definitions; a
question mark before them where nothing decides between them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from everdex.service import exporting
from everdex.service.index import Index, Reading
from everdex.sync.model import SyncOptions
from support.graphs import asker
from support.stores import Workspace, synced


@dataclass(frozen=True)
class Case:
    files: dict[str, str]  # the first has the definitions
    name: str
    lines: tuple[int, ...]  # of the definitions of the name
    calls: dict[int, str]  # in the last file
    swap: tuple[int, int] | None  # lines of two definitions that may change places
    edit: tuple[str, str]  # of a body
    one: int = 0  # the line of the one that all stand for


_CLASS = "class Shop {{\n  void sell(int a) {{ }}\n  void sell({text} a) {{ }}\n  void sell(int a, int b) {{ }}\n"
CASES = {
    "java": Case(
        {"Shop.java": _CLASS.format(text="String") + "  void all() {\n    sell(1);\n    sell(1, 2);\n  }\n}\n"},
        "Shop.sell", (2, 3, 4), {6: "2", 7: "4"}, (2, 3), ("(int a) { }", "(int a) { all(); }"),
    ),
    "csharp": Case(
        {"Shop.cs": "partial " + _CLASS.format(text="string") + "}\n",
         "More.cs": "partial class Shop {\n  void All() {\n    sell(1);\n    sell(1, 2);\n  }\n}\n"},
        "Shop.sell", (2, 3, 4), {3: "2", 4: "4"}, (2, 3), ("(int a) { }", "(int a) { All(); }"),
    ),
    "cpp": Case(
        {"shop.cc": (
            "struct Shop {\n  void sell(int a) { }\n  void sell(char* a) { }\n  void sell(int a, int b) { }\n};\n"
            "void all(Shop& s) {\n  s.sell(1);\n  s.sell(1, 2);\n}\n")},
        "Shop.sell", (2, 3, 4), {7: "?2 3", 8: "4"}, (2, 3), ("(int a) { }", "(int a) { all(*this); }"),
    ),
    "kotlin": Case(
        {"Shop.kt": (
            "class Shop {\n  fun sell(a: Int) { }\n  fun sell(a: String) { }\n  fun sell(a: Int, b: () -> Unit) { }\n"
            "  fun all() {\n    sell(1)\n    sell(1) { }\n  }\n}\n")},
        "Shop.sell", (2, 3, 4), {6: "2", 7: "4"}, (2, 3), ("(a: Int) { }", "(a: Int) { all() }"),
    ),
    "swift": Case(
        {"Shop.swift": (
            "class Shop {\n  func sell(_ a: Int) { }\n  func sell(_ a: String) { }\n"
            "  func sell(_ a: Int, b: () -> Void) { }\n  func all() {\n    sell(1)\n    sell(1) { }\n  }\n}\n")},
        "Shop.sell", (2, 3, 4), {6: "?2 3", 7: "4"}, (2, 3), ("(_ a: Int) { }", "(_ a: Int) { all() }"),
    ),
    "scala": Case(
        {"Shop.scala": (
            "class Shop {\n  def sell(a: Int): Unit = { }\n  def sell(a: String): Unit = { }\n"
            "  def sell(a: Int)(b: Int): Unit = { }\n  def all(): Unit = {\n    sell(1)\n    sell(1)(2)\n  }\n}\n")},
        "Shop.sell", (2, 3, 4), {6: "2", 7: "4"}, (2, 3), ("(a: Int): Unit = { }", "(a: Int): Unit = { all() }"),
    ),
    "typescript functions": Case(
        {"a.ts": (
            "export function area(side: number): number;\nexport function area(side: string, scale: number): number;\n"
            "export function area(side: any, scale = 1) { return 1; }\n"),
         "b.ts": 'import { area } from "./a";\narea(1);\narea("x", 2);\n'},
        "area", (1, 2, 3), {2: "3", 3: "3"}, (1, 2), ("return 1", "return area(1)"), one=3,
    ),
    "typescript methods": Case(
        {"a.ts": (
            "export class Box {\n  put(a: number): void;\n  put(a: string, b: number): void;\n"
            "  put(a: any, b = 1) { }\n}\nexport function use(box: Box) {\n  box.put(1);\n  box.put('x', 2);\n}\n")},
        "Box.put", (2, 3, 4), {7: "4", 8: "4"}, (2, 3), ("b = 1) { }", "b = 1) { this.put(1); }"), one=4,
    ),
    "typescript constructors": Case(
        {"a.ts": (
            "export class Box {\n  constructor(a: number);\n  constructor(a: string, b: number);\n"
            "  constructor(a: any, b = 1) { }\n}\nexport class Sub extends Box {}\nnew Box(1);\nnew Sub('x', 2);\n")},
        "Box.constructor", (2, 3, 4), {7: "4", 8: "4"}, (2, 3), ("b = 1) { }", "b = 1) { ok(); }"), one=4,
    ),
    "typescript declared functions": Case(
        {"a.d.ts": (
            "declare function ping(a: string): void;\ndeclare function ping(a: number): void;\n"
            "declare function ping(a: number, b: number): void;\n"),
         "b.ts": (
            "ping('x');\nping(1);\nping(1, 2);\nfunction go(all: any[], one: any) {\n  ping(...all);\n"
            "  ping(one);\n}\n")},
        "ping", (1, 2, 3), {1: "1", 2: "2", 3: "3", 5: "?1 2 3", 6: "?1 2"}, (1, 2), ("", ""),
    ),
    "typescript interfaces": Case(
        {"a.ts": (
            "export interface Reader {\n  read(path: string): string;\n  read(path: number): string;\n"
            "  read(path: string, limit?: number, rest?: string): string;\n}\n"),
         "b.ts": (
            'import { Reader } from "./a";\nexport function use(reader: Reader, path: any) {\n  reader.read(1);\n'
            "  reader.read('x', 2);\n  reader.read(path);\n}\n")},
        "Reader.read", (2, 3, 4), {3: "3", 4: "4", 5: "?2 3 4"}, (2, 3), ("", ""),
    ),
    "typescript abstract methods": Case(
        {"a.ts": (
            "export abstract class Shape {\n  abstract draw(x: number): void;\n"
            "  abstract draw(x: number, y: number): void;\n}\n"
            "export function use(shape: Shape) {\n  shape.draw(1);\n  shape.draw(1, 2);\n}\n")},
        "Shape.draw", (2, 3), {6: "2", 7: "3"}, (2, 3), ("", ""),
    ),
    "python overloads": Case(
        {"a.py": (
            "from typing import overload\n@overload\ndef area(a: int) -> int: ...\n@overload\n"
            "def area(a: str, b: int) -> str: ...\ndef area(a, b=0):\n    return a\n\n\narea(1)\narea('x', 2)\n")},
        "area", (3, 5, 6), {10: "6", 11: "6"}, None, ("return a", "return [a]"), one=6,
    ),
    "python conditions": Case(
        {"a.py": (
            "import sys\nif sys.platform == 'win32':\n    def home():\n        return 1\nelse:\n    def home():\n"
            "        return 2\n\n\nhome()\n")},
        "home", (3, 6), {10: "3 6"}, None, ("return 2", "return 3"),
    ),
    "ruby": Case(
        {"a.rb": (
            "class Box\n  def put(a)\n  end\nend\nclass Box\n  def put(a, b)\n  end\n"
            "  def use\n    put(1)\n  end\nend\n")},
        "Box.put", (2, 6), {9: "?2 6"}, None, ("put(a)\n", "put(a)\n    use\n"),
    ),
    "rust": Case(
        {"src/lib.rs": (
            "pub struct Store;\n#[cfg(unix)]\npub fn home() -> u32 { 1 }\n#[cfg(windows)]\npub fn home() -> u32 { 2 }\n"
            "impl Store {\n    pub fn get(&self) -> u32 { home() }\n}\nimpl Store {\n"
            "    pub fn put(&self) -> u32 {\n        self.get()\n    }\n}\n")},
        "home", (3, 5), {7: "?3 5", 11: "7"}, None, ("{ 2 }", "{ 3 }"),
    ),
    "go": Case(
        {"home_linux.go": "//go:build linux\npackage g\n\nfunc Home() string { return \"l\" }\n",
         "home_windows.go": "//go:build windows\npackage g\n\nfunc Home() string { return \"w\" }\n",
         "use.go": "package g\n\nfunc Use() string {\n\treturn Home()\n}\n", "go.mod": "module example.com/g\n"},
        "Home", (4, 4), {4: "?4 4"}, None, ('"l"', '"x"'),
    ),
    "c": Case(
        {"home.c": (
            "#ifdef WIN\nint home(int a) { return 1; }\n#else\nint home(int a) { return 2; }\n#endif\n"
            "int use(void) {\n  return home(3);\n}\n"), "home.h": "int home(int a);\n"},
        "home", (2, 4), {}, None, ("return 2", "return 4"),
    ),
    "php": Case(
        {"a.php": (
            "<?php\nif (PHP_VERSION_ID > 8) {\n  function home($a) { return 1; }\n} else {\n"
            "  function home() { return 2; }\n}\nfunction go() {\n  home(1);\n}\n")},
        "home", (3, 5), {8: "?3 5"}, None, ("return 2", "return 3"),
    ),
    "lua": Case(
        {"a.lua": (
            "local M = {}\nfunction M.a() return 1 end\nfunction M.a(x) return x end\n"
            "function M.use()\n  M.a(1)\nend\n")},
        "M.a", (2, 3), {5: "?2 3"}, (2, 3), ("return 1", "return M.use()"),
    ),
}  # fmt: skip


def _graph(made: Workspace) -> dict[str, Any]:
    printing = exporting.Printing(json.dumps, str)
    with exporting.export(Index.open(made.path), "json", Reading(), SyncOptions(workers=1), printing) as found:
        return dict(json.loads(b"".join(found.pieces)))


def _defined(graph: dict[str, Any], case: Case) -> list[dict[str, Any]]:
    last = case.name.rpartition(".")[2]
    named = [node for node in graph["nodes"] if node["qualified_name"].rpartition(".")[2] == last]
    return [node for node in named if node["kind"] != "module" and not node["path"].endswith(".h")]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_definition_is_one_and_calls_lead_to_those_that_fit(tmp_path: Path, case: Case) -> None:
    """Definitions of one name have ids of their own; a call is resolved where arguments decide, else all are told."""
    graph = _graph(synced(tmp_path / "tree", case.files))
    nodes = _defined(graph, case)
    lines = {node["id"]: node["start_line"] for node in graph["nodes"]}
    assert sorted(node["start_line"] for node in nodes) == _starts(case)
    assert len({node["id"] for node in nodes}) == len(nodes)
    path = [name for name in case.files if not name.endswith((".h", ".mod"))][-1]
    numbers = {node["id"] for node in graph["nodes"] if node["path"] == path}
    for line, expected in case.calls.items():
        found = {
            (edge["certainty"], edge["to"]) for edge in graph["edges"]
            if edge["kind"] == "calls" and edge["from"] in numbers and any(site[0] == line for site in edge["sites"])
        }  # fmt: skip
        mark = "?" if {certainty for certainty, _ in found} == {"ambiguous"} else ""
        assert mark + " ".join(map(str, sorted(lines[to] for _, to in found))) == expected, line


def _starts(case: Case) -> list[int]:
    """Where the definitions begin: decorators are part of them."""
    text = next(iter(case.files.values())).split("\n")
    return [line - 1 if text[line - 2].startswith("@") else line for line in case.lines]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_ids_stay_when_lines_and_bodies_change(tmp_path: Path, case: Case) -> None:
    """Two lines more, another body, or two definitions in each other's place: every definition keeps its id."""
    made = synced(tmp_path / "tree", case.files)
    before = {node["id"] for node in _defined(_graph(made), case)}
    path, text = next(iter(case.files.items()))
    lines = text.replace(*case.edit, 1).split("\n") if case.edit[0] else text.split("\n")
    if case.swap:
        first, second = case.swap
        lines[first - 1], lines[second - 1] = lines[second - 1], lines[first - 1]
    made.write({path: "\n".join((lines[0], "", "", *lines[1:]) if case.swap != (1, 2) else ("", "", *lines))})
    made.sync()
    assert {node["id"] for node in _defined(_graph(made), case)} == before


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_one_of_several_is_named_by_its_place(tmp_path: Path, case: Case) -> None:
    """The name alone gives them all, with one symbolKey in a file and as many scopedIds as there are; a line gives one.
    What only declares an implementation that is there stands for it."""
    made = synced(tmp_path / "tree", case.files)
    ask = asker(made)
    path = next(iter(case.files))
    if case.one:
        for asked in (case.name, *(f"{path}:{line}" for line in case.lines)):
            assert ask("callers", asked)["symbol"]["name_line"] == case.one
        return
    matches = ask("callers", case.name)["matches"]
    assert sorted(item["name_line"] for item in matches) == sorted(case.lines)
    symbols = [item["symbol"] for item in matches]
    assert len({symbol["scopedId"] for symbol in symbols}) == len(symbols)
    assert len({symbol["symbolKey"] for symbol in symbols}) == len({item["path"] for item in matches})
    for line in case.lines:
        assert ask("callers", f"{path}:{line}")["symbol"]["name_line"] == line


def test_a_type_in_parts_is_one(tmp_path: Path) -> None:
    """Partial types of C# and a class that a Ruby file opens again mean every part; two of a name do not."""
    part = "namespace N {{ public partial class Store {{ public void {name}() {{ }} }} }}\n"
    use = "namespace N { class User { void Use() { Store s = new Store(); s.B(); } } }\n"
    files = {
        "A.cs": part.format(name="A"), "B.cs": part.format(name="B"), "User.cs": use,
        "a.rb": "class Box\nend\nclass Box\nend\ndef use\n  Box.new\nend\n",
        "x/T.java": "package p; class T { }\n", "y/T.java": "package p; class T { void go() { new T(); } }\n",
    }  # fmt: skip
    graph = _graph(synced(tmp_path / "tree", files))
    nodes = {node["id"]: node for node in graph["nodes"]}
    found = {
        (nodes[edge["to"]]["qualified_name"], nodes[edge["to"]]["path"], edge["certainty"]) for edge in graph["edges"]
        if edge["kind"] == "constructs"
    }  # fmt: skip
    assert found == {
        ("N.Store", "A.cs", "resolved"), ("N.Store", "B.cs", "resolved"), ("Box", "a.rb", "resolved"),
        ("p.T", "x/T.java", "ambiguous"), ("p.T", "y/T.java", "ambiguous"),
    }  # fmt: skip
    types = [edge for edge in graph["edges"] if edge["kind"] == "references" and nodes[edge["to"]]["kind"] == "class"]
    assert {nodes[edge["to"]]["path"] for edge in types if edge["certainty"] == "resolved"} >= {"A.cs", "B.cs", "a.rb"}


def test_a_type_is_constructed_by_its_own_parameters_or_by_others(tmp_path: Path) -> None:
    """Scala's `this` and C#'s further constructors stand beside the parameters of the type itself."""
    files = {
        "Shop.scala": (
            "class Shop(a: Int) {\n  def this() = this(1)\n}\nobject Use {\n  def go = {\n    new Shop()\n"
            "    new Shop(2)\n  }\n}\n"),
        "Shop.cs": (
            "class Store(int a) {\n  public Store() : this(1) { }\n  static void Go() {\n    new Store();\n"
            "    new Store(2);\n  }\n}\n"),
    }  # fmt: skip
    graph = _graph(synced(tmp_path / "tree", files))
    nodes = {node["id"]: node for node in graph["nodes"]}
    found = {
        (nodes[edge["from"]]["path"], site[0], nodes[edge["to"]]["start_line"], edge["certainty"])
        for edge in graph["edges"] if edge["kind"] in ("calls", "constructs") for site in edge["sites"]
    }  # fmt: skip
    assert found == {
        ("Shop.scala", 2, 1, "resolved"), ("Shop.scala", 6, 2, "resolved"), ("Shop.scala", 7, 1, "resolved"),
        ("Shop.cs", 2, 1, "resolved"), ("Shop.cs", 4, 2, "resolved"), ("Shop.cs", 5, 1, "resolved"),
    }  # fmt: skip


def test_a_fixture_that_takes_another_is_not_a_signature_of_it(tmp_path: Path) -> None:
    """pytest hands a fixture what its parameters name: it uses that one, and is what it was asked as."""
    made = synced(tmp_path / "tree", {
        "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef options():\n    return {}\n",
        "test_shop.py": (
            "import pytest\n\n\n@pytest.fixture\ndef shop(options):\n    return 1\n\n\n"
            "def test_shop(shop):\n    assert shop\n"
        ),
    })  # fmt: skip
    found = asker(made)("callees", "shop")
    assert (found["symbol"]["path"], found["symbol"]["name"]) == ("test_shop.py", "shop")
