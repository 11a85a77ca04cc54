"""Kotlin: properties of Java's classes, `point.size` for `getSize()`, and which fields of theirs it does not see.

A getter takes nothing and gives something, a setter takes one value and stands beside a getter; a field that can be
seen from there comes before both.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.names.index import Ref
from everdex.graph.names.lookup import Lookup
from everdex.graph.names.rules import ABSTRACT
from everdex.graph.names.things import INSTANCE, Thing

_FIRST_WORD: Final = re.compile(r"[a-z]+")
_BY_ITSELF: Final = re.compile(r"is[^a-z]")


@lru_cache(maxsize=4_096)
def _stems(name: str) -> tuple[str, ...]:
    """What may stand behind `get` and `set`: `Size` of `size`, `Url` and `URL` of `url`."""
    if not name[:1].islower():
        return ()
    raised = _FIRST_WORD.sub(lambda word: word[0].upper(), name, count=1)
    return tuple(dict.fromkeys((name[0].upper() + name[1:], raised)))


class Properties(Lookup):
    """The part that knows what Kotlin makes of Java's methods."""

    def accessed(self, thing: Thing, name: str, written: bool = False) -> list[Ref]:
        """The methods of Java that reading, or writing, what looks like a property of a thing calls."""
        if thing.kind != INSTANCE or self.module.outline.language != "kotlin":
            return []
        for stem in _stems(name):
            if self._called_so(thing, f"get{stem}", 0):
                return self._called_so(thing, f"{'set' if written else 'get'}{stem}", int(written))
        if _BY_ITSELF.match(name) and self._called_so(thing, name, 0):
            return self._called_so(thing, f"set{name[2:]}", 1) if written else self._called_so(thing, name, 0)
        return [] if written else self.nearest(thing, name, lambda refs: list(filter(_is_component, refs)))[0]

    def _called_so(self, thing: Thing, name: str, takes: int) -> list[Ref]:
        if not self.reader.named(name):
            return []
        return self.nearest(thing, name, lambda refs: [ref for ref in refs if _is_accessor(ref, takes)])[0]

    def is_seen(self, ref: Ref) -> bool:
        """Whether Kotlin sees a member of a class of Java from this file."""
        if ref.module.outline.language != "java" or self.module.outline.language != "kotlin":
            return True
        words = ref.defined.signature.partition("(")[0].split()
        if "public" in words or "protected" in words:
            return True
        parent = ref.defined.parent
        around = ref.module.outline.definitions[parent].kind if parent >= 0 else ""
        if around in ABSTRACT or ref.defined.kind == "variant" or _is_component(ref):
            return True
        return "private" not in words and ref.module.outline.package == self.module.outline.package


def _is_component(ref: Ref) -> bool:
    """Whether it is a part of a record of Java, or the method that gives it."""
    parent = ref.defined.parent
    head = ref.module.outline.definitions[parent].signature.partition("(")[0] if parent >= 0 else ""
    is_part = ref.defined.kind == "method" and ref.defined.least <= 0 and not ref.defined.flags & facts.STATIC
    return is_part and ref.module.outline.language == "java" and "record" in head.split()


def _is_accessor(ref: Ref, takes: int) -> bool:
    item, words = ref.defined, ref.defined.signature.partition("(")[0].split()
    ours = ref.module.outline.language == "java" or "override" in words  # of a method of Java
    gives = takes > 0 or item.returns not in ("void", "Unit")
    return (
        item.kind == "method" and ours and gives and not item.flags & facts.STATIC
        and (item.least, item.most) == (takes, takes)
    )  # fmt: skip
