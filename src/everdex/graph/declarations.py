"""What is declared in one place and written out in another: one definition to whoever asks.

Calls lead to where the body is. So a declaration of C or C++ whose body is known stands for that, and so does an
overload of TypeScript or Python; one without (a library's, a pure virtual method, an interface's) stays what it is.
Several bodies, as platforms have them, are all given: nothing is chosen.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from everdex.graph.atlas import Atlas, Definition
from everdex.graph.model import Role
from everdex.graph.postings import key32
from everdex.identity.symbols import plain_name

_LANGUAGES: Final = frozenset(("c", "cpp", "cuda"))
_WITH_SIGNATURES: Final = frozenset(("typescript", "tsx", "vue", "svelte", "python"))
_MARKS: Final = frozenset(("typing.overload", "typing_extensions.overload"))
_KINDS: Final = frozenset(("function", "method", "constructor"))


def written_out(atlas: Atlas, found: Iterable[Definition]) -> list[Definition]:
    """Each definition, or the bodies of what is only declared; by place, once each."""
    bodies: dict[tuple[str, int], Definition] = {}
    for item in found:
        for each in _bodies(atlas, item) or (item,):
            bodies[each.order] = each
    return [bodies[order] for order in sorted(bodies)]


def _bodies(atlas: Atlas, declared: Definition) -> list[Definition]:
    if atlas.entry(declared.file).language in _WITH_SIGNATURES:
        return _implementation(atlas, declared)
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


def _implementation(atlas: Atlas, declared: Definition) -> list[Definition]:
    """What an overload is a signature of: TypeScript's names it where it stands, Python's are marked as such."""
    node, columns = declared.node, atlas.columns(declared.file)
    if node.kind not in _KINDS:
        return []
    for number, source in enumerate(columns.sources):
        if source == declared.number and columns.role(number) is Role.REFERENCE:
            site = columns.site(number)
            if (site.line, site.column) == (node.name_line, node.name_column):
                return [item for target in site.targets if (item := atlas.at(target)) is not None]
    if not _is_overload(atlas, declared):
        return []
    later = (
        item for item in atlas.definitions(declared.file)
        if item.number > declared.number and item.node.parent == node.parent and item.node.name == node.name
    )  # fmt: skip
    return [item for item in later if not _is_overload(atlas, item)][:1]


def _is_overload(atlas: Atlas, item: Definition) -> bool:
    columns = atlas.columns(item.file)
    return any(target.key in _MARKS for target in columns.above(item.number, Role.DECORATE))


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
