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


def test_an_annotated_expression_of_a_script_stays_one() -> None:
    """A script may annotate what it runs: nothing of it is left out."""
    parsed = parse_file("build.gradle.kts", b'@Suppress("x")\nplugins.apply(first)\n', IndexConfig())
    assert parsed.symbols == ()
    assert parsed.status is ParseStatus.PARSED
