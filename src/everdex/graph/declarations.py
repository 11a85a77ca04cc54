"""What C and C++ declare in one place and write out in another: one definition to whoever asks.

Calls lead to where the body is. So a declaration whose body is known stands for that; one without (a library's, a pure
virtual method) stays what it is. Several bodies, as platforms have them, are all given: nothing is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from everdex.graph.atlas import Atlas, Definition
from everdex.graph.postings import key32
from everdex.identity.symbols import plain_name

_LANGUAGES: Final = frozenset(("c", "cpp", "cuda"))
_KINDS: Final = frozenset(("function", "method", "constructor"))


def written_out(atlas: Atlas, found: Iterable[Definition]) -> list[Definition]:
    """Each definition, or the bodies of what is only declared; by place, once each."""
    bodies: dict[tuple[str, int], Definition] = {}
    for item in found:
        for each in _bodies(atlas, item) or (item,):
            bodies[each.order] = each
    return [bodies[order] for order in sorted(bodies)]


def _bodies(atlas: Atlas, declared: Definition) -> list[Definition]:
    if not _is_declaration(atlas, declared):
        return []
    node = declared.node
    key, parameters = plain_name(node.key), _parameters(node.signature)
    return [
        item
        for file in atlas.graph.tables["names"].holders(key32(node.name))
        if atlas.graph.files[file].language in _LANGUAGES and node.name in atlas.columns(file).node_names
        for item in atlas.definitions(file)
        if item.node.kind in _KINDS
        and plain_name(item.node.key) == key
        and not _is_declaration(atlas, item)
        and _parameters(item.node.signature) == parameters
        and (file == declared.file or not item.node.signature.startswith("static "))
    ]


def _is_declaration(atlas: Atlas, item: Definition) -> bool:
    c_family = atlas.graph.files[item.file].language in _LANGUAGES
    return c_family and item.node.kind in _KINDS and item.node.signature.endswith(";")


def _parameters(signature: str) -> int:
    """How many there are; commas inside brackets separate none."""
    depth, commas, anything = 0, 0, ""
    for character in signature[signature.find("(") :]:
        if character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
            if not depth:
                break
        elif character == "," and depth == 1:
            commas += 1
        else:
            anything += character if depth == 1 else ""
    return commas + 1 if anything.strip() not in ("", "void") else 0
