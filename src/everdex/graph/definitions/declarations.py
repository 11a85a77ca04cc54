"""Joins a declaration with the place that has its body, so that both count as one definition.

A call leads to the body. A declaration of C or C++, and an overload of TypeScript or Python, therefore stands for its
body where that is known; one without a body (a library's, a pure virtual method, an interface's) stays what it is. When
there are several bodies, as for several platforms, all are given and none is chosen. The one exception: when only some
of the bodies' files include the declaration's file, as with two copies of a library, only those bodies count.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from everdex.graph.definitions.atlas import Atlas, Definition
from everdex.graph.model import Role
from everdex.graph.stored.postings import key32
from everdex.identity.symbols import plain_name
from everdex.languages import C_FAMILY

_WITH_SIGNATURES: Final = frozenset(("typescript", "tsx", "vue", "svelte", "python"))
_MARKS: Final = frozenset(("typing.overload", "typing_extensions.overload"))
_KINDS: Final = frozenset(("function", "method", "constructor"))
_WORDS: Final = re.compile(r"\w+|[^\w\s]")
_QUALIFIERS: Final = frozenset(("const", "volatile", "struct", "enum", "union", "class", "typename", ":"))


def written_out(atlas: Atlas, found: Iterable[Definition]) -> list[Definition]:
    """Each definition, or the bodies of what is only declared; by place, once each."""
    bodies: dict[tuple[str, int], Definition] = {}
    for item in found:
        for each in _bodies(atlas, item) or (item,):
            bodies[each.order] = each
    return [bodies[order] for order in sorted(bodies)]


def _bodies(atlas: Atlas, declared: Definition) -> list[Definition]:
    if atlas.entry(declared.file).language in _WITH_SIGNATURES:
        return implementation(atlas, declared)
    if not is_declaration(atlas, declared):
        return []
    found = [item for item in _alike(atlas, declared) if not is_declaration(atlas, item)]
    if len(found) > 1:  # overloads
        types = _parameters(declared)
        found = [item for item in found if _parameters(item) == types] or found
    if len(found) > 1:
        found = [item for item in found if _includes(atlas, item.file, declared.file)] or found
    return found


def declarations(atlas: Atlas, body: Definition) -> list[Definition]:
    """Where C and C++ declare what is written out here, by place."""
    if atlas.entry(body.file).language not in C_FAMILY or is_declaration(atlas, body):
        return []
    declared = (item for item in _alike(atlas, body) if is_declaration(atlas, item))
    return sorted((item for item in declared if body in _bodies(atlas, item)), key=lambda item: item.order)


def _alike(atlas: Atlas, definition: Definition) -> Iterator[Definition]:
    """Functions that may be the same one: of the same name and as many parameters, kept to no other file."""
    node = definition.node
    key, count = plain_name(node.key), len(_parameters(definition))
    for file in atlas.graph.tables["names"].holders(key32(node.name)):
        if atlas.graph.files[file].language not in C_FAMILY or node.name not in atlas.columns(file).node_names:
            continue
        for item in atlas.definitions(file):
            if (
                item.node.kind in _KINDS
                and plain_name(item.node.key) == key
                and len(_parameters(item)) == count
                and (file == definition.file or not (_is_static(item) or _is_static(definition)))
            ):
                yield item


def _is_static(item: Definition) -> bool:
    return item.node.signature.startswith("static ")


def _includes(atlas: Atlas, file: int, other: int) -> bool:
    """Whether a file is another, includes it, or includes one that does."""
    seen, waiting = {file}, [file]
    while waiting and other not in seen:
        columns = atlas.columns(waiting.pop())
        imports = (columns.site(number) for number in range(columns.site_count) if columns.role(number) is Role.IMPORT)
        paths = {target.path for site in imports for target in site.targets if target.path}
        files = {number for path in paths if (number := atlas.graph.number(path)) is not None} - seen
        seen |= files
        waiting += files
    return other in seen


def implementation(atlas: Atlas, declared: Definition) -> list[Definition]:
    """What an overload is a signature of: TypeScript's names it where it stands, Python's are marked as such.

    None for anything else; it is in the same file.
    """
    node, columns = declared.node, atlas.columns(declared.file)
    if node.kind not in _KINDS or atlas.entry(declared.file).language not in _WITH_SIGNATURES:
        return []
    if atlas.entry(declared.file).language == "python":
        return _after_overloads(atlas, declared)
    for number in columns.sites_in(declared.number):
        if columns.role(number) is Role.REFERENCE:
            site = columns.site(number)
            if (site.line, site.column) == (node.name_line, node.name_column):
                return [item for target in site.targets if (item := atlas.at(target)) is not None]
    return []


def _after_overloads(atlas: Atlas, declared: Definition) -> list[Definition]:
    node = declared.node
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


def is_declaration(atlas: Atlas, item: Definition) -> bool:
    c_family = atlas.graph.files[item.file].language in C_FAMILY
    return c_family and item.node.kind in _KINDS and item.node.signature.endswith(";")


def _parameters(item: Definition) -> tuple[str, ...]:
    """Each as written, without its name as far as that is seen; commas inside brackets separate none.

    They stand behind the name: before it a macro may have a list of its own (`void printflike(2, 3) report(int, …);`).
    """
    signature = item.node.signature
    named = re.search(rf"(?<!\w){re.escape(item.node.name)}\s*\(", signature)
    depth, begin = 0, named.end() if named else signature.find("(") + 1
    found: list[str] = []
    for place in range(begin - 1, len(signature)):
        character = signature[place]
        depth += (character in "([{<") - (character in ")]}>")
        if not depth or (character == "," and depth == 1):
            found.append(signature[begin:place])
            begin = place + 1
        if not depth:
            break
    return tuple(map(_type, found)) if "".join(found).strip() not in ("", "void") else ()


def _type(parameter: str) -> str:
    words = _WORDS.findall(parameter.partition("=")[0])
    named = len(words) > 1 and words[-1].isidentifier() and words[-2] not in _QUALIFIERS
    return " ".join(words[:-1] if named else words)
