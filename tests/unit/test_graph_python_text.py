"""Where comments and strings of Python are, found without parsing: also in text that is no Python."""

from __future__ import annotations

import pytest

from everdex.graph.answers import mentions
from everdex.graph.text.loose_text import LOOSE, how_in_text
from everdex.graph.text.python_text import PythonText


@pytest.mark.parametrize("source", [b"'''" + b"\\'" * 400_000, b'"' + b'\\"' * 400_000, b"'\\\"" * 300_000])
def test_strings_that_nothing_closes_are_passed_over_once(source: bytes) -> None:
    """Each of a million quotes could begin a string that runs to the end: tried one by one it would take hours."""
    assert PythonText(source + b"\nname = 1\n").kind(len(source) + 1) in ("code", "string")


def test_what_is_behind_a_string_that_nothing_closes() -> None:
    """The rest of its line is not called text, and the lines after it are read as ever."""
    text = PythonText(b"a = 'open name\nb = 'name'  # name\n")
    assert [text.kind(place) for place in (10, 20, 29)] == ["code", "string", "comment"]


@pytest.mark.parametrize("language", ["python", "yaml", "html"])
def test_a_name_written_on_one_endless_line(language: str) -> None:
    """Every place of a long line is found, with its column, and looked at within its neighbourhood."""
    source = b"x: 1\n" + b"'name' " * 4_000
    hits = mentions._hits(source, language, "name")
    assert len(hits) == 4_000
    assert (hits[-1].line, hits[-1].column) == (2, 7 * 3_999 + 1)
    if language in LOOSE:
        assert {how_in_text(language, source, hit.start, hit.start + 4).how for hit in hits} <= {"template", "data"}
