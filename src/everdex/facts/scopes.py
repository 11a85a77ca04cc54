"""Definitions and what is around a place, for facts by queries: numbers, owners, bases, branches, scopes."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import zip_longest
from typing import Final

from tree_sitter import Node

from everdex.facts.arguments import labels_taken
from everdex.facts.expressions import MAX_EXPRESSION, arity_of, parameters_of, type_of
from everdex.parse import definitions as parsed

_BASE_WORDS: Final = re.compile(
    r"\b(?:extends|implements|with|public|private|protected|virtual|override|open|internal|derives)\b|^\s*[:<(]|[)]\s*$"
)
# What stands before a function's name, attributes with arguments among it. Nothing in it is tried again: a head
# without a function's word would take ages.
_SWIFT_HEAD: Final = re.compile(
    r"(?>(?:@\w++(?:\([^()\"]*+(?>(?:(?:\"[^\"]*\"|\([^()]*\))[^()\"]*+){0,256})\))?\s*+"
    r"|(?!func\b|init\b|subscript\b)\w++(?:\(\w+\))?\s++){0,256})"
    r"(?:func|init|subscript)\b"
)


def number_unnamed(linked: list[parsed.Definition]) -> None:
    """Functions without names are numbered in source order inside what is around them."""
    counts: dict[tuple[int, str], int] = {}
    for item in linked:
        if item.name in ("<lambda>", "<class>"):
            about = (id(item.parent), item.kind)
            counts[about] = counts.get(about, 0) + 1
            item.name = f"<{item.kind}{counts[about]}>"
        if "<lambda>" in item.path or "<class>" in item.path:
            item.path = parsed.path_of(item.parent.path if item.parent is not None else (), item)


def swift_shape(signature: str) -> tuple[int, int, str, tuple[str, ...]]:
    """The Swift grammar has no list of parameters: how many a function takes, at least and at most, its result, and
    what its parameters are called by who calls it."""
    begin = _SWIFT_HEAD.match(signature)
    head, arrow, returns = signature[begin.end() if begin else 0 :].rpartition("->")
    if not arrow or head.count("(") != head.count(")"):
        head, returns = head + arrow + returns, ""
    listed = parameters_of(head[head.find("(") : head.rfind(")") + 1]) if "(" in head else []
    return *arity_of(listed, "swift"), type_of(returns.partition(" where ")[0]), labels_taken(listed)


def trailing_result(head: str) -> str:
    """The type that a function of C++ states behind its parameters; '' where it states none, or an expression's."""
    for arrow in re.finditer("->", head):
        front = head[: arrow.start()]
        if front.count("(") == front.count(")"):
            result = type_of(head[arrow.end() :])
            return "" if result.startswith("decltype") else result
    return ""


def bases_of(text: str) -> list[str]:
    parts = (_BASE_WORDS.sub(" ", part) for part in _top_level(text))
    return [type_of(part) for part in parts if part.strip()]


def bases_at(node: Node, data: bytes) -> list[str]:
    end = min(node.end_byte, node.start_byte + MAX_EXPRESSION)
    found = bases_of(data[node.start_byte : end].decode("utf-8", "replace"))
    return found if end == node.end_byte or len(found) < 2 else found[:-1]  # the last one is cut short


def _top_level(text: str) -> list[str]:
    parts, depth, begin = list[str](), 0, 0
    for match in re.finditer(r"[<>()\[\]{},+]|\bwith\b", text):
        if match[0] in "<([{":
            depth += 1
        elif match[0] in ">)]}":
            depth -= 1
        elif not depth:
            parts.append(text[begin : match.start()])
            begin = match.end()
    return [*parts, text[begin:]]


def innermost(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those that hold no other: `require(require(…))` names no file by itself."""
    spans = sorted(set(spans))
    return [span for span, following in zip_longest(spans, spans[1:]) if following is None or following[0] >= span[1]]


def ends_around(spans: list[tuple[int, int]], places: list[int]) -> dict[int, int]:
    """Where the innermost of the spans around each place ends; spans contain each other or do not meet."""
    found: dict[int, int] = {}
    waiting, stack = sorted(spans, key=lambda span: (span[0], -span[1]), reverse=True), list[int]()
    for place in places:
        while waiting and waiting[-1][0] <= place:
            stack.append(waiting.pop()[1])
        while stack and stack[-1] <= place:
            stack.pop()
        if stack:
            found[place] = stack[-1]
    return found


class Scopes:
    """The innermost definition around a byte, by bisection of the definitions' edges."""

    def __init__(self, linked: list[parsed.Definition]) -> None:
        self._linked = linked
        self._owners: dict[int, int] = {}  # of scopes that were asked for
        self.index = {id(item): position for position, item in enumerate(linked)}
        edges: list[tuple[int, int]] = []
        stack: list[int] = []
        for position, item in enumerate(linked):
            while stack and linked[stack[-1]].end <= item.start:
                edges.append((linked[stack.pop()].end, stack[-1] if stack else -1))
            edges.append((item.start, position))
            stack.append(position)
        while stack:
            edges.append((linked[stack.pop()].end, stack[-1] if stack else -1))
        self.starts = [start for start, _ in edges]
        self.scopes = [scope for _, scope in edges]

    def around(self, byte: int) -> int:
        position = bisect_right(self.starts, byte) - 1
        return self.scopes[position] if position >= 0 else -1

    def owner(self, scope: int) -> int:
        """The class-like definition around a scope; -1 when there is none."""
        passed = []
        while scope >= 0 and scope not in self._owners:
            item = self._linked[scope]
            if item.kind in parsed.CLASS_LIKE or item.kind == "module":
                self._owners[scope] = scope
            else:
                passed.append(scope)
                scope = self.index[id(item.parent)] if item.parent is not None else -1
        owner = self._owners.get(scope, -1)
        self._owners.update(dict.fromkeys(passed, owner))
        return owner
