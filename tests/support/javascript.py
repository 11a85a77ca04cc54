"""An in-memory world of JavaScript files for the tests of its resolver, read by the real parser and extractor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everdex.facts import facts_of
from everdex.graph.javascript import RESOLVER
from everdex.graph.model import FileGraph, Node
from everdex.identity.symbols import plain_name
from everdex.languages import language_of
from everdex.parse import trees_of


class MemoryWorld:
    """`everdex.graph.model.World` over a dict; what is not JavaScript's is there but offers nothing."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(files)
        self.paths: Sequence[str] = sorted(files)
        self._facts: dict[str, bytes] = {}
        self.offers: dict[str, Mapping[str, int]] = {}
        self._offering: dict[str, list[str]] = {}
        for path in self.paths:
            if self.language(path) in RESOLVER.languages:
                trees = trees_of(path, files[path])
                self._facts[path] = facts_of(path, trees, files[path])
                self.offers[path] = RESOLVER.offers(path, self._facts[path], files[path])
                for key in self.offers[path]:
                    self._offering.setdefault(key, []).append(path)

    def language(self, path: str) -> str:
        return language_of(path) or "text"

    def facts(self, path: str) -> bytes:
        return self._facts.get(path, b"")

    def source(self, path: str) -> bytes:
        return self._files[path]

    def offering(self, key: str) -> Sequence[str]:
        return tuple(self._offering.get(key, ()))

    def graphs(self, order: Sequence[str] | None = None) -> dict[str, FileGraph]:
        """Every file's graph, resolved in an order."""
        resolution = RESOLVER.open(self)
        return {path: resolution.resolve(path) for path in order or sorted(self._facts)}


def numbered(node: Node) -> str:
    """A definition's full name, with the number of a second one of that name."""
    return node.qualified_name.removesuffix(plain_name(node.key)) + node.key


def world(**files: str) -> MemoryWorld:
    """Files by name, `__` for `/` and `_ts` for `.ts`: `world(src__a_ts="…")`."""
    return MemoryWorld({_path(name): text.encode() for name, text in files.items()})


def _path(name: str) -> str:
    base, _, extension = name.replace("__", "/").rpartition("_")
    return f"{base}.{extension}"
