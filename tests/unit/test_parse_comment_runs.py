"""Files with thousands of comments in a row are parsed, and nothing but comments is hidden from the grammar."""

from __future__ import annotations

import pytest

from everdex.config import IndexConfig
from everdex.parse import parse_file
from everdex.parse.comment_runs import without_long_runs
from everdex.parse.model import ParseStatus

_RUN = "# a comment's words\n" * 20_000


def test_definitions_around_thousands_of_comments_are_found() -> None:
    """The grammar's time grows with the square of such a run: it gave up on the file."""
    found = parse_file("a.py", f"def before():\n    pass\n{_RUN}def after():\n    pass\n".encode(), IndexConfig())
    assert found.status is ParseStatus.PARSED
    assert [(symbol.name, symbol.start_line) for symbol in found.symbols] == [("before", 1), ("after", 20_003)]


@pytest.mark.parametrize(
    "line",
    ["# x\n" * 255, "x = 1  # y\n" * 300, '# """\n' * 300, "# '''\n" * 300, "# a\rx = 1\n" * 300],
    ids=["too few", "behind code", "ends of strings", "ends of others", "another line inside"],
)
def test_what_is_no_long_run_or_may_be_more_than_comments_stays(line: str) -> None:
    data = f"x = 0\n{line}y = 1\n".encode()
    assert without_long_runs(data) == data


def test_strings_that_look_like_comments_end_where_they_end() -> None:
    """Inside a string every line may begin with a number sign; those that could end it are left alone."""
    inside = "# words\n" * 300
    for text in (f'x = """\n{inside}# """\ndef after(): pass\n', f"x = 'a\\\n{inside[:-1]}'\n".replace("\n#", "\\\n#")):
        quiet = without_long_runs(text.encode())
        assert len(quiet) == len(text)
        assert quiet.count(b"\n") == text.count("\n")
        assert quiet.splitlines()[-2:] == text.encode().splitlines()[-2:]
    continued = "x = 'a\\\n" + "# words\\\n" * 300 + "# end'\n"
    assert without_long_runs(continued.encode()) == continued.encode()


def test_the_end_of_a_run_stays_and_the_rest_is_blank() -> None:
    """What stands before a definition is about it."""
    quiet = without_long_runs(("  # indented\r\n" * 300).encode() + b"x = 1\n").splitlines()
    assert [bool(line.strip()) for line in quiet].count(True) == 32 + 1
    assert quiet[-1] == b"x = 1"
    assert quiet[-2] == b"  # indented"
