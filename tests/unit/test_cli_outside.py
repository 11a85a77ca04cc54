"""The line that says why something outside of the repository may call a symbol."""

from __future__ import annotations

import pytest

from everdex.surfaces.cli.outside import from_outside


@pytest.mark.parametrize(
    ("bases", "said"),
    [
        (["A"], "its class inherits A"), (["A", "B"], "its class inherits A and B"),
        (["A", "B", "C", "D"], "its class inherits A, B, C and D"),
        (["A", "B", "C", "D", "E"], "its class inherits A, B, C and 2 more"),
    ],
)  # fmt: skip
def test_bases_are_one_reason(bases: list[str], said: str) -> None:
    """A class with many says so once, and the line stays short."""
    reasons = [{"why": "inherits", "what": base} for base in bases] + [{"why": "public", "what": "f"}]
    assert list(from_outside(reasons, is_alone=False)) == [f"may be called from outside the repository: {said}"]
    assert next(iter(from_outside(reasons, is_alone=True))).endswith(f"{said}, it is public")
