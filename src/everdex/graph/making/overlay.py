"""The graph of a snapshot with what semantic indexers say put over it.

The graph of the text stays as it is; this is a second one, made from it. Files without semantic facts are copied. A
file with facts is joined anew when its own graph, its facts, or a file that was looked at for it changed since an
earlier overlay; otherwise it is copied from that one. The result does not depend on which way it was made. An overlay
is never the base of another snapshot's graph, so it stores neither parts nor reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
import xxhash

from everdex import versions
from everdex.durable import Pieces
from everdex.graph.definitions.atlas import Atlas
from everdex.graph.making.joining import Joiner
from everdex.graph.stored.artifact import TABLES, Graph, Parts, pack
from everdex.graph.stored.blobs import joined
from everdex.graph.stored.postings import EMPTY, Postings
from everdex.graph.stored.record import FileRecord, record
from everdex.numeric import np, npt
from everdex.semantic.kept import Semantic
from everdex.view import SnapshotView

_READ_FROM_TEXT = ("reads",)


def overlay(view: SnapshotView, graph: Graph, semantic: Semantic, before: Graph | None, version: str) -> Pieces:
    """A graph joined with facts; `before` is an earlier overlay, `version` says what it is made of."""
    making = _Making(view, graph, semantic, before)
    known = [(number, path) for number, path in enumerate(graph.paths) if path in semantic.chosen]
    reused: dict[int, int] = {}
    records: dict[int, FileRecord] = {}
    for number, path in known:
        earlier = making.reusable(path)
        if earlier is not None:
            reused[number] = earlier
        else:
            records[number] = making.joined(number, path)
    entries, blobs = [], []
    for number, entry in enumerate(graph.files):
        if number in records:
            entries.append(records[number].entry)
            blobs.append(records[number].blob)
        elif number in reused:
            assert before is not None
            entries.append(before.files[reused[number]])
            blobs.append(before.blob(reused[number]))
        else:
            entries.append(entry)
            blobs.append(graph.blob(number))
    same = np.array([-1 if path in semantic.chosen else number for number, path in enumerate(graph.paths)])
    moved = _moved(before, reused)
    tables = {
        name: EMPTY if name in _READ_FROM_TEXT else _table(graph, before, name, same, moved, records)
        for name in TABLES
    }
    counted = {number: item.asked for number, item in records.items() if item.asked is not None}
    asked = graph.asked.merged(same, counted)
    if before is not None:
        asked = asked.beside(before.asked.merged(moved, {}))
    nothing = joined([b""] * len(entries))
    return pack(Parts(graph.digest, version, tuple(entries), joined(blobs), nothing, graph.offers, asked, tables))


def _moved(before: Graph | None, reused: Mapping[int, int]) -> npt.NDArray[np.int64]:
    """Of each file of the earlier overlay its number now; -1 where nothing is taken from it."""
    moved = np.full(len(before.files) if before is not None else 0, -1, dtype=np.int64)
    for number, earlier in reused.items():
        moved[earlier] = number
    return moved


def _table(
    graph: Graph, before: Graph | None, name: str, same: npt.NDArray[np.int64], moved: npt.NDArray[np.int64],
    records: Mapping[int, FileRecord],
) -> Postings:  # fmt: skip
    table = graph.tables[name].merged(same, {number: item.keys[name] for number, item in records.items()})
    return table if before is None else table.beside(before.tables[name].merged(moved, {}))


class _Making:
    def __init__(self, view: SnapshotView, graph: Graph, semantic: Semantic, before: Graph | None) -> None:
        self._graph = graph
        self._semantic = semantic
        self._before = before
        self._hashes: dict[str, bytes] = {}
        self._known_by_all = f"{versions.JOIN_VERSION} {sorted(semantic.packages)!r}".encode()
        self._joiner = Joiner(Atlas(view, graph), semantic.packages)

    def reusable(self, path: str) -> int | None:
        """The number that a file has in the earlier overlay, if it would be joined to the same again."""
        earlier = self._before.number(path) if self._before is not None else None
        if self._before is None or earlier is None:
            return None
        entry = self._before.files[earlier]
        return earlier if entry.joined and entry.joined == self._made_of(path, entry.looked) else None

    def joined(self, number: int, path: str) -> FileRecord:
        entry = self._graph.files[number]
        joined = self._joiner.join(number, self._semantic.document(path))
        found = record(path, entry.content, entry.language, entry.offers, joined.graph, entry.failed, None)
        made_of = self._made_of(path, joined.looked)
        found_entry = msgspec.structs.replace(found.entry, joined=made_of, looked=joined.looked)
        return FileRecord(found_entry, found.blob, b"", found.asked, found.keys)

    def _made_of(self, path: str, looked: Iterable[str]) -> bytes:
        """A hash of all that the join of a file depends on."""
        _, entry = self._semantic.chosen[path]
        digest = xxhash.xxh3_128(entry.digest + self._known_by_all)
        for each in (path, *looked):
            digest.update(each.encode() + b"\0" + self._hash(each))
        return digest.digest()

    def _hash(self, path: str) -> bytes:
        """Of a file's content and its graph; b"" when there is none."""
        found = self._hashes.get(path)
        if found is None:
            number = self._graph.number(path)
            blob = b"" if number is None else self._graph.files[number].content + self._graph.blob(number)
            found = self._hashes[path] = xxhash.xxh3_128_digest(blob) if blob else b""
        return found
