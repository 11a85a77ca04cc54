"""What is said when a name does not tell which definition is meant."""

from __future__ import annotations

import pytest

from everdex.surfaces.cli.related import no_symbol


@pytest.mark.parametrize(
    ("asked", "names", "said"),
    [
        ("open", ("A.open", "B.open"), "2 definitions fit open; name one by path:line or path::name"),
        ("open", ("A.open", "A.open"), "2 definitions fit open; name one by path:line"),
        ("a.h:2", ("pane", "pane.y"), "2 definitions fit a.h:2; name one by path::name"),
        ("a.h:2", ("A.open", "A.open"), "2 definitions fit a.h:2"),
    ],
)
def test_whoever_named_a_line_is_not_told_to_name_one(asked: str, names: tuple[str, ...], said: str) -> None:
    """Only ways that tell these definitions apart are offered."""
    matches = [{"path": "a.h", "name_line": 2, "qualified_name": name, "text": ""} for name in names]
    document = {"query": asked, "matches": matches, "matches_omitted": 0, "suggestions": []}
    assert next(iter(no_symbol(document))) == said
