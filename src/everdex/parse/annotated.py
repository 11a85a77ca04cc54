"""Kotlin's definitions behind several annotations, which the grammar takes for an expression.

`@A(x) @B open class K protected constructor() {…}` has two readings to a grammar for which `class` may be a name, and
it takes the wrong one: the definition and all that is in it would be lost. Outside functions an annotation stands
before a definition only, so the first one of such an expression is blanked and the file is read again: all bytes keep
their places. Knows nothing of what an annotation means.
"""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node, Tree

from everdex.parse import grammar

_MISREAD: Final = "annotated_expression"
# What no expression has a name like: such a one begins a definition.
_DEFINES: Final = re.compile(rb"\b(?:class|fun|interface|object|val|var)\b")
_NOT_BLANK: Final = re.compile(rb"[^\s]")
_MOST_ANNOTATIONS: Final = 8


def read(tree: Tree, data: bytes) -> tuple[Tree, bytes]:
    """The tree of a Kotlin file whose annotated definitions are parsed as definitions, and the bytes it is of."""
    for _ in range(_MOST_ANNOTATIONS):
        found = [first for child in tree.root_node.children if (first := _first(child, data))]
        made = bytearray(data)
        for node in found:
            made[node.start_byte : node.end_byte] = _NOT_BLANK.sub(b" ", data[node.start_byte : node.end_byte])
        again = grammar.parse_tree("kotlin", bytes(made)) if found else None
        if again is None:
            break
        tree, data = again, bytes(made)
    return tree, data


def _first(node: Node, data: bytes) -> Node | None:
    """The first annotation of a definition that was read as an expression."""
    if node.type != _MISREAD:
        return None
    inner = node
    while inner.type == _MISREAD and inner.named_children:
        inner = inner.named_children[-1]
    head = data[inner.start_byte : inner.end_byte].partition(b"\n")[0]
    return node.named_children[0] if _DEFINES.search(head) else None
