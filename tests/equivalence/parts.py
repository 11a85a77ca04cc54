"""Trees in memory that are resolved in parts from what the step before kept: what a graph does, without a store.

Many edits are cheap here; all that a graph keeps of a file is compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from everdex.graph.making.world import Before
from everdex.graph.model import Resolver, Since
from everdex.graph.python.resolver import RESOLVER as PYTHON
from everdex.graph.stored.offers import NO_OFFERS, FileOffers, Offers, changed_keys, file_offers, noted_keys
from everdex.graph.stored.part_table import decode
from everdex.graph.stored.postings import U32, key64
from everdex.graph.stored.record import FileRecord, record
from everdex.numeric import np
from support.worlds import MemoryWorld


@dataclass
class KeptTree:
    """What a graph keeps of a tree."""

    files: dict[str, bytes] = field(default_factory=dict)
    world: MemoryWorld = field(default_factory=lambda: MemoryWorld({}, PYTHON))
    offers: dict[str, FileOffers] = field(default_factory=dict)
    records: dict[str, FileRecord] = field(default_factory=dict)
    asked: dict[str, set[str]] = field(default_factory=dict)  # of each file the parts that were resolved, by node


def text_of(blocks: list[list[str]]) -> bytes:
    """A file of blocks of lines."""
    return "\n".join([line for block in blocks for line in (*block, "")]).encode()


def seen_keys(
    before: KeptTree, world: MemoryWorld, offers: dict[str, FileOffers], resolver: Resolver = PYTHON
) -> U32:
    """The keys that changed, as far as a reader could tell."""
    changed: set[int] = set()
    for path in {*before.files, *world.files}:
        if before.files.get(path) != world.files.get(path):
            found = changed_keys(before.offers.get(path), offers.get(path))
            seen = set(found)
            if path in before.files and path in world.files:
                seen -= unseen(path, before.world, world, found, resolver)
            changed |= seen
    return noted_keys(changed, _offers(before.offers), _offers(offers))


def _offers(found: dict[str, FileOffers]) -> Offers:
    return NO_OFFERS.merged(np.zeros(0, dtype=np.int64), dict(enumerate(found.values())))


def unseen(
    path: str, before: MemoryWorld, after: MemoryWorld, changed: Mapping[int, int], resolver: Resolver = PYTHON
) -> set[int]:
    found = resolver.unseen(path, before.facts(path), after.facts(path), lambda key: changed.get(key64(key), 0))
    return {key64(key) for key in found}


def _since(before: KeptTree, files: dict[str, bytes], offers: dict[str, FileOffers], low: U32) -> Since:
    edited = frozenset(path for path in {*before.files, *files} if before.files.get(path) != files.get(path))
    both = [*before.offers.items(), *offers.items()]
    offered = [each.keys.astype(np.uint32) for path, each in both if path in edited]
    return Since(repr(before.files), repr(files), edited, frozenset(np.concatenate((low, *offered)).tolist()))


def step(
    before: KeptTree, files: dict[str, bytes], resolver: Resolver = PYTHON, *, stays: bool = False
) -> tuple[KeptTree, int, int]:
    """The tree's next graph, and how many parts it has and how many of them were resolved; with `stays` by a resolver
    that may go on with what it knew."""
    world = MemoryWorld(files, resolver)
    offers = {path: file_offers(world.offers[path]) for path in files}
    low = seen_keys(before, world, offers, resolver)
    records, asked, parts = {}, {}, 0
    resolution = resolver.open(world, _since(before, files, offers, low) if stays else None)
    for path in files:
        old = before.records.get(path)
        table = decode(old.parts, old.keys["reads"]) if old is not None else None
        kept = None
        if old is not None and table is not None:
            same = before.files[path] == files[path]
            as_it_was = Before(old.blob, old.parts, old.keys["reads"], low, old.entry, same)
            kept = as_it_was.kept(table, partial(before.world.facts, path))
        graph = resolution.resolve(path, kept)
        assert graph.parts is not None
        parts += len(graph.parts.all)
        asked[path] = {graph.nodes[part.node].key for part in graph.parts.all if part.kept < 0}
        records[path] = record(path, b"", world.language(path), offers[path].whole, graph, "", table)
    if stays:
        resolver.rest()
    return KeptTree(files, world, offers, records, asked), parts, sum(map(len, asked.values()))


def differ(kept: KeptTree, clean: KeptTree) -> list[str]:
    return [
        path
        for path, left in kept.records.items()
        if (right := clean.records[path]) is not left
        and (
            (left.entry, left.blob, left.parts) != (right.entry, right.blob, right.parts)
            or any(not np.array_equal(left.keys[name], right.keys[name]) for name in left.keys)
        )
    ]
