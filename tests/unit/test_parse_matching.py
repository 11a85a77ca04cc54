"""Queries over trees of any depth: layers change what it costs, never what is found."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tree_sitter import QueryCursor

from everdex.config import IndexConfig
from everdex.facts import names_model as model
from everdex.facts import names_operators, names_queries, names_uses
from everdex.languages import language_of
from everdex.parse import grammar, matching, parse_file, trees_of
from support.names import FIXTURES, LANGUAGES
from support.worlds import facts

_CHAINS = {
    "go": ("a.go", "package a\nfunc f() { x", ".b(1)", " }\n"),
    "java": ("a.java", "class A { void f() { x", ".b(1)", "; } }\n"),
    "ruby": ("a.rb", "def f\n x", ".b(1)", "\nend\n"),
    "scala": ("a.scala", "object A { def f() = x", ".b(1)", " }\n"),
    "csharp": ("a.cs", "class A { void F() { x", ".B(1)", "; } }\n"),
}


def _chain(language: str, count: int) -> tuple[str, bytes]:
    path, head, step, tail = _CHAINS[language]
    return path, (head + step * count + tail).encode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_layers_find_what_one_look_finds(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Looked through three levels at a time, every fixture gives the same matches, each as often."""
    monkeypatch.setattr(matching, "_LEVELS", 3)
    monkeypatch.setattr(matching, "_is_deep", lambda _root: True)
    looked = 0
    for path in sorted(Path(FIXTURES / language).rglob("*")):
        if not path.is_file() or language_of(path.name) != language:
            continue
        for name, root, _ in trees_of(path.name, path.read_bytes()):
            for query in (grammar.query(name), names_queries.query_of(name)[0]):
                once = QueryCursor(query).matches(root)
                layered = matching.matches(query, root)
                assert Counter(map(matching._identity, layered.found)) == Counter(map(matching._identity, once))
                assert not layered.left_out
                looked += len(once)
    assert looked


@pytest.mark.parametrize("language", sorted(_CHAINS))
def test_a_chain_of_any_length_keeps_its_calls(language: str) -> None:
    """Twenty thousand calls in a row are all there, and nothing is said to be missing."""
    path, data = _chain(language, 20_000)
    found = facts(path, data)
    assert sum(use.role == model.CALL and bool(use.name) for use in model.body_of(found).uses) == 20_000
    assert not model.outline_of(found).partial


@pytest.mark.parametrize("language", sorted(_CHAINS))
def test_a_chain_is_read_in_proportion_to_its_length(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call has all before it in its text: of that only so much is read as somebody could use."""
    read = 0

    def counting(text: str, language: str) -> tuple[str, str, int]:
        nonlocal read
        read += len(text)
        return split(text, language)

    def chained(text: str, language: str) -> str:
        nonlocal read
        read += len(text)
        return chain(text, language)

    split, chain = names_uses.split_callee, names_operators.chain_of
    monkeypatch.setattr(names_uses, "split_callee", counting)
    monkeypatch.setattr(names_operators, "chain_of", chained)
    sizes = []
    for count in (6_000, 12_000):
        read = 0
        facts(*_chain(language, count))
        sizes.append(read)
    assert sizes[1] < 2.6 * sizes[0]


def test_lists_of_parameters_and_arguments_are_counted_together() -> None:
    """Scala: thousands of lists are one function's, and one call's."""
    count = 5_000
    text = f"object A {{ def f{'(a: Int)' * count} = 1\n def g() = x.f{'(1)' * count} }}\n"
    found = facts("a.scala", text.encode())
    defined = next(item for item in model.outline_of(found).definitions if item.name == "f")
    assert (defined.least, defined.most) == (count, count)
    (call,) = (use for use in model.body_of(found).uses if use.name == "f")
    assert call.arguments == count


@pytest.mark.parametrize(
    ("path", "opening", "closing"),
    [
        ("a.rb", "class A\n def f; g; end\n", "end\n"),
        ("a.scala", "object A {\n def f() = g()\n", "}\n"),
        ("a.swift", "class A {\n func f() { g() }\n", "}\n"),
        ("a.java", "class A {\n void f() { g(); }\n", "}\n"),
    ],
)
def test_definitions_nested_by_the_thousand_are_indexed(path: str, opening: str, closing: str) -> None:
    """Deeper than Python recurses: the file has chunks and symbols, whose names stay short."""
    data = (opening * 2_500 + closing * 2_500).encode()
    parsed = parse_file(path, data, IndexConfig())
    assert parsed.chunks[-1].end_byte == len(data)
    assert len(parsed.symbols) == 5_000
    assert max(len(symbol.qualified_name) for symbol in parsed.symbols) < 250
    assert facts(path, data)


@pytest.mark.parametrize("path", ["a.java", "a.cs"])
def test_angles_that_nothing_closes_are_not_parsed(path: str) -> None:
    """Eighty kilobytes of `a<a<a<` took 13 GB: such a file is text."""
    data = b"class A { void f() {\n" + b"a<" * 40_000
    assert trees_of(path, data) == ()
    assert parse_file(path, data, IndexConfig()).chunks
    assert trees_of(path, b"int f() { for (i = 0; i < n; i++) { a << b << c; } }\n" * 4_000)
