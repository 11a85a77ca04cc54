"""Symbols of every language, against expectations written inside the fixtures.

A comment `? KIND QUALIFIED.NAME` stands above the line that holds the name; a `-` before the kind says that
the symbol is not public. A fixture names all of its symbols: one more or one fewer fails.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from everdex.config import IndexConfig
from everdex.languages import GRAMMARS, language_of
from everdex.parse import ParseStatus, Symbol, parse_file

FIXTURES = sorted((Path(__file__).parent.parent / "fixtures" / "parse").iterdir())
EXPECTATION = re.compile(r"^\s*(?:#|//|-- ?|/\*|<!--)\? (-?)(\w+) (.+?)\s*(?:\*/|-->)?$")


def expectations(text: str) -> list[tuple[int, str, str, bool]]:
    """(line of the name, kind, qualified name, public) as the fixture says."""
    found, waiting = [], []
    for number, line in enumerate(text.split("\n"), start=1):
        match = EXPECTATION.match(line)
        if match:
            waiting.append((match[2], match[3], not match[1]))
        else:
            found += [(number, *item) for item in waiting]
            waiting = []
    return found


def symbols_of(name: str, text: str) -> dict[str, Symbol]:
    return {item.qualified_name: item for item in parse_file(name, text.encode(), IndexConfig()).symbols}


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_fixture_symbols(path: Path) -> None:
    """Kind, qualified name, line and visibility of every definition are as written above it."""
    data = path.read_bytes()
    parsed = parse_file(path.name, data, IndexConfig())
    assert parsed.status is ParseStatus.PARSED
    actual = [(item.name_line, item.kind, item.qualified_name, item.public) for item in parsed.symbols]
    assert sorted(actual) == sorted(expectations(data.decode()))


def test_every_grammar_has_a_fixture() -> None:
    """No language with a grammar is left without expectations."""
    assert {language_of(path.name) for path in FIXTURES} >= set(GRAMMARS) - {"cuda", "cython"}


def test_signature_and_documentation() -> None:
    """A signature is the header on one line; documentation is its first sentence, wherever it is written."""
    python = symbols_of("a.py", '@cache\ndef f(\n    a,\n    b: int = 1,\n) -> str:\n    """Adds it.\n\n    More."""\n')
    assert (python["f"].signature, python["f"].doc) == ("def f(a, b: int = 1) -> str", "Adds it.")
    rust = symbols_of("a.rs", "/// Grows it. Or not.\n#[inline]\npub fn grow(by: u8) -> u8 {\n    by\n}\n")
    assert (rust["grow"].signature, rust["grow"].doc) == ("pub fn grow(by: u8) -> u8", "Grows it.")
    java = symbols_of("A.java", "/**\n * Opens the door.\n * @param x y\n */\nclass A {\n}\n")
    assert (java["A"].signature, java["A"].doc) == ("class A", "Opens the door.")
    go = symbols_of("a.go", "package a\n\n// Area of a circle\n// in metres.\nfunc (c *C) Area() int {\n}\n")
    assert (go["C.Area"].signature, go["C.Area"].doc) == ("func (c *C) Area() int", "Area of a circle in metres.")
    module = 'defmodule A do\n  @doc "Says so. Twice."\n  @spec f(int) :: int\n  def f(x) do\n    x\n  end\nend\n'
    elixir = symbols_of("a.ex", module)
    assert (elixir["A.f"].signature, elixir["A.f"].doc) == ("def f(x)", "Says so.")
    kotlin = symbols_of("a.kt", 'class A {\n  @Old("y")\n  @Named(\n    "z"\n  )\n  override fun f(a: Int) {}\n}\n')
    assert kotlin["A.f"].signature == '@Old("y") @Named("z") override fun f(a: Int)'


def test_decorators_and_exports_belong_to_the_definition() -> None:
    """A symbol begins at its decorator, and only the one that is decorated."""
    parsed = symbols_of("a.py", "@first\nclass A:\n    @second\n    def f(self):\n        pass\n")
    assert (parsed["A"].start_line, parsed["A.f"].start_line, parsed["A.f"].name_line) == (1, 3, 4)
    script = symbols_of("a.js", "export const a = 1,\n  b = 2;\n")
    assert [script[name].start_line for name in ("a", "b")] == [1, 2]


def test_clauses_are_one_symbol() -> None:
    """Several equations of a Haskell function span one symbol from its type to its last equation."""
    parsed = symbols_of("a.hs", "f :: Int -> Int\nf 0 = 1\nf n = n\n\ng = 2\n")
    assert (parsed["f"].start_line, parsed["f"].end_line, parsed["g"].start_line) == (1, 3, 5)


def test_many_keys_are_data_not_symbols() -> None:
    """A configuration file's keys are symbols; those of a large table are not."""
    def pairs(count: int) -> str:
        return "{" + ",\n".join(f'"k{n}": {n}' for n in range(count)) + "}"

    assert len(symbols_of("a.json", pairs(200))) == 200
    assert symbols_of("a.json", pairs(201)) == {}


def test_documentation_ranges() -> None:
    """Comments and docstrings are told apart from code."""
    text = '"""Module."""\n# note\nx = "not a doc"\n'
    parsed = parse_file("a.py", text.encode(), IndexConfig())
    assert [text[start:end] for start, end in parsed.doc_ranges] == ['"""Module."""', "# note"]


@pytest.mark.parametrize(
    ("name", "text", "qualified_name", "signature"),
    [
        ("A.java", "class A {\n  @Autowired\n  private Foo foo;\n}\n", "A.foo", "@Autowired private Foo foo;"),
        ("a.kt", "class A {\n  @get:Sync\n  var most = 64\n}\n", "A.most", "@get:Sync var most = 64"),
        ("a.cs", "class A {\n  [Key]\n  private int id;\n}\n", "A.id", "[Key] private int id;"),
        ("a.cs", "class A {\n  [Must]\n  public string Name { get; }\n}\n", "A.Name", "[Must] public string Name"),
        ("a.ts", "class A {\n  @Input()\n  name = 1\n}\n", "A.name", "@Input() name = 1"),
        ("a.py", "class A:\n    x: int = (\n        1)\n", "A.x", "x: int = ("),
    ],
)  # fmt: skip
def test_a_signature_has_the_name_behind_lines_of_annotations(
    name: str, text: str, qualified_name: str, signature: str
) -> None:
    """A list of fields is read by their names: an annotation alone tells nobody which field it is."""
    assert symbols_of(name, text)[qualified_name].signature == signature
