"""What the grammars of JavaScript and TypeScript lack is read as something else, and nothing around it is lost."""

from __future__ import annotations

import time

import pytest

from everdex.parse import trees_of


@pytest.mark.parametrize("path", ["a.tsx", "a.jsx"])
@pytest.mark.parametrize(("text", "partial"), [
    ("const a = <Text>Goals & rules {f(1)}</Text>;", False),
    ("const a = <Text>one & two\n three & {f(1)} & four</Text>;", False),
    ('const a = <Text link="?a=1&b=2">{f(1)}</Text>;', False),
    ("const a = <Text>&amp; & {f(1 & 2)}</Text>;", False),
    ("const a = <Text>Goals & rules {f(1)</Text>;", True),
    ("const a = 1 & ;", True),
])  # fmt: skip
def test_an_ampersand_in_a_text_is_no_error(path: str, text: str, partial: bool) -> None:
    """It begins no character reference; what is an error without it stays one."""
    (read,) = trees_of(path, text.encode())
    assert read.partial is partial
    assert partial or b"call_expression" in str(read.root).encode()


@pytest.mark.parametrize("text", ["export type * from './a';", "export  type\n* as b from './b';"])
def test_types_are_exported_by_a_star(text: str) -> None:
    """`export type *` exports as `export *` does, at the same places."""
    (read,) = trees_of("a.ts", text.encode())
    (statement,) = read.root.named_children
    assert not read.partial
    assert statement.child_by_field_name("source") is not None
    assert (statement.start_byte, statement.end_byte) == (0, len(text))


def test_many_ampersands_in_a_line_take_time_in_proportion() -> None:
    """A line is looked through once, however many errors it has."""
    def took(count: int) -> float:
        began = time.process_time()
        trees_of("a.tsx", b"const a = <T>" + b"a & b " * count + b"</T>;")
        return time.process_time() - began

    took(10)
    assert took(8_000) < 12 * max(took(2_000), 0.01)
