"""Rename plans: edits that can be carried out as they stand, and nothing doubtful among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everdex.errors import QueryError
from everdex.service import relations
from everdex.service.index import Index, Reading
from everdex.service.relations import Question
from everdex.sync.model import SyncOptions
from support.commands import everdex
from support.stores import Workspace, synced

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


def _plan(made: Workspace, symbol: str, new: str, **more: Any) -> dict[str, Any]:
    question = Question("rename", symbol, new=new, **more)
    return relations.ask(Index.open(made.path), question, Reading(), SyncOptions(workers=1)).to_dict()


def _carried_out(made: Workspace, plan: dict[str, Any], new: str) -> dict[str, str]:
    """The files with the edits made, last first; each must be where the plan says."""
    before = {path: (made.path / path).read_bytes() for path in plan["files"]}
    texts = dict(before)
    for edit in reversed(plan["edits"]):
        start, end = edit["byte_start"], edit["byte_end"]
        assert before[edit["path"]][:start].decode("utf-8", "ignore").endswith(edit["before"])
        assert before[edit["path"]][end:].decode("utf-8", "ignore").startswith(edit["after"])
        texts[edit["path"]] = texts[edit["path"]][:start] + new.encode() + texts[edit["path"]][end:]
    return {path: data.decode() for path, data in texts.items()}


def test_a_function_is_renamed_wherever_it_is_named(tmp_path: Path) -> None:
    """Definition, imports and calls, bare or through the module; aliases keep their names, comments theirs."""
    made = synced(tmp_path / "tree", _FILES)
    plan = _plan(made, "core.py::helper", "assist")
    after = _carried_out(made, plan, "assist")
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
        plan = _plan(made, symbol, "execute")
        after = _carried_out(made, plan, "execute")
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
    after = _carried_out(made, _plan(made, "core.py::Base", "Root"), "Root")
    assert after["core.py"] == _FILES["core.py"].replace("Base", "Root")
    assert after["app.py"] == _FILES["app.py"].replace("Base", "Root")


def test_other_languages_too(tmp_path: Path) -> None:
    """TypeScript across an import."""
    made = synced(tmp_path / "tree", _FILES)
    after = _carried_out(made, _plan(made, "draw", "paint"), "paint")
    assert after == {name: _FILES[name].replace("draw", "paint") for name in ("page.ts", "web.ts")}


def test_a_name_that_is_taken_is_said(tmp_path: Path) -> None:
    """Beside the definition, or at the top of a file that would name it."""
    made = synced(tmp_path / "tree", {**_FILES, "app.py": _FILES["app.py"] + "\n\ndef assist():\n    return 0\n"})
    assert [clash["path"] for clash in _plan(made, "core.py::helper", "assist")["clashes"]] == ["app.py"]
    assert _plan(made, "core.py::helper", "Base")["clashes"][0]["qualified_name"] == "core.Base"


def test_the_same_plan_has_the_same_name(tmp_path: Path) -> None:
    """Another name, or another content, is another plan."""
    made = synced(tmp_path / "tree", _FILES)
    first = _plan(made, "core.py::helper", "assist")["plan_id"]
    assert _plan(made, "core.py::helper", "assist")["plan_id"] == first
    assert _plan(made, "core.py::helper", "aid")["plan_id"] != first
    made.write({"core.py": "\n" + _FILES["core.py"]})
    assert _plan(made, "core.py::helper", "assist")["plan_id"] != first


@pytest.mark.parametrize("new", ["", "a.b", "1x", "x y", "helper", "x" * 300])
def test_a_name_that_cannot_be_one_is_refused(tmp_path: Path, new: str) -> None:
    """Before anything is planned; so is the name it has."""
    made = synced(tmp_path / "tree", _FILES)
    with pytest.raises(QueryError):
        _plan(made, "core.py::helper", new)


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


def test_what_holds_a_function_under_its_name_keeps_that_name(tmp_path: Path) -> None:
    """A variable, an attribute or a member that is called what the function is called is another name than its."""
    files = {
        "core.py": (
            "def helper():\n    return 1\n\n\n"
            "class A:\n    def __init__(self):\n        self.helper = helper\n\n"
            "    def run(self):\n        return self.helper()\n\n\n"
            "class B:\n    helper = helper\n\n    def go(self):\n        return B.helper()\n"
        ),
        "app.py": (
            "import core\n\nhelper = core.helper\n\n\n"
            "def use(a: core.A):\n    a.helper()\n    return helper() + core.helper()\n"
        ),
    }
    made = synced(tmp_path / "tree", files)
    plan = _plan(made, "core.py::helper", "assist")
    after = _carried_out(made, plan, "assist")
    assert after["core.py"] == (
        files["core.py"].replace("def helper", "def assist").replace("= helper\n", "= assist\n")
    )  # fmt: skip
    assert after["app.py"] == files["app.py"].replace("core.helper", "core.assist")
    assert plan["doubts"] == []


def test_an_object_that_is_asked_for_a_function_is_in_doubt(tmp_path: Path) -> None:
    """Its property has its name from where it was made; a module passes names on as they are."""
    files = {
        "web.ts": "export function draw(a: number) { return a }\nexport function make() { return { draw } }\n",
        "page.ts": (
            "import { make } from './web';\nimport * as web from './web';\n"
            "const m = make();\nm.draw(1);\nweb.draw(2);\n"
        ),
    }
    made = synced(tmp_path / "tree", files)
    plan = _plan(made, "web.ts::draw", "paint")
    assert [(doubt["path"], doubt["line"]) for doubt in plan["doubts"]] == [("page.ts", 4), ("web.ts", 2)]
    assert ("page.ts", 5) in {(edit["path"], edit["line"]) for edit in plan["edits"]}


def test_a_name_at_the_end_of_a_long_chain_is_edited_or_in_doubt(tmp_path: Path) -> None:
    """However much stands before it, on however many lines, a call is where its name is, and is never left out."""
    chain = f"    .values({', '.join(repr(letter * 40) for letter in 'abc')})\n    .pick(1)\n)\n"
    made = synced(
        tmp_path / "tree",
        {
            "core.py": "class Q:\n    def values(self, *a): return self\n    def pick(self, *a): return self\n",
            "known.py": f"from core import Q\nx = (\n    Q()\n{chain}",
            "unknown.py": f"import elsewhere\nx = (\n    elsewhere.q\n{chain}",
        },
    )
    plan = _plan(made, "core.py::Q.pick", "choose")
    assert [(edit["path"], edit["line"], edit["column"]) for edit in plan["edits"]] == [
        ("core.py", 3, 8), ("known.py", 5, 5)
    ]  # fmt: skip
    assert [(doubt["path"], doubt["line"], doubt["text"].strip()) for doubt in plan["doubts"]] == [
        ("unknown.py", 5, ".pick(1)")
    ]
    callers = relations.ask(
        Index.open(made.path), Question("callers", "core.py::Q.pick"), Reading(), SyncOptions(workers=1)
    ).to_dict()
    assert [(site["line"], site["text"].strip()) for edge in callers["callers"] for site in edge["sites"]] == [
        (5, ".pick(1)")
    ]
    assert callers["could_add"]["external"] == 1

def _doubted(plan: dict[str, Any]) -> set[tuple[str, int, str]]:
    return {(doubt["path"], doubt["line"], doubt["role"]) for doubt in plan["doubts"]}


_FIELDS = {
    "box.py": (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass Box:\n    width: int\n\n\n"
        "class Node:\n    __slots__ = ('limit',)\n\n    def __init__(self):\n        self.limit = 3  # the limit\n"
    ),
    "use.py": (
        "from box import Box, Node\n\n\ndef use(box, node):\n    b = Box(width=1)\n    print(b.width, box.width)\n"
        "    match b:\n        case Box(width=found):\n            print(found)\n"
        "    return node.limit, 'over the limit'\n"
    ),
    "other.py": "def other(thing, limit):\n    return thing(width=1), limit\n",
}


def test_what_may_mean_a_field_and_was_not_understood_is_in_doubt(tmp_path: Path) -> None:
    """Keywords and patterns where its class is named, reads of an unknown owner, strings that are its name."""
    made = synced(tmp_path / "tree", _FIELDS)
    width, limit = _plan(made, "Box.width", "breadth"), _plan(made, "Node.limit", "bound")
    assert _doubted(width) == {("use.py", 5, "key"), ("use.py", 6, "member"), ("use.py", 8, "key")}
    assert [(edit["path"], edit["line"]) for edit in width["edits"]] == [("box.py", 6), ("use.py", 6)]
    assert _doubted(limit) == {("box.py", 10, "text"), ("use.py", 10, "member")}


def test_what_a_module_offers_is_renamed_in_its_list(tmp_path: Path) -> None:
    """`__all__` of its own file and of those that take everything from it; a path in a string is in doubt."""
    files = {
        "pkg/__init__.py": "from ._core import *\n\n__all__ = ['helper']\n",
        "pkg/_core.py": "__all__ = ['helper']\n\n\ndef helper():\n    return 1\n",
        "stranger.py": "__all__ = ['helper']\n\nhelper = 2\n",
        "test_it.py": "def test_it(mocker):\n    mocker.patch('pkg.helper')\n",
    }
    made = synced(tmp_path / "tree", files)
    plan = _plan(made, "pkg/_core.py::helper", "assist")
    after = _carried_out(made, plan, "assist")
    assert after == {path: files[path].replace("helper", "assist") for path in ("pkg/__init__.py", "pkg/_core.py")}
    assert _doubted(plan) == {("test_it.py", 2, "path")}


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
        plan = _plan(made, symbol, "sum")
        assert _carried_out(made, plan, "sum") == {"node.py": files["node.py"].replace("total", "sum")}
    plan = _plan(made, "pick.ts::pick", "choose")
    assert {place["line"] for place in (*plan["edits"], *plan["doubts"])} == {1, 2, 3, 4}
    assert len(_plan(made, "pick.ts::run~2", "go")["edits"]) == 1


def test_a_local_that_holds_a_function_under_its_name_is_in_doubt(tmp_path: Path) -> None:
    """A bare name is renamed where the function can be named: in its scope, or where it is imported under its name."""
    files = {
        "make.ts": (
            "export function make() {\n  return function call(a: number) { return a }\n}\n"
            "export function h() { return 1 }\n"
        ),
        "use.ts": (
            "import { make, h as other } from './make'\n"
            "const go = () => {\n  const call = make()\n  return call(1)\n}\n"
            "const wrap = () => { const h = other; return h() }\n"
        ),
    }
    made = synced(tmp_path / "tree", files)
    plan = _plan(made, "make.ts::make.call", "run")
    assert [(edit["path"], edit["line"]) for edit in plan["edits"]] == [("make.ts", 2)]
    plan = _plan(made, "make.ts::h", "hyper")
    assert [(edit["path"], edit["line"]) for edit in plan["edits"]] == [("make.ts", 4), ("use.ts", 1)]


def test_a_name_that_is_a_property_too_is_in_doubt(tmp_path: Path) -> None:
    """A shorthand names two things, of which one is not renamed; what a module exports has no other name."""
    files = {
        "tools.ts": (
            "export function html() { return 1 }\nexport const all = { html }\n"
            "export function setup() {\n  function click() { return 1 }\n  return { click }\n}\n"
        ),
        "use.ts": "import { setup } from './tools'\nconst { click } = setup()\nclick()\n",
        "old.js": "function old() { return 1 }\nmodule.exports = { old }\n",
        "new.js": "const { old } = require('./old')\nold()\n",
    }
    made = synced(tmp_path / "tree", files)
    html = _plan(made, "tools.ts::html", "markup")
    assert {place[:2] for place in _doubted(html)} == {("tools.ts", 2)}
    click = _plan(made, "tools.ts::setup.click", "press")
    assert [(edit["path"], edit["line"]) for edit in click["edits"]] == [("tools.ts", 4)]
    assert {place[:2] for place in _doubted(click)} == {("tools.ts", 5), ("use.ts", 2)}
    old = _plan(made, "old.js::old", "fresh")
    assert [(edit["path"], edit["line"]) for edit in old["edits"]] == [("old.js", 1), ("old.js", 2)]
    assert {place[:2] for place in _doubted(old)} == {("new.js", 1), ("new.js", 2)}


def test_a_call_that_may_leave_the_repository_is_in_doubt(tmp_path: Path) -> None:
    """What may be a library's object as well as ours would break by being renamed."""
    files = {
        "jar.py": (
            "from http.cookiejar import CookieJar\n\n\nclass Cookies:\n"
            "    def __init__(self, given: 'Cookies | None'):\n"
            "        self.jar = CookieJar() if given is None else given\n\n"
            "    def clear(self):\n        self.jar.clear()\n"
        ),
    }
    made = synced(tmp_path / "tree", files)
    plan = _plan(made, "Cookies.clear", "empty")
    assert [edit["line"] for edit in plan["edits"]] == [8]
    assert [doubt["line"] for doubt in plan["doubts"]] == [9]


def test_a_key_of_a_go_literal_is_in_doubt(tmp_path: Path) -> None:
    """`Opts{Limit: 3}` names the field; a rename without it would not compile."""
    files = {
        "go.mod": "module example.com/m\n",
        "a.go": "package m\n\ntype Opts struct {\n\tLimit int\n}\n\nvar given = Opts{Limit: 3}\n",
    }
    plan = _plan(synced(tmp_path / "tree", files), "Opts.Limit", "Bound")
    assert {edit["line"] for edit in plan["edits"]} == {4}
    assert _doubted(plan) == {("a.go", 7, "key")}


def test_private_names_and_parameters_that_are_fields_are_renamed_whole(tmp_path: Path) -> None:
    """`#x` keeps its mark; inside the constructor the parameter is the field."""
    text = (
        "class Box {\n  #lid = 1;\n  constructor(readonly size: number) { this.#lid = size }\n"
        "  a() { return this.size }\n}\n"
    )
    made = synced(tmp_path / "tree", {"box.ts": text})
    private = _plan(made, "Box.#lid", "cover")
    assert _carried_out(made, private, "cover")["box.ts"] == text.replace("#lid", "#cover")
    field = _plan(made, "Box.size", "width")
    assert _carried_out(made, field, "width")["box.ts"] == text.replace("size", "width")
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
    plan = _plan(made, "shape.ts::Shape.size", "extent")
    assert [(edit["path"], edit["line"], edit["column"]) for edit in plan["edits"]] == [
        ("shape.ts", 1, 25), ("use.ts", 2, 21), ("use.ts", 4, 16)
    ]  # fmt: skip


def test_the_names_of_modules_in_imports_are_no_doubts_about_a_method(tmp_path: Path) -> None:
    """`from pkg.search import x` names a module and can mean no method, however it is called."""
    made = synced(
        tmp_path / "tree",
        {
            "pkg/__init__.py": "",
            "pkg/search.py": "class Index:\n    def search(self): return 1\n\n\nx = 2\n",
            "app.py": (
                "import elsewhere.search\nimport elsewhere.search as other\nfrom pkg.search import Index\n"
                "from elsewhere.search import y\nIndex().search()\nelsewhere.search.z()\n"
            ),
            "pkg/near.py": "from .search import Index\nfrom . import search\nIndex().search()\n",
        },
    )
    plan = _plan(made, "pkg/search.py::Index.search", "find")
    assert [(edit["path"], edit["line"]) for edit in plan["edits"]] == [
        ("app.py", 5), ("pkg/near.py", 3), ("pkg/search.py", 2)
    ]  # fmt: skip
    assert [(doubt["path"], doubt["line"]) for doubt in plan["doubts"]] == [("app.py", 6)]


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
    plan = _plan(made, "unix.c::lock_it", "hold_it")
    assert _carried_out(made, plan, "hold_it") == {
        path: text.replace("lock_it", "hold_it") for path, text in files.items() if path != "own.c"
    }
    assert plan["doubts"] == []
    own = _plan(made, "own.c::lock_it", "hold_it")
    assert _carried_out(made, own, "hold_it") == {"own.c": files["own.c"].replace("lock_it", "hold_it")}


def test_a_copy_of_a_library_keeps_its_names(tmp_path: Path) -> None:
    """Two libraries that declare and define the same function are told apart by what their files include."""
    copy = {"text.h": "int text_new(int a);\n", "text.c": '#include "text.h"\nint text_new(int a) { return a; }\n'}
    files = {f"{place}/{path}": text for place in ("deps/old", "src") for path, text in copy.items()}
    made = synced(tmp_path / "tree", files)
    plan = _plan(made, "src/text.c::text_new", "text_make")
    assert _carried_out(made, plan, "text_make") == {
        path: text.replace("text_new", "text_make") for path, text in files.items() if path.startswith("src")
    }


def test_a_method_of_cpp_is_renamed_in_its_class_and_where_it_is_written_out(tmp_path: Path) -> None:
    """The class declares what another file defines; an overload with another type is another."""
    files = {
        "a.h": "class A {\npublic:\n  int take(int x = 1);\n  int take(const char *);\n};\n",
        "a.cc": '#include "a.h"\nint A::take(int y) { return y; }\nint A::take(const char *x) { return *x; }\n',
    }
    made = synced(tmp_path / "tree", files)
    plan = _plan(made, "a.cc:3", "fetch")
    assert _carried_out(made, plan, "fetch") == {
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
    plan = _plan(made, "Shape", "Form")
    assert plan["doubts"] == []
    assert _carried_out(made, plan, "Form") == {
        path: text.replace("Shape", "Form") for path, text in files.items() if path.endswith(".rs")
    }


def test_a_file_that_names_a_type_only_where_nothing_is_understood_is_in_doubt(tmp_path: Path) -> None:
    """Neighbours of a package need no import: the plan would leave the whole file out, in silence."""
    files = {
        "All.scala": "package s\nobject All {\n  val MAX = 3\n}\n",
        "Use.scala": "package s\nclass Use {\n  def f(x: Int) = x max All\n}\n",
        "Other.scala": "package s\n// All of it\nclass Other\n",
    }
    plan = _plan(synced(tmp_path / "tree", files), "All", "Every")
    assert [(item["path"], item["line"]) for item in plan["doubts"]] == [("Use.scala", 3)]
