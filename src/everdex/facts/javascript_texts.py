"""Texts that a JavaScript program puts together: how they begin and end, where they may name a property."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from everdex.facts import javascript_model as m
from everdex.facts.javascript_build import is_name
from everdex.facts.javascript_documented import Documented

_TEXTS: Final = frozenset(("template_string", "binary_expression"))


class Texts(Documented):
    """Adds rows for such texts."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._naming: set[int] = set()  # ids of nodes

    def may_name(self, *nodes: Node | None) -> None:
        """The values of these are looked at for how they begin and end: they may name a property.

        Told by whoever holds them: what asks a node for its parent is answered by a walk from the root of the file.
        """
        self._naming.update(node.id for node in nodes if node is not None and node.type in _TEXTS)

    def put_together(self, node: Node) -> int:
        """The row of a text of which the beginning or the end is written, where it may name a property; else 0."""
        if node.id not in self._naming:
            return 0
        first: Node | None = node
        last: Node | None = node
        while first is not None and first.type in ("binary_expression", "parenthesized_expression"):
            first = first.named_children[0] if first.named_children else None
        while last is not None and last.type in ("binary_expression", "parenthesized_expression"):
            last = last.named_children[-1] if last.named_children else None
        begins = self._ends(first, 0) if first is not None else ""
        ends = self._ends(last, -1) if last is not None else ""
        return self.add(m.TEXT, begins, ends) if is_name(f"_{begins}{ends}") and begins + ends else 0

    def _ends(self, node: Node, which: int) -> str:
        """What is written at one end of a text."""
        if node.type == "string":
            return self.string(node)
        parts = node.named_children if node.type == "template_string" else []
        return self.text(parts[which]) if parts and parts[which].type == "string_fragment" else ""
