"""What the grammar takes for something else and is a template with a tag that is given types: ``sql<Props>`…` ``.

Nobody compares a type with a text without a space on either side; so what is written like that is the tag's call. Nor
is an arrow function a tag unless it stands in parentheses: in ``id => sql<Row>`…` `` it gives what the tag does.
"""

from __future__ import annotations

from tree_sitter import Node


def giving(node: Node) -> Node | None:
    """The arrow function that the grammar takes for the tag of what it gives."""
    arrow = node.named_child(0) if node.type == "call_expression" else None
    if arrow is None or arrow.type != "arrow_function":
        return None
    tag = arrow.child_by_field_name("body")
    return arrow if tag is not None and tag.type == "instantiation_expression" else None


def operands(node: Node) -> list[Node]:
    """What operators stand between, in order; `a + b + …` nests to the left without bound."""
    waiting, parts = [node], list[Node]()
    while waiting:
        part = waiting.pop()
        if part.type == "binary_expression":
            waiting += reversed(part.named_children)
        else:
            parts.append(part)
    return parts


def is_tagged(data: bytes, parts: list[Node]) -> bool:
    """Whether the first of some operands is a tag, the last its template, and those between are types."""
    tag, text = parts[0], parts[-1]
    if text.type != "template_string" or data[text.start_byte - 1 : text.start_byte] != b">":
        return False
    return data[tag.end_byte : tag.end_byte + 1] == b"<"
