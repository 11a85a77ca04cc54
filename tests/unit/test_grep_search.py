"""Regex and literal search: what is returned, what is bounded and what is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from everdex import limits
from everdex.errors import QueryError, Timeout
from everdex.search import grep as grep_module
from everdex.search.grep import LIMIT_LINES, LIMIT_SNIPPET, GrepResult, grep
from everdex.view import SnapshotView, open_view
from support.stores import Workspace, synced, use_home

FILES: dict[str, str | bytes] = {
    "b.py": "def beta():\n    return alpha() + alpha()\n",
    "a.py": "def alpha():\n    return 1\n\n\n# alpha and é alpha",
    "mark.txt": b"\xef\xbb\xbfalpha\nalpha\r\n",
    "long.txt": "é" * 40_000 + "needle" + "é" * 40_000,
}


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    use_home(monkeypatch, tmp_path)
    return synced(tmp_path / "tree", FILES)


@pytest.fixture
def view(made: Workspace) -> Iterator[SnapshotView]:
    with open_view(made.store) as opened:
        yield opened


def ask(view: SnapshotView, pattern: str, *, literal: bool = False, limit: int = 100) -> GrepResult:
    return grep(view, pattern, literal=literal, ignore_case=False, keep=None, limit=limit)


def test_a_line_is_returned_once_with_its_first_match(view: SnapshotView) -> None:
    """One match per line, by path and line, with 0-based byte columns and the line's byte range."""
    found = [(match.path_key, match.line, match.column, match.text) for match in ask(view, "alpha").matches]
    assert found == [
        ("a.py", 1, 4, "def alpha():"),
        ("a.py", 5, 2, "# alpha and é alpha"),
        ("b.py", 2, 11, "    return alpha() + alpha()"),
        ("mark.txt", 1, 0, "alpha"),
        ("mark.txt", 2, 0, "alpha\r"),
    ]
    for match in ask(view, "alpha").matches:
        assert view.source(match.path_key)[match.byte_start : match.byte_end].decode() == match.text


def test_total_counts_what_the_limit_leaves_out(view: SnapshotView) -> None:
    """The total is exact beyond the limit."""
    result = ask(view, "alpha", limit=2)
    assert (len(result.matches), result.total, result.limits_hit) == (2, 5, ())


def test_only_kept_files_are_searched(view: SnapshotView) -> None:
    """The file filter decides before anything is read."""
    index = view.file_index("b.py")
    result = grep(view, "alpha", literal=True, ignore_case=False, keep=lambda file: file == index, limit=10)
    assert [match.path_key for match in result.matches] == ["b.py"]
    assert (result.files_scanned, result.files_total) == (1, 1)


def test_ignoring_case_is_asked_for(view: SnapshotView) -> None:
    """Case counts unless told otherwise."""
    assert ask(view, "ALPHA").total == 0
    assert grep(view, "ALPHA", literal=True, ignore_case=True, keep=None, limit=10).total == 5


def test_replaced_and_deleted_text_is_gone(made: Workspace) -> None:
    """Only the bytes of the live file are searched."""
    made.write({"a.py": "def gamma():\n    return 2\n"})
    made.remove("b.py")
    made.sync()
    with open_view(made.store) as opened:
        assert [match.path_key for match in ask(opened, "alpha").matches] == ["mark.txt", "mark.txt"]
        assert [match.path_key for match in ask(opened, r"gamma\(").matches] == ["a.py"]


def test_a_very_long_line_is_shown_in_part(view: SnapshotView) -> None:
    """The snippet is bounded, holds the match and says that it is cut; the byte range stays the whole line's."""
    result = ask(view, "needle")
    (match,) = result.matches
    assert len(match.text.encode()) <= limits.MAX_SNIPPET_BYTES
    assert "éneedleé" in match.text
    assert (match.column, match.byte_start, match.byte_end) == (80_000, 0, 160_006)
    assert result.limits_hit == (LIMIT_SNIPPET,)


def test_counting_stops_at_a_bound_and_says_so(view: SnapshotView, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pattern that matches everywhere costs a bounded time."""
    monkeypatch.setattr(grep_module, "MAX_COUNTED", 3)
    result = ask(view, "a", limit=1)
    assert result.limits_hit == (LIMIT_LINES,)
    assert result.total == 3


def test_a_search_that_takes_too_long_is_given_up(view: SnapshotView, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a deadline, and passing it is an error with a name."""
    monkeypatch.setattr(limits, "QUERY_TIMEOUT_MS", -1)
    with pytest.raises(Timeout):
        ask(view, "alpha")


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("", "empty"),
        ("x" * 100_000, "100,000 bytes"),
        ("a\nb", "line feed"),
        ("a\0b", "NUL"),
        ("a\udcffb", "Unicode"),
    ],
)
@pytest.mark.parametrize("literal", [True, False])
def test_an_impossible_pattern_is_refused(view: SnapshotView, pattern: str, problem: str, literal: bool) -> None:
    """The error says what is wrong with it."""
    with pytest.raises(QueryError, match=problem):
        ask(view, pattern, literal=literal)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(a", "character 1: unclosed group"),
        ("a)", "character 2: unopened group"),
        ("[a", "unclosed character class"),
        ("a{1001}", "at most 1000"),
        ("(?:a{1000}){1000}", "cannot be compiled"),
        ("(?-u)a", "bytes mode"),
        ("(?=a)", "look-around"),
        (r"\1", "back-references"),
        (r"\p{Klingon}", "Klingon"),
        ("(" * 5_000 + ")" * 5_000, "nested"),
        ("[" * 5_000 + "a" + "]" * 5_000, "nested"),
        ("a" + "*" * 5_000, "repetition"),
        ("a\\", "backslash"),
    ],
)
def test_an_invalid_regex_is_refused_by_name(view: SnapshotView, pattern: str, problem: str) -> None:
    """The error says what is wrong, and never is a traceback of ours."""
    with pytest.raises(QueryError, match=problem):
        ask(view, pattern)


@pytest.mark.parametrize(
    "pattern", [r"(x+x+)+y", r"(a|aa)+$", r"(a?){30}a{30}", r"(.*)*b", r"((a*)*)*c", r"(é|É|.)*\bz"]
)
def test_a_catastrophic_regex_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pattern: str) -> None:
    """Patterns that never end in a backtracking engine take the time of any other."""
    use_home(monkeypatch, tmp_path)
    made = synced(tmp_path / "tree", {"a.txt": ("x" * 5_000 + "\n") * 5 + ("a" * 5_000 + "é\n") * 5})
    with open_view(made.store) as opened:
        assert ask(opened, pattern).files_total == 1


def test_control_characters_are_characters(view: SnapshotView) -> None:
    """A control character in a pattern is searched for like any other."""
    assert ask(view, "\x07\x1b[", literal=True).total == 0
    assert ask(view, "alpha\r").total == 1


def test_the_engine_is_loaded_only_when_it_is_used() -> None:
    """Other modes do not pay for importing RE2."""
    code = "import sys, everdex.search.grep; sys.exit('re2' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
