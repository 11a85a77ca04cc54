"""What stands outside of a broken place keeps its names and its places, whatever the grammar makes of the rest."""

from __future__ import annotations

import random

import pytest
from tree_sitter import Range, Tree

from everdex.config import IndexConfig
from everdex.facts import facts_of
from everdex.facts.python import model
from everdex.parse import ParsedFile, ParseStatus, grammar, parse_file, trees_of

_BROKEN = {
    "a string that nothing ends in Python": (
        "a.py",
        'def first():\n    return """text\n\n\ndef second():\n    return 2\n\n\nclass Third:\n    def method(self):\n'
        "        return 3\n\n    def other(self):\n        return 4\n",
        ["second", "Third", "Third.method", "Third.other"],
    ),
    "a parenthesis that nothing closes in Python": (
        "a.py",
        "class First:\n    def method(self):\n        return call(1, [2, {3: (4\n\n    def other(self):\n"
        "        return 4\n\n\nclass Second:\n    def method(self):\n        return 5\n\n\ndef third(a, b):\n"
        "    return a\n",
        ["First", "First.method", "First.other", "Second", "Second.method", "third"],
    ),
    "a file of Python that was cut off": (
        "a.py",
        "class First:\n    def method(self):\n        if self:\n            return 1\n        return 2\n\n"
        "    def other(self):\n        if (self\n",
        ["First", "First.method", "First.other"],
    ),
    "half a head in Python": (
        "a.py",
        "class First(Ba\n    def method(self):\n        return 1\n\n    def other(self):\n        return 2\n",
        ["First", "First.method", "First.other"],
    ),
    "a brace too few in Java": (
        "A.java",
        "class A {\n    void first() {\n        if (x) {\n            call();\n    }\n\n    void second() {\n"
        "        call();\n"
        "    }\n\n    void third() {\n        call();\n    }\n}\n",
        ["A", "A.second", "A.third"],
    ),
    "a file of Java that was cut off": (
        "A.java",
        "package a;\n\nclass A {\n    void first() {\n        call();\n    }\n\n    void second() {\n"
        "        for (int i = 0",
        ["A", "A.first"],
    ),
    "a brace too few in TypeScript": (
        "a.ts",
        "export class A {\n  first(): void {\n    if (this.x) {\n      call();\n  }\n\n  second(): void {\n"
        "    call();\n"
        "  }\n}\n\nexport function third(): void {\n  call();\n}\n",
        ["A", "A.second", "third"],
    ),
    "a parenthesis too many in Go": (
        "a.go",
        "package a\n\nfunc First() {\n\tcall((1)\n}\n\nfunc Second() {\n\tcall(2)\n}\n\nfunc Third() {\n\tcall(3)\n}\n",
        ["First", "Second", "Third"],
    ),
    "a string that nothing ends in Rust": (
        "a.rs",
        'impl A {\n    fn first(&self) {\n        call("text);\n    }\n\n    fn second(&self) {\n'
        '        call(2);\n    }\n}\n\n'
        "fn third() {\n    call(3);\n}\n",
        ["A.second", "third"],
    ),
    "a block that nothing ends in Ruby": (
        "a.rb",
        "module M\n  class A\n    def first\n      if x\n        call\n    end\n\n    def second\n      call\n"
        "    end\n  end\nend\n",
        ["M", "M.A", "M.A.second"],
    ),
    "a brace too few in a namespace of C++": (
        "a.cc",
        "namespace n {\n\nclass A {\n public:\n  void First() {\n    if (x) {\n      call();\n  }\n\n"
        "  void Second() { call(); }\n"
        "};\n\nvoid third() {\n  call();\n}\n\n}  // namespace n\n",
        ["n", "n.A", "n.A.Second", "n.third"],
    ),
    "a merge left in conflict in Kotlin": (
        "a.kt",
        "class A {\n<<<<<<< HEAD\n    fun first() {\n=======\n    fun primary() {\n>>>>>>> other\n"
        "        call()\n    }\n\n"
        "    fun second() {\n        call()\n    }\n}\n\nfun third() {\n    call()\n}\n",
        ["A", "A.first", "A.second", "third"],
    ),
}  # fmt: skip


def parsed(path: str, text: str) -> ParsedFile:
    return parse_file(path, text.encode(), IndexConfig())


@pytest.mark.parametrize("name", _BROKEN)
def test_what_is_outside_of_a_broken_place_is_where_it_was(name: str) -> None:
    """Each definition that is not broken itself is found, below its own names, and the file counts as partial."""
    path, text, expected = _BROKEN[name]
    found = parsed(path, text)
    names = [symbol.qualified_name for symbol in found.symbols]
    assert [each for each in expected if each not in names] == []
    assert found.status is ParseStatus.PARTIAL
    for symbol in found.symbols:
        line = text.split("\n")[symbol.name_line - 1]
        assert line.encode()[symbol.name_column :].startswith(symbol.name.encode())


def test_the_facts_of_a_mended_file_are_partial_and_of_the_same_tree() -> None:
    """What a file says of itself has the definitions that its symbols have, and says that something is missing."""
    path, text, expected = _BROKEN["a parenthesis that nothing closes in Python"]
    data = text.encode()
    facts = model.decode(facts_of(path, trees_of(path, data), data))
    assert facts.partial
    assert set(expected) <= {scope.key for scope in facts.scopes}


def test_what_a_conflict_has_twice_is_read_once() -> None:
    """Of a merge that was left in conflict our side counts; neither theirs nor a base between is read."""
    text = "def a():\n<<<<<<< HEAD\n    x = ours()\n||||||| base\n    x = old()\n=======\n    x = theirs()\n>>>>>>> b\n"
    for read in trees_of("a.py", text.encode()):
        assert not read.root.has_error
        assert read.partial
        text_read = read.root.text or b""
        assert b"ours" in text_read
        assert b"theirs" not in text_read


def test_what_is_beyond_the_grammar_in_many_places_is_left_to_it() -> None:
    """Text that is broken nearly everywhere is not blanked: what the grammar recovers is all there is."""
    text = "".join(f"def f{i}():\n    return (1\n    x = )\n\n" for i in range(40))
    data = text.encode()
    assert trees_of("a.py", data)[0].root.text == data


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.java", "a.cc", "a.rb", "a.rs"])
def test_pieces_in_any_order_give_chunks_that_cover_the_file(path: str) -> None:
    """Whatever is cut, doubled or thrown together, every byte is in one chunk and every symbol inside the file."""
    rng = random.Random(path)
    pieces = [text for _, text, _ in _BROKEN.values()]
    for _ in range(40):
        text = "".join(piece[rng.randrange(len(piece)) :][: rng.randrange(80)] for piece in rng.choices(pieces, k=6))
        found = parsed(path, text)
        assert sum(chunk.end_byte - chunk.start_byte for chunk in found.chunks) == len(text.encode())
        assert all(0 <= symbol.start_byte < symbol.end_byte <= len(text.encode()) for symbol in found.symbols)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.py", "def f(:\n    x = (\n"), ("a.js", "function f( {\n  g(`\n"), ("a.java", "class A {\n  void f( {\n"),
        ("a.cc", "namespace a {\n"), ("a.rb", "def f\n  if (\n"), ("a.go", "}\n"), ("a.ts", "<<<<<<< a\n=======\n"),
        ("a.rs", "#[a(\n"), ("a.php", "<?php {\n"), ("a.kt", "@A(\n"),
    ],
)  # fmt: skip
def test_no_byte_is_read_often(path: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is broken, what is parsed for it is a fixed number of times the file."""
    sizes: list[int] = []
    parse = grammar.parse_tree

    def counted(name: str, data: bytes, span: Range | None = None) -> Tree | None:
        sizes.append(len(data))
        return parse(name, data, span)

    monkeypatch.setattr(grammar, "parse_tree", counted)
    for times in (100, 3_000):
        sizes.clear()
        parsed(path, line * times)
        assert sum(sizes) < 12 * len(line) * times + 100_000
        assert len(sizes) < 10_000
