"""Code that is broken, endless, circular or strange: answers stay bounded, true, and say what they could not read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everdex import limits
from everdex.parse import grammar
from support.graphs import asker
from support.stores import synced
from support.trees import tree

EACH = pytest.mark.parametrize("language", ["python", "typescript", "go", "cpp"])

BROKEN = {
    "python": {
        "a.py": "def before():\n    pass\n\ndef run():\n    before()\n\nclass (:\n    ???\n\ndef after():\n    run()\n"
    },
    "typescript": {
        "a.ts": "function before() {}\nfunction run() { before() }\nlet = ) ??? ;\nfunction after() { run() }\n"
    },
    "go": {
        "go.mod": "module m\n",
        "a.go": "package m\nfunc before() {}\nfunc run() { before() }\nvar = ) ???\nfunc after() { run() }\n",
    },
    "cpp": {"a.cc": "void before() {}\nvoid run() { before(); }\nclass : ??? ;\nvoid after() { run(); }\n"},
}
CIRCLES = {
    "python": {
        "a.py": "import b\ndef one():\n    b.two()\n",
        "b.py": "import a\ndef two():\n    a.one()\n",
    },
    "typescript": {
        "a.ts": "import { two } from './b'\nexport function one() { two() }\n",
        "b.ts": "import { one } from './a'\nexport * from './a'\nexport function two() { one() }\n",
    },
    "go": {
        "go.mod": "module m\n",
        "a/a.go": 'package a\nimport "m/b"\nfunc One() { b.Two() }\n',
        "b/b.go": 'package b\nimport "m/a"\nfunc Two() { a.One() }\n',
    },
    "cpp": {
        "a.h": '#include "b.h"\nnamespace n {\ninline void one() { two(); }\n}\n',
        "b.h": '#include "a.h"\nnamespace n {\ninline void two() { one(); }\n}\n',
    },
}
ALIASES = {
    "python": {"a.py": "f = g\ng = f\nA = B\nB = A\ndef run():\n    f()\n    A().x()\n"},
    "typescript": {"a.ts": "type A = B\ntype B = A\nlet f = g\nlet g = f\nfunction run(a: A) { f(); a.x() }\n"},
    "go": {
        "go.mod": "module m\n",
        "a.go": "package m\ntype A = B\ntype B = A\nfunc run(a A, l []A) { a.X(); l[0].X() }\n",
    },
    "cpp": {
        "a.cc": "typedef struct A B;\ntypedef B A;\nusing C = D;\nusing D = C;\n"
        "void run(A* a, C c) { a[0].x(); c.x(); }"
    },
}
STRANGE = {
    "python": {"a.py": "def größe():\n    pass\n\ndef run():\n    größe()\n"},
    "typescript": {"a.ts": "function größe() {}\nfunction run() { größe() }\n"},
    "go": {"go.mod": "module m\n", "a.go": "package m\nfunc größe() {}\nfunc run() { größe() }\n"},
    "cpp": {"a.cc": "void größe() {}\nvoid run() { größe(); }\n"},
}
LINES = 10_000
CALLS = {
    "python": ("a.py", "def step():\n    pass\n\ndef run():\n", "    step()\n", ""),
    "typescript": ("a.ts", "function step() {}\nfunction run() {\n", "  step()\n", "}\n"),
    "go": ("a.go", "package m\nfunc step() {}\nfunc run() {\n", "\tstep()\n", "}\n"),
    "cpp": ("a.cc", "void step() {}\nvoid run() {\n", "  step();\n", "}\n"),
}
MANY = 5_000
SAME = {
    "python": ("a.py", "class C{n}:\n    def same(self):\n        pass\n", "def run(x):\n    x.same()\n"),
    "typescript": ("a.ts", "class C{n} {{ same() {{}} }}\n", "function run(x) {{ x.same() }}\n"),
    "go": ("a.go", "type C{n} struct{{}}\nfunc (c C{n}) same() {{}}\n", "func run(x any) {{ x.(I).same() }}\n"),
    "cpp": ("a.cc", "struct C{n} {{ void same() {{}} }};\n", "template <class T> void run(T x) {{ x.same(); }}\n"),
}


def _callers(answer: dict[str, Any]) -> set[str]:
    return {item["name"] for item in answer["callers"]}


@EACH
def test_a_syntax_error_hides_only_what_is_in_it(tmp_path: Path, language: str) -> None:
    """Symbols and calls on both sides of an error are there, and the answer says that a file was not wholly read."""
    ask = asker(synced(tmp_path / "tree", BROKEN[language]))
    answer = ask("callers", "before")
    assert _callers(answer) == {"run"}
    assert _callers(ask("callers", "run")) == {"after"}
    assert answer["coverage"]["partial"] == 1
    assert any("syntax error" in warning for warning in answer["warnings"])


@EACH
def test_files_that_import_each_other_know_each_other(tmp_path: Path, language: str) -> None:
    """A circle of imports is walked once: each side has the other as its caller."""
    ask = asker(synced(tmp_path / "tree", CIRCLES[language]))
    first, second = ("One", "Two") if language == "go" else ("one", "two")
    assert _callers(ask("callers", first)) == {second}
    assert _callers(ask("callers", second)) == {first}


@EACH
def test_names_that_stand_for_each_other_end(tmp_path: Path, language: str) -> None:
    """Aliases in a circle are nobody, and every call through them is counted all the same."""
    ask = asker(synced(tmp_path / "tree", ALIASES[language]))
    answer = ask("callees", "run")
    assert answer["coverage"]["failed"] == 0
    assert answer["counts"]["resolved"] == 0
    assert sum(answer["counts"].values()) >= 2


@EACH
def test_names_may_have_any_letters(tmp_path: Path, language: str) -> None:
    """An identifier outside ASCII is found, called, and placed by bytes."""
    ask = asker(synced(tmp_path / "tree", STRANGE[language]))
    answer = ask("callers", "größe")
    assert _callers(answer) == {"run"}
    assert answer["symbol"]["name"] == "größe"


@EACH
def test_a_function_of_ten_thousand_lines_has_all_its_calls(tmp_path: Path, language: str) -> None:
    """No call is dropped because there are many."""
    name, head, line, tail = CALLS[language]
    ask = asker(synced(tmp_path / "tree", {name: head + line * LINES + tail}))
    answer = ask("refs", "step")
    assert answer["counts"]["resolved"] == answer["total"] == LINES


@EACH
def test_five_thousand_of_a_name_are_listed_and_never_guessed(tmp_path: Path, language: str) -> None:
    """The name alone is refused with a list; a call that could be each of them is counted and named nobody's."""
    name, each, run = SAME[language]
    head = "package m\ntype I interface{ other() }\n" if language == "go" else ""
    text = head + "".join(each.format(n=number) for number in range(MANY)) + run.format()
    ask = asker(synced(tmp_path / "tree", {name: text}))
    answer = ask("callers", "same")
    assert answer["symbol"] is None
    assert len(answer["matches"]) + answer["matches_omitted"] == MANY
    one = ask("callers", f"{name}::C7.same")
    assert one["callers"] == []
    assert sum(one["could_add"][kind] for kind in ("ambiguous", "unresolved", "external")) == 1


@EACH
def test_a_file_that_no_grammar_gets_through_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, language: str
) -> None:
    """What takes too long to parse is indexed as text; its calls are unknown, and answers say so."""
    whole = {
        path: text.partition("\nclass")[0].partition("\nlet =")[0].partition("\nvar =")[0] + "\n"
        for path, text in BROKEN[language].items()
    }
    name = next(path for path in whole if path.startswith("a."))
    long = {f"long/b{name[1:]}": whole[name].replace("before", "earlier").replace("run", "work") + "\n" * 20_000}
    ask = asker(synced(tmp_path / "tree", {**whole, **long}))
    monkeypatch.setattr(grammar, "BUDGET_SECONDS_PER_MEGABYTE", -1_000.0)  # nothing is left for what is long
    answer = ask("callers", "before")
    assert _callers(answer) == {"run"}
    assert answer["coverage"]["partial"] == 1


@pytest.mark.parametrize("text", ['\\"', '"\\', "/* ", '{"a":', "["])
def test_a_project_file_that_never_ends_is_no_project(tmp_path: Path, text: str) -> None:
    """Strings and comments that are opened and not closed are each read once: this test would not end otherwise."""
    code = "export function used() {}\nfunction run() { used() }\n"
    files = {name: text * (1_000_000 // len(text)) for name in ("tsconfig.json", "package.json")}
    ask = asker(synced(tmp_path / "tree", {**files, "a.ts": code}))
    assert _callers(ask("callers", "used")) == {"run"}


def test_code_that_is_not_in_the_index_is_told(tmp_path: Path) -> None:
    """A file that could not be taken in may hold the only caller: an answer names it, and one that is empty also
    counts what was too large."""
    made = synced(tmp_path / "tree", {"a.py": "def used():\n    pass\n\ndef other():\n    pass\n\nother()\n"})
    (made.path / "old.py").write_bytes(b"# coding: latin-1\nfrom a import used\nused()  # \xe9\n")
    (made.path / "notes.txt").write_bytes(b"\xe9 is no code\n")
    large = made.path / "large.py"
    with large.open("wb") as file:
        file.truncate(limits.MAX_FILE_SIZE_BYTES + 1)
    ask = asker(made)
    told = "old.py is not in the index (encoding); what it uses is not counted"
    size = "1 file is too large for the index or unreadable (`everdex files --skipped`); what it uses is not counted"
    for method in ("callers", "refs", "impact"):
        answer = ask(method, "used")
        assert answer["total"] == 0
        assert answer["warnings"] == [told, size]
    found = ask("callers", "other")
    assert found["total"] == 1
    assert found["warnings"] == [told]
    assert found["coverage"]["left_out"] == 1
    assert ask("callers", "missing")["warnings"] == [told, size]
    assert ask("callees", "used")["warnings"] == []
    (made.path / "older.py").write_bytes(b"\xe9\n")
    assert ask("callers", "other")["warnings"] == [
        "2 files of code are not in the index, among them old.py (encoding); what they use is not counted"
    ]


def test_code_that_is_not_in_the_index_is_told_of_what_it_could_name(tmp_path: Path) -> None:
    """A file of Lua names nothing of C: it is told where nothing is known of the name, and counted in every answer."""
    files = {
        "a.c": "void used(void) {}\nvoid run(void) { used(); }\n",
        "A.java": "class A { static void go() { go(); } }\n",
    }
    made = synced(tmp_path / "tree", files)
    (made.path / "old.lua").write_bytes(b"used() -- \xe9\n")
    (made.path / "old.kt").write_bytes(b"fun f() { A.go() } // \xe9\n")
    ask = asker(made)
    for method in ("callers", "refs", "impact"):
        assert ask(method, "used")["warnings"] == []
    assert ask("callers", "used")["coverage"]["left_out"] == 2
    both = "2 files of code are not in the index, among them old.kt (encoding); what they use is not counted"
    assert ask("callers", "missing")["warnings"] == [both]
    # Kotlin names what Java defines.
    told = "old.kt is not in the index (encoding); what it uses is not counted"
    assert ask("callers", "A.go")["warnings"] == [told]


def test_what_is_not_entered_is_told_where_nothing_was_found(tmp_path: Path) -> None:
    """The only caller may be in a file whose name the index does not take, or in a repository inside this one."""
    use = "from a import used\nused()\n"
    tree(tmp_path / "tree", {"b\n.py": use})
    for name in ("one", "two"):
        tree(tmp_path / "tree" / "vendor" / name, {"c.py": use}, git=True)
    files = {"a.py": "def used():\n    pass\n\ndef other():\n    pass\n\nother()\n"}
    ask = asker(synced(tmp_path / "tree", files))
    assert ask("callers", "used")["warnings"] == [
        "1 file has a name that the index does not take (`everdex files --skipped`); what it uses is not counted",
        "2 repositories inside this one are not entered (`everdex files --skipped`); what they use is not counted",
    ]
    assert ask("callers", "other")["warnings"] == []
