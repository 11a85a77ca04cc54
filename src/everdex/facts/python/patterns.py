"""The patterns of `match`: what a case captures, and which classes it asks for.

A class pattern makes its capture an instance of that class. Which arms are taken is the business of `Branches`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from everdex.facts.python import model as m
from everdex.facts.python.arena import MAX_DEPTH
from everdex.facts.python.expressions import Expressions

if TYPE_CHECKING:
    from tree_sitter import Node


class Patterns(Expressions):
    """Reads patterns, and binds what they capture."""

    def pattern(self, node: Node, value: int, depth: int) -> None:
        """Bind what a case captures; a class pattern makes its capture an instance of that class."""
        if depth > MAX_DEPTH:
            return
        kind = node.type
        children = [child for child in node.named_children if child.type != "comment"]
        span = (node.start_byte, node.end_byte)
        if kind == "dotted_name":
            if len(children) == 1:
                self.bind(self.named(children[0]), value, written=children[0])
            else:
                self._dotted(children)
        elif kind == "as_pattern" and len(children) > 1:
            kept = self._class_of(children[0], depth)
            self.pattern(children[0], value, depth + 1)
            if kept >= 0:
                value = self.add([m.NARROWED, value, kept], *span)
            self.target(children[-1], value, depth)
        elif kind == "class_pattern":
            named = self._dotted(children[0].named_children)
            narrowed = self.add([m.NARROWED, value, named], *span)
            place = 0
            for child in children[1:]:
                if child.named_children and child.named_children[0].type == "keyword_pattern":
                    self.pattern(child, narrowed, depth + 1)
                else:
                    self.pattern(child, self.add([m.MATCHED, narrowed, place], *span), depth + 1)
                    place += 1
        elif kind == "keyword_pattern":
            inner = self.add([m.ATTRIBUTE, value, self.named(children[0])], *span)
            for child in children[1:]:
                self.pattern(child, inner, depth + 1)
        elif kind in ("list_pattern", "tuple_pattern"):
            starred = next((n for n, child in enumerate(children) if _is_splat(child)), len(children))
            for place, child in enumerate(children):
                index: Any = place if place < starred else place - len(children)
                if place == starred:
                    index = [place, len(children) - place - 1]
                self.pattern(child, self.add([m.ITEM, value, index], *span), depth + 1)
        elif kind == "dict_pattern":
            key = -1
            for field, child in _fields(node):
                if field == "key":
                    key = self.value(child, depth)
                elif field == "value" and key >= 0:
                    self.pattern(child, self.add([m.SUBSCRIPT, value, key], *span), depth + 1)
                else:
                    self.pattern(child, self.add([m.UNKNOWN, "pattern"], *span), depth + 1)
        elif kind == "splat_pattern":
            for child in children:
                if child.type == "identifier":
                    self.bind(self.named(child), value, written=child)
                else:
                    self.pattern(child, value, depth + 1)
        else:
            for child in children:
                self.pattern(child, value, depth + 1)

    def narrow_subject(self, matched: int, since: int) -> list[int]:
        """A name that is matched against one class is one of its instances in that arm; which classes are asked for."""
        said = [entry[2] for entry in self.entries[since:] if entry[0] == m.NARROWED and entry[1] == matched]
        if self.entries[matched][0] == m.NAME and len(said) == 1:
            self.narrow([(matched, said[0], m.NARROWED)])
        return said

    def _class_of(self, node: Node, depth: int) -> int:
        while node.type == "case_pattern" and node.named_children:
            node = node.named_children[0]
        if node.type != "class_pattern":
            return -1
        return self._dotted(node.named_children[0].named_children)

    def _dotted(self, nodes: list[Node]) -> int:
        made = self.name(nodes[0], 0)
        for node in nodes[1:]:
            made = self.add([m.ATTRIBUTE, made, self.named(node)], nodes[0].start_byte, node.end_byte)
        return made


def _is_splat(node: Node) -> bool:
    return any(child.type == "splat_pattern" for child in (node, *node.named_children))


def asks_class_alone(node: Node, depth: int) -> bool:
    """Whether a pattern takes every instance of a class, or of one of several."""
    children = [child for child in node.named_children if child.type != "comment"]
    if node.type == "class_pattern":
        return len(children) == 1
    inner = children if node.type == "union_pattern" else children[: node.type in ("case_pattern", "as_pattern")]
    return depth <= MAX_DEPTH and bool(inner) and all(asks_class_alone(each, depth + 1) for each in inner)


def _fields(node: Node) -> list[tuple[str | None, Node]]:
    return [(node.field_name_for_child(place), child) for place, child in enumerate(node.children) if child.is_named]
