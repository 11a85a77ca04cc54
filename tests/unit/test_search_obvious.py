"""What a question need not say: the language of everything, and that it wants code."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.search.obvious import Obvious
from everdex.search.query import Intent, parse_query
from everdex.view import open_view
from support.stores import synced

PYTHON = {f"part{number}.py": f"def step_{number}():\n    return {number}\n" for number in range(12)}


def _kept(tmp_path: Path, files: dict[str, str], question: str) -> str:
    with open_view(synced(tmp_path / "tree", files).store) as view:
        return Obvious(view).without(parse_query(question)).text


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("python sort a list of names", "sort a list of names"),
        ("how to sort names in Python?", "how to sort names in"),
        ("python3 code to sort names", "sort names"),
        ("a function that sorts names", "sorts names"),
        ("write a script to sort names", "sort names"),
        ("sort the names, then code to disk", "sort the names, then code to disk"),
        ("python", "python"),
        ('"python names" sort order', "python names sort order"),
        ("sort javascript names", "sort javascript names"),
    ],
)
def test_a_question_loses_what_holds_for_everything(tmp_path: Path, question: str, kept: str) -> None:
    """The only language of an index and a request for code go, unless nothing is left or they are quoted."""
    assert _kept(tmp_path, PYTHON | {"README.md": "# Steps\n", "setup.toml": "[a]\n"}, question) == kept


@pytest.mark.parametrize(
    "question", ["some code to sort names here", "Python code that sorts names here", "python sort names by length"]
)
def test_what_is_left_decides_the_kind(tmp_path: Path, question: str) -> None:
    """Without the language and the request for code the rest is a sentence about what that code does."""
    assert parse_query(question).intent is Intent.NATURAL
    with open_view(synced(tmp_path / "tree", PYTHON).store) as view:
        assert Obvious(view).without(parse_query(question)).intent is Intent.ACTION


def test_a_language_among_others_is_a_word_like_any(tmp_path: Path) -> None:
    """Where a fifth of the code is in another language, its name tells which."""
    mixed = PYTHON | {f"part{number}.js": f"function step{number}() {{ return {number}; }}\n" for number in range(3)}
    assert _kept(tmp_path, mixed, "python sort names") == "python sort names"
