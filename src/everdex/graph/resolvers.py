"""Which resolver answers for which language. Resolvers are named by module, so that a worker process finds them too."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from everdex import versions
from everdex.graph.model import Resolver

# Modules that say which LANGUAGES they know and load a resolver; where two know a language, the first has it.
MODULES: Final[tuple[str, ...]] = ("everdex.graph.python", "everdex.graph.javascript", "everdex.graph.names")


class Resolvers:
    """The resolvers of some modules, by language. In a process that stays they may keep from one graph to the next what
    they know; one graph at a time is made with those."""

    def __init__(self, modules: Sequence[str] | None = None, *, stay: bool = False) -> None:
        self.modules = tuple(MODULES if modules is None else modules)
        self.staying: dict[int, Resolver] | None = {} if stay else None
        self._left: object = None
        self._by_language: dict[str, str] = {}
        for module in self.modules:
            for language in import_module(module).LANGUAGES:
                self._by_language.setdefault(language, module)

    @property
    def version(self) -> str:
        """Names what resolved a graph: another set of resolvers, or another version of them, makes another graph."""
        numbers = (versions.FACTS_VERSION, versions.RESOLVERS_VERSION, versions.ARTIFACTS["graph"].writable)
        known = f"{numbers}:{','.join(self.modules)}"
        return hashlib.sha256(known.encode()).hexdigest()[:12]

    def knows(self, language: str) -> bool:
        return language in self._by_language

    def of(self, language: str) -> Resolver:
        """That of a language it knows, loaded when it is first asked for."""
        resolver: Resolver = import_module(self._by_language[language]).load()
        return resolver

    def begin(self, resolver: Resolver) -> Resolver:
        """One of them for one graph, or for all."""
        if self.staying is None:
            return resolver.begin()
        found = self.staying.get(id(resolver))
        if found is None:
            found = self.staying[id(resolver)] = resolver.begin()
        return found

    def leave(self, things: object) -> None:
        """What a graph took and is needed no more. In a process that stays it is given back when somebody has the
        graph: piece by piece that took a tenth of what an edit takes."""
        if self.staying is not None:
            self._left = things

    def rest(self) -> None:
        """When those that stay have made a graph, and somebody has it."""
        self._left = None
        for each in (self.staying or {}).values():
            each.rest()
