"""The keys under which a Python file's content is offered and looked at."""

from __future__ import annotations


def scope_key(path: str, key: str) -> str:
    """A scope's own text."""
    return f"py:scope:{path}:{key}"
