"""Files as the command line names them (from the current directory), under their names in the index (from the root)."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

_NAMED_IN_FILE: Final = re.compile(r"(.+?)(::.*|:\d+(?::\d+)?)?\Z", re.DOTALL)
_BY_ONE_COLON: Final = re.compile(r"([^:]+)(:[^:\d].*)", re.DOTALL)


def named_from_root(paths: Sequence[str], top: Path, root: Path | None) -> list[str]:
    """Each path once; what is outside stays absolute. Paths are relative to `root` where that is given."""
    start = os.path.abspath(root or ".")
    named = []
    for path in paths:
        parent, name = os.path.split(os.path.normpath(os.path.join(start, path)))
        real = os.path.join(os.path.realpath(parent), name)
        inside = real.startswith(f"{top}{os.sep}")
        named.append(os.path.relpath(real, top) if inside else real)
    return list(dict.fromkeys(named))


def from_root(symbol: str, root: Path) -> str:
    """`path`, `path:line`, `path::name` or `path:name` with the path from the root; whatever names no file below it, as
    it is."""
    for form in (_NAMED_IN_FILE, _BY_ONE_COLON):
        match = form.fullmatch(symbol)
        if match is not None and os.path.isfile(match[1]):
            named = _below(match[1], root)
            return named + (match[2] or "") if named is not None else symbol
    return symbol


def place_from_root(place: str, root: Path) -> str:
    """A place as answers list it, from the root; else a file or directory named from the current directory."""
    match = _NAMED_IN_FILE.fullmatch(place)
    if match is None:
        return place
    path = os.path.normpath(match[1])
    named = None if os.path.exists(root / path) else _below(path, root)
    return (named if named is not None and os.path.exists(path) else path) + (match[2] or "")


def told_of_all(document: dict[str, Any], asked: str | Path | None, top: Path, narrowing: str = "") -> None:
    """Put a warning into an answer when a part of the repository was named: it speaks of all of it all the same."""
    if asked is None or os.fspath(asked) == "." or os.path.realpath(asked) == os.fspath(top):
        return
    part = _below(os.fspath(asked), top)
    if part is not None:
        how = f"; `{narrowing} {shlex.quote(part)}` narrows it" if narrowing else ""
        document["warnings"].append(f"this speaks of all of {top}, not only of {part}{how}")


def _below(path: str, root: Path) -> str | None:
    """A path from the root; None when it is outside."""
    parent, name = os.path.split(os.path.abspath(path))
    real = Path(os.path.realpath(parent)) / name
    return real.relative_to(root).as_posix() if real.is_relative_to(root) else None
