"""Where a table of Lua has the members from that it does not have itself, by how it is made.

That is by `setmetatable`, or by a library of classes, which all have the same few words: `class("Dog", Animal)`,
`Animal:extend()`.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

_CLASS_WORDS: Final = frozenset((b"class", b"extend", b"extends", b"inherit", b"subclass"))
_NAMES: Final = ("identifier", "dot_index_expression")


def metatable_of(node: Node, data: bytes) -> Node | None:
    """The table whose members `setmetatable(…)` gives to what it returns."""
    callee, arguments = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    if callee is None or arguments is None or data[callee.start_byte : callee.end_byte] != b"setmetatable":
        return None
    return index_of(arguments.named_children[1]) if arguments.named_child_count > 1 else None


def base_of(node: Node, data: bytes) -> Node | None:
    """The class that a call makes another of."""
    callee, arguments = node.child_by_field_name("name"), node.child_by_field_name("arguments")
    if callee is None or arguments is None:
        return None
    last = callee.named_children[-1] if callee.named_child_count else callee
    if data[last.start_byte : last.end_byte] not in _CLASS_WORDS:
        return None
    given = [each for each in arguments.named_children if each.type in _NAMES]
    own = callee.named_children[:1] if callee.type == "method_index_expression" else []
    return next(iter(given[-1:] or own), None)


def index_of(metatable: Node) -> Node | None:
    """Where members are looked for that a table does not have: `{ __index = Base }`, or a table that is its own."""
    if metatable.type in _NAMES:
        return metatable
    for field in metatable.named_children if metatable.type == "table_constructor" else ():
        name, value = field.child_by_field_name("name"), field.child_by_field_name("value")
        if name is not None and name.text == b"__index" and value is not None and value.type in _NAMES:
            return value
    return None
