"""Asked before the graph is finished: what is answered from the files that decide it, the finished graph says too, and
what it says beyond that the answer has left open."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from everdex.graph.answers import begun, queries
from everdex.graph.answers.ways import Way
from everdex.graph.definitions import naming
from everdex.graph.definitions.atlas import Atlas
from everdex.graph.definitions.declarations import written_out
from everdex.graph.making import unfinished
from everdex.graph.making.build import build
from everdex.graph.making.crew import Many
from everdex.graph.making.keep import open_graph
from everdex.graph.making.world import Before, Bench
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.search.names import SymbolNames
from everdex.service import begun as service_begun
from everdex.service.answers import Answer, Freshness
from everdex.service.index import Index, Reading
from everdex.service.opening import Open
from everdex.service.reader import Reader
from everdex.service.relations import Question, answer
from everdex.view import SnapshotView, open_view
from support.graphs import asker, same_bytes, silent
from support.stores import Workspace, synced

_FIXTURES = Path(__file__).parents[1] / "fixtures" / "callgraph"
_KNOWN = Resolvers()
_FRESH = Freshness("fresh", 0, "")


def _comparable(body: dict[str, Any]) -> dict[str, Any]:
    """Without what is counted over all files."""
    could_add = {**body.get("could_add", {}), "unnamed": None, "elsewhere": None}
    return {**body, "could_add": could_add, "coverage": None}


def _sites(body: dict[str, Any]) -> set[tuple[Any, ...]]:
    uses = [*body.get("references", ()), *(site for item in body.get("callers", ()) for site in item["sites"])]
    return {(each["path"], each["line"], each["column"], each["role"]) for each in uses}


@pytest.mark.parametrize("language", sorted(path.name for path in _FIXTURES.iterdir() if path.is_dir()))
def test_what_is_answered_while_files_wait_the_finished_graph_says_too(tmp_path: Path, language: str) -> None:
    """Callers, references and callees of every definition of a language's fixtures: the same, or part of it with a
    reservation, or no answer yet."""
    files = {
        f"{path.relative_to(_FIXTURES)}": path.read_text()
        for path in sorted((_FIXTURES / language).rglob("*"))
        if path.is_file() and path.suffix not in (".cases", ".pyc")
    }
    made = synced(tmp_path / "tree", files)
    index = Index.open(made.path)
    told = reserved = 0
    with open_view(made.store) as view:
        names = SymbolNames(view)
        waiting = Graph(build(view, _KNOWN, None, workers=1, progress=silent, only=()).data, "waiting")
        finished = Open(Atlas(view, open_graph(view, _KNOWN, workers=1, progress=silent).graph))
        for file in range(len(waiting.files)):
            assert waiting.is_unknown(file)
            for item in finished.atlas.definitions(file):
                asked = f"{item.path}::{item.node.key}"
                if len(written_out(finished.atlas, naming.find(finished.atlas, asked))) != 1:
                    continue
                for method in ("callers", "refs", "callees"):
                    question = Question(method, symbol=asked, limit=2_000)

                    def from_some(atlas: Atlas, ways: tuple[Way, ...], question: Question = question) -> Answer:
                        return answer(index, Open(atlas, ways=ways), names, question, _FRESH)

                    with begun.begun(view, _KNOWN, waiting, silent) as some:
                        early = begun.answered(view, some, asked, method, from_some)
                    if early is None:
                        continue
                    late = answer(index, finished, names, question, _FRESH)
                    if early.body.get("reservation") is None:
                        told += 1
                        assert _comparable(early.body) == _comparable(late.body), (method, asked)
                    else:
                        reserved += 1
                        assert method != "callees"
                        assert _sites(early.body) <= _sites(late.body), (method, asked)
                        assert early.body["reservation"]["ways"]
                        assert early.body["cursor"] is None
    assert told
    assert reserved


def test_what_is_used_without_its_name_waits_for_the_graph(tmp_path: Path) -> None:
    """A sign calls an operator, and Kotlin writes `size` for Java's `getSize()`: who writes it does not decide."""
    files = {
        "Money.kt": "class Money { operator fun plus(other: Money) = other\n fun add(other: Money) = other }\n",
        "Sum.kt": "fun sum(one: Money, two: Money) = one + two\n",
        "Point.java": "class Point { private int size; int getSize() { return size; } }\n",
        "Read.kt": "fun read(point: Point) = point.size\n",
        "src/lib.rs": "pub struct V;\nmod sum;\nimpl std::ops::Add for V { type Output = V; "
        "fn add(self, other: V) -> V { other } }\nimpl V { pub fn sub(self) {} }\n",
        "src/sum.rs": "use crate::V;\npub fn sum(a: V, b: V) -> V { a + b }\n",
    }
    made = synced(tmp_path / "tree", files)
    index = Index.open(made.path)
    found = {}
    with open_view(made.store) as view:
        names = SymbolNames(view)
        waiting = Graph(build(view, _KNOWN, None, workers=1, progress=silent, only=()).data, "waiting")
        finished = Open(Atlas(view, open_graph(view, _KNOWN, workers=1, progress=silent).graph))
        for asked in ("Money.plus", "Money.kt::Money.add", "Point.getSize", "src/lib.rs::V.add", "src/lib.rs::V.sub"):
            question = Question("callers", symbol=asked, limit=10)
            with begun.begun(view, _KNOWN, waiting, silent) as some:
                early = begun.answered(view, some, asked, "callers", lambda atlas, ways: ways)
            late = answer(index, finished, names, question, _FRESH).body
            found[asked.rpartition("::")[2]] = (early is not None, len(late["callers"]))
    assert found == {
        "Money.plus": (False, 1), "Money.add": (True, 0), "Point.getSize": (False, 1), "V.add": (False, 1),
        "V.sub": (True, 0),
    }  # fmt: skip


def test_who_is_asked_back_while_files_wait_is_asked_back_by_the_finished_graph(tmp_path: Path) -> None:
    """Names of every language, bare, of their owner and of others': the same definitions fit, several or none."""
    files = {
        f"{path.relative_to(_FIXTURES)}": path.read_text()
        for path in sorted(_FIXTURES.rglob("*"))
        if path.is_file() and path.suffix not in (".cases", ".pyc") and path.name[0] < "m"
    }
    made, told = synced(tmp_path / "tree", files), {0: 0, 1: 0}
    with open_view(made.store) as view:
        waiting = Graph(build(view, _KNOWN, None, workers=1, progress=silent, only=()).data, "waiting")
        finished = Atlas(view, open_graph(view, _KNOWN, workers=1, progress=silent).graph)
        rows = [row for path in view.paths for row in view.symbols_of(path)]
        short = [".".join(row.qualified_name.split(".")[-2:]) for row in rows]
        mixed = [f"{a.rpartition('.')[0]}.{row.name}" for a, row in zip(short[1:], rows, strict=False) if "." in a]
        for asked in sorted({*(row.name for row in rows), *short, *mixed})[::5]:

            def described(atlas: Atlas, _: tuple[Way, ...] = (), asked: str = asked) -> list[dict[str, Any]]:
                return [atlas.describe(item) for item in written_out(atlas, naming.find(atlas, asked))]

            with begun.begun(view, _KNOWN, waiting, silent) as some:
                early = begun.answered(view, some, asked, "refs", described)
            if early is not None:
                assert early == described(finished), asked
                told[min(1, len(early))] += 1
    assert all(told.values())


def test_files_that_are_shared_out_to_workers_are_resolved_as_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A question that needs many files has them resolved by several processes, and gets the same graph."""
    files = {f"{name}.py": f"from a import run\ndef {name}(): run()\n" for name in ("b", "c", "d", "e")}
    made = synced(tmp_path / "tree", {"a.py": "def run(): ...\n", **files})
    monkeypatch.setattr(begun, "_WORTH_A_WORKER", 2)
    begin = Many.__init__
    hired: list[int] = []

    def noted(self: Many, view: SnapshotView, resolvers: Resolvers, workers: int) -> None:
        hired.append(workers)
        begin(self, view, resolvers, workers)

    monkeypatch.setattr(Many, "__init__", noted)
    with open_view(made.store) as view:
        waiting = Graph(build(view, _KNOWN, None, workers=1, progress=silent, only=()).data, "waiting")
        graphs, told = [], []
        for workers in (1, 2):
            with begun.begun(view, _KNOWN, waiting, lambda _, done, __: told.append(done), workers=workers) as some:
                assert some.resolve(dict.fromkeys(waiting.paths))
                graphs.append(some.graph.data)
    assert told == [1, 2, 3, 4, 5] * 2
    assert hired == [2]
    assert graphs[0] == graphs[1]


_HANDED_ON = {
    "a value": ("value", {
        "a.py": "def run(): ...\n", "c.py": "def call(f): f()\n",
        "b.py": "from a import run\nfrom c import call\ncall(run)\n",
    }),
    "an alias": ("alias", {
        "a.py": "def run(): ...\n", "b.py": "from a import run as go\n", "c.py": "from b import go\ngo()\n",
    }),
    "a decorator": ("value", {
        "a.py": "from c import kept\n@kept\ndef run(): ...\n",
        "b.py": "from c import every\nfor each in every: each()\n",
        "c.py": "every = []\ndef kept(f):\n    every.append(f)\n    return f\n",
    }),
    "a string": ("text", {
        "a.py": "def run(): ...\n", "b.py": "import a\nf = getattr(a, 'run')\n", "c.py": "from b import f\nf()\n",
    }),
    "another name on export": ("alias", {
        "a.ts": "export function run() {}\n", "b.ts": "export { run as go } from './a';\n",
        "c.ts": "import { go } from './b';\ngo();\n",
    }),
    "no name on export": ("export", {
        "a.js": "export default function run() {}\n", "c.js": "import any from './a.js';\nany();\n",
    }),
    "a module that it is": ("export", {
        "a.js": "module.exports = function run() {};\n", "c.js": "const any = require('./a');\nany();\n",
    }),
    "an object that is gone through": ("object", {
        "a.js": "export const all = { run() {} };\n",
        "c.js": "import { all } from './a.js';\nfor (const each of Object.values(all)) each();\n",
    }),
    "an object under any key": ("object", {
        "a.js": "export const all = { run() {} };\n",
        "c.js": "import { all } from './a.js';\nexport function use(key) { all[key](); }\n",
    }),
    "a path with another name": ("alias", {
        "src/a.rs": "pub fn run() {}\n", "src/b.rs": "pub use crate::a::run as go;\n",
        "src/main.rs": "mod a; mod b;\nfn main() { b::go(); }\n",
    }),
    "an heir's alias": ("heirs", {
        "a.py": "class run:\n    def __init__(self): ...\n",
        "b.py": "from a import run\nclass Heir(run): ...\n", "d.py": "from b import Heir\nmake = [Heir]\n",
        "c.py": "from d import make\nmake[0]()\n",
    }),
    "a class of its base": ("heirs", {
        "a.py": "from b import Base\nclass run(Base): ...\n",
        "b.py": "class Base:\n    @classmethod\n    def make(cls): return cls()\n",
    }),
}  # fmt: skip


@pytest.mark.parametrize(("way", "files"), _HANDED_ON.values(), ids=_HANDED_ON)
def test_what_may_be_used_without_its_name_is_left_open(tmp_path: Path, way: str, files: dict[str, str]) -> None:
    """Handed on, renamed, inherited or taken by a string: somebody may call it who does not write its name, and here
    does. No answer says that nobody does, but waits."""
    made = synced(tmp_path / "tree", files)
    asked = f"{next(iter(files))}::run"
    open_ways, known = _early(made, asked)
    assert way in open_ways
    assert known == 0
    assert asker(made)("callers", asked)["total"] == 1


_HEIRS = {
    "a.py": "class Base:\n    def __init__(self): ...\n", "b.py": "from a import Base\nclass Heir(Base): ...\n",
    "c.py": "from b import Heir\nHeir()\nclass Last(Heir): ...\n", "d.py": "from c import Last\nLast()\n",
    "e.py": "import c\nc.other()\n",
}


@pytest.mark.parametrize(("most", "known"), [(50, 2), (1, 0)])
def test_names_that_heirs_have_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, known: int
) -> None:
    """Whoever makes an object of a class below runs the constructor it inherits; of too many classes that is left
    open, as it is what else may stand for one."""
    made = synced(tmp_path / "tree", _HEIRS)
    monkeypatch.setattr(begun, "_MOST_HEIRS", most - 1)
    for asked in ("a.py::Base", "a.py::Base.__init__"):
        ways, callers = _early(made, asked)
        assert ("heirs" in ways, callers) == (True, known)
    assert asker(made)("callers", "a.py::Base")["total"] == 2


def _early(made: Workspace, asked: str) -> tuple[list[str], int]:
    """The ways that are open, and how many callers are known, while all files wait that do not write the name."""

    def told(atlas: Atlas, ways: tuple[Way, ...]) -> tuple[list[str], int]:
        return [way.way for way in ways], len(queries.callers(atlas, naming.find(atlas, asked)[0]))

    with open_view(made.store) as view:
        waiting = Graph(build(view, _KNOWN, None, workers=1, progress=silent, only=()).data, "waiting")
        with begun.begun(view, _KNOWN, waiting, silent) as some:
            found = begun.answered(view, some, asked, "callers", told)
    assert found is not None
    return found


_KEPT = "verb = 'get'\nnoun = 'name'\nwhat = 'display'\n"  # what another file keeps, of which the names are made
_PUT_TOGETHER = {
    "a beginning": ("getattr(made, f'get_{x}')()\n", _KEPT),
    "a beginning and an end": ("getattr(made, 'get_%s_display' % x)()\n", _KEPT),
    "a formatted end": ("getattr(made, f'{x}_display')()\n", _KEPT),
    "an end that is filled in": ("getattr(made, '%s_display' % x)()\n", _KEPT),
    "an end that is added": ("getattr(made, x + '_display')()\n", _KEPT),
    "parts from elsewhere": ("getattr(made, f'{c.verb}_{c.noun}_{c.what}')()\n", _KEPT),
    "a verb from elsewhere": ("getattr(made, c.verb + '_name_display')()\n", _KEPT),
    "parts in a list": ("getattr(made, '_'.join(('get', 'name', c.what)))()\n", _KEPT),
    "parts in a row": ("getattr(made, 'get_' f'{x}')()\n", _KEPT),
    "all of it from elsewhere": ("getattr(made, c.whole)()\n", "whole = 'get_name_display'\n"),
    "one of a list from elsewhere": ("[getattr(made, n)() for n in c.names]\n", "names = ['get_name_display']\n"),
    "a table from elsewhere": ("getattr(made, c.names['x'])()\n", "names = {'x': 'get_name_display'}\n"),
    "a beginning from elsewhere": ("getattr(made, c.verb + x)()\n", "verb = 'get'\n"),
    "a beginning from elsewhere, formatted": ("getattr(made, f'{c.verb}_{x}')()\n", "verb = 'get'\n"),
    "a beginning from elsewhere that is no word": ("getattr(made, c.verb + x)()\n", "verb = 'get_na'\n"),
    "an end from elsewhere": ("getattr(made, f'{x}_{c.what}')()\n", "what = 'display'\n"),
    "put together elsewhere": ("getattr(made, c.spelt(x))()\n", "def spelt(x): return f'get_{x}'\n"),
    "filled in elsewhere": ("getattr(made, c.spelt(x))()\n", "def spelt(x): return 'get_%s_display' % x\n"),
    "added elsewhere": ("getattr(made, c.spelt(x))()\n", "def spelt(x): return x + '_display'\n"),
    "a list that is put together elsewhere": (
        "[getattr(made, n)() for n in c.names()]\n", "def names(): return [f'get_{n}_display' for n in 'ab']\n",
    ),
    "looked up elsewhere": ("c.of(made, x)()\n", "def of(m, x): return getattr(m, f'get_{x}_display')\n"),
    "handed over": ("c.call(made, 'get_' + x)\n", "def call(m, n): getattr(m, n)()\n"),
    "other letters": ("getattr(made, c.verb.lower() + x)()\n", "verb = 'GET_'\n"),
    "other letters, all of it": ("getattr(made, 'GET_NAME_DISPLAY'.lower())()\n", ""),
    "what a class is called": (
        "getattr(made, c.kind.__name__)()\n", "class get_name_display: ...\nkind = get_name_display\n",
    ),
    "what a class is called, in part": (
        "getattr(made, c.kind.__name__.lower() + x)()\n", "class Get: ...\nkind = Get\n",
    ),
    "other marks": ("getattr(made, c.name.replace('-', '_'))()\n", "name = 'get-name-display'\n"),
}  # fmt: skip


@pytest.mark.parametrize(("use", "kept"), _PUT_TOGETHER.values(), ids=_PUT_TOGETHER)
def test_a_name_that_is_put_together_is_found_or_left_open(tmp_path: Path, use: str, kept: str) -> None:
    """Who calls a method under a name that stands nowhere, or elsewhere, is in the early answer, or that is open."""
    files = {
        "a.py": "class A:\n    def get_name_display(self): ...\n",
        "b.py": f"import c\nfrom a import A\nmade = A()\ndef use(x):\n    {use}",
        "c.py": kept,
    }
    made = synced(tmp_path / "tree", files)
    asked = "a.py::A.get_name_display"
    assert asker(made)("callers", asked)["total"] == 1
    ways, known = _early(made, asked)
    assert known == 1 or "spelt" in ways


def test_texts_do_not_matter_where_nothing_is_looked_up_by_one(tmp_path: Path) -> None:
    """What begins like a name or is it may stand anywhere in a tree without a computed name, or beside a local one."""
    files = {
        "a.py": "def get_name(): ...\ndef outer():\n    def get_it(): ...\n    get_it()\n",
        "b.py": "import a\ndef use(x):\n    a.get_name()\n    return getattr(x, 'width')\n",
        "c.py": "verb = 'get'\nwhole = 'get_name'\n",
    }
    made = synced(tmp_path / "tree", files)
    for symbol, extra in (("get_name", ""), ("outer.get_it", "def any(x, y): return getattr(x, y)\n")):
        made.write({"d.py": extra})
        made.sync()
        assert _early(made, f"a.py::{symbol}") == ([], 1)
        assert asker(made)("callers", f"a.py::{symbol}")["total"] == 1


def test_texts_do_not_matter_where_no_text_leads_to_a_function(tmp_path: Path) -> None:
    """Go finds methods by their names, and no functions; C and Rust find neither."""
    files = {
        "go.mod": "module m\n",
        "a.go": "package m\n\ntype T struct{}\n\nfunc (t T) GetName() {}\n\nfunc GetIt() { T{}.GetName() }\n",
        "b.go": 'package m\n\nvar verb = "Get"\n\nfunc use() { GetIt() }\n',
        "a.c": "void get_it(void) {}\nvoid use(void) { get_it(); puts(\"get_\"); }\n",
    }
    made = synced(tmp_path / "tree", files)
    assert _early(made, "a.go::GetIt") == ([], 1)
    assert _early(made, "a.c::get_it") == ([], 1)
    assert _early(made, "a.go::T.GetName") == (["spelt"], 1)


_LARGE = {
    "shop/__init__.py": "",
    "shop/cart.py": "from shop.tax import rate_of\n\n\ndef total(items):\n    return sum(items) * rate_of('x')\n",
    "shop/tax.py": "def rate_of(country):\n    return 1\n\n\ndef unused():\n    pass\n",
    "shop/loose.py": "def apart(f):\n    return f()()\n",
    "shop/odd.py": "def handed(): ...\nall_of_them = [handed]\n",
    "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_total():\n    assert total([1])\n",
}


@pytest.fixture
def large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """A tree for which nobody should wait."""
    monkeypatch.setattr(unfinished, "_MANY", 3)
    monkeypatch.setattr(unfinished, "_WAITING", 3)
    return synced(tmp_path / "tree", _LARGE)


def _kept(made: Workspace) -> set[str]:
    return {path.suffix for path in made.store.graphs.iterdir() if path.suffix in (".graph", ".unfinished")}


def test_the_first_question_resolves_the_files_that_decide_it(large: Workspace) -> None:
    """It says from how many files it is answered, counts nothing it cannot, and what it took serves the next."""
    ask = asker(large)
    first = ask("callers", "rate_of")
    assert [(item["path"], item["name"]) for item in first["callers"]] == [("shop/cart.py", "total")]
    assert (first["coverage"]["files"], first["coverage"]["resolved"]) == (6, 2)
    assert first["could_add"]["unnamed"] is None
    assert [said for said in first["warnings"] if said.startswith("answered from 2 of 6 files")]
    assert _kept(large) == {".unfinished"}
    assert ask("callers", "total")["coverage"]["resolved"] == 3
    called = ask("callees", "test_total")
    assert called["total"] == 1
    assert called["warnings"] == [
        "answered from 3 of 6 files, those that decide what it calls; the others are not resolved yet"
    ]
    assert ask("refs", "unused")["total"] == 0
    assert _kept(large) == {".unfinished"}


def test_an_early_answer_says_which_files_have_errors(large: Workspace) -> None:
    """In a sentence of its own: with a reservation nothing was said before of any files."""
    (large.path / "shop" / "cart.py").write_text(_LARGE["shop/cart.py"] + "\ndef broken(:\n    pass\n")
    warnings = asker(large)("callers", "rate_of")["warnings"]
    assert "of the files that were resolved 1 has syntax errors; what they hide is not counted" in warnings


def test_a_question_that_others_may_decide_finishes_the_graph(large: Workspace) -> None:
    ask = asker(large)
    assert ask("callers", "rate_of")["coverage"]["resolved"] == 2
    assert ask("callers", "handed")["coverage"]["resolved"] == 6
    assert _kept(large) == {".graph"}
    late = ask("callers", "rate_of")
    assert late["total"] == 1
    assert late["could_add"]["unnamed"] == 1
    with open_view(large.store) as view:
        graph = open_graph(view, _KNOWN, workers=1, progress=silent).graph
        assert same_bytes(graph, build(view, _KNOWN, None, workers=1, progress=silent).data)


def test_what_a_class_has_from_a_library_is_nobodys_before_the_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are resolved that may define the member, or the class, or one above it; others may well wait."""
    monkeypatch.setattr(unfinished, "_MANY", 3)
    monkeypatch.setattr(unfinished, "_WAITING", 3)
    made = synced(tmp_path / "tree", {
        "base.py": "from lib import Model\n\n\nclass Base(Model): ...\n",
        "heir.py": "from base import Base\n\n\nclass Heir(Base): ...\n",
        "other.py": "class Other:\n    def save(self): ...\n",
        **{f"use{number}.py": "from heir import Heir\n\nHeir().save()\n" for number in range(5)},
    })  # fmt: skip
    found = asker(made)("callers", "Heir.save")
    assert (found["symbol"], found["matches"]) == (None, [])
    assert found["coverage"]["resolved"] == 2  # of the other one it is known what it defines
    assert found["warnings"] == [
        "6 files write save and none defines Heir.save; `everdex search --mode literal save` finds it"
    ]
    assert _kept(made) == {".unfinished"}


def test_a_name_without_end_is_left_to_the_graph(large: Workspace) -> None:
    """Every beginning of a name is looked for: not of one that nobody writes by hand."""
    name = "very_" * 60 + "long"
    large.write({"shop/tax.py": f"def rate_of(country):\n    return {name}()\n\n\ndef {name}():\n    return 1\n"})
    assert asker(large)("callers", name)["total"] == 1
    assert _kept(large) == {".graph"}


def test_an_edit_is_seen_by_what_was_resolved_and_by_what_waits(large: Workspace) -> None:
    """Who was resolved before an edit is resolved again when it looked at what changed."""
    ask = asker(large)
    assert ask("callees", "shop/cart.py::total")["total"] == 1
    large.write({"shop/tax.py": "def other(): ...\n", "shop/loose.py": "from shop.tax import other\nother()\n"})
    assert ask("callees", "shop/cart.py::total")["total"] == 0
    assert ask("callers", "other")["total"] == 1
    assert _kept(large) == {".unfinished"}


def test_a_daemon_answers_from_the_graph_that_is_being_made(large: Workspace) -> None:
    """It begins none itself, and who comes again for what only the finished graph says is not looked at twice."""
    index = Index.open(large.path)
    reader = Reader(index, makes_graphs=False)
    early, late = Question("callers", symbol="rate_of"), Question("callers", symbol="handed")
    assert reader.before_graph(early, _FRESH, Reading()) is None
    asker(large)("callers", "unused")
    found = reader.before_graph(early, _FRESH, Reading())
    assert found is not None
    assert found.body["total"] == 1
    assert reader.before_graph(late, _FRESH, Reading()) is None
    assert "nobody is known to use it yet" in reader.so_far(late, None)
    assert reader.so_far(early, None) == ""
    assert _kept(large) == {".unfinished"}


def test_a_daemon_resolves_a_file_once_for_questions_before_the_graph(
    large: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever thread they come, and however little memory is left; until that was not used for a while."""
    resolved: list[str] = []
    resolve = Bench.resolve

    def counted(bench: Bench, path: str, before: Before | None, names: frozenset[str] | None) -> Any:
        resolved.append(path)
        return resolve(bench, path, before, names)

    asker(large)("callees", "unused")
    monkeypatch.setattr(Bench, "resolve", counted)
    reader = Reader(Index.open(large.path), makes_graphs=False)

    def ask(method: str) -> int:
        """How often the file has been resolved that uses it."""
        with ThreadPoolExecutor(1) as pool:
            found = pool.submit(reader.before_graph, Question(method, symbol="rate_of"), _FRESH, Reading()).result()
        assert found is not None
        assert (found.body["total"], found.body["coverage"]["resolved"]) == ({"callers": 1, "refs": 2}[method], 2)
        return resolved.count("shop/cart.py")

    assert (ask("callers"), ask("refs"), ask("callers")) == (1, 1, 1)
    reader.forget_early(3_600)
    assert ask("refs") == 1
    reader.forget_early(0)
    assert ask("refs") == 2
    monkeypatch.setattr(service_begun, "_MOST_BYTES", 0)
    assert (ask("refs"), ask("callers")) == (2, 2)
    reader.shed()
    assert ask("refs") == 3


def test_an_edit_of_what_many_look_at_is_answered_early_too(
    large: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One file changed, and many have to be resolved again: those that write the name first."""
    using = {f"use{number}.py": "from shop.tax import rate_of\n\nrate_of('x')\n" for number in range(5)}
    large.write({**using, "named.py": "from shop.tax import unused\n\n\ndef last():\n    unused()\n"})
    ask = asker(large)
    assert ask("callers", "rate_of", wait=True)["total"] == 6
    monkeypatch.setattr(unfinished, "_WAITING", 5)
    large.write({"shop/tax.py": "async def rate_of(country):\n    return 1\n\n\ndef unused():\n    pass\n"})
    early = ask("callers", "unused")
    assert [item["name"] for item in early["callers"]] == ["last"]
    assert early["coverage"]["resolved"] < early["coverage"]["files"]
    assert _kept(large) == {".graph", ".unfinished"}
    late = ask("callers", "unused", wait=True)
    assert _comparable(late)["callers"] == early["callers"]
    with open_view(large.store) as view:
        graph = open_graph(view, _KNOWN, workers=1, progress=silent).graph
        assert same_bytes(graph, build(view, _KNOWN, None, workers=1, progress=silent).data)


def test_another_branch_is_answered_early_too(large: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph was finished, then many files changed: what decides the answer is resolved as they are now, and a name
    that several have is asked back. Where few have to be resolved the graph is finished."""
    monkeypatch.setattr(unfinished, "_WAITING", 4)
    ask = asker(large)
    assert ask("callers", "rate_of", wait=True)["total"] == 1
    assert _kept(large) == {".graph"}
    large.write({"shop/tax.py": "def rate_of(country, year):\n    return 2\n"})
    assert ask("callers", "rate_of")["coverage"]["resolved"] == 6
    assert _kept(large) == {".graph"}
    large.write({
        "shop/tax.py": "def rate_of(country): ...\n", "shop/odd.py": "def twice(): ...\n",
        "shop/loose.py": "from shop.tax import rate_of\nrate_of('a')\ndef twice(): ...\n",
        "tests/test_cart.py": "from shop.cart import total\n\n\ndef test_all():\n    assert total([2])\n",
    })  # fmt: skip
    early = ask("callers", "rate_of")
    assert [item["path"] for item in early["callers"]] == ["shop/cart.py", "shop/loose.py"]
    assert early["coverage"]["resolved"] < early["coverage"]["files"]
    assert _kept(large) == {".graph", ".unfinished"}
    assert len(ask("callers", "twice")["matches"]) == 2
    assert _kept(large) == {".graph", ".unfinished"}
    late = ask("callers", "rate_of", wait=True)
    assert _comparable(late)["callers"] == early["callers"]
    assert late["coverage"]["resolved"] == late["coverage"]["files"]
    assert _kept(large) == {".graph"}
