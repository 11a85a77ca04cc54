"""Which path somebody may have meant who named one that is not there: the same name elsewhere, else one like it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

WHY_OUT: Final = "`everdex explain` says why a path is out"
_SHOWN: Final = 3
_LIKENESS: Final = 0.75


def nearby(wanted: str, paths: Iterable[str]) -> list[str]:
    """At most three paths, the likest first; none when nothing is like it."""
    from difflib import SequenceMatcher, get_close_matches  # only who misspelt a path waits for it

    by_name: dict[str, list[str]] = {}
    for path in paths:
        by_name.setdefault(path.rpartition("/")[2].lower(), []).append(path)
    name = wanted.rstrip("/").rpartition("/")[2].lower()
    names = [name] if name in by_name else get_close_matches(name, by_name, _SHOWN, _LIKENESS)
    found = [path for each in names for path in by_name[each]]

    def likeness(path: str) -> float:
        return SequenceMatcher(None, wanted, path).ratio()

    return sorted(found, key=lambda path: (-likeness(path), path))[:_SHOWN]


def meant(wanted: str, paths: Iterable[str]) -> str:
    """The same as a question, or nothing."""
    found = nearby(wanted, paths)
    return f"did you mean {' or '.join(found)}?" if found else ""


def not_indexed(wanted: str, paths: Iterable[str]) -> str:
    """What is said of a path that no indexed file has."""
    question = meant(wanted, paths)
    return f"no indexed file has the path {wanted!r}; {f'{question} ' if question else ''}{WHY_OUT}"
