"""C and C++: what a file can see of what others define, and whether it is sure to mean that.

Follows includes; evaluates no condition.
"""

from __future__ import annotations

import re
from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.names.imports import reached
from everdex.graph.names.index import Ref
from everdex.graph.names.lookup import Lookup
from everdex.graph.names.module import Module
from everdex.graph.names.rules import TYPES
from everdex.graph.names.standard_functions import STANDARD_FUNCTIONS

_TESTS: Final = ("TEST(", "TEST_", "TYPED_TEST")
HEADERS: Final = (".h", ".hpp", ".hh", ".hxx", ".cuh", ".inl")
_TAG: Final = re.compile(r"\b(?:struct|union|enum|class)\s+(\w+)")
_VARIABLES: Final = frozenset(("variable", "constant"))


def _is_declared(ref: Ref) -> bool:
    """Whether a variable is defined elsewhere."""
    return ref.defined.kind in _VARIABLES and ref.defined.signature.startswith("extern ")


def _leaves_open(ref: Ref) -> bool:
    """Whether a type is only declared: its body may be anywhere."""
    tag = _TAG.search(ref.defined.signature)
    return not ref.defined.flags & facts.BODY and tag is not None and tag[1] == ref.defined.name


class Preprocessed(Lookup):
    """The part that knows what C files include."""

    def seen(self, name: str, module: Module) -> tuple[Ref, ...]:
        """The definitions of a lookup name that a file can mean: a variable of its own before others', and of another
        source file only one that something in reach declares, which then stands for the declaration."""
        own = [Ref(module, at) for at in module.by_name.get(name, ())]
        others = (ref for ref in self.reader.definitions(name) if ref.module is not module)  # of many only some
        found = self._own_types([ref for ref in (*own, *others) if self.visible(ref, module)], module)
        variables = [ref for ref in found if ref.defined.kind in _VARIABLES]
        if not variables:
            return tuple(found)
        reached, header = self._reachable(module, False), module.path.endswith(HEADERS)
        near = [
            ref for ref in variables
            if ref.module is module or ref.module.path in reached or (header and ref.module.path.endswith(HEADERS))
        ]  # fmt: skip
        if any(_is_declared(ref) for ref in near):
            near += [ref for ref in variables if ref not in near and "static" not in ref.defined.signature.split()]
        near = [ref for ref in near if not _is_declared(ref)] or near
        near = [ref for ref in near if ref.module is module] or near
        return tuple(ref for ref in found if ref in near or ref.defined.kind not in _VARIABLES)

    def _own_types(self, found: list[Ref], module: Module) -> list[Ref]:
        """Without types that another source file has for itself, where something in reach says what is meant."""
        strangers = [
            ref for ref in found
            if ref.defined.kind in TYPES and ref.module is not module and not ref.module.path.endswith(HEADERS)
        ]  # fmt: skip
        strangers = [ref for ref in strangers if not self.reaches(ref, module)]
        known = [ref for ref in found if ref.defined.kind in TYPES and ref not in strangers] if strangers else []
        if not known or any(_leaves_open(ref) for ref in known):
            return found
        return [ref for ref in found if ref not in strangers]

    def visible(self, ref: Ref, module: Module) -> bool:
        """Macros and static functions of C are seen in their own file, and where it is included; so are functions that
        a source file declares only; tests by nobody."""
        item = ref.defined
        if item.least < 0 and item.signature.startswith(_TESTS):
            return False
        declared = item.kind == "function" and not item.flags & facts.BODY and not ref.module.path.endswith(HEADERS)
        if ref.module is module or not (item.flags & facts.STATIC or item.kind == "macro" or declared):
            return True
        if module.path.endswith(HEADERS) and not declared:
            return ref.module.path.endswith(HEADERS)  # it may use what is included before it, wherever that is
        return ref.module.path in self._reachable(module, False)

    def reaches(self, ref: Ref, module: Module) -> bool:
        """Whether a file includes another's, perhaps."""
        return ref.module.path in self._reachable(module, False)

    def _reachable(self, module: Module, surely: bool) -> frozenset[str]:
        known = self._reached.get((module.path, surely))
        if known is None:
            known = self._reached[module.path, surely] = reached(module, self.reader, surely)
        return known

    def may_be_the_systems(self, name: str, module: Module) -> bool:
        """Whether a function of the system is meant as well as what the root has of its name: nothing that the file
        includes on every system defines or declares it."""
        if name not in STANDARD_FUNCTIONS:
            return False
        surely = self._reachable(module, True)
        return not any(
            ref.module.path in surely and not ref.defined.flags & facts.CONDITIONAL
            for ref in self.reader.definitions(name)
        )
