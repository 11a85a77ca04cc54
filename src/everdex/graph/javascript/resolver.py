"""JavaScript and TypeScript at work: what a file offers, and its graph; files of an edit serve both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import LANGUAGES
from everdex.graph.javascript.engine import Engine
from everdex.graph.javascript.files import File
from everdex.graph.javascript.hashes import Hashes
from everdex.graph.javascript.offers import offers
from everdex.graph.javascript.sites import FileSites, nothing
from everdex.graph.model import FileGraph, Kept, Outlined, Resolution, Resolver, Since, World
from everdex.memory import collector_held

_RECENT: Final = 8


class _Recent:
    """Files and their hashes as they were last asked for: those of an edit serve its offers and then its graph."""

    def __init__(self) -> None:
        self._files: dict[str, tuple[bytes, File]] = {}
        self._hashes: dict[str, tuple[bytes, Hashes]] = {}

    def hashed(self, path: str, facts: bytes) -> tuple[File, Hashes]:
        """A file for its offers."""
        file = File(path, facts)
        self._files[path], self._hashes[path] = (facts, file), (facts, Hashes(file))
        for known in (self._files, self._hashes):
            if len(known) > _RECENT:
                del known[next(iter(known))]
        return file, self._hashes[path][1]

    def file(self, path: str, facts: bytes) -> File:
        """A file for one world: answers that hold there are remembered with it, so nobody else is given it again."""
        known = self._files.pop(path, None)
        return known[1] if known is not None and known[0] == facts else File(path, facts)

    def hashes(self, file: File, facts: bytes) -> Hashes:
        known = self._hashes.get(file.path)
        return known[1] if known is not None and known[0] == facts else Hashes(file)


class _JavaScriptResolution:
    def __init__(self, world: World, recent: _Recent) -> None:
        self._world = world
        self._recent = recent
        self._engine = Engine(world, recent.file)

    def resolve(
        self, path: str, kept: Kept | None = None, writing: Callable[[bytes], bool] | None = None
    ) -> FileGraph:
        if not self._world.facts(path):
            return nothing(path, len(self._world.source(path)))
        with collector_held():
            return FileSites(self._engine, path).graph(kept, self._hashes, writing)

    def _hashes(self, file: File) -> Hashes:
        return self._recent.hashes(file, self._world.facts(file.path))

    def outline(self, path: str) -> Outlined:
        if not self._world.facts(path):
            bare = nothing(path, len(self._world.source(path)))
            return Outlined(bare.nodes, bare.partial)
        return Outlined(FileSites(self._engine, path).nodes(), self._engine.files[path].facts.partial)


class _JavaScript:
    languages: Final = LANGUAGES

    def __init__(self) -> None:
        self._recent = _Recent()

    def begin(self) -> Resolver:
        return _JavaScript()

    def offers(self, path: str, facts: bytes, source: bytes) -> Mapping[str, int]:
        with collector_held():
            return offers(path, source, *self._recent.hashed(path, facts) if facts[:1] == m.FAMILY else (None, None))

    def unseen(self, path: str, before: bytes, after: bytes, change: Callable[[str], int]) -> tuple[str, ...]:
        return ()  # its hashes are of what is asked for, not of text

    def open(self, world: World, since: Since | None = None) -> Resolution:
        return _JavaScriptResolution(world, self._recent)

    def rest(self) -> None:
        self._recent = _Recent()


RESOLVER: Final[Resolver] = _JavaScript()
