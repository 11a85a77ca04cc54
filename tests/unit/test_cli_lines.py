"""Which lines of a result a person sees first."""

from __future__ import annotations

from everdex.surfaces.cli.lines import Words, literal_spans, numbered_lines, telling_line
from everdex.surfaces.cli.piped import piped


def _result(snippet: str, symbol: str | None = None, start: int = 10) -> dict[str, object]:
    return {"snippet": snippet, "symbol": symbol, "start_line": start}


def test_the_telling_line_names_the_symbol() -> None:
    """Decorators and comments that mention the name do not count."""
    snippet = "limit = 3\n@cached\n# load is slow\ndef load(self):\n    pass\n"
    assert telling_line(_result(snippet, "Store.load")) == (13, "def load(self):")


def test_without_a_symbol_the_first_line_of_code_tells() -> None:
    """Blank lines, brackets and comments are passed over; a snippet of nothing else shows its first text."""
    assert telling_line(_result("\n}\n// note\nvalue = 1\n")) == (13, "value = 1")
    assert telling_line(_result("\n}\n")) == (11, "}")


def test_the_telling_line_of_a_continued_chunk_has_the_querys_words() -> None:
    """Without its symbol's name in sight, a result shows the line that has most of what was asked for."""
    snippet = "request_class = Request\nother = 1\nsession_interface = CookieSession()\n"
    assert telling_line(_result(snippet, "Flask"), Words("session cookie"))[1].startswith("session_interface")
    assert telling_line(_result("}\nvalue = 1\n"), Words("session cookie")) == (11, "value = 1"), "none has one"
    assert telling_line(_result(snippet, "Flask") | {"named_line": 11}, Words("session cookie")) == (11, "other = 1")


def test_lines_are_numbered_from_the_start_line_without_line_ends() -> None:
    """CRLF files show no carriage returns, a final newline makes no extra line, and a form feed ends none."""
    assert numbered_lines(_result("a\r\nb\fc\u2028d\r\n", start=3)) == [(3, "a"), (4, "b\fc\u2028d")]
    packed = _result("a\n\fb\u2028c\n") | {"path": "x.py", "end_line": 11, "breadcrumb": (), "part_of": None}
    document = {"results": [packed], "budget": {"used": 1, "tokens": 2, "left_out": []}, "omitted": 0}
    assert [line for wanted, line in piped(document) if wanted] == ["## x.py:10-11", "a", "\\x0cb\\u2028c", ""]


def test_words_match_across_case_style_and_ending() -> None:
    """A query's words are marked where the index would find them."""
    words = Words("parse config")
    line = "    self.parsedConfig = other"
    assert [line[start:end] for start, end, _ in words.spans(line)] == ["parsedConfig"]


def test_the_window_holds_the_most_query_words() -> None:
    """Of equal windows the one with the telling line wins, then the earliest."""
    lines = [(number, "filler") for number in range(1, 21)]
    lines[14] = (15, "snapshot publish")
    assert (15, "snapshot publish") in Words("snapshot publish").best_window(lines, 4, 1)
    assert Words("nothing").best_window(lines, 4, 9)[0][0] == 6
    assert Words("nothing").best_window(lines[:3], 4, 1) == lines[:3]
    assert Words("nothing").best_window(lines, 4, 17)[0][0] == 14, "the first that holds the line, with it last"
    assert Words("publish").best_window([(1, "a"), (2, ""), (3, "b"), (4, "publish")], 3, 1)[0][0] == 1
    assert Words("publish").best_window([(1, "a"), (2, ""), (3, "publish"), (4, "b")], 2, 1)[0][0] == 3, "no empty line"


def test_a_literal_is_marked_wherever_it_stands() -> None:
    """Characters that mean something in a regular expression mean themselves."""
    assert literal_spans("a.b axb a.b", "a.b", ignore_case=False) == [(0, 3), (8, 11)]
    assert literal_spans("A.B", "a.b", ignore_case=True) == [(0, 3)]
    assert literal_spans("A.B", "a.b", ignore_case=False) == []
