"""Asked back before the first graph: that several definitions fit a name, or none, is said at once and stays true."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everdex import facts
from everdex.graph.answers.unmade import decided
from everdex.graph.definitions import naming, spelling
from everdex.graph.definitions.atlas import Atlas
from everdex.graph.definitions.declarations import written_out
from everdex.graph.making.keep import open_graph
from everdex.graph.making.world import Before, Bench, Resolved
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored import kept_facts
from everdex.graph.text.written import may_define, stands_in_text
from everdex.view import open_view
from support.commands import everdex
from support.graphs import asker, silent
from support.stores import Workspace, synced

_FIXTURES = Path(__file__).parents[1] / "fixtures" / "callgraph"
_PYTHON = {
    "src/shop/__init__.py": "",
    "src/shop/base.py": (
        "import typing as t\n\n\nclass Base:\n    def __init__(self):\n        self.name = ''\n        self.own = 1\n\n"
        "    def run(self): ...\n\n    def only(self): ...\n\n\n"
        "@t.overload\ndef load(a: int) -> int: ...\n@t.overload\ndef load(a: str) -> str: ...\n"
        "def load(a):\n    def run(): ...\n    return run\n"
    ),
    "src/shop/heir.py": (
        "from shop.base import Base\n\n\nclass Heir(Base):\n    def __init__(self):\n        self.name = 'heir'\n"
        "        self.other = 1\n\n    def run(self): ...\n\n\nclass Loner:\n    def other(self): ...\n"
    ),
    "src/shop/run.py": "other = 1\nown = 1\n",
    "lib/tools/broken.py": "def run(:\n    x =\n",
}


def _everything() -> dict[str, str]:
    found = {
        f"{path.relative_to(_FIXTURES)}": path.read_text()
        for path in sorted(_FIXTURES.rglob("*"))
        if path.is_file() and path.suffix not in (".cases", ".py", ".pyc")
    }
    return found | _PYTHON


def test_what_is_said_before_the_graph_the_graph_says_too(tmp_path: Path) -> None:
    """Names of every language, bare and with their owner: the same definitions with the same ids, or no answer yet."""
    made, known = synced(tmp_path / "tree", _everything()), Resolvers()
    with open_view(made.store) as view:
        asked = {"at_no_place", "Nobody.at_no_place", "src/shop/base.py::at_no_place", "src/shop/base.py::run"}
        for path in view.paths:
            for row in view.symbols_of(path):
                asked |= {row.name, row.qualified_name, ".".join(row.qualified_name.split(".")[-2:])}
        ends = ("@", "?", "-x", "$", "=", " ")
        asked |= {f"{name}{end}" for name in ("run", "load", "nobody") for end in ends} | {"@"}
        early = {name: decided(view, known, name, silent) for name in sorted(asked)}
        atlas = Atlas(view, open_graph(view, known, workers=1, progress=silent).graph)
        told = {name: item for name, item in early.items() if item is not None}
        for name, item in told.items():
            late = written_out(atlas, naming.find(atlas, name))
            assert [item.atlas.describe(each) for each in item.found] == [atlas.describe(each) for each in late], name
    languages = {Path(each.path).suffix for item in told.values() for each in item.found}
    assert {".py", ".ts", ".js", ".go", ".rs", ".java", ".rb", ".php", ".swift", ".kt"} <= languages
    assert told.keys() >= {"at_no_place", "Nobody.at_no_place", "src/shop/base.py::at_no_place", "run"}
    assert told.keys() >= {"run@", "load-x", "nobody?", "@"}
    assert not told.keys() & {"run=", "load "}  # such names are put together, or made
    assert "own" in told  # of a class without bases, and of another file's
    assert "base.load" not in told  # overloads are one
    assert "base.Base.only" not in told


def test_names_that_are_no_words_stand_in_the_text(tmp_path: Path) -> None:
    """What `stands_in_text` says of a name holds for the definitions of every language: so nobody need resolve them."""
    more = {
        "a.sh": "my-helper() { :; }\nns::go() { :; }\n",
        "b.rb": "class A\n  def +@; end\n  def go!; end\n  def ok?; end\nend\n",
        "c.cpp": "struct B { ~B(); bool operator==(B) const; operator bool(); };\n", "d.kt": "fun `a b`() {}\n",
        "e.js": "class C { '@odd'() {} }\nconst $x = () => 1;\n", "f.swift": "func +-+ (a: Int, b: Int) {}\n",
    }  # fmt: skip
    made, odd = synced(tmp_path / "tree", _everything() | more), set()
    with open_view(made.store) as view:
        atlas = Atlas(view, open_graph(view, Resolvers(), workers=1, progress=silent).graph)
        for number, path in enumerate(atlas.graph.paths):
            for item in atlas.definitions(number):
                last = spelling.last_of(item.node.name)
                if not item.is_file and not last.isidentifier() and stands_in_text(last):
                    assert may_define(view.source(path), last, view.file_languages[view.file_index(path)]), (path, last)
                    odd.add(last)
    assert odd >= {"my-helper", "go!", "ok?", "~B", "$x"}


_BINDING = """
for f1 in []: pass
with open() as w1, open() as w2: pass
(t1,
 t2
 ) = 1, 2
if (n1 := 3): pass
import os; after = 1
def f(p):
    global g1
    g1 = 1
    def \\
        inner(): ...
async  def later (): ...
class C[T](object):
    a1, a2 = 1, 2
    a3: int
    def m(self):
        self.b1 = 1
        self.b2, self.b3 = 1, 2
        setattr(self, "b4", 2)
        for self.b5 in []: pass
        self.b6 <<= 1
        self.b7 += 1
type A1[X] = int
try: pass
except E as e1: pass
head, *tail = 1
match v:
    case [k1, K(k2), {"a": k3}] if k1: pass
    case k4 if k4: pass
"""


def test_where_python_defines_a_name_the_text_shows_it(tmp_path: Path) -> None:
    """Every way to bind one: whoever looks for definitions parses only files in which one may stand."""
    made = synced(tmp_path / "tree", {"a.py": _BINDING, "b.py": _BINDING.replace("\n", "\r")})
    found: dict[str, set[str]] = {}
    with open_view(made.store) as view:
        atlas = Atlas(view, open_graph(view, Resolvers(), workers=1, progress=silent).graph)
        for number, path in enumerate(atlas.graph.paths):
            names = [item.node.name for item in atlas.definitions(number) if not item.is_file]
            assert [name for name in names if not may_define(view.source(path), name, "python")] == []
            found[path] = {*names}
    assert {"f1", "w2", "t2", "n1", "after", "g1", "inner", "later", "a2", "b3", "b4", "b5"} < found["a.py"]
    assert {"A1", "e1", "tail", "k2", "k3", "k4"} < found["a.py"]


@pytest.mark.parametrize("text", [
    "import lib\nfrom lib import Field\n", "from lib import (\n    Other,\n    Field,\n)\n", "x = lib.Field(1)\n",
    "Field(1)[0].Field[int]\n", "assert lib.Field != 1 and Field == 2\n", "x = 'a.Field'\n", "# Field is great\n",
])  # fmt: skip
def test_a_file_that_uses_a_name_is_not_parsed_for_its_definition(text: str) -> None:
    assert not may_define(text.encode(), "Field", "python")
    assert may_define(text.encode() + b"Field = 1\n", "Field", "python")
    assert may_define(text.encode() + "\uff26ield = 1\n".encode(), "Field", "python")  # to Python the same name


def test_what_only_a_library_defines_is_nobodys_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many files use it: none that only calls it is parsed, and no graph is made."""
    using = {f"use{number}.py": "import lib\n\nx = lib.Field(1)\n" for number in range(120)}
    made = synced(tmp_path / "tree", using | {"own.py": "class Own:\n    def Field(self): ...\n"})
    read: list[str] = []

    def facts_of(path: str, *content: Any) -> bytes:
        read.append(path)
        return facts.facts_of(path, *content)

    monkeypatch.setattr(kept_facts, "facts_of", facts_of)
    found = asker(made)("refs", "lib.Field")
    assert (found["symbol"], found["matches"]) == (None, [])
    assert found["warnings"] == [
        "121 files write Field and none defines lib.Field; `everdex search --mode literal Field` finds it"
    ]
    assert read == ["own.py"]
    assert _graphs(made) == []


def test_a_member_of_nobody_and_of_a_class_without_bases_is_nobodys_at_once(tmp_path: Path) -> None:
    """What a class may have from others the graph says."""
    made, known = synced(tmp_path / "tree", _PYTHON), Resolvers()
    with open_view(made.store) as view:
        early = {name: decided(view, known, name, silent) for name in ("Lonre.run", "Loner.run", "Heir.only")}
    assert {name: item and item.found for name, item in early.items()} == {
        "Lonre.run": [], "Loner.run": [], "Heir.only": None,
    }  # fmt: skip


def test_a_name_that_is_no_word_is_nobodys_at_once(tmp_path: Path) -> None:
    """No graph is made to say that nothing is called so."""
    made = synced(tmp_path / "tree", _PYTHON)
    for method in ("refs", "callers", "impact"):
        assert asker(made)(method, "load@")["matches"] == []
    assert _graphs(made) == []


@pytest.mark.parametrize("asked", ["name", "Heir.name", "Heir.only"])
def test_what_other_files_decide_waits_for_the_graph(tmp_path: Path, asked: str) -> None:
    """An attribute that a class stores may be its base's: written in two classes, it is one."""
    made = synced(tmp_path / "tree", _PYTHON)
    with open_view(made.store) as view:
        assert decided(view, Resolvers(), asked, silent) is None
    assert asker(made)("refs", asked)["symbol"]["path"] == "src/shop/base.py"


def _graphs(made: Workspace) -> list[Path]:
    return list(made.store.graphs.glob("*.graph"))


@pytest.mark.parametrize("method", ["refs", "callers", "callees", "impact"])
def test_nobody_waits_for_a_graph_to_be_asked_back(tmp_path: Path, method: str) -> None:
    """Several fit: exit 2 and the list; none: exit 1 and names like it. No graph is made for either."""
    made = synced(tmp_path / "tree", _PYTHON)
    ask = asker(made)
    several, none = ask(method, "run"), ask(method, "lood")
    assert [item["path"] for item in several["matches"]] == ["src/shop/base.py"] * 2 + ["src/shop/heir.py"]
    assert several["coverage"] is None
    assert several["warnings"] == [
        "1 file with the word run has syntax errors: lib/tools/broken.py; what they hide is not counted"
    ]
    assert [item["name"] for item in none["suggestions"]] == ["load"]
    assert _graphs(made) == []
    assert ask(method, "load")["symbol"]["name_line"] == 18
    assert len(_graphs(made)) == 1
    late = ask(method, "run")
    assert late["matches"] == several["matches"]
    assert ask(method, "lood")["warnings"] == []


def test_a_library_function_is_defined_nowhere_and_found_by_searching(tmp_path: Path) -> None:
    made = synced(tmp_path / "tree", {"a.go": "package a\n\nfunc f() { println(1) }\n"})
    assert asker(made)("callers", "println")["warnings"] == [
        "1 file writes println and none defines it; `everdex search --mode literal println` finds it"
    ]
    assert _graphs(made) == []


def test_the_command_says_so_too(tmp_path: Path) -> None:
    root = synced(tmp_path / "tree", _PYTHON).path
    assert [everdex("callers", name, cwd=root).code for name in ("run", "lood", "load")] == [2, 1, 1]
    assert "resolving" not in everdex("impact", "run", cwd=root).err


def test_what_was_read_to_ask_back_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who is asked back asks again at once: the facts of the files that write the name are kept from the first time."""
    ask = asker(synced(tmp_path / "tree", _PYTHON))
    ask("callers", "run")
    read: list[str] = []

    def facts_of(path: str, *content: Any) -> bytes:
        read.append(path)
        return facts.facts_of(path, *content)

    monkeypatch.setattr(kept_facts, "facts_of", facts_of)
    assert len(ask("callers", "run")["matches"]) == 3
    assert read == []
    assert ask("callers", "load")["symbol"]["name_line"] == 18
    assert read == ["src/shop/__init__.py"]  # the one file that does not write `run`


def test_who_is_asked_back_waits_for_no_sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That several functions fit is said by what files define; what is resolved is what else decides which count."""
    ask = asker(synced(tmp_path / "tree", _PYTHON))
    resolved: list[str] = []
    resolve = Bench.resolve

    def noted(bench: Bench, path: str, before: Before | None) -> Resolved:
        resolved.append(path)
        return resolve(bench, path, before)

    monkeypatch.setattr(Bench, "resolve", noted)
    assert len(ask("callers", "run")["matches"]) == 3
    assert resolved == ["lib/tools/broken.py"]  # of a broken file the outline is not all
