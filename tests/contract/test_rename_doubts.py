"""Rename plans: what may mean the symbol and was not understood is in doubt, and what cannot mean it is not."""

from __future__ import annotations

from pathlib import Path

from everdex.service.index import Index
from everdex.service.relations import Question
from support.asked import asked
from support.renames import carried_out, doubted, plan_of
from support.stores import synced


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
    plan = plan_of(made, "core.py::helper", "assist")
    after = carried_out(made, plan, "assist")
    assert after["core.py"] == (
        files["core.py"].replace("def helper", "def assist").replace("= helper\n", "= assist\n")
    )  # fmt: skip
    assert after["app.py"] == files["app.py"].replace("core.helper", "core.assist")
    assert plan["doubts"] == []


def test_a_name_that_python_reads_in_another_spelling_is_in_doubt(tmp_path: Path) -> None:
    """`ﬁnd` with a ligature is `find` to Python: a place that calls it so is not left out."""
    made = synced(tmp_path / "tree", {
        "core.py": "def find():\n    return 1\n", "app.py": "from core import ﬁnd\n\nﬁnd()\n",
    })  # fmt: skip
    plan = plan_of(made, "core.py::find", "seek")
    assert {(path, line) for path, line, _ in doubted(plan)} == {("app.py", 1), ("app.py", 3)}


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
    plan = plan_of(made, "web.ts::draw", "paint")
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
    plan = plan_of(made, "core.py::Q.pick", "choose")
    assert [(edit["path"], edit["line"], edit["column"]) for edit in plan["edits"]] == [
        ("core.py", 3, 8), ("known.py", 5, 5)
    ]  # fmt: skip
    assert [(doubt["path"], doubt["line"], doubt["text"].strip()) for doubt in plan["doubts"]] == [
        ("unknown.py", 5, ".pick(1)")
    ]
    callers = asked(Index.open(made.path), "relations", Question("callers", "core.py::Q.pick"))
    assert [(site["line"], site["text"].strip()) for edge in callers["callers"] for site in edge["sites"]] == [
        (5, ".pick(1)")
    ]
    assert callers["could_add"]["external"] == 1


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
    width, limit = plan_of(made, "Box.width", "breadth"), plan_of(made, "Node.limit", "bound")
    assert doubted(width) == {("use.py", 5, "key"), ("use.py", 6, "member"), ("use.py", 8, "key")}
    assert [(edit["path"], edit["line"]) for edit in width["edits"]] == [("box.py", 6), ("use.py", 6)]
    assert doubted(limit) == {("box.py", 10, "text"), ("use.py", 10, "member")}


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
    plan = plan_of(made, "make.ts::make.call", "run")
    assert [(edit["path"], edit["line"]) for edit in plan["edits"]] == [("make.ts", 2)]
    plan = plan_of(made, "make.ts::h", "hyper")
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
    html = plan_of(made, "tools.ts::html", "markup")
    assert {place[:2] for place in doubted(html)} == {("tools.ts", 2)}
    click = plan_of(made, "tools.ts::setup.click", "press")
    assert [(edit["path"], edit["line"]) for edit in click["edits"]] == [("tools.ts", 4)]
    assert {place[:2] for place in doubted(click)} == {("tools.ts", 5), ("use.ts", 2)}
    old = plan_of(made, "old.js::old", "fresh")
    assert [(edit["path"], edit["line"]) for edit in old["edits"]] == [("old.js", 1), ("old.js", 2)]
    assert {place[:2] for place in doubted(old)} == {("new.js", 1), ("new.js", 2)}


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
    plan = plan_of(made, "Cookies.clear", "empty")
    assert [edit["line"] for edit in plan["edits"]] == [8]
    assert [doubt["line"] for doubt in plan["doubts"]] == [9]


def test_a_key_of_a_go_literal_is_renamed(tmp_path: Path) -> None:
    """`Opts{Limit: 3}` names the field; a rename without it would not compile."""
    files = {
        "go.mod": "module example.com/m\n",
        "a.go": "package m\n\ntype Opts struct {\n\tLimit int\n}\n\nvar given = Opts{Limit: 3}\n",
    }
    plan = plan_of(synced(tmp_path / "tree", files), "Opts.Limit", "Bound")
    assert {edit["line"] for edit in plan["edits"]} == {4, 7}
    assert doubted(plan) == set()


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
    plan = plan_of(made, "pkg/search.py::Index.search", "find")
    assert [(edit["path"], edit["line"]) for edit in plan["edits"]] == [
        ("app.py", 5), ("pkg/near.py", 3), ("pkg/search.py", 2)
    ]  # fmt: skip
    assert [(doubt["path"], doubt["line"]) for doubt in plan["doubts"]] == [("app.py", 6)]


def test_a_copy_of_a_library_keeps_its_names(tmp_path: Path) -> None:
    """Two libraries that declare and define the same function are told apart by what their files include."""
    copy = {"text.h": "int text_new(int a);\n", "text.c": '#include "text.h"\nint text_new(int a) { return a; }\n'}
    files = {f"{place}/{path}": text for place in ("deps/old", "src") for path, text in copy.items()}
    made = synced(tmp_path / "tree", files)
    plan = plan_of(made, "src/text.c::text_new", "text_make")
    assert carried_out(made, plan, "text_make") == {
        path: text.replace("text_new", "text_make") for path, text in files.items() if path.startswith("src")
    }


def test_a_file_that_names_a_type_only_where_nothing_is_understood_is_in_doubt(tmp_path: Path) -> None:
    """Neighbours of a package need no import: the plan would leave the whole file out, in silence."""
    files = {
        "All.scala": "package s\nobject All {\n  val MAX = 3\n}\n",
        "Use.scala": "package s\nclass Use {\n  type Kind = All.type\n}\n",
        "Other.scala": "package s\n// All of it\nclass Other\n",
    }
    plan = plan_of(synced(tmp_path / "tree", files), "All", "Every")
    assert [(item["path"], item["line"]) for item in plan["doubts"]] == [("Use.scala", 3)]


def test_methods_that_are_made_of_a_field_are_told(tmp_path: Path) -> None:
    """Lombok would make others of its new name, and who calls them has another name than the field's."""
    files = {
        "Props.java": "@Data\nclass Props {\n  private String dir;\n  private String other;\n}\n",
        "User.java": "class User {\n  void go(Props p) {\n    p.getDir();\n    p.setDir(p.getDir());\n  }\n}\n",
    }
    made = synced(tmp_path / "tree", files)
    assert plan_of(made, "Props.dir", "home")["warnings"] == [
        "3 places with getDir or setDir may use what is made of dir, and would not be renamed"
    ]
    assert plan_of(made, "Props.other", "home")["warnings"] == []


_IMPORTED = {
    "a/b/Thing.java": "package a.b;\npublic class Thing { public static int x; public static class Part {} }\n",
    "c/Plain.java": "package c;\nimport a.b.Thing;\nclass Plain { Thing held; }\n",
    "c/Member.java": "package c;\nimport static a.b.Thing.x;\nclass Member { int y = x; }\n",
    "c/Nested.java": "package c;\nimport a.b.Thing.Part;\nclass Nested { Part held; }\n",
    "c/Other.java": "package c;\nimport z.Thing.Part;\nclass Other {}\n",
    "k/Kind.kt": "package k\n\nenum class Kind { A, B }\n",
    "k2/use.kt": "package k2\n\nimport k.Kind.A\n\nfun use() = A\n",
}


def test_an_import_of_what_stands_in_a_type_is_in_doubt(tmp_path: Path) -> None:
    """`import a.b.Thing.Part` is the site of `Part` and writes `Thing`, also in a file that has it nowhere else."""
    made = synced(tmp_path / "tree", _IMPORTED)
    plan = plan_of(made, "a/b/Thing.java::Thing", "Item")
    assert {(path, line) for path, line, _ in doubted(plan)} == {("c/Member.java", 2), ("c/Nested.java", 2)}
    assert all(doubt["takeable"] for doubt in plan["doubts"])
    assert {edit["path"] for edit in plan["edits"]} == {"a/b/Thing.java", "c/Plain.java"}
    assert {(path, line) for path, line, _ in doubted(plan_of(made, "Kind", "Sort"))} == {("k2/use.kt", 3)}


def test_an_import_counts_once(tmp_path: Path) -> None:
    """What an import is resolved to is not said again to be unknown, whatever stands behind its name; nor is the name
    of a file that is included."""
    made = synced(tmp_path / "tree", {
        "a/Thing.java": "package a;\npublic class Thing {}\n",
        "b/Use.java": "package b;\nimport a.Thing;\nclass Use { Thing held; }\n",
        "lib.rs": "pub mod m;\nuse crate::m::Shape;\nuse m::{Shape as Form};\nfn go(s: Shape) {}\n",
        "m.rs": "pub struct Shape {}\n",
        "p.php": "<?php\nnamespace P;\nclass Item {}\n",
        "q.php": "<?php\nnamespace Q;\nuse P\\Item;\nuse P\\{Item as Other};\nnew Item();\n",
        "k.kt": "package k\n\nclass Kind\n",
        "l.kt": "package l\n\nimport k.Kind as Sort\n\nfun go(s: Sort) {}\n",
        "grow.h": "void grow(int by);\n",
        "grow.c": '#include "grow.h"\n\nvoid grow(int by) {}\n',
    })  # fmt: skip
    for name, imports in (("Thing", 1), ("Shape", 2), ("Item", 2), ("Kind", 1), ("grow.c::grow", 0)):
        answer = asked(Index.open(made.path), "relations", Question("refs", name))
        assert answer["may_mean"] == [], name
        assert answer["roles"].get("import", 0) == imports, name
