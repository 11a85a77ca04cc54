"""What other files may rely on in a file: public definitions with normalised signatures, and one hash of them.

A function of the file's name and bytes for every language that has symbols. Comments, spacing, bodies, values, private
names and the order of definitions do not change the hash; what a file passes on from others (re-exports) does. Private
definitions are listed apart, because some file may use one all the same. Knows nothing of who uses what.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from typing import Final

import msgspec
from tree_sitter import Node

from everdex.parse import definitions, exports
from everdex.parse.definitions import CLASS_LIKE, Definition
from everdex.parse.file import trees_of
from everdex.parse.interface_model import Entry, Interface
from everdex.parse.symbols import is_public

_NO_BODY: Final = frozenset(("variable", "constant", "field"))  # a value is not part of an interface, a type is
_NAME_ONLY: Final = frozenset(("key", "heading"))
# Without definitions inside, their text is what they promise: a TypeScript enum, a Rust tuple.
_WHOLE: Final = frozenset(("enum", "interface", "struct", "trait", "variant"))
_HIDING: Final = CLASS_LIKE - {"impl", "extension"}
_TO_BODY: Final = ("body", "value", "right")
_MAX_DESCENT: Final = 4
_STRING: Final = rb'"(?:\\.|[^"\\\n])*"|' + rb"'(?:\\.|[^'\\\n])*'"
_LIFETIMES: Final = rb'"(?:\\.|[^"\\\n])*"'  # in Rust an apostrophe begins a lifetime as often as a character
_SPACED: Final = rb"\s*([()\[\]{},;:=<>|&*?.+-])\s*"
_PIECES: Final = {False: re.compile(b"(" + _STRING + b")|" + _SPACED + rb"|\s+", re.DOTALL),
                  True: re.compile(b"(" + _LIFETIMES + b")|" + _SPACED + rb"|\s+", re.DOTALL)}  # fmt: skip
_TRAILING: Final = re.compile(rb",(?=[)\]}>])|[;{:=]+\Z|\s+\Z|,do:.*\Z")
_MACRO: Final = re.compile(rb"#\s*define\s+\w+(\([^)]*\))?")


def interface_of(path_key: str, data: bytes) -> Interface | None:
    """The interface of a file of valid UTF-8; None when its language has no symbols (or it is data without end)."""
    trees = trees_of(path_key, data)
    if not trees and data:
        return None
    public: list[Entry] = []
    private: list[Entry] = []
    for language, root, _ in trees:
        passed_on = exports.passed_on(path_key, language, root, data)
        public += (Entry("export", name, signature) for name, signature in passed_on.entries)
        found = definitions.find(language, data, root)
        linked = definitions.link(found.definitions, [])
        parents = {id(item.parent) for item in linked if item.parent is not None}
        comments = sorted(found.docs)
        for item in linked:
            if not item.emitted:
                continue
            entry = Entry(item.kind, ".".join(item.path), _signature(item, data, id(item) in parents, comments))
            (public if _reachable(item, data, passed_on) else private).append(entry)
    listed = tuple(sorted(set(public)))
    digest = hashlib.sha256(msgspec.msgpack.encode(listed)).hexdigest()
    return Interface(digest, listed, tuple(sorted(set(private))), any(read.partial for read in trees))


def _reachable(item: Definition, data: bytes, passed_on: exports.PassedOn) -> bool:
    """Whether its name and those around it are public; what a module does not export is not."""
    if not is_public(item, data):
        return False
    around = item.parent
    while around is not None:
        if around.emitted and around.kind in _HIDING and not is_public(around, data):
            return False
        item, around = around, around.parent
    if passed_on.only is None or item.language not in exports.MODULES:
        return True
    return item.name in passed_on.only or data.startswith(b"export", item.start)


def _signature(item: Definition, data: bytes, has_inner: bool, comments: list[tuple[int, int]]) -> str:
    if item.kind in _NAME_ONLY:
        return ""
    end = item.end
    if item.kind == "macro":
        found = _MACRO.match(data, item.start, end)
        end = found.end() if found else item.start
    elif item.kind != "type" and (item.kind not in _WHOLE or has_inner):
        body = None if item.kind in _NO_BODY else _body_start(item.node)
        end = body if body is not None and item.head < body <= end else _header_end(data, item, end)
    return _normalised(_without(data, item.start, end, comments), item.language)


def _body_start(node: Node) -> int | None:
    """Where the body of a definition begins, also of one that is the value of a name."""
    current: Node | None = node
    for _ in range(_MAX_DESCENT):
        if current is None:
            return None
        body = current.child_by_field_name("body")
        if body is not None:
            return body.start_byte
        inner = next((found for name in _TO_BODY if (found := current.child_by_field_name(name)) is not None), None)
        if inner is None and current.type == "expression_statement":
            inner = current.named_children[0] if current.named_children else None
        current = inner
    return None


def _header_end(data: bytes, item: Definition, limit: int) -> int:
    """Without a body in the tree: up to the first brace, line end or value outside brackets."""
    depth = 0
    for position in range(item.name_start, limit):
        byte = data[position]
        if byte in b"([<":
            depth += 1
        elif byte in b")]>":
            depth -= data[position - 1 : position] not in (b"-", b"=")  # an arrow closes nothing
        elif depth <= 0 and (byte in b"{\n" or (byte == 0x3D and not _is_operator(data, position))):
            return position
    return limit


def _is_operator(data: bytes, position: int) -> bool:
    before, after = data[position - 1 : position], data[position + 1 : position + 2]
    return before in (b"=", b"!", b"<", b">") or after in (b"=", b">")


def _without(data: bytes, start: int, end: int, comments: Iterable[tuple[int, int]]) -> bytes:
    pieces = []
    for first, last in comments:
        if first >= end:
            break
        if last > start:
            pieces.append(data[start:first])
            start = max(start, last)
    pieces.append(data[start:end])
    return b" ".join(pieces)


def _normalised(text: bytes, language: str) -> str:
    """One line in which only strings keep their spaces."""
    joined = _PIECES[language == "rust"].sub(_piece, text.strip())
    while (shorter := _TRAILING.sub(b"", joined)) != joined:
        joined = shorter
    return joined.decode("utf-8", "ignore")


def _piece(match: re.Match[bytes]) -> bytes:
    return match[1] or match[2] or b" "
