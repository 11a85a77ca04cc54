"""One snapshot as resolvers see it, and the resolvers' work on it, one file at a time.

When a resolver fails on a file, only that file loses its answers: it is kept as failed, with its module node and
nothing else, and every answer that may have needed it says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from everdex.facts import has_facts
from everdex.graph.model import FileGraph, Kept, Node, Outlined, Resolution, Resolver, Since
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import FileEntry
from everdex.graph.stored.columns import Columns
from everdex.graph.stored.kept_facts import KeptFacts
from everdex.graph.stored.offers import FileOffers, Offers, file_offers
from everdex.graph.stored.part_table import PartTable, decode
from everdex.graph.stored.postings import U32, key64
from everdex.graph.text.written import writing_one
from everdex.view import SnapshotView


class SnapshotWorld:
    """`everdex.graph.model.World` over a view and the offers of its files."""

    def __init__(
        self, view: SnapshotView, facts: KeptFacts, offers: Offers, offering_paths: Sequence[str]
    ) -> None:
        self._view = view
        self._facts = facts
        self._offers = offers
        self._offering_paths = offering_paths
        self._asked: dict[str, tuple[str, ...]] = {}

    def facts(self, path: str) -> bytes:
        return self._facts.of(path)

    def source(self, path: str) -> bytes:
        return self._view.source(path)

    def offering(self, key: str) -> Sequence[str]:
        found = self._asked.get(key)
        if found is None:
            found = tuple(self._offering_paths[number] for number in self._offers.offering(key))
            self._asked[key] = found
        return found

    def total(self, key: str) -> int:
        return self._offers.total((key,))


@dataclass(frozen=True, slots=True)
class Before:
    """What an earlier graph has of a file that was resolved in parts, and which keys' offers have changed since."""

    blob: bytes
    parts: bytes
    others: U32
    changed: U32
    entry: FileEntry
    same: bool  # the file's bytes are what they were

    def kept(self, table: PartTable, facts: Callable[[], bytes | None]) -> Kept:
        columns = Columns(self.blob)
        parts = [(columns.nodes[node].key, digest) for node, digest in table.parts]
        return Kept(
            columns.nodes, tuple(columns.sites()), tuple(columns.dependencies()), self.entry.partial, parts,
            table.of_sites, table.stale(self.changed), self.same, facts,
        )  # fmt: skip

    def says(self, graph: FileGraph, kept: Kept) -> bool:
        """Whether a file's graph is what it was, whatever it looked at now."""
        return (
            self.same
            and (graph.sites, graph.dependencies) == (kept.sites, kept.dependencies)
            and graph.nodes == tuple(kept.nodes)
            and (graph.interface, graph.partial) == (self.entry.interface, kept.partial)
            and not (graph.waits or self.entry.waits)
        )


class Resolved(NamedTuple):
    """A file's graph."""

    graph: FileGraph
    failed: str = ""  # what kind of error its resolver raised
    table: PartTable | None = None  # the parts that it may have kept
    is_same: bool = False  # it says what it said before


class Bench:
    """Resolvers over one view: asked for offers first, for graphs once everybody's offers are known."""

    def __init__(self, view: SnapshotView, resolvers: Resolvers) -> None:
        self._view = view
        self._resolvers = resolvers
        self._begun: dict[int, Resolver] = {}
        self._facts = KeptFacts(view)
        self._world: SnapshotWorld | None = None
        self._open: dict[int, Resolution] = {}

    def offers(self, path: str) -> FileOffers:
        resolver = self._resolver(path)
        try:
            return file_offers(resolver.offers(path, self._facts.of(path), self._view.source(path)))
        except Exception:  # noqa: BLE001 - a resolver's bug on one file; resolving it will meet and report the same
            return file_offers({})

    def unseen(self, path: str, before: bytes, changed: Mapping[int, int]) -> frozenset[int]:
        """Of the keys whose offers by a file changed, those of which no reader could tell; `before` is what it was."""
        facts = self._facts.earlier(path, before.hex())
        if facts is None:
            return frozenset()
        try:
            now = self._facts.of(path)
            found = self._resolver(path).unseen(path, facts, now, lambda key: changed.get(key64(key), 0))
        except Exception:  # noqa: BLE001 - see above; everybody who looked is asked again then
            return frozenset()
        return frozenset(key64(key) for key in found)

    def close(self) -> None:
        self._facts.close()
        self._resolvers.leave((self._world, self._begun, self._open))
        self._world = None
        self._begun = {}
        self._open = {}

    def enter(self, offers: Offers, paths: Sequence[str], since: Since | None = None) -> None:
        """Begin resolving in the world in which these files offer this."""
        self._facts.flush()
        self._world = world = SnapshotWorld(self._view, self._facts, offers, paths)
        # Those that stay are told of each world, or they could not go on from the one before.
        staying = (self._resolvers.staying or {}).values()
        self._open = {id(resolver): resolver.open(world, since) for resolver in staying}

    def resolve(self, path: str, before: Before | None, names: Collection[str] | None = None) -> Resolved:
        """A file's graph; with `names` that of the parts which write one of these, of none its definitions."""
        resolution = self._resolution(path)
        table = kept = None
        try:
            if names is not None and not names and before is None:
                nodes, is_partial = resolution.outline(path)
                return Resolved(FileGraph(nodes, (), (), frozenset(), "", is_partial, waits=True))
            if before is not None:
                table = decode(before.parts, before.others)
                kept = before.kept(table, partial(self._facts.earlier, path, before.entry.content.hex()))
            graph = resolution.resolve(path, kept, None if names is None else writing_one(names))
            if names is not None and graph.waits and graph.parts is not None:
                known = table.names if table is not None else frozenset()
                graph = replace(graph, parts=replace(graph.parts, names=known.union(names)))
            if not graph.nodes or graph.nodes[0].key or graph.nodes[0].parent != -1:
                raise ValueError("the first node is not the file")
            if not graph.sites and self._is_unread(path):
                graph = replace(graph, partial=True)
        except Exception as error:  # noqa: BLE001 - see above: one file's answers, not everybody's
            return Resolved(_nothing(path), type(error).__name__)
        is_same = before is not None and kept is not None and before.says(graph, kept)
        return Resolved(graph, "", table, is_same)

    def outline(self, path: str) -> Outlined:
        """What a file defines, the file itself first; but for that nothing, where its resolver fails."""
        try:
            return self._resolution(path).outline(path)
        except Exception:  # noqa: BLE001 - see above
            return Outlined(_nothing(path).nodes, True)

    def _resolution(self, path: str) -> Resolution:
        assert self._world is not None
        resolver = self._resolver(path)
        resolution = self._open.get(id(resolver))
        if resolution is None:
            resolution = self._open[id(resolver)] = resolver.open(self._world)
        return resolution

    def _is_unread(self, path: str) -> bool:
        """Whether no grammar got through a file in time, so that nothing is known of what it calls."""
        return has_facts(self._language(path)) and not self._facts.of(path) and bool(self._view.source(path))

    def _language(self, path: str) -> str:
        return self._view.file_languages[self._view.file_index(path)]

    def _resolver(self, path: str) -> Resolver:
        resolver = self._resolvers.of(self._language(path))
        begun = self._begun.get(id(resolver))
        if begun is None:
            begun = self._begun[id(resolver)] = self._resolvers.begin(resolver)
        return begun


def _nothing(path: str) -> FileGraph:
    name = path.rpartition("/")[2]
    return FileGraph((Node("", name, name, "module", -1, 0, 0, 1, 1, 1, 0, "", True),), (), (), frozenset(), "", True)
