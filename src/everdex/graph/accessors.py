"""The methods through which others read and write a field of Java and Kotlin, where nobody has written them.

Kotlin makes `getSize` and `setSize` of a property for Java; annotations let processors like Lombok write them into a
class. No definition has these names, so their calls lead nowhere.
"""

from __future__ import annotations

from typing import Final

from everdex.graph.atlas import CONTAINERS, Atlas, Definition

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
