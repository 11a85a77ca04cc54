"""Annotations written as strings: a small reader of the types people write, into the same entries as expressions.

It reads dotted names, subscripts, unions, lists and nested quotes; anything else ends the reading, and what was read
before it stands. Never fails, never evaluates.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from everdex.facts.python import model as m

_TOKEN: Final = re.compile(r"\s*([^\W\d]\w*|\.\.\.|[\[\].,|]|['\"])")
_MAX_DEPTH: Final = 12


def parse_annotation(text: str, add: Callable[[list[Any]], int], otherwise: int) -> int:
    """The entry of the type in `text`; `otherwise` when there is none."""
    tokens = [match.group(1) for match in _TOKEN.finditer(text)]
    made, _ = _union([token for token in tokens if token not in "'\""], 0, add, 0)
    return made if made >= 0 else otherwise


def _union(tokens: list[str], at: int, add: Callable[[list[Any]], int], depth: int) -> tuple[int, int]:
    left, at = _single(tokens, at, add, depth)
    while at < len(tokens) and tokens[at] == "|" and left >= 0:
        right, at = _single(tokens, at + 1, add, depth)
        if right >= 0:
            left = add([m.BINARY, "|", left, right])
    return left, at


def _single(tokens: list[str], at: int, add: Callable[[list[Any]], int], depth: int) -> tuple[int, int]:
    if at >= len(tokens) or depth > _MAX_DEPTH:
        return -1, len(tokens)
    token = tokens[at]
    if token == "[":
        parts, at = _parts(tokens, at + 1, add, depth)
        return add([m.SEQUENCE, "list", parts]), at
    if token == "None" or token == "...":
        return add([m.LITERAL, "None" if token == "None" else "ellipsis", None]), at + 1
    if not (token[0].isalpha() or token[0] == "_"):
        return -1, len(tokens)
    made = add([m.NAME, token, []])
    at += 1
    while at + 1 < len(tokens) and tokens[at] == ".":
        made = add([m.ATTRIBUTE, made, tokens[at + 1]])
        at += 2
    if at < len(tokens) and tokens[at] == "[":
        parts, at = _parts(tokens, at + 1, add, depth)
        key = parts[0] if len(parts) == 1 else add([m.SEQUENCE, "tuple", parts])
        made = add([m.SUBSCRIPT, made, key])
    return made, at


def _parts(tokens: list[str], at: int, add: Callable[[list[Any]], int], depth: int) -> tuple[list[int], int]:
    parts: list[int] = []
    while at < len(tokens) and tokens[at] != "]":
        made, at = _union(tokens, at, add, depth + 1)
        if made >= 0:
            parts.append(made)
        if at < len(tokens) and tokens[at] == ",":
            at += 1
    return parts, at + 1
