"""Which resolver answers for which language. Resolvers are named by module, so that a worker process finds them too."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from everdex import versions
from everdex.graph.model import Resolver

# Modules that export RESOLVER; where two know a language, the first has it.
MODULES: Final[tuple[str, ...]] = ("everdex.graph.python", "everdex.graph.javascript", "everdex.graph.names")


class Resolvers:
    """The resolvers of some modules, by language."""

    def __init__(self, modules: Sequence[str]) -> None:
        self.modules = tuple(modules)
        self._by_language: dict[str, Resolver] = {}
        for module in self.modules:
            resolver: Resolver = import_module(module).RESOLVER
            for language in resolver.languages:
                self._by_language.setdefault(language, resolver)

    @property
    def version(self) -> str:
        """Names what resolved a graph: another set of resolvers, or another version of them, makes another graph."""
        numbers = (versions.FACTS_VERSION, versions.RESOLVERS_VERSION, versions.ARTIFACTS["graph"].writable)
        known = f"{numbers}:{','.join(self.modules)}"
        return hashlib.sha256(known.encode()).hexdigest()[:12]

    def of(self, language: str) -> Resolver | None:
        return self._by_language.get(language)
