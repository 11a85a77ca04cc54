"""What the grammar takes for comparisons and is a template with a tag that is given types: ``styled.div<Props>`…` ``.

Nobody compares a type with a text without a space on either side; so what is written like that is the tag's call.
"""

from __future__ import annotations

from tree_sitter import Node


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
