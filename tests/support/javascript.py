"""An in-memory world of JavaScript files for the tests of its resolver, read by the real parser and extractor."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from everdex.graph.javascript.resolver import RESOLVER
from everdex.graph.model import Node
from everdex.identity.symbols import plain_name
from support import worlds

FIXTURES = Path(__file__).parent.parent / "fixtures" / "callgraph" / "javascript"


class MemoryWorld(worlds.MemoryWorld):
    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(files, RESOLVER)


def fixtures() -> dict[str, bytes]:
    """Every file of every case, as one tree."""
    return {path.relative_to(FIXTURES).as_posix(): path.read_bytes() for path in FIXTURES.rglob("*") if path.is_file()}


def numbered(node: Node) -> str:
    """A definition's full name, with the number of a second one of that name."""
    return node.qualified_name.removesuffix(plain_name(node.key)) + node.key


def world(**files: str) -> MemoryWorld:
    """Files by name, `__` for `/` and `_ts` for `.ts`: `world(src__a_ts="…")`."""
    return MemoryWorld({_path(name): text.encode() for name, text in files.items()})


def _path(name: str) -> str:
    base, _, extension = name.replace("__", "/").rpartition("_")
    return f"{base}.{extension}"
