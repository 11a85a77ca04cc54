"""Values written out: strings, numbers, lists, dicts, comprehensions, lambdas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from everdex.facts.python import model as m
from everdex.facts.python.arena import SKIPPED
from everdex.facts.python.conditions import Conditions

if TYPE_CHECKING:
    from tree_sitter import Node

STAR: Final = ord("*")
_NAMELIKE: Final = re.compile(r"[\w.:/-]{,64}\Z")  # what could be part of a name
_MAX_PARTS: Final = 4  # strings in a row that are read as one
_MAX_TEXT: Final = 64  # a longer string is no key
_MAX_NAME: Final = 160  # but without a space it may be the dotted name of something


class Displays(Conditions):
    """The handlers of what is written out."""

    def string(self, node: Node, depth: int) -> int:
        inside: list[int] = []
        represented: list[int] = []
        altered: list[int] = []
        around = [""]
        plain = True
        start, end = node.start_byte, node.end_byte
        children = node.children
        opened = passed = children[0].end_byte if children else start
        for child in children:
            kind = child.type
            if kind == "interpolation":
                around[-1] = self.text(passed, child.start_byte) if passed < child.start_byte else ""
                around.append("")
                passed = child.end_byte
                parts = child.children
                if len(parts) > 3:  # more than the value between its braces
                    altered.append(len(inside))
                    if any(part.type == "type_conversion" and self._is_repr(part) for part in parts):
                        represented.append(len(inside))
                inside.append(self._interpolation(child, depth))
            elif kind == "string_content" and child.child_count:
                plain = False
        if inside:
            around[-1] = self.text(passed, children[-1].start_byte) if children[-1].type == "string_end" else " "
            named = plain and all(map(_NAMELIKE.match, around))
            return self.add([m.FORMATTED, inside, around if named else [], represented, altered], start, end)
        # Not `Node.text`, which takes microseconds in a file of ordinary size.
        prefix, content = self.data[start:opened].lower(), self.data[opened:end]
        if prefix:
            content = content[: -3 if prefix.endswith((b'"""', b"'''")) else -1]
        kind = "bytes" if b"b" in prefix[:2] else "str"
        known = plain and (len(content) <= _MAX_TEXT or (len(content) <= _MAX_NAME and b" " not in content))
        return self.literal(kind, content.decode("utf-8", "replace") if known else None, start, end)

    def _interpolation(self, node: Node, depth: int) -> int:
        first = -1
        for child in node.named_children:
            kind = child.type
            if kind == "format_specifier":
                for part in child.named_children:
                    for inner in part.named_children:
                        self.value(inner, depth + 1)
            elif kind not in ("type_conversion", "comment"):
                made = self.value(child, depth + 1)
                first = made if first < 0 else first
        return first if first >= 0 else self.unknown("expression", node)

    def _is_repr(self, conversion: Node) -> bool:
        return self.data[conversion.start_byte : conversion.end_byte] in (b"!r", b"!a")

    def strings(self, node: Node, depth: int) -> int:
        parts = [self.value(child, depth) for child in node.named_children if child.type == "string"]
        entries = [self.entries[part] for part in parts]
        if any(entry[0] == m.FORMATTED for entry in entries):
            entry = [m.FORMATTED, parts, [""] * (len(parts) + 1), [], []]
        else:
            known = len(entries) <= _MAX_PARTS and all(entry[1:] == ["str", str(entry[2])] for entry in entries)
            text = "".join(entry[2] for entry in entries) if known else None
            entry = [m.LITERAL, "str", text if text is not None and len(text) <= _MAX_TEXT else None]
        return self.add(entry, node.start_byte, node.end_byte)

    def integer(self, node: Node, depth: int) -> int:
        start, end = node.start_byte, node.end_byte
        digits = self.data[start:end]
        value = (
            int(digits) if end - start < 10 and digits.isdigit() and (digits[:1] != b"0" or end - start == 1) else None
        )
        return self.literal("int", value, start, end)

    def constant(self, node: Node, depth: int) -> int:
        kind = _CONSTANTS[node.type]
        return self.literal(kind, node.type == "true" if kind == "bool" else None, node.start_byte, node.end_byte)

    def sequence(self, node: Node, depth: int) -> int:
        kind = node.type
        elements: list[int] = []
        for child in node.named_children:
            if child.type not in SKIPPED:
                made = self.value(child, depth)
                if self.data[child.start_byte] == STAR and self.entries[made][0] != m.STAR:
                    made = self.add([m.STAR, made], child.start_byte, child.end_byte)
                elements.append(made)
        return self.add(
            [m.SEQUENCE, kind if kind in ("list", "set") else "tuple", elements], node.start_byte, node.end_byte
        )

    def dictionary(self, node: Node, depth: int) -> int:
        pairs: list[Any] = []
        for child in node.named_children:
            kind = child.type
            parts = child.named_children
            if kind == "pair" and len(parts) >= 2:
                key = self.value(parts[0], depth)
                pairs.append([key, self.value(parts[-1], depth)])
            elif kind == "dictionary_splat":
                pairs.append([-1, self.value(parts[-1], depth)])
        return self.add([m.DICT, pairs], node.start_byte, node.end_byte)


    def wrapped(self, node: Node, depth: int) -> int:
        made = -1
        for child in node.named_children:
            if child.type not in SKIPPED:
                made = self.value(child, depth)
        return made if made >= 0 else self.unknown("expression", node)

    def comprehension(self, node: Node, depth: int) -> int:
        parts = [child for child in node.named_children if child.type not in SKIPPED]
        outer, flow = self.scope, self.flow
        inner = m.Scope(
            m.COMPREHENSION_SCOPE, "", "", outer, len(self.bindings), node.start_byte, node.end_byte, node.end_byte,
            0, 0, "", 0, [], [], [], [], [], [], -1, [],
        )  # fmt: skip
        self.scopes.append(inner)
        number, held = len(self.scopes) - 1, len(self.guards)
        flow.push()
        for clause in parts[1:]:
            if clause.type == "for_in_clause":
                sides = [child for child in clause.named_children if child.type not in SKIPPED]
                iterable = self.value(sides[1] if len(sides) > 1 else sides[0], depth)
                self.scope = number
                asynchronous = clause.children[0].type == "async"
                span = (self.starts[iterable], self.ends[iterable])
                self.target(sides[0], self.add([m.ELEMENT, iterable, asynchronous], *span), depth)
            else:
                self.scope = number
                made = self.wrapped(clause, depth)
                self.tested(made)
                for condition in clause.named_children:
                    if condition.type not in SKIPPED:
                        self.narrow(self.tests(condition, made))
                        self.guard(self.said(condition, made))
        self.scope = number
        body, key = parts[0], -1
        if body.type == "pair":
            sides = body.named_children
            key = self.value(sides[0], depth)
            element = self.value(sides[-1], depth)
        else:
            element = self.value(body, depth)
        flow.pop()
        del self.guards[held:]
        self.scope = outer
        return self.add([m.COMPREHENSION, COMPREHENSIONS[node.type], element, key], node.start_byte, node.end_byte)


_CONSTANTS: Final = {"true": "bool", "false": "bool", "none": "None", "float": "float", "ellipsis": "ellipsis"}
COMPREHENSIONS: Final = {
    "list_comprehension": "list",
    "set_comprehension": "set",
    "dictionary_comprehension": "dict",
    "generator_expression": "generator",
}
