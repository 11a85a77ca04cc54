"""What an audit finds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """A number that was counted again and differs from what the snapshot says."""

    code: str
    subject: str  # a segment, a path, the snapshot or a file of facts
    expected: str
    actual: str


def differs(code: str, subject: str, expected: object, actual: object) -> Iterator[Finding]:
    if expected != actual:
        yield Finding(code, subject, str(expected), str(actual))
