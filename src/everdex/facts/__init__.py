"""What one file says of itself: definitions, scopes, calls, references, imports. No resolution happens here.

A file's facts are a pure function of its path and bytes, so they can be taken from the stored source at any time. Only
the graph room reads them back; to everyone else they are opaque bytes. The first byte names the family of extractor
that wrote them.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from everdex.parse import Read, Trees

# language -> module with `extract(path_key, read, data) -> bytes`; loaded when a file needs it
_EXTRACTORS: Final[dict[str, str]] = {
    "python": "everdex.facts.python.extraction",
    **dict.fromkeys(("javascript", "tsx", "typescript"), "everdex.facts.javascript"),
    **dict.fromkeys(
        ("bash", "c", "cpp", "csharp", "cuda", "go", "java", "kotlin", "lua", "php", "ruby", "rust", "scala", "swift"),
        "everdex.facts.names",
    ),
}
_PACKED: Final = b"P"  # Python's


def has_facts(language: str) -> bool:
    """Whether every file of a language that can be parsed has facts."""
    return language in _EXTRACTORS


def is_packed(facts: bytes) -> bool:
    """Whether an extractor has compressed them, in parts that are asked for one by one."""
    return facts.startswith(_PACKED)


def facts_of(path_key: str, trees: Trees, data: bytes) -> bytes:
    """The facts of a file, from the first of its trees whose language has an extractor; b"" when none has."""
    for read in trees:
        module = _EXTRACTORS.get(read.language)
        if module is not None:
            extract: Callable[[str, Read, bytes], bytes] = import_module(module).extract
            return extract(path_key, read, data)
    return b""
