"""Heads of definitions: one line, no comments, short enough for a list."""

from __future__ import annotations

import pytest

from everdex.config import IndexConfig
from everdex.parse import parse_file
from everdex.parse.headers import SHOWN, one_line, shortened

LONG = "X" * SHOWN


@pytest.mark.parametrize(
    ("name", "plain", "written"),
    [
        ("a.py", "def f(a, b='# no'): pass", "def f(\n    a,  # the first, of two\n    b='# no',\n): pass"),
        ("a.ts", "function f(a: string, b = '//x') {}", "function f(\n  a: string, // why\n  b = '//x',\n) {}"),
        ("A.java", "class A { void f(int a, int b) {} }", "class A { void f(int a, // one\n    int /* two */ b) {} }"),
        ("a.go", "package a\nfunc f(a int, b int) {}", "package a\nfunc f(\n\ta int, // one\n\tb int,\n) {}"),
        ("a.lua", "function f(a, b) end", "function f(a, -- one\n  b) end"),
        ("a.rs", "fn f<'a>(a: &'a str, b: &'a str) {}", "fn f<'a>(\n    a: &'a str, // one\n    b: &'a str,\n) {}"),
    ],
)
def test_a_signature_has_no_comments_and_no_line_breaks(name: str, plain: str, written: str) -> None:
    """However a parameter list is broken into lines and commented, it is the same signature, with all of its names."""
    one, other = (parse_file(name, text.encode(), IndexConfig()).symbols[-1].signature for text in (plain, written))
    assert one == other
    assert "b" in other.partition("(")[2]


def test_a_tuple_of_one_keeps_its_comma() -> None:
    """What means something is not tidied away."""
    assert one_line(b"f(a=(1,),\n b=[2, ]\n)", "python") == "f(a=(1,), b=[2])"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f(a: int) -> str", "f(a: int) -> str"),
        (f"f(self, a: {LONG}, *, b: dict[str, int] = {{'k, ': 1}}, **c: Any) -> str", "f(self, a, *, b, **c) -> str"),
        (f"f(std::string a, X<{LONG[:135]}> b = {{ 1, 2 }})", f"f(std::string a, X<{LONG[:135]}> b)"),
        (f"f(a: Annotated[{LONG}", "f(a…"),
        (f"f(a: Map<{LONG}, List<b>>, c: (x: d) => Set<e, f>, g = 1 < 2, h)", "f(a, c, g, h)"),
        (f'@Data @Row("f)", of(x = {{"{LONG}"}})) public class A extends B', "public class A extends B"),
        (f"#[derive({LONG})] pub struct A", "pub struct A"),
        ("@Data public class A", "@Data public class A"),
        ("f" * 200, "f" * (SHOWN - 1) + "…"),
    ],
)  # fmt: skip
def test_a_long_head_is_shown_by_the_names_of_its_parameters(text: str, expected: str) -> None:
    """Types and defaults give way first; what is cut has a mark."""
    assert shortened(text) == expected
