"""C and C++: what a file can see of what others define, and whether it is sure to mean that.

Follows includes; evaluates no condition.
"""

from __future__ import annotations

from typing import Final

from everdex.facts import names_model as facts
from everdex.graph.names.imports import reached
from everdex.graph.names.index import Ref
from everdex.graph.names.lookup import Lookup
from everdex.graph.names.module import Module
from everdex.graph.names.standard_functions import STANDARD_FUNCTIONS

_TESTS: Final = ("TEST(", "TEST_", "TYPED_TEST")
_HEADERS: Final = (".h", ".hpp", ".hh", ".hxx", ".cuh", ".inl")


class Preprocessed(Lookup):
    """The part that knows what C files include."""

    def visible(self, ref: Ref, module: Module) -> bool:
        """Macros and static functions of C are seen in their own file, and where it is included; so are functions that
        a source file declares only; tests by nobody."""
        item = ref.defined
        if item.least < 0 and item.signature.startswith(_TESTS):
            return False
        declared = item.kind == "function" and not item.flags & facts.BODY and not ref.module.path.endswith(_HEADERS)
        if ref.module is module or not (item.flags & facts.STATIC or item.kind == "macro" or declared):
            return True
        if module.path.endswith(_HEADERS) and not declared:
            return ref.module.path.endswith(_HEADERS)  # it may use what is included before it, wherever that is
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
