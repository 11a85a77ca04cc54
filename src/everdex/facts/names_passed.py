"""What calls pass: how many arguments, which of them tell definitions of one name apart, blocks, and types.

Resolves no name.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from everdex.facts import arguments as given
from everdex.facts import names_model as model
from everdex.facts.names_operators import Operators

BLOCKS: Final = frozenset(("lambda_literal", "block", "case_block", "annotated_lambda"))  # one argument each
MAX_TYPE_BYTES: Final = 1_600  # as many as a type's text is made of
_EMPTY_LIST: Final = len("()")
_LIST: Final = "argument_list"  # of Go
_SHORT_LIST: Final = 1_000  # bytes of arguments in which comments are looked for
_MAX_LABELS: Final = 16
_WITH: Final = "with"
_DOT: Final = ord(".")
_OPENING, _CLOSING = b"<>"


class Passed(Operators):
    """Reads the arguments of one file's calls."""

    def __init__(self, language: str, data: bytes) -> None:
        super().__init__(language, data)
        self.lists: dict[int, Node] = {}  # Scala: lists of arguments, by the end of what they are given to
        # Kotlin: what functions without a name are passed to, by their places, and whether others may be behind them
        self.passed_to: dict[int, tuple[str, bool]] = {}
        # Swift: what `.name(…)` is a member of, by where its name begins: a chain, or a callee's place and an argument
        self.implied: dict[int, str | tuple[int, int]] = {}

    def _arguments(self, captures: dict[str, list[Node]]) -> int:
        nodes = captures.get("arguments")
        if not nodes:
            return 0
        count = 0
        for node in (*nodes, *self._later_lists(nodes[-1])):
            start, end = node.start_byte, node.end_byte
            if node.type in BLOCKS or (self.language == "go" and node.type != _LIST):
                count += 1
                continue
            if end - start == _EMPTY_LIST:
                continue
            text = self.data[start : min(end, start + _SHORT_LIST)]
            if end - start > _SHORT_LIST or b"//" in text or b"/*" in text or b"#" in text:
                count += sum(not child.is_extra for child in node.named_children)
            else:
                count += node.named_child_count
            if self.data[end - 4 : end - 1] == b"...":
                return -1
        return count

    def _argument(self, node: Node) -> str:
        short = node.end_byte - node.start_byte <= given.MAX_TEXT
        return given.passed(self._text(node), self.language) if short else given.UNKNOWN

    def _pass(self, start: int, captures: dict[str, list[Node]]) -> None:
        """Keeps what a call passes, where types or labels may tell which of several definitions is meant."""
        found: list[str] = []
        if self.language == "swift":
            self._pass_labels(start, captures.get("arguments", []))
            return
        for node in captures.get("arguments", ()) if self.language in given.LANGUAGES else ():
            if node.type in BLOCKS:
                found.append(given.FUNCTION)
            elif node.named_child_count <= given.MAX_ARGUMENTS:
                found += [self._argument(child) for child in node.named_children if not child.is_extra]
        if any(each != given.UNKNOWN for each in found):
            self.given[start] = tuple(found)

    def _pass_labels(self, start: int, arguments: list[Node]) -> None:
        found: list[str] = []
        for node in arguments:
            if node.type in BLOCKS:
                found.append(given.FUNCTION)
                continue
            for part in node.named_children:
                label = part.child_by_field_name("name") if not part.is_extra else None
                value = part.child_by_field_name("value")
                if value is not None and self.data[value.start_byte] == _DOT:
                    self.implied[value.start_byte + 1] = (start, len(found))
                if not part.is_extra:
                    found.append(self._text(label) if label is not None else given.NO_LABEL)
        if found and len(found) <= _MAX_LABELS:
            self.given[start] = tuple(found)

    def _later_lists(self, last: Node) -> list[Node]:
        """What a call of Scala is given after its first list of arguments."""
        found: list[Node] = []
        while (following := self.lists.get(last.end_byte)) is not None:
            found.append(following)
            last = following
        return found

    def _blocks(self, receiver: str, name: str, arguments: list[Node]) -> None:
        """Which functions without a name a call of Kotlin is passed: what it is may be `this` in them."""
        for node in arguments:
            listed = node.type == "value_arguments"
            around = node.named_children if listed or node.type == "annotated_lambda" else [node]
            if listed and name == _WITH and not receiver and around and around[0].named_children:
                receiver = self._chain(around[0].named_children[-1])
            for part in around:
                block = part.named_children[-1] if part.type == "value_argument" and part.named_children else part
                if block.type == "lambda_literal":
                    self.passed_to[block.start_byte] = (f"{receiver}.{name}".lstrip("."), listed)

    def _with_types(self, name: str, receiver: str, end: int) -> str:
        """C#: a type's name with how many types it is given; '' where it is given none."""
        if self.language != "csharp" or self.data[end : end + 1] != b"<":
            return ""
        depth = 0
        for at in range(end, min(end + MAX_TYPE_BYTES, len(self.data))):
            depth += (self.data[at] == _OPENING) - (self.data[at] == _CLOSING)
            if not depth:
                return f"{receiver}.{name}{model.generic(self.data[end : at + 1])}".lstrip(".")
        return ""
