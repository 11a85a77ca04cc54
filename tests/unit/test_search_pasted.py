"""What is pasted into a search: places, lines of stack traces, globs, and sentences with more politeness than words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from everdex.search.courtesy import without_courtesy
from everdex.search.model import SearchRequest
from everdex.search.query import Intent, parse_query
from everdex.service.index import Index, Reading
from support.stores import synced

_BODY = "".join(f"def step_{number}(value):\n" + "    value += 1\n" * 14 + "\n\n" for number in range(8))
_TREE = {
    "src/app/runner.py": _BODY,
    "src/app/web/runner.ts": "export function other() {\n  return 1;\n}\n",
    "lib/setup.py": "def setup():\n    return 'runner'\n",
    "lib/run.cs": "class Run {\n  void Go() {\n  }\n}\n",
    "notes.md": "# runner\n\nline 40 of src, app, run\n",
}


def _answer(tmp_path: Path, query: str, files: Mapping[str, str] = _TREE) -> dict[str, Any]:
    made = synced(tmp_path / "tree", files)
    return Index.open(made.path).search(SearchRequest(query), Reading(sync=False), explain=True).to_dict()


@pytest.mark.parametrize(
    ("query", "path", "line"),
    [
        ("src/app/runner.py:40", "src/app/runner.py", 40),
        ("runner.py:40", "src/app/runner.py", 40),
        ("./src/app/runner.py:40:7", "src/app/runner.py", 40),
        ("what happens at src/app/runner.py:40 when it fails?", "src/app/runner.py", 40),
        ('File "src/app/runner.py", line 40, in step_2', "src/app/runner.py", 40),
        ('  File "/home/me/work/src/app/runner.py", line 40, in run', "src/app/runner.py", 40),
        ("at other (/srv/app/web/runner.ts:2:10)", "src/app/web/runner.ts", 2),
        ("   at Run.Go() in C:\\work\\lib\\run.cs:line 2", "lib/run.cs", 2),
        ("src/app/web/runner.ts(2,3): error TS2304", "src/app/web/runner.ts", 2),
        ("src/app/runner.py#L40", "src/app/runner.py", 40),
    ],
)
def test_a_pasted_place_is_answered_with_what_is_there(tmp_path: Path, query: str, path: str, line: int) -> None:
    """However it is written, and wherever the tree stood when it was."""
    answer = _answer(tmp_path, query)
    best = answer["results"][0]
    assert (best["path"], best["named_line"]) == (path, line)
    assert best["start_line"] <= line <= best["end_line"]
    assert not answer["no_strong_match"]


@pytest.mark.parametrize("query", ["other/setup.py:2", "src/app/runner.py:4000", "gone.py:2", "127.0.0.1:8000"])
def test_a_place_that_the_tree_does_not_have_is_only_words(tmp_path: Path, query: str) -> None:
    """Nothing is said to be there; a file of the same name in another directory is another file."""
    for result in _answer(tmp_path, query)["results"]:
        assert "verbatim" not in {share["feature"] for share in result["explain"]}


def test_of_a_whole_trace_where_it_happened_comes_first(tmp_path: Path) -> None:
    """Python names the most recent call last, others name it first."""
    python = 'File "src/app/runner.py", line 5, in a\n File "src/app/runner.py", line 60, in b'
    assert [found["named_line"] for found in _answer(tmp_path / "a", python)["results"]][:2] == [60, 5]
    other = "at b (src/app/runner.py:60:1)\n at a (src/app/runner.py:5:1)"
    assert [found["named_line"] for found in _answer(tmp_path / "b", other)["results"]][:2] == [60, 5]


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        (
            "Can you please find the place in the code where the lock file is written? Thanks!",
            "where the lock file is written",
        ),
        ("I need to understand how the lock file is written", "how the lock file is written"),
        ("show me where locks are written", "where locks are written"),
        ("Hi, could you tell me which file wins please", "which file wins"),
        ("please find the function that writes the lock", "find the function that writes the lock"),
        ("I would like to sort a list", "sort a list"),
        ("find the nearest lock", "find the nearest lock"),
        ("show the lock", "show the lock"),
        ("please", "please"),
        ("tell me where", "tell me where"),
        ("locate files by name", "locate files by name"),
        ("thanks page", "thanks page"),
    ],
)
def test_courtesy_says_nothing(query: str, kept: str) -> None:
    """What an agent or a person says around a question goes, as long as a question is left."""
    assert without_courtesy(query) == kept


@pytest.mark.parametrize(
    ("query", "paths"),
    [
        ("src/**/*.py step", {"src/app/runner.py"}),
        ("step *.py", {"src/app/runner.py"}),
        ("runner src/app/web/*", {"src/app/web/runner.ts"}),
    ],
)
def test_a_glob_among_words_says_where(tmp_path: Path, query: str, paths: set[str]) -> None:
    """As `file:` does."""
    assert {result["path"] for result in _answer(tmp_path, query)["results"]} == paths


@pytest.mark.parametrize("query", ["*.py", "def .*step.*", "2 * step", "/* step */", "**step", "(a|b)*/step", "step*"])
def test_what_is_no_glob_or_stands_alone_filters_nothing(query: str) -> None:
    """Regular expressions, products, comments; and a glob alone is all that there is to search for."""
    assert parse_query(query).files == ()


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("export default class Storage", "Storage"),
        ("class Storage(Base):", "Storage"),
        ("class Storage", "Storage"),
        ("def open_view(self, path", "open_view"),
        ("def open(", "open"),
        ("pub async fn open<T>(path: &str)", "open"),
        ("func (s *Store) open(path string) error {", "open"),
        ("func open(path string) error", "open"),
        ("public static function open($path)", "open"),
        ("export const open = async (path) => {", "open"),
        ("type Store struct {", "Store"),
        ("interface Store {", "Store"),
    ],
)
def test_the_head_of_a_definition_asks_for_what_it_defines(query: str, name: str) -> None:
    """Who pastes it wants the definition, not the words around the name."""
    parsed = parse_query(query)
    assert (parsed.text, parsed.intent) == (name, Intent.SYMBOL)


@pytest.mark.parametrize(
    "query", ["class names", "type inference", "function parameters and defaults", "const", "class Names of things"]
)
def test_words_that_only_begin_like_a_definition_stay_words(query: str) -> None:
    """English uses them, too."""
    assert parse_query(query).text == query


@pytest.mark.parametrize("query", ["unit tests for the parser", "how is the parser tested", "tests of parser"])
def test_who_asks_for_tests_gets_tests_first(tmp_path: Path, query: str) -> None:
    """Otherwise they come after what they test."""
    files = {
        "src/parser.py": "def parser(text):\n    '''Parser that has tests.'''\n    return parser\n",
        "tests/test_parser.py": "def test_parser():\n    parser('')\n",
    }
    assert _answer(tmp_path / "a", query, files)["results"][0]["path"] == "tests/test_parser.py"
    assert _answer(tmp_path / "b", "the parser of a text", files)["results"][0]["path"] == "src/parser.py"
