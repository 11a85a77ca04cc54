"""A world of files in memory for the tests of resolvers: facts and offers as sync and graph would make them.

Files with the same path and bytes are read once in a process: a random history resolves the same ones over and over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from everdex.facts import facts_of
from everdex.graph.model import FileGraph, Resolver
from everdex.languages import language_in
from everdex.parse import trees_of


def facts(path: str, data: bytes) -> bytes:
    return facts_of(path, trees_of(path, data), data)


@lru_cache(maxsize=512)
def _read(resolver: Resolver, path: str, data: bytes) -> tuple[bytes, Mapping[str, int]]:
    """What a file says of itself, and what it offers."""
    found = facts(path, data)
    return found, resolver.offers(path, found, data)


class MemoryWorld:
    """`everdex.graph.model.World` over a dict; what is not in the resolver's languages is there but offers nothing."""

    def __init__(self, files: Mapping[str, bytes], resolver: Resolver) -> None:
        self.files = dict(files)
        self.paths: Sequence[str] = sorted(files)
        self.offers: dict[str, Mapping[str, int]] = {}
        self._resolver = resolver
        self._facts: dict[str, bytes] = {}
        self._offering: dict[str, list[str]] = {}
        for path in self.paths:
            if self.language(path) in resolver.languages:
                self._facts[path], self.offers[path] = _read(resolver, path, self.files[path])
                for key in self.offers[path]:
                    self._offering.setdefault(key, []).append(path)

    def language(self, path: str) -> str:
        return language_in(path, self.files[path]) or "text"

    def facts(self, path: str) -> bytes:
        return self._facts.get(path, b"")

    def source(self, path: str) -> bytes:
        return self.files[path]

    def offering(self, key: str) -> Sequence[str]:
        return tuple(self._offering.get(key, ()))

    def total(self, key: str) -> int:
        return sum(self.offers[path][key] for path in self._offering.get(key, ()))

    def graphs(self, order: Sequence[str] | None = None) -> dict[str, FileGraph]:
        """Every file's graph, resolved in an order."""
        resolution = self._resolver.open(self)
        return {path: resolution.resolve(path) for path in order or sorted(self._facts)}
