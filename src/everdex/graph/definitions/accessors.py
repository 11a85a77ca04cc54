"""The methods through which others read and write a field of Java and Kotlin, where nobody has written them; and the
properties that Kotlin makes of Java's methods.

Kotlin makes `getSize` and `setSize` of a property for Java; annotations let processors like Lombok write them into a
class. No definition has these names, so their calls lead nowhere. Kotlin writes `point.size` where it calls Java's
`getSize()`, so that whoever calls it need not write its name.
"""

from __future__ import annotations

import re
from typing import Final

from everdex.graph.definitions.atlas import CONTAINERS, Atlas, Definition

_ACCESSOR: Final = re.compile(r"(get|set|is)([^a-z].*)", re.DOTALL)
_FIRST_WORD: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]+(?![a-z])|[A-Z]")  # `URL` of `URLName`
_FIELDS: Final = frozenset(("field", "property", "variable"))


def accessors(atlas: Atlas, definition: Definition) -> frozenset[str]:
    """The names that such methods of a field would have, without those that somebody has written."""
    node, language = definition.node, atlas.entry(definition.file).language
    if node.kind not in _FIELDS or node.parent < 1 or language not in ("java", "kotlin"):
        return frozenset()
    around = atlas.definition(definition.file, node.parent)
    made = language == "kotlin" or "@" in node.signature or "@" in around.node.signature
    if around.node.kind not in CONTAINERS or not made:
        return frozenset()
    stem = node.name[:1].upper() + node.name[1:]
    names = {f"{prefix}{stem}" for prefix in ("get", "set", "is")}
    if node.name.startswith("is") and node.name[2:3].isupper():
        names.add(f"set{node.name[2:]}")  # its `isX` has its own name
    return frozenset(names - {item.node.name for item in atlas.inside(around) if item.node.parent == around.number})


def properties(atlas: Atlas, definition: Definition) -> frozenset[str]:
    """The names by which files of Kotlin read or write what a method of Java is for."""
    node, language = definition.node, atlas.entry(definition.file).language
    found = _ACCESSOR.fullmatch(node.name) if language == "java" and node.kind == "method" else None
    if found is None or not any(entry.language == "kotlin" for entry in atlas.graph.files):
        return frozenset()
    word, rest = found.groups()
    plain = _FIRST_WORD.sub(lambda first: first[0].lower(), rest, count=1)
    return frozenset((node.name,) if word == "is" else (plain,) if word == "get" else (plain, f"is{rest}"))
