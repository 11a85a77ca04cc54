"""Calls in text that no grammar takes apart: what macros are passed or stand for, branches of conditionals, errors.

What is a call there is told by its letters alone: a name before a parenthesis, with what stands before its dot. Rust's
macros are also passed other macros, constants and variants.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Final

from tree_sitter import Node

from everdex.facts import names_model as model
from everdex.facts.expressions import chain_of
from everdex.parse import conditionals

MAX_TEXT: Final = 80  # bytes of a name or a callee that are looked at
_MAX_LINE: Final = 2_000  # bytes that are looked at before a token
_TOKEN_FRONT: Final = re.compile(r"((?:[\w.:]|\(\)|\[\w*\])+)(?:\.|::|->)\s*$")
_MACRO: Final = re.compile(rb"!\s*[(\[{]")  # Rust
_OPENING, _CLOSING, _MINUS = b"<>-"
_REPLACED_CALL: Final = re.compile(
    rb"\b(?!(?:if|while|for|switch|sizeof|return|defined|alignof|catch|decltype|int|unsigned|signed|char|bool|short|long|"
    rb"float|double|void)\b)[A-Za-z_]\w*(?=\()"
)
_WORD_BEFORE: Final = re.compile(rb"(\w+)[ \t]+\Z")
_STATEMENT_WORDS: Final = frozenset((
    b"return", b"else", b"do", b"case", b"throw", b"co_return", b"co_await", b"co_yield",
))  # fmt: skip
_FUNCTION_HEAD: Final = re.compile(rb"\b(?:fun|func|fn|def|class|struct|enum|object|record)\b[^={};]*\Z")
_NO_NAMES: Final = frozenset((
    "when", "guard", "init", "deinit", "constructor", "get", "set", "super", "this", "self", "subscript", "case",
    "where", "foreach", "using", "lock", "typeof", "nameof", "synchronized", "try", "match", "func", "fun", "fn",
))  # fmt: skip
_MAX_ERRORS: Final = 1_000  # places that are looked at
_TYPE_ALONE: Final = re.compile(rb"[ \t\w]*\w[ \t]*[*&]+[ \t]*")


def errors_of(root: Node) -> list[tuple[int, int]]:
    """Where the grammar makes no sense of a file, outermost places only."""
    found, waiting = list[tuple[int, int]](), [root]
    while waiting and len(found) < _MAX_ERRORS:
        node = waiting.pop()
        if node.is_error:
            found.append((node.start_byte, node.end_byte))
        elif node.has_error:
            waiting += node.children
    return found


class Tokens:
    """Collects the uses of one file, as far as their text tells."""

    def __init__(self, language: str, data: bytes) -> None:
        self.language, self.data = language, data
        # by (start, end of a computed callee): start, width, role, name, receiver, arguments, as written
        self.uses: dict[tuple[int, int], tuple[int, int, int, str, str, int, str]] = {}

    def _token(self, start: int, end: int) -> None:
        called = self.data[end : end + 1] == b"("
        kind = model.CALL if called else model.READ
        if self.language == "rust" and not called:
            kind = model.MACRO if _MACRO.match(self.data, end) else kind
            called = kind == model.MACRO or self._is_called_with_types(end)
            kind = model.CALL if called and kind == model.READ else kind
        if not (called or self._is_dotted(start) or self._is_value(start, end)) or (start, 0) in self.uses:
            return
        near = max(0, start - _MAX_LINE)
        line = self.data[max(self.data.rfind(b"\n", near, start) + 1, near) : start].lstrip()
        if line.startswith((b"#[", b"#![")):
            return  # a condition of an attribute
        before = _TOKEN_FRONT.search(self.data[max(0, start - MAX_TEXT) : start].decode("utf-8", "replace"))
        receiver = "?" if line.rstrip().endswith((b".", b"::", b"->")) else ""
        if before:
            receiver = "?" if before[1].startswith(".") else chain_of(before[1], self.language)
        name = self.data[start:end].decode("utf-8", "replace")
        self.uses[start, 0] = (start, end - start, kind, name, receiver, -1, "")

    def _is_called_with_types(self, end: int) -> bool:
        """Rust: whether `::<…>(` follows."""
        if self.data[end : end + 3] != b"::<":
            return False
        depth = 0
        for at in range(end + 2, min(end + MAX_TEXT, len(self.data))):
            depth += (self.data[at] == _OPENING) - (self.data[at] == _CLOSING and self.data[at - 1] != _MINUS)
            if not depth:
                return self.data[at + 1 : at + 2] == b"("
        return False

    def _is_value(self, start: int, end: int) -> bool:
        """Rust: whether a token is the end of a path, or a constant by its letters; others are mostly locals."""
        if self.language != "rust" or self.data[end : end + 2] == b"::":
            return False
        return self.data[start - 2 : start] == b"::" or (end - start > 1 and self.data[start:end].isupper())

    def _is_dotted(self, start: int) -> bool:
        """Whether one dot stands before a token: two are a range."""
        return self.data[start - 1 : start] == b"." and self.data[start - 2 : start - 1] != b"."

    def _replacement(self, node: Node) -> None:
        """Calls in the text of a macro, which no grammar takes apart."""
        for found in _REPLACED_CALL.finditer(self.data, node.start_byte, node.end_byte):
            self._token(*found.span())

    def _left_out(self, start: int, end: int) -> None:
        """Calls in a branch of a conditional that the grammar could not take, as far as their text tells."""
        for span in self._called_in(start, end):
            self._token(*span)

    def _hidden(self, start: int, end: int) -> None:
        """Calls in what the grammar makes no sense of. What they are called on is not known, as what is around them."""
        for first, last in self._called_in(start, end):
            name, known = self.data[first:last].decode(), self.uses.get((first, 0))
            if name not in _NO_NAMES and (known is None or known[2] in (model.TYPE, model.READ)):
                self.uses[first, int(known is not None)] = (first, last - first, model.CALL, name, "?", -1, "")

    def _called_in(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Names before parentheses that are neither in a text or comment nor declared there."""
        quiet = [found.span() for found in conditionals.QUIET.finditer(self.data, start, end)]
        for found in _REPLACED_CALL.finditer(self.data, start, end):
            at = bisect_left(quiet, (found.start(), found.start())) - 1
            if (at < 0 or quiet[at][1] <= found.start()) and not self._is_declared(start, found.start()):
                yield found.span()

    def _is_declared(self, first: int, name: int) -> bool:
        """Whether a name before parentheses is declared there: behind a type, as far as its line tells."""
        first = max(first, name - MAX_TEXT)
        first = max(first, self.data.rfind(b"\n", first, name) + 1)
        if _FUNCTION_HEAD.search(self.data, first, name):
            return True
        word = _WORD_BEFORE.search(self.data, first, name)
        if word:
            return word[1] not in _STATEMENT_WORDS
        return _TYPE_ALONE.fullmatch(self.data, first, name) is not None
