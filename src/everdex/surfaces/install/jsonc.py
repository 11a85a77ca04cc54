"""JSON with comments as text: where each value stands, and how to add or take out one without touching the rest.

Comments, order, indentation, line ends and trailing commas of a file stay as they are. What is added can be taken out
again exactly: an entry put into an empty container stands right behind its bracket, a container made for an entry has
space behind it, so a removal can tell the two apart. Knows nothing of files or of what the values mean.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

_MAX_DEPTH: Final = 100
_SPACE: Final = " \t\r\n"
_DELIMITERS: Final = frozenset(',]}:/ \t\r\n"[{')

Path = tuple[str, ...]


class JsoncError(Exception):
    """The text is not JSON (comments and trailing commas allowed), or not of the shape that is needed."""


@dataclass(frozen=True, slots=True)
class Child:
    """A member (or, without a key, an element) of a container: its span, its value, and the comma behind it."""

    key: str | None
    start: int
    node: Node
    comma: int | None


@dataclass(frozen=True, slots=True)
class Node:
    """A value's span, the value itself, and for a container its children in order."""

    start: int
    end: int
    value: Any
    children: tuple[Child, ...] = ()


def parse(text: str) -> Node:
    """The one value of a text, or `JsoncError` with line and column."""
    scanner = _Scanner(text)
    node = scanner.value(scanner.skip(0), 0)
    if scanner.skip(node.end) != len(text):
        raise scanner.error(scanner.skip(node.end), "more after the end of the value")
    return node


def put(text: str, path: Path, value: Any) -> str:
    """The text with `value` at a path of keys; there must be nothing at that path yet."""
    node = parse(text)
    for depth, key in enumerate(path):
        _need(node, dict, path[:depth])
        child = _member(node, key)
        if child is None:
            return _insert(text, node, key, path[depth + 1 :], value)
        node = child.node
    raise JsoncError(f"there is a value at {'.'.join(path)} already")


def append(text: str, path: Path, value: Any) -> str:
    """The text with `value` as the last element of the array at a path."""
    node = parse(text)
    for depth, key in enumerate(path):
        _need(node, dict, path[:depth])
        child = _member(node, key)
        if child is None:
            return _insert(text, node, key, (*path[depth + 1 :], ""), value)
        node = child.node
    _need(node, list, path)
    return _insert(text, node, None, (), value)


def get(text: str, path: Path) -> Any:
    """The value at a path of keys; None when there is none."""
    value = parse(text).value
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def drop(text: str, path: Path, wanted: Callable[[Any], bool]) -> str:
    """The text without the member at a path, if its value is wanted out; so is a container made for it."""
    return _drop(text, path, lambda node: [c for c in node.children if c.key == path[-1] and wanted(c.node.value)])


def discard(text: str, path: Path, wanted: Callable[[Any], bool]) -> str:
    """The text without the elements of the array at a path that are wanted out; so is an array made for them."""
    return _drop(text, (*path, ""), lambda node: [c for c in node.children if c.key is None and wanted(c.node.value)])


def _drop(text: str, path: Path, doomed: Callable[[Node], list[Child]]) -> str:
    while True:  # one at a time: each removal moves what stands behind it
        container = parse(text)
        for key in path[:-1]:
            found = _member(container, key) if isinstance(container.value, dict) else None
            if found is None:
                return text
            container = found.node
        children = doomed(container)
        if not children:
            return text
        if len(path) > 1 and _made_for(text, container, children[-1]):
            return _drop(text, path[:-1], lambda node: [c for c in node.children if c.key == path[-2]])
        text = _remove(text, container, children[-1])


def _made_for(text: str, container: Node, only: Child) -> bool:
    """Whether a container holds nothing else and was made by `_insert`: a made one begins with white space."""
    around = text[container.start + 1 : only.start] + text[only.node.end : container.end - 1]
    alone = len(container.children) == 1 and not around.strip(_SPACE + ",")
    return alone and text[container.start + 1] in _SPACE


def _remove(text: str, container: Node, child: Child) -> str:
    start = child.start
    while text[start - 1] in _SPACE:
        start -= 1
    if child.comma is not None:
        return text[:start] + text[child.node.end : child.comma] + text[child.comma + 1 :]
    text = text[:start] + text[child.node.end :]
    if len(container.children) > 1:
        before = container.children[-2].comma
        assert before is not None  # only the last child may stand without one
        text = text[:before] + text[before + 1 :]
    return text


def _insert(text: str, container: Node, key: str | None, rest: Path, value: Any) -> str:
    """A new last child; `rest` are containers to be made around the value ("" is an array)."""
    newline = "\r\n" if "\r\n" in text else "\n"
    if not container.children:
        at = container.start + 1
        return text[:at] + _member_text(key, _nested(rest, value, None, "", newline)) + text[at:]
    last = container.children[-1]
    line = text[text.rfind("\n", 0, last.start) + 1 : last.start]
    own_line = not line.strip(" \t") and "\n" in text[container.start : last.start]
    tail = text[last.node.end : container.end - 1]
    behind = last.node.end + len(tail.rstrip(_SPACE))
    if own_line:
        separator, indent = newline + line, line
        member = _member_text(key, _nested(rest, value, _unit(text), indent, newline))
    else:
        # A comment to the end of the line would swallow whatever stands behind it.
        separator = newline if "//" in tail else " "
        member = _member_text(key, _nested(rest, value, None, "", newline))
    if last.comma is not None:
        return text[:behind] + separator + member + "," + text[behind:]
    return text[: last.node.end] + "," + text[last.node.end : behind] + separator + member + text[behind:]


def _member_text(key: str | None, value: str) -> str:
    return value if key is None else f"{json.dumps(key, ensure_ascii=False)}: {value}"


def _nested(rest: Path, value: Any, unit: str | None, indent: str, newline: str) -> str:
    """The value inside newly made containers: in lines when there is a unit to indent by, else in one."""
    if not rest:
        if unit is None:
            return json.dumps(value, ensure_ascii=False)
        lines = json.dumps(value, ensure_ascii=False, indent=unit).split("\n")
        return (newline + indent).join(lines)
    opening, closing = ("[", "]") if rest[0] == "" else ("{", "}")
    deeper = indent + (unit or "")
    inner = _member_text(rest[0] or None, _nested(rest[1:], value, unit, deeper, newline))
    if unit is None:
        return f"{opening} {inner} {closing}"
    return f"{opening}{newline}{deeper}{inner}{newline}{indent}{closing}"


def _unit(text: str) -> str:
    """What one level is indented by: what the first member on a line of its own is."""
    for line in text.splitlines()[1:]:
        stripped = line.lstrip(" \t")
        if stripped.startswith('"'):
            return line[: len(line) - len(stripped)] or "  "
    return "  "


def _member(node: Node, key: str) -> Child | None:
    return next((child for child in reversed(node.children) if child.key == key), None)


def _need(node: Node, kind: type, path: Sequence[str]) -> None:
    if not isinstance(node.value, kind):
        shape = "an object" if kind is dict else "an array"
        raise JsoncError(f"{'.'.join(path) or 'the whole document'} is not {shape}")


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text

    def error(self, at: int, what: str) -> JsoncError:
        line = self._text.count("\n", 0, at) + 1
        column = at - self._text.rfind("\n", 0, at)
        return JsoncError(f"line {line}, column {column}: {what}")

    def skip(self, at: int) -> int:
        """Past white space and comments."""
        text = self._text
        while at < len(text):
            if text[at] in _SPACE:
                at += 1
            elif text.startswith("//", at):
                end = text.find("\n", at)
                at = len(text) if end < 0 else end
            elif text.startswith("/*", at):
                end = text.find("*/", at + 2)
                if end < 0:
                    raise self.error(at, "a comment that does not end")
                at = end + 2
            else:
                break
        return at

    def value(self, at: int, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise self.error(at, "nested too deeply")
        opening = self._text[at : at + 1]
        if opening in ("{", "["):
            return self._container(at, depth, "}" if opening == "{" else "]")
        return self._scalar(at)

    def _container(self, start: int, depth: int, closing: str) -> Node:
        children: list[Child] = []
        at = self.skip(start + 1)
        while self._text[at : at + 1] != closing:
            if children and children[-1].comma is None:
                raise self.error(at, f"expected a comma or {closing}")
            began, key = at, None
            if closing == "}":
                name = self._scalar(at)
                if not isinstance(name.value, str):
                    raise self.error(at, "expected a key in double quotes")
                key, at = name.value, self.skip(name.end)
                if self._text[at : at + 1] != ":":
                    raise self.error(at, "expected a colon")
                at = self.skip(at + 1)
            node = self.value(at, depth + 1)
            at = self.skip(node.end)
            comma = at if self._text[at : at + 1] == "," else None
            children.append(Child(key, began, node, comma))
            if comma is not None:
                at = self.skip(at + 1)
        value: Any = [child.node.value for child in children]
        if closing == "}":
            value = {child.key: child.node.value for child in children}
        return Node(start, at + 1, value, tuple(children))

    def _scalar(self, start: int) -> Node:
        text = self._text
        at = start
        if text[at : at + 1] == '"':
            at += 1
            while at < len(text) and text[at] != '"':
                at += 2 if text[at] == "\\" else 1
            at += 1
        else:
            while at < len(text) and text[at] not in _DELIMITERS:
                at += 1
        try:
            return Node(start, at, json.loads(text[start:at]))
        except (ValueError, RecursionError) as error:
            raise self.error(start, "expected a value") from error
