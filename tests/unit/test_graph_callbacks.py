"""What a function without a name is called for people."""

from __future__ import annotations

import pytest

from everdex.graph.text.callbacks import handed_to


@pytest.mark.parametrize(
    ("source", "called"),
    [
        ('it("closes twice", () => {', 'it("closes twice")'),
        ("test.only( 'it\\'s shut' , async () => {", "test.only('it\\'s shut')"),
        ("describe(\n  `the till`,\n  () => {", "describe(`the till`)"),
        ('t.Run("empty", () => {', 't.Run("empty")'),
        ('app.get("/users/:id", () => {', 'app.get("/users/:id")'),
        ("all.map(() => {", ""), ("reduce(all, () => {", ""), ('const x = ["a", () => {', ""), ('"a", () => {', ""),
        (", () => {", ""), ("() => {", ""), ('f("a" + "b", () => {', ""), ("f(`a\nb`, () => {", ""),
    ],
)  # fmt: skip
def test_a_function_without_a_name_is_called_by_what_it_is_handed_to_with_a_text(source: str, called: str) -> None:
    """Tests, suites, routes and events; what merely stands behind a text is not taken for one."""
    start = source.rfind("async () =>") if "async () =>" in source else source.rfind("() =>")
    assert handed_to(source.encode(), start) == called


def test_much_in_front_of_a_function_takes_no_time() -> None:
    """However the text before it looks, little of it is read."""
    assert handed_to(b"f(" + b"\\'" * 1_000_000 + b", () => 1", 2_000_004) == ""
