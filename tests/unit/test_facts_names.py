"""Facts by queries: every call is there, definitions are those that parsing finds, broken files keep the rest."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tree_sitter import Node

from everdex.config import IndexConfig
from everdex.facts import names, names_uses
from everdex.facts import names_model as model
from everdex.facts.callees import split_callee
from everdex.facts.expressions import chain_of
from everdex.facts.imports import imports_of
from everdex.facts.names_uses import declared
from everdex.facts.scopes import bases_of
from everdex.languages import language_of
from everdex.parse import parse_file, trees_of
from support.names import FIXTURES, LANGUAGES, load
from support.worlds import facts

FILES = [
    pytest.param(language, path, id=f"{language}/{path}")
    for language in LANGUAGES
    for path in load(FIXTURES / language)
    if language_of(path) not in ("go-mod", "toml")
]
CALL_NODES = frozenset((
    "call_expression", "method_invocation", "object_creation_expression", "explicit_constructor_invocation",
    "macro_invocation", "new_expression", "invocation_expression", "constructor_initializer", "call",
    "function_call_expression", "member_call_expression", "nullsafe_member_call_expression", "scoped_call_expression",
    "constructor_invocation", "instance_expression", "function_call", "command", "implicit_object_creation_expression",
    "constructor_expression",
))  # fmt: skip


def _call_nodes(root: Node) -> list[Node]:
    found, waiting = [], [root]
    while waiting:
        node = waiting.pop()
        if node.type in CALL_NODES and node.is_named and not _is_behind(node):
            found.append(node)
        waiting += node.children
    return found


def _is_behind(node: Node) -> bool:
    """Whether it is a block of Kotlin or Swift behind the arguments of a call, of which the grammar makes a call."""
    suffix = node.named_children[-1] if node.type == "call_expression" else None
    trailing = suffix is not None and suffix.type in ("annotated_lambda", "call_suffix")
    behind = trailing and suffix.named_children[0].type == "lambda_literal"
    return behind and node.named_children[0].type == "call_expression"


@pytest.mark.parametrize(("language", "path"), FILES)
def test_no_call_is_left_out(language: str, path: str) -> None:
    """Each node that the grammar calls a call has a use of its own inside it."""
    data = (FIXTURES / language / path).read_bytes()
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    uses = [
        starts[use.line - 1] + use.column
        for use in model.body_of(facts(path, data)).uses
        if use.role in (model.CALL, model.NEW, model.MACRO, model.OPERATOR)
    ]
    root = trees_of(path, data)[0][1]
    missing = []
    for node in sorted(_call_nodes(root), key=lambda node: node.end_byte - node.start_byte):
        mine = next((use for use in uses if node.start_byte <= use < node.end_byte), None)
        if mine is None:
            missing.append(data[node.start_byte : node.end_byte].decode())
        else:
            uses.remove(mine)
    assert missing == []


@pytest.mark.parametrize(("language", "path"), FILES)
def test_definitions_are_the_symbols_of_parsing(language: str, path: str) -> None:
    """What the graph calls a definition is what `symbols` lists: same name, span and publicity, and the same kind.

    Only a function in a class without a name is a method to the graph; parsing knows no such class.
    """
    data = (FIXTURES / language / path).read_bytes()
    definitions = [
        item
        for item in model.outline_of(facts(path, data)).definitions
        if not item.flags & model.SCOPE_ONLY and not model.is_unnamed(item.name)
    ]
    symbols = parse_file(path, data, IndexConfig()).symbols
    assert sorted(
        (item.name, item.start, item.end, item.name_line, item.name_column, item.public) for item in definitions
    ) == sorted(
        (item.name, item.start_byte, item.end_byte, item.name_line, item.name_column, item.public) for item in symbols
    )
    kinds = {(item.name_line, item.name_column): item.kind for item in symbols}
    for item in definitions:
        if "<class" not in item.path:
            assert kinds[item.name_line, item.name_column] == item.kind


def test_what_is_outside_a_syntax_error_is_kept() -> None:
    """A broken function costs itself; the file says that it is partial."""
    data = b"package a\n\nfunc good() { other() }\n\nfunc bad( {{{ \n\nfunc last() { good() }\n"
    encoded = facts("a.go", data)
    outline, body = model.outline_of(encoded), model.body_of(encoded)
    assert outline.partial
    assert "good" in {item.name for item in outline.definitions}
    assert "other" in {use.name for use in body.uses}


def test_columns_count_bytes() -> None:
    """A name after other letters than ASCII's stands where its bytes stand, and is as wide as they are."""
    data = "package a\n\nfunc né() { été(); né() }\n".encode()
    calls = [use for use in model.body_of(facts("a.go", data)).uses if use.role == model.CALL]
    line = data.split(b"\n")[2]
    assert [(use.name, line[use.column : use.column + use.width].decode()) for use in calls] == [
        ("été", "été"),
        ("né", "né"),
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.go", "package a\nfunc f() { " + "f(" * 2_000 + ")" * 2_000 + " }\n"),
        ("a.rb", "x = " + "a.b(1)." * 2_000 + "c\n"),
        ("a.java", "class A { void f() { x" + ".go(() -> 1)" * 1_500 + "; } }\n"),
        ("a.rs", "fn f() { " + "(" * 2_000 + "g()" + ")" * 2_000 + "; }\n"),
        ("a.cpp", "int f() { return " + "g<" * 500 + "int" + ">" * 500 + "(); }\n"),
    ],
)
def test_deep_nesting_is_only_deep(path: str, text: str) -> None:
    """Thousands of brackets or steps end in facts, not in an error."""
    assert model.body_of(facts(path, text.encode())).uses


def test_twice_as_deep_is_twice_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a base that is a class with such a base, a piece is read: not all that is inside, at every level."""
    read = [0]

    def counted(text: str) -> list[str]:
        read[-1] += len(text)
        return bases_of(text)

    monkeypatch.setattr(names, "bases_of", counted)
    for levels in (800, 1_600):
        facts("a.rb", ("class A < (" * levels + "B" + "\nend)" * (levels - 1) + "\nend\n").encode())
        read.append(0)
    assert read[0] * 2 <= read[1] <= read[0] * 2.3


def test_only_what_is_declared_looks_around_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of C#'s `new(…)` in `new(…)` only the outermost is what a declaration says: to look around each is quadratic."""
    asked = []

    def counted(node: Node) -> Node | None:
        asked.append(node.start_byte)
        return declared(node)

    monkeypatch.setattr(names_uses, "declared", counted)
    body = model.body_of(facts("a.cs", f"class A {{ A f() {{ return {'new(' * 500}{')' * 500}; }} }}\n".encode()))
    assert [use.name for use in body.uses if use.role == model.NEW] == ["A", *[""] * 499]
    assert len(asked) == 1


def test_a_base_is_not_lost_behind_letters_of_several_bytes() -> None:
    """How long a list of bases is, is counted in bytes as its end is."""
    text = "class A implements Größe, Maß {}\ninterface B extends Größe, C {}\n"
    found = model.outline_of(facts("A.java", text.encode()))
    assert [item.bases for item in found.definitions] == [("Größe", "Maß"), ("Größe", "C")]


@pytest.mark.parametrize(
    ("language", "text", "chain"),
    [
        ("go", "&Foo{a: 1}", "@{Foo}"),
        ("go", "v.(*Bar)", "@{*Bar}"),
        ("go", "new(Foo)", "@{Foo}"),
        ("go", "a + b", "?"),
        ("rust", "Foo::<u8>::new(1)?.z()", "Foo.new().z()"),
        ("cpp", "static_cast<Bar*>(w)", "@{Bar*}"),
        ("cpp", "this->x_", "this.x_"),
        ("java", "((Bar) q)", "@{Bar}"),
        ("java", "new Foo<Bar>(1) { int x; }.bar()", "@{Foo<Bar>}.bar()"),
        ("kotlin", "this.x?.foo()!!", "this.x.foo()"),
        ("kotlin", "a.`is`(1).x", "a.is(_).x"),
        ("java", "a.b(new C<D, E>(1), f(2, 3)).g()", "a.b(_,_).g()"),
        ("java", "(a.b(1, 2)).g(3)", "a.b(_,_).g(_)"),
        ("kotlin", "a.b(1) { it }.g()", "a.b(?).g()"),
        ("kotlin", "`a b`.x", "@{String}.x"),
        ("php", "$this->x", "this.x"),
        ("php", "\\A\\B", ".A.B"),
        ("lua", 'require("a.b").x', "@{require a.b}.x"),
        ("ruby", "build name, 2", "build()"),
        ("csharp", "(q as Bar)", "@{Bar}"),
        ("swift", "try await self.mk()", "self.mk()"),
        ("kotlin", "when (x) { 1 -> a }", "?"),
    ],
)
def test_expressions_become_chains(language: str, text: str, chain: str) -> None:
    """Receivers and values are written alike, whatever the language calls its arrows."""
    assert chain_of(text, language) == chain


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("rust", "x.go::<u8>", ("x", "go", 6)),
        ("cpp", "mk<int>", ("", "mk", 5)),
        ("php", "\\strlen", (".", "strlen", 0)),
        ("swift", ".init", ("?", "init", 0)),
        ("c", "(*p)", ("", "p", 1)),
        ("c", "( *p->go )", ("p", "go", 2)),
        ("cpp", "(go)", ("", "go", 1)),
        ("cpp", "(*p)", ("?", "", 0)),
        ("cpp", "(this->*p)", ("?", "", 0)),
        ("rust", "(self.go)", ("?", "", 0)),
        ("cpp", "x.template go<int>", ("x", "go", 5)),
        ("go", "x.\n\t// why\n\t// so\n\tgo", ("x", "go", 0)),
        ("go", "x. /* a */ /* b */ go", ("x", "go", 0)),
        ("go", 'x("a").\n\tgo', ("x()", "go", 0)),
        ("lua", "x. --[[ a ]] go", ("x", "go", 0)),
        ("java", 'f("//") go', ("?", "", 0)),
        ("java", 'f("x.//\n") go', ("?", "", 0)),
    ],
)
def test_callees_are_taken_apart(language: str, text: str, found: tuple[str, str, int]) -> None:
    """A callee's text gives its receiver, its name and what follows the name."""
    assert split_callee(text, language) == found


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("go", 'x "a/b"', [("a/b", "x", "")]),
        ("java", "import static a.B.*;", [("a.B", "*", "static")]),
        ("kotlin", "import a.b.C as D", [("a.b.C", "D", "")]),
        ("scala", "import c.d.{E, F => G, _}", [("c.d.E", "", ""), ("c.d.F", "G", ""), ("c.d", "*", "")]),
        (
            "rust",
            "pub use crate::a::{self, b::{c as d, e::*}};",
            [("crate.a", "", "pub"), ("crate.a.b.c", "d", "pub"), ("crate.a.b.e", "*", "pub")],
        ),
        ("csharp", "using X = A.B;", [("A.B", "X", "")]),
        ("cpp", "using namespace a::b;", [("a.b", "*", "")]),
        ("c", "#include <a/b.h>", [("a/b.h", "", "system")]),
        ("php", "use A\\{B, C as D};", [("A.B", "", ""), ("A.C", "D", "")]),
        ("ruby", "require_relative './c'", [("./c", "", "relative")]),
        ("bash", 'source "$DIR/lib/x.sh"', [("lib/x.sh", "", "file")]),
    ],
)
def test_imports_say_path_alias_and_kind(language: str, text: str, found: list[tuple[str, str, str]]) -> None:
    """Every form of import is the same three words afterwards."""
    assert imports_of(text, language) == found


def test_no_call_is_left_out_of_a_long_file() -> None:
    """A machine-written file of more than two hundred thousand calls keeps every one of them."""
    data = b"f()\n" * 200_100
    body = model.body_of(facts("big.lua", data))
    assert sum(use.role == model.CALL for use in body.uses) == 200_100


@pytest.mark.parametrize("path", ["a.kt", "a.swift"])
def test_types_inside_each_other_without_end_are_given_up(path: str) -> None:
    """Each has all that is in it in its text: this test would take minutes otherwise."""
    keyword = "val" if path == "a.kt" else "let"
    nested = "A<" * 60_000 + "B" + ">" * 60_000
    body = model.body_of(facts(path, f"{keyword} x: {nested}\n{keyword} y: C<D<E>> = F()\n".encode()))
    assert {"C", "D", "E", "F"} <= {use.name for use in body.uses}


def test_a_head_of_many_attributes_is_read_in_one_pass() -> None:
    """What stands before Swift's functions is read once, also where it ends in what nobody expects there: this test
    would not end otherwise."""
    data = (b"@aaaaaaaaaaa " * 30 + b"@b(((1))) func f(a: Int) {}\n" + b"f(a: 1)\n")
    outline = model.outline_of(names.extract("a.swift", trees_of("a.swift", data)[0], data))
    assert [item.name for item in outline.definitions] == ["f"]


def test_imports_inside_each_other_without_end_are_given_up() -> None:
    """Each level is looked at once, down to where nobody writes any: this test would take minutes otherwise."""
    nested = "use " + "a::{" * 100_000 + "b" + "}" * 100_000 + ";\nuse c::{d, e::{f, g}};\n"
    outline = model.outline_of(facts("a.rs", nested.encode()))
    assert [item.path for item in outline.imports] == ["c.d", "c.e.f", "c.e.g"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_chain_with_something_behind_it_is_read_in_one_pass(language: str) -> None:
    """Each `()` could be read in two ways: sixty of them and a minus would not end otherwise."""
    assert chain_of("x" + ".y(1)" * 60 + " - 1", language) == "?"
    chain = chain_of("x" + ".y(1)[0](2)" * 60, language).replace("_", "")
    assert chain in ("?", "x" + ".y()[]()" * 60, "x" + ".y()()" * 60)


@given(st.text("ab1_$~!?.:>-&\\ \n(", max_size=12), st.sampled_from(("", "n" * 300, "n" * 300 + ".")))
@example("go", "")
@example("go!", "n" * 300 + "?->")
def test_a_callee_is_named_alike_behind_a_receiver_of_any_length(tail: str, front: str) -> None:
    """Where a name is looked for near the end of a text first, it is the one that a look through all of it finds."""
    short, long = (split_callee("x.y(1)." * count + front + tail, "kotlin")[1:] for count in (1, 60))
    assert short == long
