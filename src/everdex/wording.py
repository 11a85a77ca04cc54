"""Numbers and definitions in sentences: what terminals, pictures and summaries say in the same words."""

from __future__ import annotations

import re


def plural(count: int, noun: str) -> str:
    """`1 file`, `2,000 files`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def whose(text: str, qualified_name: str) -> str:
    """A definition's text with whose it is, `Walker: fn build(&self)`, unless that stands before its name anyway."""
    owner, _, name = qualified_name.rpartition(".")
    owner = owner.rpartition(".")[2]
    is_said = not owner or re.search(rf"(?<!\w){re.escape(owner)}(?!\w)", text.partition(name)[0])
    return text if is_said else f"{owner}: {text}"
