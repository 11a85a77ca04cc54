"""Numbers in sentences: what terminals, pictures and summaries say in the same words."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """`1 file`, `2,000 files`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
