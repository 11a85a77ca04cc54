"""Which places in doubt a name means: a file, what is below a directory, a line, a column; never more than named."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from everdex import limits
from everdex.errors import QueryError
from everdex.state.taking import MAX_PLACES, check_places, taken


@dataclass(frozen=True)
class _Doubt:
    path: str
    line: int
    column: int
    reason: str = "untyped parameter"
    takeable: bool = True
    elsewhere: bool = False


_DOUBTS = (
    _Doubt("src/app.py", 1, 4),
    _Doubt("src/app.py", 1, 9),
    _Doubt("src/app.py", 2, 4, "a string", takeable=False),
    _Doubt("src/app.py.bak", 1, 4),
    _Doubt("src/deep/low.py", 1, 4),
    _Doubt("src2/far.py", 1, 4),
    _Doubt("lib/other.py", 3, 0, elsewhere=True),
    _Doubt("lib/words.py", 1, 0, "a comment", takeable=False),
    _Doubt("odd:7", 7, 0),
)


@pytest.mark.parametrize(
    ("take", "numbers"),
    [
        (["src/app.py"], {0, 1}),
        (["src/app.py:1"], {0, 1}),
        (["src/app.py:1:5"], {0}),
        (["src/app.py:1:10", "src/deep"], {1, 4}),
        (["src"], {0, 1, 3, 4}),
        (["src/"], {0, 1, 3, 4}),
        (["."], {0, 1, 3, 4, 5, 8}),
        (["lib/other.py:3"], {6}),
        (["lib/other.py:3:1"], {6}),
        (["odd:7"], {8}),
        (["odd:7:7:1"], {8}),
        (["odd:7:7"], {8}),
        ([], set()),
    ],
)
def test_a_place_means_what_stands_there(take: list[str], numbers: set[int]) -> None:
    """Columns count from 1; a directory is no beginning of a name; what leads elsewhere is taken by its line alone."""
    assert taken(_DOUBTS, take) == numbers


def test_a_place_that_fits_two_files_is_refused() -> None:
    """`odd:7:7` is line 7 of `odd:7`, and column 7 of line 7 of `odd`: nobody guesses."""
    with pytest.raises(QueryError, match="odd:7:7 may be in odd or in odd:7"):
        taken([_Doubt("odd", 7, 6), _Doubt("odd:7", 7, 0)], ["odd:7:7"])


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("src/app", "nothing is in doubt"),
        ("app.py", "nothing is in doubt"),
        ("src/app.py:3", "nothing is in doubt"),
        ("src/app.py:1:4", "nothing is in doubt"),
        ("src/app.py:01", "nothing is in doubt"),
        ("src2/far.py:2", "nothing is in doubt"),
        ("src/app.py:2", "cannot be taken: a string"),
        ("lib/words.py", "cannot be taken: a comment"),
        ("lib", "leads elsewhere"),
        ("lib/other.py", "leads elsewhere"),
    ],
)
def test_a_place_that_means_nothing_is_refused(place: str, said: str) -> None:
    """It is not passed over, beside others that mean something either."""
    with pytest.raises(QueryError, match=said):
        taken(_DOUBTS, ["src/app.py", place])


def test_to_take_everything_where_nothing_can_be_is_no_fault() -> None:
    """All of nothing is nothing."""
    assert taken(_DOUBTS[6:8], ["."]) == set()
    assert taken((), ["."]) == set()


def test_what_can_be_no_place_is_refused() -> None:
    """Empty, with a NUL byte, longer than any path, or more than anybody named by hand."""
    check_places(["a.py"] * MAX_PLACES)
    check_places(["a" * limits.MAX_PATH_BYTES])
    for wrong in ([""], ["a\0b"], ["ä" * limits.MAX_PATH_BYTES], ["a" * (limits.MAX_PATH_BYTES + 1)]):
        with pytest.raises(QueryError, match="is no place"):
            check_places(wrong)
    with pytest.raises(QueryError, match="at most"):
        check_places(["a.py"] * (MAX_PLACES + 1))
