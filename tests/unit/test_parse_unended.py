"""TypeScript's members that no semicolon ends."""

from __future__ import annotations

import pytest

from everdex.config import IndexConfig
from everdex.parse import ParseStatus, parse_file


@pytest.mark.parametrize(
    "members",
    [
        "  (a: string): B<C>\n\n  // another\n  <P extends string>(a: P): B<P>\n",
        "  <\n    P extends string,\n    Q = P,\n  >(\n    a: P\n  ): B<P>\n  <P>(a: P, b: string): B<P>\n",
        "  bar(): B<C>\n  /* by\n   * name */\n  <P, Q>(a: P, b: Q): P[]\n  <P = any>(): (P | 0)[]\n  last: number\n",
    ],
)
def test_a_line_break_ends_a_member(members: str) -> None:
    """An interface whose members nothing else separates is read without errors, and so is what follows it."""
    text = f"interface A {{\n{members}}}\n\nexport function after() {{}}\n"
    parsed = parse_file("a.ts", text.encode(), IndexConfig())
    assert parsed.status is ParseStatus.PARSED
    assert parsed.symbols[0].qualified_name == "A"
    assert parsed.symbols[-1].qualified_name == "after"
    assert parsed.symbols[-1].start_line == text.count("\n")


def test_other_errors_stay_what_they_are() -> None:
    """Type parameters that begin a line of a file that is broken elsewhere are left alone when nothing is gained."""
    text = "const a = f(\n  b\n  <T,>(c: T) => c,\n)\nexport function after() {}\nlet = = ;\n"
    parsed = parse_file("a.ts", text.encode(), IndexConfig())
    assert parsed.status is ParseStatus.PARTIAL
    assert "after" in [symbol.qualified_name for symbol in parsed.symbols]
