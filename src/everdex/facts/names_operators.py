"""Operators and brackets as uses: what each would call, on which operands.

An operand is a chain; of a literal it is what kind it is, of another operator where that stands. In C++ and Rust `*`
and `&` before it say what is done with it first. Whether anything in the root defines an operator is not known here.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from everdex.facts import names_model as model
from everdex.facts import operators
from everdex.facts.expressions import MAX_EXPRESSION, chain_of
from everdex.facts.names_tokens import Tokens
from everdex.parse.text import Atoms

MAX_BYTES: Final = 4 * MAX_EXPRESSION  # of an expression whose text is read
_MAX_NESTED: Final = 8  # parentheses, `*` and `&` around an operand
_IN_PARENTHESES: Final = frozenset(("parenthesized_expression", "parenthesized_statements", "tuple_expression"))
_POINTING: Final = frozenset(("pointer_expression", "reference_expression"))
_OPERATED: Final = frozenset((
    "binary_expression", "unary_expression", "update_expression", "infix_expression", "prefix_expression", "binary",
    "unary", "prefix_unary_expression", "postfix_unary_expression", "postfix_expression", "additive_expression",
    "multiplicative_expression", "equality_expression", "comparison_expression", "bitwise_operation",
    "conjunction_expression", "disjunction_expression", "range_expression", "in_expression",
))  # fmt: skip
_FIELDS: Final = ("operator", "op", "operation")
_KINDS: Final = (
    ("string", "text"), ("char", "char"), ("bool", "bool"), ("integer", "int"), ("number", "int"), ("float", "float"),
    ("real", "float"), ("nil", "null"), ("null", "null"),
)  # fmt: skip
_LITERALS: Final = {
    "true": "bool", "false": "bool", "nil": "null", "null": "null", "nullptr": "null", "integer": "int",
    "float": "float", "string": "text", "character": "char", "symbol": "other", "simple_symbol": "other",
    "rational": "other", "complex": "other", "array": "other", "hash": "other", "regex": "other",
}  # fmt: skip
_AFTER: Final = "@{literal int}"  # by which C++ tells `a++` from `++a`
LOGICAL: Final = "@{literal bool}"  # what a comparison gives
_DONE: Final = frozenset((operators.READ, operators.STORED, operators.BOTH))
_NOTHING: Final = {"kotlin": b"null", "swift": b"nil"}  # comparing with which runs nothing that a type defines
_TYPED: Final = re.compile(rb"(?<=[\d_.])([iu](?:8|16|32|64|128|size)|f32|f64)\Z")  # Rust: `1_u8`
_PLACE: Final = re.compile(rf"{re.escape(model.OPERATED)}(\d+)\}}")


def literal_of(node: Node, text: bytes) -> str:
    """What kind of literal a node is; '' where it is none."""
    kind = node.type
    if kind in _LITERALS:
        return _LITERALS[kind]
    if not kind.endswith("_literal") or kind == "lambda_literal":
        return ""
    found = next((is_of for word, is_of in _KINDS if word in kind), "other")
    is_real = found == "int" and b"." in text and not text.startswith(b"0x")
    return "float" if is_real else found


class Operators(Tokens):
    """Collects operators besides what text tells."""

    def __init__(self, language: str, data: bytes) -> None:
        super().__init__(language, data)
        self.given: dict[int, tuple[str, ...]] = {}  # what calls pass, by where their names begin
        self.operands: dict[int, tuple[str, ...]] = {}  # behind the first, by where operators stand
        self.brackets: dict[int, str] = {}  # what is done with what brackets hand out, where it is not only read
        self.replaced: set[int] = set()  # Scala: what no call is, as it is assigned to

    def _text(self, node: Node) -> str:
        return self.data[node.start_byte : node.end_byte].decode("utf-8", "replace")

    # Every call of a long chain has all before it in its text, and every nested one all around it: of what may hold
    # itself only so much is read as somebody could use.

    def _chain(self, node: Node) -> str:
        return "?" if node.end_byte - node.start_byte > MAX_BYTES else chain_of(self._text(node), self.language)

    def _operate(self, role: str, node: Node, captures: dict[str, list[Node]]) -> None:
        """What stands before an operator, or brackets, and what behind it."""
        operands, start = captures["operand"], node.start_byte
        if role in (operators.STORED, operators.BOTH) and self.language != "scala":
            self.brackets[start] = role
            return
        if role in _DONE:
            self.replaced.update(each.start_byte for each in operands if role == operators.STORED)
            operands = [*operands, *(each for each in captures.get("index", ()) if each.is_named)]
            sign, width = role, 1
        else:
            sign, width = self._text(node), node.end_byte - start
            kinds = [literal_of(each, b"") for each in operands]
            if all(kinds) or (self.language in _NOTHING and any(map(self._is_nothing, operands))):
                return
            if not operators.named(self.language, sign, len(operands)):
                return
            if operators.is_of_last(self.language, sign):
                operands = operands[::-1]
        first, *others = map(self._operand, operands)
        if sign in ("++", "--") and self.language in ("cpp", "cuda") and operands[0].start_byte < start:
            others = [_AFTER]
        self.uses[start, 1] = (start, width, model.OPERATOR, "", first, len(others), sign)
        self.operands[start] = tuple(others)

    def _is_nothing(self, node: Node) -> bool:
        return self.data[node.start_byte : node.end_byte] == _NOTHING[self.language]

    def _operand(self, node: Node) -> str:
        marks = label = ""
        for _ in range(_MAX_NESTED):
            kind = node.type
            if kind in _IN_PARENTHESES and node.named_child_count == 1:
                node = node.named_children[0]
            elif kind == "argument" or kind == "value_argument":
                called = node.child_by_field_name("name")
                label = f"{self._text(called)}:" if called is not None else ""
                node = node.child_by_field_name("value") or node.named_children[-1]
            elif kind in _POINTING or (kind == "unary_expression" and self.data[node.start_byte] == ord("*")):
                marks += chr(self.data[node.start_byte])
                node = node.named_children[-1]
            else:
                break
        text = self.data[node.start_byte : node.end_byte][:MAX_EXPRESSION]
        found = literal_of(node, text)
        typed = _TYPED.search(text) if found and self.language == "rust" else None
        if typed:
            return f"@{{{typed[1].decode()}}}"
        if found:
            return f"{label}@{{literal {found}}}"
        return label + marks + (self._operated(node) or self._chain(node))

    def _operated(self, node: Node) -> str:
        """What an operator gives, by where that stands; '' where a node is none."""
        if node.type not in _OPERATED or self.language not in operators.LANGUAGES:
            return ""
        token = next(filter(None, map(node.child_by_field_name, _FIELDS)), None)
        if token is None:
            token = next((each for each in node.children if not each.is_named), None)
        if token is None or token.type == "identifier":
            return ""
        sign = self._text(token)
        if sign in operators.BOOLEAN:
            return LOGICAL
        known = any(operators.named(self.language, sign, count) for count in (1, 2))
        return f"{model.OPERATED}{token.start_byte}}}" if known else ""

    def _placed(self, chain: str, atoms: Atoms) -> str:
        """With line and column where an operator stands."""
        found = _PLACE.search(chain)
        if not found:
            return chain
        start = int(found[1])
        row = atoms.at(start)
        return f"{chain[: found.start()]}{model.OPERATED}{row + 1} {start - atoms.starts[row]}}}"
