"""Rename plans: edits that can be carried out as they stand, and nothing doubtful among them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everdex.errors import QueryError
from everdex.service.index import Index
from everdex.service.relations import Question
from support.asked import asked as asked_of
from support.commands import everdex
from support.renames import carried_out, doubted, plan_of
from support.stores import synced

_FILES = {
    "core.py": (
        "def helper(a):\n    return a  # helper, not a site\n\n\n"
        "class Base:\n    def run(self):\n        return helper(1)\n\n\n"
        "class Child(Base):\n    def run(self):\n        return super().run()\n"
    ),
    "app.py": (
        "import core\nfrom core import Base, Child, helper, helper as other\n\n\n"
        "def go(b: Base, unknown):\n    b.run()\n    Child().run()\n    unknown.run()\n"
        "    return core.helper(helper(2)) + other(3)\n"
    ),
    "façade.py": "from core import helper\n\n\nµ = 'ü'; x = helper(µ)\n",
    "web.ts": "export function draw(a: number) { return a }\n",
    "page.ts": "import { draw } from './web';\nexport const x = draw(1);\n",
}


def test_a_function_is_renamed_wherever_it_is_named(tmp_path: Path) -> None:
    """Definition, imports and calls, bare or through the module; aliases keep their names, comments theirs."""
    made = synced(tmp_path / "tree", _FILES)
    plan = plan_of(made, "core.py::helper", "assist")
    after = carried_out(made, plan, "assist")
    assert after["core.py"] == _FILES["core.py"].replace("def helper", "def assist").replace("helper(1)", "assist(1)")
    assert after["app.py"] == (
        _FILES["app.py"].replace("helper, helper as other", "assist, assist as other")
        .replace("core.helper(helper(2))", "core.assist(assist(2))")
    )  # fmt: skip
    assert after["façade.py"] == _FILES["façade.py"].replace("helper", "assist")
    assert (plan["doubts"], plan["clashes"]) == ([], [])


def test_a_method_is_renamed_with_its_family(tmp_path: Path) -> None:
    """What overrides it and what it overrides; a call on something unknown is in doubt and no edit."""
    made = synced(tmp_path / "tree", _FILES)
    for symbol in ("Base.run", "Child.run"):
        plan = plan_of(made, symbol, "execute")
        after = carried_out(made, plan, "execute")
        assert after["core.py"] == _FILES["core.py"].replace("run(", "execute(")
        assert after["app.py"] == _FILES["app.py"].replace("b.run()", "b.execute()").replace(
            "Child().run()", "Child().execute()"
        )
        assert [(doubt["path"], doubt["line"], doubt["certainty"]) for doubt in plan["doubts"]] == [
            ("app.py", 8, plan["doubts"][0]["certainty"])
        ]
        assert plan["doubts"][0]["certainty"] != "resolved"
        assert len(plan["definitions"]) == 2


def test_a_class_is_renamed_with_its_constructions(tmp_path: Path) -> None:
    """Bases, annotations, imports and calls."""
    made = synced(tmp_path / "tree", _FILES)
    after = carried_out(made, plan_of(made, "core.py::Base", "Root"), "Root")
    assert after["core.py"] == _FILES["core.py"].replace("Base", "Root")
    assert after["app.py"] == _FILES["app.py"].replace("Base", "Root")


def test_other_languages_too(tmp_path: Path) -> None:
    """TypeScript across an import."""
    made = synced(tmp_path / "tree", _FILES)
    after = carried_out(made, plan_of(made, "draw", "paint"), "paint")
    assert after == {name: _FILES[name].replace("draw", "paint") for name in ("page.ts", "web.ts")}


def test_a_name_that_is_taken_is_said(tmp_path: Path) -> None:
    """Beside the definition, or at the top of a file that would name it."""
    made = synced(tmp_path / "tree", {**_FILES, "app.py": _FILES["app.py"] + "\n\ndef assist():\n    return 0\n"})
    assert [clash["path"] for clash in plan_of(made, "core.py::helper", "assist")["clashes"]] == ["app.py"]
    assert plan_of(made, "core.py::helper", "Base")["clashes"][0]["qualified_name"] == "core.Base"


def test_the_same_plan_has_the_same_name(tmp_path: Path) -> None:
    """Another name, or another content, is another plan."""
    made = synced(tmp_path / "tree", _FILES)
    first = plan_of(made, "core.py::helper", "assist")["plan_id"]
    assert plan_of(made, "core.py::helper", "assist")["plan_id"] == first
    assert plan_of(made, "core.py::helper", "aid")["plan_id"] != first
    made.write({"core.py": "\n" + _FILES["core.py"]})
    assert plan_of(made, "core.py::helper", "assist")["plan_id"] != first


@pytest.mark.parametrize("new", ["", "a.b", "1x", "x y", "helper", "x" * 300])
def test_a_name_that_cannot_be_one_is_refused(tmp_path: Path, new: str) -> None:
    """Before anything is planned; so is the name it has."""
    made = synced(tmp_path / "tree", _FILES)
    with pytest.raises(QueryError):
        plan_of(made, "core.py::helper", new)


@pytest.mark.parametrize("symbol", ["core.py", "core.py:1"])
def test_a_file_is_no_symbol_to_rename(tmp_path: Path, symbol: str) -> None:
    """Its name is that of a file: it is renamed by moving it."""
    made = synced(tmp_path / "tree", {"core.py": "import os\n", "app.py": "import core\n"})
    with pytest.raises(QueryError):
        plan_of(made, symbol, "centre")


def test_where_the_old_name_stays_is_said(tmp_path: Path) -> None:
    """Comments, sentences in strings and documents are left and listed, edited files first; others' code is not."""
    files = {
        "Reader.java": (
            "class Reader {\n  /** See {@link #getStrict()}. */\n  int getStrict() { return 1; }\n}\n"
            "class Writer { int getStrict() { return 2; } }\n"
        ),
        "ATest.java": 'class ATest {\n  String[] a = {"getStrict() of it"};\n  int x = new Reader().getStrict();\n}\n',
        "Other.java": "class Other { int go() { return new Writer().getStrict(); } }  // getStrict\n",
        "A.md": "Call `getStrict()`; getStrictness is another.\n",
    }
    made = synced(tmp_path / "tree", files)
    plan = plan_of(made, "Reader.getStrict", "strict")
    assert [(place["path"], place["line"], place["column"]) for place in plan["left"]] == [
        ("ATest.java", 2, 17), ("Reader.java", 2, 18), ("A.md", 1, 6), ("Other.java", 1, 66)
    ]  # fmt: skip
    assert (plan["counts"]["left"], plan["left_omitted"]) == (4, 0)
    done = everdex("rename", "Reader.getStrict", "strict", "--plan", cwd=made.path)
    assert "left as it is: Reader.java:2:19:/** See {@link #getStrict()}. */" in done.err
    assert r"left as they are: 1 more place in comments, strings and documents; see `everdex search " in done.err
    made.write({"A.md": "`getStrict`\n" * 11})
    done = everdex("rename", "Reader.getStrict", "strict", "--plan", cwd=made.path)
    assert done.err.count("left as it is") == 10
    assert "4 more places in comments" in done.err


def test_a_word_of_the_language_is_no_name(tmp_path: Path) -> None:
    """What would no longer parse is refused; a word that is a name where it would stand is none of these."""
    made = synced(
        tmp_path / "tree",
        {**_FILES, "box.ts": "export class Box { take() { return 1 } }\n", "a.go": "package a\n\nfunc Make() {}\n"},
    )
    helper = "core.py::helper"
    for symbol, new in ((helper, "class"), (helper, "None"), ("draw", "delete"), ("Make", "func")):
        with pytest.raises(QueryError) as refused:
            plan_of(made, symbol, new)
        assert new in str(refused.value)
    assert plan_of(made, "Box.take", "delete")["edits"]
    assert plan_of(made, helper, "match")["edits"]
    assert plan_of(made, helper, "func")["edits"]


def test_the_command_plans_and_never_changes(tmp_path: Path) -> None:
    """Places on stdout, doubts beside them; several definitions are listed; without --plan it is refused."""
    made = synced(tmp_path / "tree", _FILES)
    done = everdex("rename", "Base.run", "execute", "--plan", cwd=made.path)
    assert (done.code, len(done.lines)) == (0, 5)
    assert "in doubt: app.py:8" in done.err
    assert everdex("rename", "run", "execute", "--plan", cwd=made.path).code == 2
    assert everdex("rename", "nothing_like_it", "execute", "--plan", cwd=made.path).code == 1
    assert everdex("rename", "Base.run", "execute", cwd=made.path).code == 2
    assert {name: (made.path / name).read_text() for name in _FILES} == _FILES


def test_what_a_module_offers_is_renamed_in_its_list(tmp_path: Path) -> None:
    """`__all__` of its own file and of those that take everything from it; a path in a string is in doubt."""
    files = {
        "pkg/__init__.py": "from ._core import *\n\n__all__ = ['helper']\n",
        "pkg/_core.py": "__all__ = ['helper']\n\n\ndef helper():\n    return 1\n",
        "stranger.py": "__all__ = ['helper']\n\nhelper = 2\n",
        "test_it.py": "def test_it(mocker):\n    mocker.patch('pkg.helper')\n",
    }
    made = synced(tmp_path / "tree", files)
    plan = plan_of(made, "pkg/_core.py::helper", "assist")
    after = carried_out(made, plan, "assist")
    assert after == {path: files[path].replace("helper", "assist") for path in ("pkg/__init__.py", "pkg/_core.py")}
    assert doubted(plan) == {("test_it.py", 2, "path")}


def test_one_name_that_is_written_several_times_is_renamed_everywhere(tmp_path: Path) -> None:
    """A property's getter and setter, and overloads, whichever is asked for; not a method of the next object."""
    files = {
        "node.py": (
            "class Node:\n    @property\n    def total(self):\n        return 1\n\n    @total.setter\n"
            "    def total(self, value):\n        pass\n"
        ),
        "pick.ts": (
            "function pick(a: number): number\nfunction pick(a: string): string\nfunction pick(a: any) { return a }\n"
            "export const two = () => [{ run() { return pick(1) } }, { run() { return 2 } }]\n"
        ),
    }
    made = synced(tmp_path / "tree", files)
    for symbol in ("node.py:3", "node.py:7"):
        plan = plan_of(made, symbol, "sum")
        assert carried_out(made, plan, "sum") == {"node.py": files["node.py"].replace("total", "sum")}
    plan = plan_of(made, "pick.ts::pick", "choose")
    assert {place["line"] for place in (*plan["edits"], *plan["doubts"])} == {1, 2, 3, 4}
    assert len(plan_of(made, "pick.ts::run~2", "go")["edits"]) == 1


def test_private_names_and_parameters_that_are_fields_are_renamed_whole(tmp_path: Path) -> None:
    """`#x` keeps its mark; inside the constructor the parameter is the field."""
    text = (
        "class Box {\n  #lid = 1;\n  constructor(readonly size: number) { this.#lid = size }\n"
        "  a() { return this.size }\n}\n"
    )
    made = synced(tmp_path / "tree", {"box.ts": text})
    private = plan_of(made, "Box.#lid", "cover")
    assert carried_out(made, private, "cover")["box.ts"] == text.replace("#lid", "#cover")
    field = plan_of(made, "Box.size", "width")
    assert carried_out(made, field, "width")["box.ts"] == text.replace("size", "width")
    assert private["doubts"] == field["doubts"] == []


def test_the_key_of_a_literal_that_has_a_declared_type_is_renamed_with_its_member(tmp_path: Path) -> None:
    """Where a type is declared, the keys of an object are its members; the same key of another object is not."""
    made = synced(
        tmp_path / "tree",
        {
            "shape.ts": "export interface Shape { size: number }\n",
            "use.ts": (
                "import { Shape } from './shape';\n"
                "const one: Shape = { size: 2 };\nconst other = { size: 3 };\nconsole.log(one.size, other.size);\n"
            ),
        },
    )
    plan = plan_of(made, "shape.ts::Shape.size", "extent")
    assert [(edit["path"], edit["line"], edit["column"]) for edit in plan["edits"]] == [
        ("shape.ts", 1, 25), ("use.ts", 2, 21), ("use.ts", 4, 16)
    ]  # fmt: skip


def test_declarations_are_renamed_with_what_they_declare(tmp_path: Path) -> None:
    """A header's declaration, one beside a caller and every body of it are one name to C; a static one is another."""
    files = {
        "port.h": "int lock_it(int a);\n",
        "unix.c": '#include "port.h"\nint lock_it(int a) { return a; }\n',
        "windows.c": '#include "port.h"\nint lock_it(int a) { return -a; }\n',
        "main.c": "extern int lock_it(int a);\n",
        "own.c": "static int lock_it(int a);\nint own(void) { return lock_it(1); }\n"
        "static int lock_it(int a) { return a; }\n",
    }  # fmt: skip
    made = synced(tmp_path / "tree", files)
    plan = plan_of(made, "unix.c::lock_it", "hold_it")
    assert carried_out(made, plan, "hold_it") == {
        path: text.replace("lock_it", "hold_it") for path, text in files.items() if path != "own.c"
    }
    assert plan["doubts"] == []
    own = plan_of(made, "own.c::lock_it", "hold_it")
    assert carried_out(made, own, "hold_it") == {"own.c": files["own.c"].replace("lock_it", "hold_it")}


def test_a_method_of_cpp_is_renamed_in_its_class_and_where_it_is_written_out(tmp_path: Path) -> None:
    """The class declares what another file defines; an overload with another type is another."""
    files = {
        "a.h": "class A {\npublic:\n  int take(int x = 1);\n  int take(const char *);\n};\n",
        "a.cc": '#include "a.h"\nint A::take(int y) { return y; }\nint A::take(const char *x) { return *x; }\n',
    }
    made = synced(tmp_path / "tree", files)
    plan = plan_of(made, "a.cc:3", "fetch")
    assert carried_out(made, plan, "fetch") == {
        path: text.replace("take(const", "fetch(const") for path, text in files.items()
    }


def test_a_type_of_rust_is_renamed_in_every_path_through_it(tmp_path: Path) -> None:
    """Patterns, values, macros, imports of its variants and its own `impl`; no place is left in doubt."""
    files = {
        "Cargo.toml": '[package]\nname = "x"\n',
        "src/lib.rs": (
            "pub mod shape;\nuse crate::shape::Shape::{self, Empty};\n"
            "pub fn area(s: &Shape) -> f64 {\n    match s { Shape::Circle(r) => *r, Shape::Empty => 0.0 }\n}\n"
            "pub fn all() -> Vec<Shape> { vec![Shape::Circle(1.0), shape::Shape::unit()] }\n"
        ),
        "src/shape.rs": (
            "pub enum Shape { Circle(f64), Empty }\nimpl Shape { pub fn unit() -> Self { Self::Circle(1.0) } }\n"
        ),
    }
    made = synced(tmp_path / "tree", files)
    plan = plan_of(made, "Shape", "Form")
    assert plan["doubts"] == []
    assert carried_out(made, plan, "Form") == {
        path: text.replace("Shape", "Form") for path, text in files.items() if path.endswith(".rs")
    }


_CLASSES = {
    "Shop.java": "class Shop {\n  Shop(int n) {}\n  Shop() { this(1); }\n}\n",
    "Use.java": "class Use {\n  Shop one = new Shop(2);\n}\n",
    "tool.cs": "class Tool { public Tool() {} ~Tool() {} }\nclass Box { Tool t = new Tool(); }\n",
    "store.h": "class Store {\n public:\n  Store(int n);\n  Store();\n  ~Store();\n  void go();\n};\n",
    "store.cc": (
        '#include "store.h"\n\nStore::Store(int n) {}\nStore::Store() {}\nStore::~Store() {}\nvoid Store::go() {}\n'
        "void use() { Store s(1); Store *t = new Store(); }\n"
    ),
}


@pytest.mark.parametrize(
    ("name", "asked"),
    [("Shop", "Shop"), ("Tool", "Tool"), ("Store", "Store"), ("Store", "store.cc:3"), ("Shop", "Shop.java:3")],
)
def test_a_class_is_renamed_with_what_is_written_with_its_name(tmp_path: Path, name: str, asked: str) -> None:
    """Constructors and destructors of Java, C# and C++ have their class's name, wherever they are written out; nothing
    of it is left, whichever of them was asked for."""
    made = synced(tmp_path / "tree", _CLASSES)
    plan = plan_of(made, asked, "Renamed")
    assert plan["doubts"] == []
    after = carried_out(made, plan, "Renamed")
    expected = {path: re.sub(rf"\b{name}\b", "Renamed", text) for path, text in _CLASSES.items()}
    assert after == {path: text for path, text in expected.items() if text != _CLASSES[path]}


def test_the_callers_of_a_class_of_c_plus_plus_are_those_of_its_constructors(tmp_path: Path) -> None:
    """Also of those that are written out in another file; and the bare name means the class."""
    made = synced(tmp_path / "tree", _CLASSES)
    for name, calls in (("Store", 2), ("Shop", 2), ("Tool", 1)):
        answer = asked_of(Index.open(made.path), "relations", Question("callers", name))
        assert (answer["matches"], answer["counts"]["resolved"]) == ([], calls), name
        assert answer["could_add"]["unknown"] == 0
    sliced = {"slice.h": "class Slice {\n public:\n  Slice(const char *d);\n  Slice(const int *d);\n};\n"}
    sliced["use.cc"] = '#include "slice.h"\nvoid use() { auto x = get(); Slice(x); }\n'
    answer = asked_of(Index.open(synced(tmp_path / "other", sliced).path), "relations", Question("callers", "Slice"))
    assert (answer["counts"]["ambiguous"], answer["could_add"]["ambiguous"]) == (1, 0)  # counted once


def test_a_word_of_ruby_names_no_method_that_is_called_bare(tmp_path: Path) -> None:
    """`self.class` is a call and `class(…)` is none: the place that would not parse is told."""
    code = "class Queue\n  def push(x) = x\n  def all = self.push(1)\nend\n"
    made = synced(tmp_path / "tree", {"a.rb": code})
    assert carried_out(made, plan_of(made, "Queue.push", "class"), "class") == {"a.rb": code.replace("push", "class")}
    bare = synced(tmp_path / "bare", {"a.rb": code.replace("self.push", "push")})
    with pytest.raises(QueryError, match=r"'class' is a word of ruby itself, and it is called bare at a\.rb:3"):
        plan_of(bare, "Queue.push", "class")
