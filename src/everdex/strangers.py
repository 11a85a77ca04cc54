"""TOML that a repository wrote, read in bounded time.

The standard library takes time by the square of a key's parts, and for every line walks the parts of the table it
stands in: 64 KB of dots keep it busy for ten seconds. What would is refused before it is read.
"""

from __future__ import annotations

import tomllib
from typing import Any, Final

_MOST_STEPS: Final = 50_000_000  # about half a second; a manifest of 10,000 lines takes a thousandth of it


def read_toml(raw: bytes) -> dict[str, Any]:
    """`tomllib.TOMLDecodeError` for whatever is no TOML, not UTF-8, nested too deeply or made to be slow."""
    lines = raw.split(b"\n")
    deepest = max((line.count(b".") for line in lines if line.lstrip().startswith(b"[")), default=0)
    if sum(line.count(b".") ** 2 for line in lines) + 20 * deepest * len(lines) > _MOST_STEPS:
        raise tomllib.TOMLDecodeError("keys of too many parts")
    try:
        return tomllib.loads(raw.decode())
    except UnicodeDecodeError as error:
        raise tomllib.TOMLDecodeError(f"not UTF-8 (byte {error.start})") from error
    except RecursionError as error:
        raise tomllib.TOMLDecodeError("nested too deeply") from error
