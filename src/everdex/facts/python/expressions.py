"""Expressions of a syntax tree into the arena of facts.

Each node becomes one entry that names the entries of its parts. Nesting beyond a limit becomes one unknown value whose
calls are still entries of their own. It knows nothing of statements except through `Walk`, its subclass there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from everdex.facts.python import model as m
from everdex.facts.python.annotations import parse_annotation
from everdex.facts.python.flow import Flow

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_DEPTH: Final = 60
_MAX_TEXT: Final = 64  # a longer string is no key
_MUTATORS: Final = frozenset(("append", "add", "insert", "extend", "update", "setdefault", "appendleft", "extendleft"))
_SKIPPED: Final = frozenset(("comment", "line_continuation"))


class Expressions:
    """The growing arena of one file."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.entries: list[Any] = []
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.where: list[int] = []
        self.bindings: list[Any] = []
        self.stores: list[Any] = []
        self.item_stores: list[Any] = []
        self.scopes: list[m.Scope] = []
        self.scope = 0
        self.flow = Flow()
        self.deferred: list[tuple[Node, int]] = []
        self._texts: dict[bytes, str] = {}
        self._literals: dict[tuple[str, str | int | None], int] = {}

    # -- the arena

    def add(self, entry: list[Any], start: int, end: int) -> int:
        self.entries.append(entry)
        self.starts.append(start)
        self.ends.append(end)
        self.where.append(self.scope)
        return len(self.entries) - 1

    def literal(self, kind: str, value: str | int | None, start: int, end: int) -> int:
        """One entry for every place that says the same: nothing is ever asked of where a literal stands."""
        known = self._literals.get((kind, value))
        if known is None:
            known = self._literals[kind, value] = self.add([m.LITERAL, kind, value], start, end)
        return known

    def text(self, start: int, end: int) -> str:
        raw = self.data[start:end]
        text = self._texts.get(raw)
        if text is None:
            text = self._texts[raw] = raw.decode("utf-8", "replace")
        return text

    def named(self, node: Node) -> str:
        return self.text(node.start_byte, node.end_byte)

    def unknown(self, why: str, node: Node) -> int:
        return self.add([m.UNKNOWN, why], node.start_byte, node.end_byte)

    # -- dispatch

    def value(self, node: Node, depth: int) -> int:
        if depth > MAX_DEPTH:
            return self.too_deep(node)
        handler = HANDLERS.get(node.type)
        if handler is None:
            return self.other(node, depth)
        return handler(self, node, depth + 1)

    def other(self, node: Node, depth: int) -> int:
        """An expression of a kind that gives nothing to follow; its parts still count."""
        for child in node.named_children:
            if child.type not in _SKIPPED:
                self.value(child, depth + 1)
        return self.unknown("expression", node)

    def too_deep(self, node: Node) -> int:
        stack = [node]
        while stack:
            each = stack.pop()
            if each.type == "call":
                callee = self.unknown("nested too deeply", each.children[0])
                self.add([m.CALL, callee, [], []], each.start_byte, each.end_byte)
            stack.extend(reversed(each.named_children))
        return self.unknown("nested too deeply", node)

    # -- kinds of expressions

    def name(self, node: Node, depth: int) -> int:
        start, end = node.start_byte, node.end_byte
        name = self.text(start, end)
        reaching: list[int] = []
        self.flow.read(name, reaching)
        return self.add([m.NAME, name, reaching], start, end)

    def attribute(self, node: Node, depth: int) -> int:
        children = node.children
        base = self.value(children[0], depth)
        last = children[-1]
        end = last.end_byte
        return self.add([m.ATTRIBUTE, base, self.text(last.start_byte, end)], node.start_byte, end)

    def call(self, node: Node, depth: int) -> int:
        children = node.children
        callee = self.value(children[0], depth)
        positional: list[int] = []
        keywords: list[Any] = []
        arguments = children[-1]
        if arguments.type == "generator_expression":
            positional.append(self.value(arguments, depth))
        else:
            for child in arguments.named_children:
                kind = child.type
                if kind == "keyword_argument":
                    parts = child.named_children
                    keywords.append([self.named(parts[0]), self.value(parts[-1], depth)])
                elif kind == "dictionary_splat":
                    keywords.append(["", self.value(child.named_children[-1], depth)])
                elif kind not in _SKIPPED:
                    positional.append(self.value(child, depth))
        made = self.add([m.CALL, callee, positional, keywords], node.start_byte, node.end_byte)
        entry = self.entries[callee]
        if entry[0] == m.ATTRIBUTE and entry[2] in _MUTATORS:
            self._mutation(entry[1], entry[2], positional, keywords)
        return made

    def _mutation(self, base: int, name: str, positional: list[int], keywords: list[Any]) -> None:
        """`x.append(f)` puts f into x as `x[...] = f` would."""
        stores = self.item_stores
        if name in ("append", "add", "appendleft") and positional:
            stores.append([base, -1, positional[0]])
        elif name == "insert" and len(positional) > 1:
            stores.append([base, -1, positional[1]])
        elif name == "setdefault" and len(positional) > 1:
            stores.append([base, positional[0], positional[1]])
        elif positional:
            start, end = self.starts[positional[0]], self.ends[positional[0]]
            stores.append(
                [base, -2, positional[0] if name == "update" else self.add([m.STAR, positional[0]], start, end)]
            )
        if name == "update":
            for keyword, value in keywords:
                if keyword:
                    key = self.literal("str", keyword, self.starts[value], self.ends[value])
                    stores.append([base, key, value])

    def subscript(self, node: Node, depth: int) -> int:
        children = [child for child in node.named_children if child.type not in _SKIPPED]
        base = self.value(children[0], depth)
        key = self._key(children[1:], node, depth)
        return self.add([m.SUBSCRIPT, base, key], node.start_byte, node.end_byte)

    def _key(self, nodes: list[Node], around: Node, depth: int) -> int:
        keys = [self.value(child, depth) for child in nodes]
        if len(keys) == 1:
            return keys[0]
        return self.add([m.SEQUENCE, "tuple", keys], around.start_byte, around.end_byte)

    def string(self, node: Node, depth: int) -> int:
        inside: list[int] = []
        plain = True
        for child in node.named_children:
            kind = child.type
            if kind == "interpolation":
                inside.append(self._interpolation(child, depth))
            elif kind == "string_content" and child.child_count:
                plain = False
        start, end = node.start_byte, node.end_byte
        if inside:
            return self.add([m.FORMATTED, inside], start, end)
        opening = node.child(0)
        content = self.data[opening.end_byte : end] if opening is not None else b""
        quote = opening.text[-1:] if opening is not None and opening.text else b""
        prefix = self.data[start : opening.end_byte].lower() if opening is not None else b""
        content = content[: -3 if prefix.endswith((b'"""', b"'''")) else -1] if quote else content
        kind = "bytes" if b"b" in prefix[:2] else "str"
        known = plain and len(content) <= _MAX_TEXT
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

    def strings(self, node: Node, depth: int) -> int:
        parts = [self.value(child, depth) for child in node.named_children if child.type == "string"]
        inside = [part for part in parts if self.entries[part][0] == m.FORMATTED]
        entry = [m.FORMATTED, inside] if inside else [m.LITERAL, "str", None]
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
        return self.literal(kind, None, node.start_byte, node.end_byte)

    def sequence(self, node: Node, depth: int) -> int:
        kind = node.type
        elements = [self.value(child, depth) for child in node.named_children if child.type not in _SKIPPED]
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

    def either(self, node: Node, depth: int) -> int:
        parts = [child for child in node.named_children if child.type not in _SKIPPED]
        values = [self.value(child, depth) for child in parts]
        if node.type == "conditional_expression" and len(values) == 3:
            values = [values[0], values[2]]
        return self.add([m.EITHER, values], node.start_byte, node.end_byte)

    def binary(self, node: Node, depth: int) -> int:
        """A long chain leans left: walked down in a loop, so that its length costs no depth."""
        chain = []
        while node.type == "binary_operator":
            chain.append(node)
            node = node.children[0]
        left = self.value(node, depth)
        for each in reversed(chain):
            children = [child for child in each.children if child.type not in _SKIPPED]
            right = self.value(children[-1], depth)
            operator = self.named(children[1])
            left = self.add([m.BINARY, operator, left, right], each.start_byte, each.end_byte)
        return left

    def unary(self, node: Node, depth: int) -> int:
        operand = self.value(node.named_children[-1], depth)
        operator = "not" if node.type == "not_operator" else self.named(node.children[0])
        return self.add([m.UNARY, operator, operand], node.start_byte, node.end_byte)

    def comparison(self, node: Node, depth: int) -> int:
        operators: list[str] = []
        operands: list[int] = []
        for child in node.children:
            if child.is_named:
                if child.type not in _SKIPPED:
                    operands.append(self.value(child, depth))
            else:
                operators.append(self.named(child))
        return self.add([m.COMPARE, operators, operands], node.start_byte, node.end_byte)

    def wrapped(self, node: Node, depth: int) -> int:
        made = -1
        for child in node.named_children:
            if child.type not in _SKIPPED:
                made = self.value(child, depth)
        return made if made >= 0 else self.unknown("expression", node)

    def splat(self, node: Node, depth: int) -> int:
        inner = self.value(node.named_children[-1], depth)
        return self.add([m.STAR, inner], node.start_byte, node.end_byte)

    def awaited(self, node: Node, depth: int) -> int:
        return self.add([m.AWAIT, self.value(node.named_children[-1], depth)], node.start_byte, node.end_byte)

    def yielded(self, node: Node, depth: int) -> int:
        inner = -1
        for child in node.named_children:
            if child.type not in _SKIPPED:
                inner = self.value(child, depth)
        delegating = any(child.type == "from" for child in node.children)
        kind = m.YIELD_FROM if delegating else m.YIELD
        made = self.add([kind, inner], node.start_byte, node.end_byte)
        scope = self.scopes[self.function_scope()]
        scope.flags |= m.IS_GENERATOR
        if inner >= 0:
            star = self.add([m.STAR, inner], node.start_byte, node.end_byte) if delegating else inner
            scope.yields.append(star)
        return made

    def function_scope(self) -> int:
        """The scope that statements here belong to: comprehensions have none of their own."""
        scope = self.scope
        while self.scopes[scope].kind == m.COMPREHENSION_SCOPE:
            scope = self.scopes[scope].parent
        return scope

    def lambda_(self, node: Node, depth: int) -> int:
        from everdex.facts.python.definitions import lambda_scope

        scope = lambda_scope(self, node, depth)
        return self.add([m.DEFINITION, scope], node.start_byte, node.end_byte)

    def comprehension(self, node: Node, depth: int) -> int:
        parts = [child for child in node.named_children if child.type not in _SKIPPED]
        outer, flow = self.scope, self.flow
        inner = m.Scope(
            m.COMPREHENSION_SCOPE, "", "", outer, len(self.bindings), node.start_byte, node.end_byte, node.end_byte,
            0, 0, "", 0, [], [], [], [], [], [], -1, [],
        )  # fmt: skip
        self.scopes.append(inner)
        number = len(self.scopes) - 1
        flow.push()
        for clause in parts[1:]:
            if clause.type == "for_in_clause":
                sides = [child for child in clause.named_children if child.type not in _SKIPPED]
                iterable = self.value(sides[1] if len(sides) > 1 else sides[0], depth)
                self.scope = number
                asynchronous = clause.children[0].type == "async"
                span = (self.starts[iterable], self.ends[iterable])
                self.target(sides[0], self.add([m.ELEMENT, iterable, asynchronous], *span), depth)
            else:
                self.scope = number
                self.wrapped(clause, depth)
        self.scope = number
        body, key = parts[0], -1
        if body.type == "pair":
            sides = body.named_children
            key = self.value(sides[0], depth)
            element = self.value(sides[-1], depth)
        else:
            element = self.value(body, depth)
        flow.pop()
        self.scope = outer
        return self.add([m.COMPREHENSION, _COMPREHENSIONS[node.type], element, key], node.start_byte, node.end_byte)

    def walrus(self, node: Node, depth: int) -> int:
        parts = node.named_children
        made = self.value(parts[-1], depth)
        if parts[0].type == "identifier":
            self.bind(self.named(parts[0]), made, self.function_scope())
        return made

    def annotation(self, node: Node, depth: int) -> int:
        """A type: strings in it are read as types too."""
        if depth > MAX_DEPTH:
            return self.too_deep(node)
        kind = node.type
        parts = [child for child in node.named_children if child.type not in _SKIPPED]
        start, end = node.start_byte, node.end_byte
        if kind in ("type", "parenthesized_expression", "splat_type", "constrained_type") and parts:
            return self.annotation(parts[0], depth + 1)
        if kind in ("generic_type", "subscript") and len(parts) > 1:
            base = self.annotation(parts[0], depth + 1)
            inner = parts[1].named_children if kind == "generic_type" else parts[1:]
            keys = [self.annotation(part, depth + 1) for part in inner if part.type not in _SKIPPED]
            key = keys[0] if len(keys) == 1 else self.add([m.SEQUENCE, "tuple", keys], start, end)
            return self.add([m.SUBSCRIPT, base, key], start, end)
        if kind == "union_type" or (kind == "binary_operator" and node.children[1].type == "|"):
            sides = [self.annotation(part, depth + 1) for part in parts]
            return self.add([m.BINARY, "|", sides[0], sides[-1]], start, end)
        if kind in ("list", "tuple"):
            return self.add([m.SEQUENCE, kind, [self.annotation(part, depth + 1) for part in parts]], start, end)
        if kind == "member_type" and len(parts) > 1:
            return self.add([m.ATTRIBUTE, self.annotation(parts[0], depth + 1), self.named(parts[-1])], start, end)
        if kind == "string":
            made = self.value(node, depth)
            entry = self.entries[made]
            if entry[0] == m.LITERAL and entry[2]:
                return parse_annotation(entry[2], lambda built: self.add(built, start, end), made)
            return made
        return self.value(node, depth)

    # -- what statements provide

    def bind(self, name: str, value: int, scope: int | None = None) -> None:
        """Give a name a value in this scope."""
        own = self.scope if scope is None else scope
        flow = self.flow
        flag = m.CERTAIN if len(flow.frames) == 1 else 0
        home = own
        if own and (declared := self.declared.get(own)) and name in declared:
            home, flag = declared[name], m.FROM_INSIDE
        number = len(self.bindings)
        self.bindings.append([home, name, value, flag])
        flow.bind(name, number)
        if scope is not None and own != self.scope and len(flow.frames) > 1:
            flow.bind_around(name, number)

    declared: dict[int, dict[str, int]]

    def target(self, node: Node, value: int, depth: int) -> None:
        """Assign a value to whatever stands on the left."""
        kind = node.type
        if kind == "identifier":
            self.bind(self.named(node), value)
        elif kind == "attribute":
            children = node.children
            base = self.value(children[0], depth)
            stored = self.add([m.STORE, base, self.named(children[-1])], node.start_byte, node.end_byte)
            self.stores.append([stored, value])
        elif kind == "subscript":
            children = [child for child in node.named_children if child.type not in _SKIPPED]
            base = self.value(children[0], depth)
            key = self._key(children[1:], node, depth)
            self.add([m.STORE_ITEM, base, key], node.start_byte, node.end_byte)
            self.item_stores.append([base, key, value])
        elif kind in _TUPLES:
            self._unpack(node, value, depth)
        elif kind in ("list_splat", "list_splat_pattern", "parenthesized_expression", "as_pattern_target"):
            for child in node.named_children:
                self.target(child, value, depth + 1)
        else:
            self.value(node, depth)

    def _unpack(self, node: Node, value: int, depth: int) -> None:
        if depth > MAX_DEPTH:
            self.too_deep(node)
            return
        children = [child for child in node.named_children if child.type not in _SKIPPED]
        starred = next((place for place, child in enumerate(children) if child.type in _SPLATS), len(children))
        span = (self.starts[value], self.ends[value])
        for place, child in enumerate(children):
            index: int | list[int] = place if place < starred else place - len(children)
            if place == starred:
                index = [place, len(children) - place - 1]
            self.target(child, self.add([m.ITEM, value, index], *span), depth + 1)


_TUPLES: Final = frozenset(("pattern_list", "tuple_pattern", "list_pattern", "tuple", "list", "expression_list"))
_SPLATS: Final = frozenset(("list_splat_pattern", "list_splat"))
_CONSTANTS: Final = {"true": "bool", "false": "bool", "none": "None", "float": "float", "ellipsis": "ellipsis"}
_COMPREHENSIONS: Final = {
    "list_comprehension": "list",
    "set_comprehension": "set",
    "dictionary_comprehension": "dict",
    "generator_expression": "generator",
}
HANDLERS: Final[dict[str, Callable[[Expressions, Node, int], int]]] = {
    "identifier": Expressions.name,
    "attribute": Expressions.attribute,
    "call": Expressions.call,
    "subscript": Expressions.subscript,
    "string": Expressions.string,
    "concatenated_string": Expressions.strings,
    "integer": Expressions.integer,
    "list": Expressions.sequence,
    "tuple": Expressions.sequence,
    "set": Expressions.sequence,
    "expression_list": Expressions.sequence,
    "pattern_list": Expressions.sequence,
    "dictionary": Expressions.dictionary,
    "conditional_expression": Expressions.either,
    "boolean_operator": Expressions.either,
    "binary_operator": Expressions.binary,
    "unary_operator": Expressions.unary,
    "not_operator": Expressions.unary,
    "comparison_operator": Expressions.comparison,
    "parenthesized_expression": Expressions.wrapped,
    "list_splat": Expressions.splat,
    "dictionary_splat": Expressions.splat,
    "parenthesized_list_splat": Expressions.wrapped,
    "await": Expressions.awaited,
    "yield": Expressions.yielded,
    "lambda": Expressions.lambda_,
    "named_expression": Expressions.walrus,
    "as_pattern": Expressions.other,
    "type": Expressions.annotation,
    "true": Expressions.constant,
    "false": Expressions.constant,
    "none": Expressions.constant,
    "float": Expressions.constant,
    "ellipsis": Expressions.constant,
    **dict.fromkeys(_COMPREHENSIONS, Expressions.comprehension),
}
