"""Nobody calls it: never said of what a runtime, a framework or a place that nobody understands may call."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from everdex.graph.answers.doubts import doubts
from everdex.surfaces.cli import callers
from everdex.surfaces.mcp import related
from support.graphs import Ask, asker
from support.stores import synced

_TREE = {
    "pyproject.toml": "[project.scripts]\napp = 'app.cli:start'\nother = 'lib.other:lost'\n",
    "settings.ini": "# only_remarked\nhook = app.cli.by_setting\nonly_key = 1\n",
    "page.html": "<p>prose_only</p><p>{{ box.in_template }}</p><button onclick=\"pressed()\">x</button>\n",
    "notes.md": "Call `only_in_prose()`.\n",
    "web.js": "function pressed() {}\n",
    "app/cli.py": """
        import unittest, threading, pathlib
        import flask

        web = flask.Flask(__name__)
        WORDS = ["a sentence about told_of", f"{web.formatted}"]  # commented


        def start(): pass
        def lost(): pass
        def by_setting(): pass
        def only_remarked(): pass
        def only_key(): pass
        def only_in_prose(): pass
        def told_of(): pass
        def commented(): pass
        def work(): pass
        def _nobody(): pass


        @web.route("/")
        def _index(): pass


        class Box:
            def save(self): pass
            def by_text(self): pass
            def in_template(self): pass
            def prose_only(self): pass
            def formatted(self): pass
            def __enter__(self): pass
            @property
            def width(self): return 1


        class _Case(unittest.TestCase):
            def _helper(self): pass


        class _Old(object):
            def _kept(self): pass


        def use(x, signal):
            threading.Thread(target=work)
            signal.connect(x.save)
            map(x.save, x)
            getattr(x, "by_text")()
            web.proxy("width")
    """,
    "tests/test_app.py": "def test_app(): pass\n",
    "a.rb": "class Shop\n  before :check\n  def check; end\n  def to_s; end\nend\nget 'x', to: 'shop#show'\n",
    "b.rb": "class ShopController\n  def show; end\nend\n",
    "a.php": "<?php\nnamespace App;\nfunction free() {}\narray_map('App\\free', []);\n",
    "a.sh": "hidden() { :; }\nf=hidden\n$f\ntold() { :; }\neval \"told 1\"\n",
    "a.c": "static void slot(void) {}\nvoid (*const table[])(void) = { &slot };\nstatic void unused(void) {}\n",
    "A.java": "class A implements Runnable {\n  public void run() {}\n  private void hidden() {}\n"
    "  @Bean private Object bean() { return null; }\n  @Override public String toString() { return \"\"; }\n}\n",
    "main.go": "package main\n\nfunc main() {}\n\nfunc hidden() {}\n",
    "Made.java": "class Made {\n  private Made() {}\n}\nclass Other {\n  Object o = maker(Made.class);\n}\n",
    "src/a.rs": "struct P;\nimpl Drop for P { fn drop(&mut self) {} }\nimpl P { fn hidden(&self) {} }\n"
    "#[test]\nfn works() {}\n",
    "keys.lua": "local K = {}\nfunction K:_add() end\nreturn K\n",
    "base.lua": "local B = {}\nfunction B:_add() end\nfunction B:all() self:_add() end\nreturn B\n",
    "view.rb": "class View\n  TEXT = <<~HTML\n    <p><%= escaped name %></p>\n  HTML\n  def escaped(x); end\nend\n",
    "Root.cs": "abstract class Root {}\nclass Leaf : Root {}\n",
    "nest.cs": "partial class Nest { private class Held<T> {} }\n",
    "nest2.cs": "partial class Nest { object o = Held<int>.Cache; }\n",
    "kept.cs": "class Kept<T> {}\n", "uses.cs": "class Uses { object o = Kept<int>.Cache; }\n",
    "o.ts": "export function open() {\n  return new Stream({ began() {} });\n}\n",
    "Kid.java": "class Kid extends java.lang.Object {\n  public void walk() {}\n}\n",
    "thing.rb": "class Thing < Object\n  def told_it; end\nend\n",
    "w.ts": "class W extends HTMLElement { connected() {} }\n@Part({})\nexport class D { ready() {} }\n",
}


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    files = {path: dedent(text) if path.endswith(".py") else text for path, text in _TREE.items()}
    return asker(synced(tmp_path_factory.mktemp("nobody") / "tree", files))


def _why(document: dict[str, Any]) -> list[str]:
    return [f"{reason['why']} {reason['what']}" for reason in document["outside"]]


@pytest.mark.parametrize(
    ("symbol", "counted"),
    [
        ("start", {"written": 1}), ("by_setting", {"written": 1}), ("work", {"named": 1}), ("Box.save", {"unknown": 2}),
        ("Box.by_text", {"written": 1}), ("Box.in_template", {"written": 1}), ("web.js::pressed", {"written": 1}),
        ("Box.formatted", {"unknown": 1}), ("Shop.check", {"written": 1}), ("ShopController.show", {"written": 1}),
        ("free", {"written": 1}), ("a.sh::hidden", {"unknown": 1}), ("told", {"written": 1}), ("slot", {"named": 1}),
        ("Made.Made", {"named": 1}),
        ("K._add", {"elsewhere": 1}), ("View.escaped", {"written": 1}), ("Kept", {"unknown": 1}),
        ("Box.width", {"written": 1}), ("Root", {"named": 1}),
        ("Nest.Held", {"unknown": 1}),
    ],
)  # fmt: skip
def test_a_name_that_stands_somewhere_is_counted(ask: Ask, symbol: str, counted: dict[str, int]) -> None:
    """What is handed on, asked of an unknown owner, or written in a string, symbol, template or setting counts."""
    for method in ("callers", "refs"):
        found = ask(method, symbol)
        said = {name: count for name, count in found["could_add"].items() if count and name not in ("unnamed",)}
        left_out = () if method == "callers" else ("named", "elsewhere")
        assert said == {name: count for name, count in counted.items() if name not in left_out}


@pytest.mark.parametrize(
    "symbol",
    [
        "lost", "only_remarked", "only_key", "only_in_prose", "told_of", "commented", "Box.prose_only", "_nobody",
        "unused",
    ],
)  # fmt: skip
def test_prose_remarks_and_paths_to_others_call_nobody(ask: Ask, symbol: str) -> None:
    """A comment, a sentence, a setting's own name and a path behind another module's name are no uses."""
    could_add = ask("callers", symbol)["could_add"]
    assert not any(count for name, count in could_add.items() if name != "unnamed")


@pytest.mark.parametrize(
    ("symbol", "why"),
    [
        ("_index", ["decorated web.route"]), ("_Case._helper", ["inherits unittest.TestCase"]),
        ("Box.__enter__", ["special __enter__", "public __enter__"]),
        ("test_app", ["test test_app", "public test_app"]), ("Shop.to_s", ["special to_s", "public to_s"]),
        ("A.run", ["inherits Runnable", "public run"]),
        ("A.bean", ["decorated Bean"]),
        ("A.toString", ["special toString", "replaces toString", "inherits Runnable", "public toString"]),
        ("main.go::main", ["started main"]), ("P.drop", ["inherits Drop"]), ("works", ["decorated test"]),
        ("W.connected", ["inherits HTMLElement"]), ("D.ready", ["decorated Part", "public ready"]),
        ("began", ["object began"]),
        ("_Old._kept", []), ("Kid.walk", ["public walk"]), ("Thing.told_it", ["public told_it"]),
        ("_nobody", []), ("A.hidden", []), ("main.go::hidden", []), ("P.hidden", []), ("unused", []),
        ("app/cli.py", []), ("WORDS", []),
    ],
)  # fmt: skip
def test_who_is_not_in_the_repository_may_call_it(ask: Ask, symbol: str, why: list[str]) -> None:
    """The language, a framework, a base, a test runner, whoever uses what is public: each reason is told."""
    for method in ("callers", "impact", "refs"):
        assert _why(ask(method, symbol)) == why


def test_text_says_it_too(ask: Ask) -> None:
    """Whoever reads no JSON is told as well; that something is public only where nobody else is known."""
    lines = [line for _, line in callers.SHOWN.lines(ask("callers", "work"))]
    assert "named without being called in 1 place" in lines
    assert "may be called from outside the repository: it is public" in lines
    lines = [line for _, line in callers.SHOWN.lines(ask("callers", "start"))]
    assert "its name is written in 1 place of strings, templates, settings or unresolved code" in lines
    text = "\n".join(related.lines(related.references(ask("refs", "start"), 2_000)))
    assert "its name is written in 1 place of strings, templates, settings or unresolved code" in text
    reply = related.references(ask("refs", "_index"), 2_000)
    text = "\n".join(related.lines(reply))
    assert "may be called from outside the repository: decorated with web.route" in text
    known = "\n".join(related.lines(related.references(ask("refs", "work"), 2_000)))
    assert "outside the repository" not in known


def test_the_keywords_of_a_library_mean_no_field(tmp_path: Path) -> None:
    """What a call of something outside is told by name is its own; unless it hands on what it is given."""
    text = """
        import dataclasses
        import requests


        class Book:
            def __init__(self):
                self.title = ""


        def use(book, other):
            requests.get(title=1)
            dataclasses.replace(book, title=2)
            other(title=3)
    """
    ask = asker(synced(tmp_path / "tree", {"book.py": dedent(text)}))
    assert ask("refs", "Book.title")["could_add"]["unknown"] == 2


def test_what_is_decorated_is_called_by_whoever_names_it(tmp_path: Path) -> None:
    """A decorator puts its own function in the place of what it is given: who calls it by its name is a caller of both,
    wherever the name came from, and a rename finds every place."""
    files = {
        "deco.py": """
            import functools


            def logged(function):
                @functools.wraps(function)
                def around(*args):
                    return function(*args)
                return around
        """,
        "book.py": """
            import functools
            from deco import logged


            @logged
            def buy(): pass


            @functools.cache
            def kept(): pass


            class Shop:
                @logged
                def sell(self): pass

                @classmethod
                def make(cls): pass

                def run(self):
                    self.sell()
                    self.make()
        """,
        "use.py": """
            import book
            from book import Shop, buy, kept


            def go(shop: Shop):
                buy()
                book.buy()
                kept()
                return shop.sell, buy
        """,
    }
    made = synced(tmp_path / "tree", {path: dedent(text) for path, text in files.items()})
    ask = asker(made)

    def places(method: str, symbol: str) -> list[str]:
        found = ask(method, symbol)
        sites = found["references"] if method == "refs" else [at for item in found["callers"] for at in item["sites"]]
        return [f"{at['path']}:{at['line']}" for at in sites]

    assert places("callers", "buy") == ["deco.py:8", "use.py:7", "use.py:8"]
    assert places("callers", "Shop.sell") == ["book.py:22", "deco.py:8"]
    assert places("callers", "kept") == ["use.py:9"]
    assert places("callers", "Shop.make") == ["book.py:23"]
    assert {"use.py:3", "use.py:10"} < set(places("refs", "buy"))
    assert "use.py:10" in places("refs", "Shop.sell")
    plan = ask("rename", "buy", new="purchase")
    edited = {f"{edit['path']}:{edit['line']}" for edit in plan["edits"]}
    assert edited == {"book.py:7", "use.py:3", "use.py:7", "use.py:8", "use.py:10"}


def test_an_override_to_which_nothing_leads_may_be_reached_by_the_base(tmp_path: Path) -> None:
    """Where following values ends at the base although others are put in its place, its calls are counted."""
    text = """
        class Tag:
            def check(self, value): raise NotImplementedError


        class Text(Tag):
            def check(self, value): return True


        def register(order: list[Tag], tag_class: type[Tag]):
            order.append(tag_class())
            for tag in [tag_class()]:
                tag.check(1)
    """
    ask = asker(synced(tmp_path / "tree", {"tag.py": dedent(text)}))
    found = ask("callers", "Text.check")
    assert found["total"] + found["could_add"]["overridden"] == 1


_MIXED = {
    "lib.h": "void used(void);\nvoid told(void);\nvoid objective(void);\n",
    "lib.c": '#include "lib.h"\nvoid used(void) {}\nvoid told(void) {}\nvoid objective(void) {}\n',
    "parse.y": "%%\nrule: WORD { used(); /* told */ }\n;\n%%\n// told()\n/*\n * told()\n */\n",
    "app.m": '#import "lib.h"\nint go(void) { objective(); return 0; }\n',
    "py.py": "def used():\n    pass\n\n\ndef fast():\n    pass\n",
    "quick.pyx": "from py import fast\n\ncdef run():\n    fast()  # used\n",
    "Run.java": "class Run { void begin() {} void other() {} }\n",
    "run.groovy": "def run = new Run()\nrun.begin() // other\n",
}


@pytest.mark.parametrize(
    ("symbol", "written"),
    [("lib.c::used", 1), ("lib.c::told", 0), ("lib.c::objective", 1), ("py.py::used", 0), ("py.py::fast", 2),
     ("Run.begin", 1), ("Run.other", 0)],
)  # fmt: skip
def test_code_that_nobody_resolves_may_call_it(tmp_path: Path, symbol: str, written: int) -> None:
    """A call in yacc's, Objective-C's, Cython's or Groovy's code is told of what it can reach, and a rename asks."""
    ask = asker(synced(tmp_path / "tree", _MIXED))
    answer = ask("callers", symbol)
    assert (answer["callers"], answer["could_add"]["written"]) == ([], written)
    plan = ask("rename", symbol, new="renamed")
    assert [doubt["reason"] for doubt in plan["doubts"]] == ["code that nobody resolves may mean it"] * written


_TESTS_OF_A_PLUGIN = """\
def test_it(pytester, say):
    pytester.makepyfile(
        '''
        import lib
        from lib import other

        def test_inside():
            lib.begin()
            other()
        '''
    )
    say('''
    whoever calls told() is told
    that nobody calls other
    ''')
"""


@pytest.mark.parametrize(("symbol", "written"), [("begin", 1), ("core.py::other", 2), ("told", 0)])
def test_code_in_a_string_may_call_it(tmp_path: Path, symbol: str, written: int) -> None:
    """What a test writes into a module of its own may use anything: it is told, and a rename asks; prose is not."""
    core = "def begin():\n    pass\n\n\ndef other():\n    pass\n\n\ndef told():\n    pass\n"
    files = {"lib/__init__.py": "from lib.core import begin, other\n", "lib/core.py": core}
    ask = asker(synced(tmp_path / "tree", {**files, "test_plugin.py": _TESTS_OF_A_PLUGIN}))
    symbol = symbol.replace("core.py", "lib/core.py")
    answer = ask("callers", symbol)
    assert (answer["callers"], answer["could_add"]["written"]) == ([], written)
    plan = ask("rename", symbol, new="renamed")
    assert [doubt["reason"] for doubt in plan["doubts"]] == ["a string that may mean it"] * written


def test_one_is_said_as_one() -> None:
    """A single call leads, several lead."""
    counts = dict.fromkeys(("ambiguous", "unresolved", "external", "unknown", "named", "written", "overriding"), 0)
    counts |= {"overridden": 0, "unnamed": 0}
    assert [*doubts({**counts, "elsewhere": 1})] == ["1 call by its name leads to others that are called so"]
    assert [*doubts({**counts, "elsewhere": 2})] == ["2 calls by its name lead to others that are called so"]


def test_a_module_that_is_handed_on_is_called_by_whoever_has_it(tmp_path: Path) -> None:
    """`keep(npm)` gives away all that the module has: who calls a member of that name is told, bare calls are not. What
    `return npm` gives is followed."""
    files = {
        "types.ts": "export interface Tool {\n  pack(x: number): void;\n  info(x: number): void;\n}\n",
        "npm.ts": "export function pack(x: number) {}\n", "yarn.ts": "export function info(x: number) {}\n",
        "pick.ts": (
            "import * as npm from './npm';\nimport * as yarn from './yarn';\nimport type { Tool } from './types';\n"
            "import { keep } from 'outside';\n"
            "export function pick(): Tool {\n  yarn.info(1);\n  return keep(npm) as unknown as Tool;\n}\n"
        ),
        "use.ts": (
            "import { pick } from './pick';\nfunction pack(x: number) {}\nfunction info(x: number) {}\n"
            "export function use() {\n  pick().pack(1);\n  pick().info(1);\n  pack(2);\n  info(2);\n}\n"
        ),
    }  # fmt: skip
    made = synced(tmp_path / "tree", files)
    ask = asker(made)
    answer = ask("callers", "npm.ts::pack")
    assert (answer["callers"], answer["could_add"]["elsewhere"]) == ([], 1)
    (caller,) = ask("callers", "yarn.ts::info")["callers"]
    assert caller["name"] == "pick"
    made.write({"pick.ts": files["pick.ts"].replace("keep(npm)", "npm")})
    made.sync()
    assert [item["name"] for item in ask("callers", "npm.ts::pack")["callers"]] == ["use"]


def test_what_stands_in_the_texts_of_attributes_decorates_nobody(tmp_path: Path) -> None:
    """An address in a test's data is no annotation, a computed name of JavaScript none either."""
    files = {
        "A.cs": (
            'class A {\n  [Theory]\n  [InlineData("a@b.com")]\n  [InlineData("c@d.com\\"@e")]\n'
            "  void Check(string x) {}\n}\n"
        ),
        "a.js": "export const pool = {\n  [Symbol.dispose]: () => 1,\n};\n",
    }
    ask = asker(synced(tmp_path / "tree", files))
    assert _why(ask("callers", "A.Check")) == ["decorated Theory", "decorated InlineData"]
    assert all(reason["why"] != "decorated" for reason in ask("callers", "a.js:2")["outside"])
