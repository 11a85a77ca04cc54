"""A world of files in memory for resolvers by imports and names: facts and offers as sync and graph would make them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from everdex.facts import facts_of
from everdex.graph.model import Resolver
from everdex.graph.names import RESOLVER
from everdex.languages import language_of
from everdex.parse import trees_of

FIXTURES = Path(__file__).parent.parent / "fixtures" / "callgraph"
LANGUAGES = (
    "bash", "c", "cpp", "csharp", "go", "java", "kotlin", "lua", "php", "ruby", "rust", "scala", "swift",
)  # fmt: skip


def load(root: Path) -> dict[str, bytes]:
    """The files below a directory, by path key."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()
    }


def facts(path: str, data: bytes) -> bytes:
    return facts_of(path, trees_of(path, data), data)


class MemoryWorld:
    """`everdex.graph.model.World` over a dict."""

    def __init__(self, files: Mapping[str, bytes], resolver: Resolver = RESOLVER) -> None:
        self._files = dict(files)
        self._facts = {path: facts(path, data) for path, data in files.items()}
        self.offers = {path: dict(resolver.offers(path, self._facts[path], files[path])) for path in sorted(files)}
        self._offering: dict[str, list[str]] = {}
        for path, offered in self.offers.items():
            for key in offered:
                self._offering.setdefault(key, []).append(path)

    @property
    def paths(self) -> Sequence[str]:
        return sorted(self._files)

    def language(self, path: str) -> str:
        return language_of(path) or "text"

    def facts(self, path: str) -> bytes:
        return self._facts[path]

    def source(self, path: str) -> bytes:
        return self._files[path]

    def offering(self, key: str) -> Sequence[str]:
        return self._offering.get(key, ())
