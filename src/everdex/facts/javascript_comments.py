"""The types that a JavaScript file states in its comments (`@param {T} name`, `@type`, `@returns`, `@typedef` …).

They are written in TypeScript's words, so its grammar reads them: in a text as long as the file that is blank but for
them, whose trees therefore have the file's own positions. What is no type to it is as if it were not there. What a
type means is not known here, nor whether it is true.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from tree_sitter import Node, Query, QueryCursor

from everdex.parse.grammar import language, parse_tree

_MAX_TYPES: Final = 10_000  # of a file; what is beyond is not read
_MAX_LENGTH: Final = 4_000  # of a type
_MAX_BETWEEN: Final = 8  # comments between one and the code that it is about
_BRACE: Final = re.compile(rb"[{}]")
_HEAD: Final = b"type _="  # as long as the shortest tag before a type, with its brace
_TAG: Final = re.compile(rb"@(\w+)")
_SPACE: Final = re.compile(rb"(?:[ \t\r]|\n[ \t]*\*(?!/)|\n)*")
_NAME: Final = re.compile(rb"\[?[ \t]*([A-Za-z_$][\w$]*)(\.?)")
_NAMES: Final = re.compile(rb"[A-Za-z_$][\w$]*(?:[ \t]*,[ \t]*[A-Za-z_$][\w$]*)*")
_MARGIN: Final = re.compile(rb"(?<=\n)[ \t]*\*")
_FROM: Final = re.compile(rb"""import\([ \t]*(?:"([^"\n]*)"|'([^'\n]*)')[ \t]*\)(\.)?""")
_CLAUSE: Final = re.compile(rb"""([^"'@;]{1,2000}?)[ \t\n*]from[ \t]*(?:"([^"\n]*)"|'([^'\n]*)')""")
_PARAMETERS: Final = frozenset((b"param", b"arg", b"argument"))
_RESULTS: Final = frozenset((b"returns", b"return"))
_PROPERTIES: Final = frozenset((b"property", b"prop"))
_TAKEN: Final = frozenset((
    *_PARAMETERS, *_RESULTS, *_PROPERTIES, b"type", b"typedef", b"callback", b"template", b"import",
))  # fmt: skip
_SAYS_NOTHING: Final = frozenset((b"", b"*", b"?", b"any", b"object", b"Object", b"Function", b"function"))


@dataclass(slots=True)
class Stated:
    """What one comment says. A type is where its tree begins, -1 when none is given."""

    type: int = -1
    parameters: list[tuple[str, int]] = field(default_factory=list)
    result: int = -1
    properties: list[tuple[str, int]] = field(default_factory=list)
    generics: list[tuple[str, int]] = field(default_factory=list)
    name: str = ""  # of the type that it declares
    is_function: bool = False  # which is one of functions


@dataclass(slots=True)
class Comments:
    """All that the comments of a file say."""

    before: dict[int, Stated] = field(default_factory=dict)  # by where the code begins that it stands before
    declared: list[Stated] = field(default_factory=list)
    imported: list[tuple[str, str, str]] = field(default_factory=list)  # local name, specifier, name there or '*'
    types: dict[int, Node] = field(default_factory=dict)  # by where they begin
    modules: dict[int, tuple[str, bool]] = field(default_factory=dict)  # by where a type names: specifier, whether all


@cache
def _query() -> Query:
    return Query(language("javascript"), "(comment) @comment")


def read(root: Node, data: bytes) -> Comments | None:
    """What the comments of a tree say; None when they say nothing."""
    if b"/**" not in data or b"@" not in data:
        return None
    found, overlay = Comments(), _Overlay(data)
    nodes = QueryCursor(_query()).captures(root).get("comment", [])
    for node in sorted(nodes, key=lambda node: node.start_byte):
        start, end = node.start_byte, node.end_byte
        if data[start : start + 3] == b"/**" and b"@" in data[start:end]:
            _comment(data, start + 3, end - 2, overlay, found)
    if not (found.before or found.declared or found.imported):
        return None
    found.modules = overlay.modules
    tree = parse_tree("typescript", bytes(overlay.text))
    for node in tree.root_node.named_children if tree is not None else ():
        value = node.child_by_field_name("value") if node.type == "type_alias_declaration" else None
        start = node.start_byte + len(_HEAD)
        if value is not None and not node.has_error and node.end_byte == overlay.ends.get(start):
            found.types[start] = value
    return found


class _Overlay:
    """The text of which only the types are left."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.text = bytearray(b" ") * len(data)
        self.ends: dict[int, int] = {}
        self.modules: dict[int, tuple[str, bool]] = {}

    def add(self, start: int, end: int) -> int:
        """A type between braces; where its tree will begin, -1 when it says nothing."""
        said = _MARGIN.sub(lambda margin: b" " * len(margin[0]), self._data[start:end])
        said = said.replace(b".<", b" <")
        plain = said.strip()
        if plain.startswith((b"?", b"!")):
            said = said.replace(plain[:1], b" ", 1)
        if plain.endswith(b"="):
            said = said[: said.rindex(b"=")] + b" " + said[said.rindex(b"=") + 1 :]
        if said.strip() in _SAYS_NOTHING or b"..." in plain[:3] or len(self.ends) >= _MAX_TYPES:
            return -1
        self.text[start:end] = _FROM.sub(lambda found: self._module(found, start), said)
        self.text[start - len(_HEAD) : start] = _HEAD
        self.text[end : end + 1] = b";"
        self.ends[start] = end + 1
        return start

    def _module(self, found: re.Match[bytes], base: int) -> bytes:
        """`import("x").Name` is read as a name at that place, `import("x")` as one as long as itself."""
        specifier = (found[1] or found[2] or b"").decode("utf-8", "replace")
        text = found.string[: found.start()].rstrip()
        if text.endswith(b"typeof"):
            return found[0]
        length = len(found[0])
        if found[3]:
            self.modules[base + found.end()] = specifier, False
            return b" " * length
        self.modules[base + found.start()] = specifier, True
        return b"_" * length


def _comment(data: bytes, start: int, end: int, overlay: _Overlay, found: Comments) -> None:
    """Of a comment that declares types each is one; what it says besides is about the code after it."""
    stated = [Stated()]
    for tag, at, closed in _tags(data, start, end):
        if tag == b"import":
            found.imported += _imported(data[at:end])
            continue
        type_ = overlay.add(at + 1, closed) if closed > at else -1
        after = _SPACE.match(data, closed + 1 if closed > at else at, end)
        at = after.end() if after else end
        if tag in (b"typedef", b"callback"):
            name = _NAME.match(data, at, end)
            if name is not None:
                stated.append(Stated(type_, name=name[1].decode(), is_function=tag == b"callback"))
                stated[-1].generics = stated[0].generics
        elif tag == b"template":
            names = _NAMES.match(data, at, end)
            for text in re.split(rb"[ \t]*,[ \t]*", names[0]) if names is not None else ():
                stated[0].generics.append((text.decode(), type_))
        elif tag in _RESULTS:
            stated[-1].result = type_
        elif tag == b"type":
            stated[-1].type = type_
        else:
            name = _NAME.match(data, at, end)
            if tag in _PROPERTIES and name is not None and not name[2]:
                stated[-1].properties.append((name[1].decode(), type_))
            elif tag in _PARAMETERS and name is not None and not name[2]:
                stated[-1].parameters.append((name[1].decode(), type_))
    found.declared += stated[1:]
    own = stated[0]
    if own.type >= 0 or own.parameters or own.result >= 0 or own.generics:
        found.before[_code_after(data, end + 2)] = own


def _tags(data: bytes, start: int, end: int) -> Iterator[tuple[bytes, int, int]]:
    """The tags that are taken, each with where what follows it begins and where a type that does is closed; one inside
    braces (`{@link …}`) is none, and after a brace that nothing closes there are none."""
    at = start
    while (tag := _TAG.search(data, at, end)) is not None:
        after = _SPACE.match(data, tag.end(), end)
        at = after.end() if after else tag.end()
        if tag[1] in _TAKEN and data[tag.start() - 1 : tag.start()] != b"{":
            closed = _closing(data, at, end) if data[at : at + 1] == b"{" else at
            if closed < 0:
                return
            yield tag[1], at, closed
            at = closed


def _closing(data: bytes, start: int, end: int) -> int:
    """Where the brace at `start` is closed, or -1."""
    depth = 0
    for brace in _BRACE.finditer(data, start, min(end, start + _MAX_LENGTH)):
        depth += 1 if brace[0] == b"{" else -1
        if depth == 0:
            return brace.start()
    return -1


def _imported(clause: bytes) -> Iterator[tuple[str, str, str]]:
    """`@import { A, B as C } from "x"`, `@import D from "x"`, `@import * as N from "x"`."""
    found = _CLAUSE.match(clause)
    if found is None:
        return
    specifier = (found[2] or found[3] or b"").decode("utf-8", "replace")
    text = _MARGIN.sub(b" ", found[1]).decode("utf-8", "replace")
    outer, opened, inner = text.partition("{")
    for part in outer.split(","):
        words = part.split()
        if words:
            yield words[-1], specifier, "*" if words[0] == "*" else "default"
    for part in inner.partition("}")[0].split(",") if opened else ():
        words = part.split()
        if words:
            yield words[-1], specifier, words[0]


def _code_after(data: bytes, at: int) -> int:
    """Where the code begins that follows a comment; other comments in between are nobody's."""
    for _ in range(_MAX_BETWEEN):
        while data[at : at + 1].isspace():
            at += 1
        if data[at : at + 2] == b"//":
            at = data.find(b"\n", at)
        elif data[at : at + 2] == b"/*":
            at = data.find(b"*/", at) + 2
        else:
            return at
        if at < 2:
            break
    return len(data)
