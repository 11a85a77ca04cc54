"""Kotlin's definitions behind annotations."""

from __future__ import annotations

import pytest

from everdex.config import IndexConfig
from everdex.parse import ParseStatus, parse_file


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@Suppress(A::class)\n@Marked\nopen class K protected constructor() {\n  fun f() {}\n}\n", ["K", "K.f"]),
        ("@Target(A.CLASS)\n@Retention(B.SOURCE)\nannotation class K\n\nfun after() {}\n", ["K", "after"]),
        ("@A(1)\n@B(2)\n@C(3)\nexpect object K {\n  fun f()\n}\n", ["K", "K.f"]),
        ("@A(1)\n@B\ninternal fun Text.shout() {\n  go()\n}\n", ["shout"]),
    ],
)
def test_several_annotations_cost_no_definition_its_name(text: str, names: list[str]) -> None:
    """What stands behind annotations is a definition, with its members, and the file is read without errors."""
    parsed = parse_file("a.kt", text.encode(), IndexConfig())
    assert [symbol.qualified_name for symbol in parsed.symbols] == names
    assert parsed.status is ParseStatus.PARSED


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("class A {\n  class B\n  private constructor(\n    val x: Int,\n  ) {\n    fun f() {}\n  }\n  fun g() {}\n}\n",
         ["A", "A.B", "A.B.x", "A.B.f", "A.g"]),
        ("class A {\n  class B<T>\n  constructor(val x: T)\n}\n", ["A", "A.B", "A.B.x"]),
        ('class A {\n  fun f() {\n    val x = $$"{\\"$foo\\": $$y}"\n    g(x)\n  }\n\n  fun g(x: String) {}\n}\n',
         ["A", "A.f", "A.g"]),
        ('val x = $$$"""a $$b\n"c" $$$d"""\n\nfun after() {}\n', ["x", "after"]),
    ],
)  # fmt: skip
def test_what_is_newer_than_the_grammar_costs_no_definition_its_name(text: str, names: list[str]) -> None:
    """A constructor on the next line is its class's own; several dollars before a string end at its quotes."""
    parsed = parse_file("a.kt", text.encode(), IndexConfig())
    assert [symbol.qualified_name for symbol in parsed.symbols] == names
    assert parsed.status is ParseStatus.PARSED


def test_an_annotated_expression_of_a_script_stays_one() -> None:
    """A script may annotate what it runs: nothing of it is left out."""
    parsed = parse_file("build.gradle.kts", b'@Suppress("x")\nplugins.apply(first)\n', IndexConfig())
    assert parsed.symbols == ()
    assert parsed.status is ParseStatus.PARSED
