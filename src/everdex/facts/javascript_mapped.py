"""Object types that have all members of another as they are: `{ readonly [K in keyof T]?: T[K] }`."""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

_AROUND: Final = frozenset(
    ("parenthesized_type", "type_annotation", "opting_type_annotation", "omitting_type_annotation",
     "adding_type_annotation"))  # fmt: skip


def mapped(node: Node) -> Node | None:
    """The type of which an object type has all members as they are."""
    if len(node.named_children) != 1 or node.named_children[0].type != "index_signature":
        return None
    signature = node.named_children[0]
    clause, value = signature.named_children[0], signature.named_children[-1]
    keys = clause.child_by_field_name("type") if clause.type == "mapped_type_clause" else None
    if keys is None or keys.type != "index_type_query" or clause.child_by_field_name("alias") is not None:
        return None
    (of,) = keys.named_children[:1] or (None,)
    while value.type in _AROUND and value.named_children:
        value = value.named_children[0]
    looked_up = value.named_children if value.type == "lookup_type" else []
    key = clause.named_children[0]
    is_same = of is not None and [each.text for each in looked_up] == [of.text, key.text]
    return of if is_same else None
