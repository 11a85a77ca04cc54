"""Expressions of a syntax tree into the arena of facts: one entry each, naming the entries of its parts.

It knows nothing of statements except through `Walk`, its subclass there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from everdex.facts.python import model as m
from everdex.facts.python.annotations import parse_annotation
from everdex.facts.python.arena import MAX_DEPTH, SKIPPED
from everdex.facts.python.displays import COMPREHENSIONS, STAR, Displays

if TYPE_CHECKING:
    from tree_sitter import Node

_PUTTING: Final = frozenset(("append", "add", "appendleft", "put", "put_nowait", "set"))  # their first argument
_MUTATORS: Final = _PUTTING | {"insert", "extend", "update", "setdefault", "extendleft"}
# In a display the grammar reads `*f(x)` as a call of `*f`, and likewise before attributes, items and operators.
_STARRED_INSIDE: Final = frozenset(
    ("call", "attribute", "subscript", "binary_operator", "boolean_operator", "comparison_operator")
)


class Expressions(Displays):
    """The handlers of every other expression."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data, HANDLERS)

    def name(self, node: Node, depth: int) -> int:
        start, end = node.start_byte, node.end_byte
        name = self.identifier(start, end)
        reaching: list[int] = []
        self.flow.read(name, reaching)
        made = self.add([m.NAME, name, reaching], start, end)
        if self.guards:
            self.deny(made)
        return made

    def attribute(self, node: Node, depth: int) -> int:
        children = node.children
        base = self.value(children[0], depth)
        last = children[-1]
        end = last.end_byte
        return self.add([m.ATTRIBUTE, base, self.identifier(last.start_byte, end)], node.start_byte, end)

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
                elif kind not in SKIPPED:
                    positional.append(self.value(child, depth))
        made = self.add([m.CALL, callee, positional, keywords], node.start_byte, node.end_byte)
        entry = self.entries[callee]
        if entry[0] == m.ATTRIBUTE and entry[2] in _MUTATORS:
            self._mutation(entry[1], entry[2], positional, keywords)
        elif entry[0] == m.NAME and entry[1] == "setattr" and len(positional) == 3:
            self.stored(positional[0], positional[1], positional[2], node, is_past=False)
        elif entry[0] == m.ATTRIBUTE and entry[2] == "__setattr__" and len(positional) == 3:
            self.stored(positional[0], positional[1], positional[2], node, is_past=True)
        elif entry[0] == m.ATTRIBUTE and entry[2] == "__setattr__" and len(positional) == 2 and self._is_super(entry):
            own = self._receiver(node)
            if own >= 0:
                self.stored(own, positional[0], positional[1], node, is_past=True)
        return made

    def _is_super(self, entry: Any) -> bool:
        callee = self.entries[entry[1]]
        return bool(callee[0] == m.CALL and self.entries[callee[1]][:2] == [m.NAME, "super"])

    def _receiver(self, node: Node) -> int:
        """The first parameter of the function around, as if it were written here; -1 where there is none."""
        params = self.scopes[self.scope].params
        if not params:
            return -1
        reaching: list[int] = []
        self.flow.read(params[0][0], reaching)
        return self.add([m.NAME, params[0][0], reaching], node.start_byte, node.start_byte)

    def _mutation(self, base: int, name: str, positional: list[int], keywords: list[Any]) -> None:
        """`x.append(f)` puts f into x as `x[...] = f` would."""
        stores = self.item_stores
        if name in _PUTTING and positional:
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
        children = [child for child in node.named_children if child.type not in SKIPPED]
        base = self.value(children[0], depth)
        key = self.key(children[1:], node, depth)
        return self.add([m.SUBSCRIPT, base, key], node.start_byte, node.end_byte)

    def slice(self, node: Node, depth: int) -> int:
        parts = [-1]
        for child in node.children:
            if child.type == ":":
                parts.append(-1)
            elif child.type not in SKIPPED:
                parts[-1] = self.value(child, depth)
        return self.add([m.SLICE, [*parts, -1, -1][:3]], node.start_byte, node.end_byte)

    def either(self, node: Node, depth: int) -> int:
        parts = [child for child in node.named_children if child.type not in SKIPPED]
        if node.type == "conditional_expression" and len(parts) == 3:
            condition = self.value(parts[1], depth)
            self.tested(condition)
            values = [self._if(parts[1], condition, each, depth, negated=each is parts[2]) for each in parts[::2]]
            made = self.add([m.EITHER, values], node.start_byte, node.end_byte)
            guards = [self.said(parts[1], condition, negated) for negated in (False, True)]
            if any(guards):
                self.under[made] = guards
            return made
        elif len(parts) == 2 and node.children[1].type in ("and", "or"):
            first = self.value(parts[0], depth)
            self.tested(first)
            values = [first, self._if(parts[0], first, parts[1], depth, negated=node.children[1].type == "or")]
        else:
            values = [self.value(child, depth) for child in parts]
            for each in values[:-1]:
                self.tested(each)
        return self.add([m.EITHER, values], node.start_byte, node.end_byte)

    def _if(self, condition: Node, made: int, node: Node, depth: int, *, negated: bool) -> int:
        """An expression that is reached only where a condition held, or did not."""
        tests = self.tests(condition, made, negated)
        held = len(self.guards)
        self.guard(self.said(condition, made, negated))
        if tests:
            self.flow.push()
            self.narrow(tests)
        value = self.value(node, depth)
        if tests:
            self.flow.pop()
        del self.guards[held:]
        return value

    def binary(self, node: Node, depth: int) -> int:
        """A long chain leans left: walked down in a loop, so that its length costs no depth."""
        chain = []
        while node.type == "binary_operator":
            chain.append(node)
            node = node.children[0]
        left = self.value(node, depth)
        for each in reversed(chain):
            children = [child for child in each.children if child.type not in SKIPPED]
            operand = children[-1]
            if self.data[operand.start_byte] == STAR and operand.named_children:
                operand = operand.named_children[-1]  # no Python; `splat` would ask each for what is around the chain
            right = self.value(operand, depth)
            operator = self.named(children[1])
            left = self.add([m.BINARY, operator, left, right], each.start_byte, each.end_byte)
        return left

    def unary(self, node: Node, depth: int) -> int:
        operand = self.value(node.named_children[-1], depth)
        if node.type == "not_operator":
            self.tested(operand)
        operator = "not" if node.type == "not_operator" else self.named(node.children[0])
        return self.add([m.UNARY, operator, operand], node.start_byte, node.end_byte)

    def comparison(self, node: Node, depth: int) -> int:
        operators: list[str] = []
        operands: list[int] = []
        for child in node.children:
            if child.is_named:
                if child.type not in SKIPPED:
                    operands.append(self.value(child, depth))
            else:
                operators.append(self.named(child))
        return self.add([m.COMPARE, operators, operands], node.start_byte, node.end_byte)


    def splat(self, node: Node, depth: int) -> int:
        inner = self.value(node.named_children[-1], depth)
        around = node.parent
        if around is not None and around.type in _STARRED_INSIDE:
            return inner  # `sequence` stars the whole of it
        return self.add([m.STAR, inner], node.start_byte, node.end_byte)

    def awaited(self, node: Node, depth: int) -> int:
        return self.add([m.AWAIT, self.value(node.named_children[-1], depth)], node.start_byte, node.end_byte)

    def yielded(self, node: Node, depth: int) -> int:
        inner = -1
        for child in node.named_children:
            if child.type not in SKIPPED:
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

    def lambda_(self, node: Node, depth: int) -> int:
        from everdex.facts.python.definitions import lambda_scope

        scope = lambda_scope(self, node, depth)
        return self.add([m.DEFINITION, scope], node.start_byte, node.end_byte)

    def walrus(self, node: Node, depth: int) -> int:
        parts = node.named_children
        made = self.value(parts[-1], depth)
        if parts[0].type == "identifier":
            self.bind(self.named(parts[0]), made, self.function_scope(), parts[0])
        return made

    def annotation(self, node: Node, depth: int) -> int:
        """A type: strings in it are read as types too."""
        if depth > MAX_DEPTH:
            return self.too_deep(node)
        kind = node.type
        parts = [child for child in node.named_children if child.type not in SKIPPED]
        start, end = node.start_byte, node.end_byte
        if kind in ("type", "parenthesized_expression", "splat_type", "constrained_type") and parts:
            return self.annotation(parts[0], depth + 1)
        if kind in ("generic_type", "subscript") and len(parts) > 1:
            base = self.annotation(parts[0], depth + 1)
            inner = parts[1].named_children if kind == "generic_type" else parts[1:]
            keys = [self.annotation(part, depth + 1) for part in inner if part.type not in SKIPPED]
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


HANDLERS: Final[dict[str, Callable[[Expressions, Node, int], int]]] = {
    "identifier": Expressions.name,
    "attribute": Expressions.attribute,
    "call": Expressions.call,
    "subscript": Expressions.subscript,
    "slice": Expressions.slice,
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
    **dict.fromkeys(COMPREHENSIONS, Expressions.comprehension),
}
