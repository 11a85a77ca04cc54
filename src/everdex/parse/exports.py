"""What a file passes on from other files: re-exported names, read from the top of its syntax tree.

Only statements at the top level count (and, in Python, those inside its conditions and `try`). A language in which
importing something never offers it to others has nothing here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import msgspec
from tree_sitter import Node

from everdex.languages import C_FAMILY

# Languages whose modules name what others may use of them.
MODULES: Final = frozenset(("javascript", "tsx", "typescript"))
_PYTHON: Final = frozenset(("python", "cython"))
_DESCENDED: Final = frozenset(
    ("if_statement", "else_clause", "elif_clause", "try_statement", "except_clause", "finally_clause", "block")
)
_SPACE: Final = re.compile(r"\s+")
_LISTED: Final = re.compile(rb"""["']([^"'\\\n]+)["']""")


class PassedOn(msgspec.Struct, frozen=True):
    """`entries` are (name, where it comes from); `only`: of a module's own definitions just these and marked ones."""

    entries: tuple[tuple[str, str], ...] = ()
    only: frozenset[str] | None = None


def passed_on(path_key: str, language: str, root: Node, data: bytes) -> PassedOn:
    """What a tree passes on."""
    if language in _PYTHON:
        return PassedOn(tuple(_python(path_key, root, data)))
    if language in MODULES:
        return _modules(root, data)
    if language == "rust":
        uses = (node for node in root.named_children if node.type == "use_declaration")
        return PassedOn(tuple((_text(node, data), "") for node in uses if _text(node, data).startswith("pub")))
    if language in C_FAMILY:
        includes = (node for node in root.named_children if node.type == "preproc_include")
        return PassedOn(tuple((_text(node, data), "") for node in includes))
    return PassedOn()


def _text(node: Node | None, data: bytes) -> str:
    return "" if node is None else _SPACE.sub(" ", data[node.start_byte : node.end_byte].decode()).strip()


# -- Python --------------------------------------------------------------------------------------


def _python(path_key: str, root: Node, data: bytes) -> Iterator[tuple[str, str]]:
    """Imports of a package's __init__, those that `__all__` or `as` the same name offers, and every star."""
    is_package = path_key.rpartition("/")[2].startswith("__init__.")
    statements = list(_top(root))
    listed = {name for node in statements for name in _all(node, data)}
    for name in sorted(listed):
        yield f"__all__.{name}", ""
    for node in statements:
        if node.type not in ("import_statement", "import_from_statement"):
            continue
        source = _text(node.child_by_field_name("module_name"), data)
        if any(child.type == "wildcard_import" for child in node.children):
            yield "*", source
        for item in node.children_by_field_name("name"):
            taken, alias = _text(item, data), ""
            if item.type == "aliased_import":
                taken = _text(item.child_by_field_name("name"), data)
                alias = _text(item.child_by_field_name("alias"), data)
            name = alias or taken.partition(".")[0]
            offered = name in listed or (is_package and not name.startswith("_")) or alias == taken
            if offered:
                yield name, f"{source}:{taken}"


def _top(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type in _DESCENDED:
            yield from _top(child)
        else:
            yield child


def _all(node: Node, data: bytes) -> list[str]:
    text = data[node.start_byte : node.end_byte] if node.type == "expression_statement" else b""
    return [name.decode() for name in _LISTED.findall(text)] if text.startswith(b"__all__") else []


# -- JavaScript and TypeScript -------------------------------------------------------------------


def _modules(root: Node, data: bytes) -> PassedOn:
    """What ES modules export by name, from elsewhere or of their own; a script or CommonJS hides nothing."""
    exported = [node for node in root.named_children if node.type == "export_statement"]
    if not exported:
        return PassedOn()
    entries: list[tuple[str, str]] = []
    own: set[str] = set()
    for node in exported:
        if node.child_by_field_name("declaration") is not None:
            continue
        source = _text(node.child_by_field_name("source"), data)
        clause = next((child for child in node.named_children if child.type == "export_clause"), None)
        value = node.child_by_field_name("value")
        if clause is not None:
            for item in clause.named_children:
                name = _text(item.child_by_field_name("name"), data)
                entries.append((_text(item.child_by_field_name("alias"), data) or name, f"{source}:{name}"))
                own.add("" if source else name)
        elif value is not None:
            name = _text(value, data) if value.type == "identifier" else ""
            entries.append(("default", name))
            own.add(name)
        else:
            entries.append(("*", _text(node, data)))
    return PassedOn(tuple(entries), frozenset(own - {""}))
