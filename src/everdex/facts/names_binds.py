"""What names a file binds: each with the type that is stated for it, what is assigned to it, what it takes out of what.

Puts nothing into scopes and resolves nothing.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from everdex.facts import lua
from everdex.facts import names_model as model
from everdex.facts.expressions import chain_of
from everdex.facts.names_documents import Documented
from everdex.facts.names_operators import LOGICAL
from everdex.facts.scopes import ends_around
from everdex.languages import C_FAMILY
from everdex.parse import definitions as parsed

_POINTING: Final = frozenset(("cpp", "cuda"))  # where it matters whether something is a pointer
_STARS: Final = re.compile(rb"(?:\*\s*(?:const\b\s*)?)+\Z")
_MAX_STARS: Final = 16  # bytes before a name in which its star stands
_INFERRED: Final = frozenset(("var", "auto", "val", "let", "const auto", "decltype(auto)"))
_IMPLICIT: Final = {"kotlin": "it", "swift": "$0"}
_LOOKED_THROUGH: Final = frozenset(("Some", "Ok", "Err"))
_ANYTHING: Final = frozenset(("mixed", "object", "?object"))


class Binds(Documented):
    """Collects what one file binds."""

    def __init__(self, language: str, data: bytes) -> None:
        super().__init__(language, data)
        self.value_spans: dict[int, tuple[int, int]] = {}
        self.seen_from: dict[int, int] = {}  # behind what a name is declared with, if it is not seen in that
        self.unnamed: dict[int, str] = {}  # Go: the struct without a name that a field is in, by the field's name
        self.metatables: dict[int, str] = {}  # Lua: whose members a table is made with, by its place

    def _bind(self, captures: dict[str, list[Node]]) -> None:
        stated, values, each = captures.get("stated"), captures.get("value"), captures.get("each")
        type_text = self._type(stated[0]) if stated else ""
        if type_text in _INFERRED or (self.language == "php" and type_text in _ANYTHING):
            type_text = ""
        if stated and self.language == "go" and self.data[stated[0].start_byte - 3 : stated[0].start_byte] == b"...":
            type_text = f"[]{type_text}"
        source = values or each
        value = ""
        if source:
            start, end = captures["bind"][0].start_byte, source[0].end_byte
            is_pointer = self.data.startswith((b"new ", b"&"), source[0].start_byte)
            if is_pointer and self.language in _POINTING and not type_text:
                type_text, values = model.POINTER, None
            self.value_spans[start] = (source[0].start_byte, end)
            if self.language not in C_FAMILY:
                self.seen_from[start] = max(start, end, self.seen_from.get(start, 0))
        if source and not (type_text and values):
            value = self._value(source[0])
            made = lua.metatable_of(source[0], self.data) if self.language == "lua" else None
            base = made or (lua.base_of(source[0], self.data) if self.language == "lua" else None)
            if base is not None:
                self.metatables[captures["bind"][0].start_byte] = self._text(base)
                value = self._text(base) + ("()" if made else "")
        elif "second" in captures:
            value = model.SECOND + self._chain(captures["second"][0])
        elif "given" in captures:
            value = f"{model.GIVEN}{self._text(captures['by'][0])} {self._chain(captures['given'][0])}"
        if each and ("second" in captures or "received" in captures):
            value = (model.SECOND if "second" in captures else model.RECEIVED) + value
        for node in captures["bind"]:
            start = node.start_byte
            known = self.binds.get(start)
            if known is None or not (known[1] or known[2]) or (known[2] == "?" and (type_text or value)):
                text = self._text(node)
                name = text if text.isidentifier() else chain_of(text, self.language)
                # C says after the name that it is an array.
                after = self.data[node.end_byte : node.end_byte + 1]
                array = type_text and self.language in C_FAMILY and after == b"["
                stars = self._stars(start) if type_text or source else ""
                if type_text != model.POINTER:
                    stated_as = f"{type_text}{stars}" if type_text or not stars else model.POINTER
                else:
                    stated_as = type_text
                self.binds[start] = (name, f"{stated_as}[]" if array else stated_as, value, bool(each))
                self.bind_ends[node.end_byte] = start

    def _stars(self, start: int) -> str:
        """The stars before a name of C++, of which its type is not told by what stands before them."""
        found = _STARS.search(self.data, max(0, start - _MAX_STARS), start) if self.language in _POINTING else None
        return "*" * found[0].count(b"*") if found else ""

    def _value(self, node: Node) -> str:
        """The chain of a value, or the operator that gives it; that of a literal of Go says its type as it stands
        there."""
        if self.language == "go" and node.type == "unary_expression" and self.data[node.start_byte] == ord("&"):
            node = node.child_by_field_name("operand") or node
        stated = node.child_by_field_name("type") if node.type == "composite_literal" else None
        text = self._type(stated) if stated is not None else ""
        chain = f"@{{{text}}}" if text and "{" not in text else self._chain(node)
        given = self._operated(node) if chain == "?" else ""
        return given.replace(LOGICAL, "@{literal}") or chain

    def _unnamed(self, fields: list[parsed.Definition]) -> dict[int, str]:
        """What the structs around fields are called in the texts of types, where they have no name."""
        numbers = {end: number for number, (_, end) in enumerate(self.structures)}
        ends = ends_around(self.structures, sorted(item.name_start for item in fields))
        found = {}
        for item in fields:
            number = numbers.get(ends.get(item.name_start, -1), -1)
            parent = item.parent
            stated = parent.node.child_by_field_name("type") if parent is not None and parent.kind == "struct" else None
            if number >= 0 and (stated is None or stated.start_byte != self.structures[number][0]):
                found[item.name_start] = f"{model.UNNAMED}{number}"
        return found

    def _positional(self, node: Node) -> None:
        for number, each in enumerate(node.children_by_field_name("type")):
            self.promoted.append((each.start_byte, str(number), self._type(each)))

    def _parted(self, node: Node) -> None:
        """`Shape::Circle(center, radius)` names what the fields of a variant or a struct hold, by their order."""
        stated, *parts = node.children
        text, number = self._text(stated), 0
        if text in _LOOKED_THROUGH:
            return
        for part in parts:
            number += part.type == ","  # what is not taken has no node
            if part.type == "remaining_field_pattern":
                break
            while part.type in ("ref_pattern", "mut_pattern", "reference_pattern") and part.named_children:
                part = part.named_children[-1]
            if part.type == "identifier":
                name = self._text(part)
                self.binds[part.start_byte] = (name, "", f"{model.TAKEN}{number} @{{{text}}}", False)
                self.bind_ends[part.end_byte] = part.start_byte

    def _switch(self, node: Node, captures: dict[str, list[Node]]) -> None:
        """`switch v := x.(type) { case *T: … }`: v is a *T there."""
        case, stated = captures["case"][0], captures["stated"][0]
        self.binds[case.start_byte] = (self._text(node), self._type(stated), "", False)

    def _implicit(self, node: Node, captures: dict[str, list[Node]]) -> None:
        """`items.map { $0.name }`, `items.map { it.name }`."""
        known = self.binds.get(node.start_byte)
        if (known is not None and known[2]) or any(child.type == "lambda_parameters" for child in node.named_children):
            return
        value = ""
        if "given" in captures:
            value = f"{model.GIVEN}{self._text(captures['by'][0])} {self._chain(captures['given'][0])}"
        self.binds[node.start_byte] = (_IMPLICIT[self.language], "", value, False)
