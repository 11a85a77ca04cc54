"""JSX: a component is called with its attributes; tags of HTML are none of ours."""

from __future__ import annotations

from tree_sitter import Node

from everdex.facts import javascript_build as build
from everdex.facts import javascript_model as m
from everdex.facts.javascript_values import Values


class Tags(Values):
    """Adds JSX to the expressions."""

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self.handlers |= {
            "jsx_opening_element": self._tag,
            "jsx_self_closing_element": self._tag,
            "jsx_closing_element": self._closing_tag,
            "jsx_text": lambda node: 0,
            "jsx_attribute": self._attribute,
        }

    def _tag(self, node: Node) -> int:
        """A component is called; its attributes are an object of what it takes first."""
        name = node.child_by_field_name("name")
        called = self.callee(name) if name is not None and self._is_component(name) else None
        rows: list[tuple[str, int, str, int]] = []
        spreads: list[int] = []
        keys: list[Node] = []
        for child in node.children_by_field_name("attribute"):
            if child.type == "jsx_attribute":
                keys.append(child.named_children[0])
                rows.append((self.text(keys[-1]), self._attribute(child), "v", -1))
            else:
                spreads += [self.last(part) for part in child.named_children if part.type == "spread_element"]
        value = 0
        if called is not None:
            literal = self.add(m.OBJECT, rows, spreads, self.home()) if keys or spreads else 0
            value = self.call(called[0], [literal] if literal else [])
            self.mention("c", called[1], value, name)
            for key in keys:
                self.mention("k", key, literal)
        self.type_arguments(node)
        return value

    def _closing_tag(self, node: Node) -> int:
        """It names what the opening one called, for whoever renames it."""
        name = node.child_by_field_name("name")
        if name is not None and self._is_component(name):
            self.visit(name)
        return 0

    def _is_component(self, name: Node) -> bool:
        """Names in small letters are HTML's."""
        return name.type == "member_expression" or (
            name.type == "identifier" and not self.data[name.start_byte : name.start_byte + 1].islower()
        )

    def _attribute(self, node: Node) -> int:
        """What an attribute is given; without a value it is true."""
        value = build.BOOLEAN
        for child in node.named_children[1:]:
            self.hint = ""
            value = self.last(child) if child.type == "jsx_expression" else self.visit(child)
        return value
