"""Imports a SCIP index: checks each document against the snapshot's bytes, and publishes what holds at once.

Whoever ran the indexer says what each file was when it began; a file that is another by now is left out. Where nobody
says, a document has to prove by its text or its names that it is about our bytes. Documents of earlier imports stay as
long as their bytes do. A crash leaves all of the new facts or all of the old.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

import msgspec

from everdex import clock, limits
from everdex.errors import Corrupt, Incompatible, ScipInvalid
from everdex.semantic import kept, scip
from everdex.semantic.kept import ContextFacts, Package, Stored
from everdex.semantic.model import (
    CHANGED,
    DEFINITION,
    NOT_INDEXED,
    OTHER_TEXT,
    OUTSIDE,
    Context,
    Document,
    ImportReport,
    Place,
)
from everdex.semantic.placing import LeftOut, Placed, placed
from everdex.semantic.reading import ScipDocument, open_index, read_documents
from everdex.snapshot.guard import Guard, hold_guard
from everdex.snapshot.store import Store
from everdex.sync.model import Progress, silent
from everdex.view import SnapshotView

LOCK: Final = "semantic.lock"
_TTL_MS: Final = 600_000  # of an import that is stuck
_WAIT_MS: Final = 60_000


def alone(store: Store) -> AbstractContextManager[Guard]:
    """The lock under which kept facts are changed."""
    return hold_guard(store.locks / LOCK, store.permissions, wait_ms=_WAIT_MS, ttl_ms=_TTL_MS)


def import_scip(
    view: SnapshotView, scip_file: Path, context: Context, hashes: Mapping[str, str] | None,
    owned: Container[str] | None = None, progress: Progress = silent,
) -> ImportReport:  # fmt: skip
    """Keep what an index says of files that are in the snapshot with the bytes it is about.

    `hashes` has the SHA-256 of every file (by path key) as it was when the indexer began; None when nobody knows.
    With `owned`, only what is said of those files is kept; what others define is still known to be there.
    """
    store = view.store
    kept.facts_path(store, context.id)  # a bad id is refused before anything is read
    with open_index(scip_file) as stream:
        reading = _Reading(view, context, hashes, owned)
        for number, document in enumerate(read_documents(stream)):
            progress("import", number, 0)
            reading.add(document)
    fresh = {item.path: item for item in reading.stored()}
    with alone(store) as guard:
        older, packages = _still_good(view, context.id)
        still = [item for item in older if item.path not in fresh]
        context = msgspec.structs.replace(context, refreshed_at=clock.now())
        guard.require()
        kept.write(store, context, reading.packages | packages, [*fresh.values(), *still])
    return ImportReport(
        context, len(fresh), sum(item.occurrences for item in fresh.values()), len(reading.homes),
        dict(reading.skipped), tuple(sorted(reading.changed)), len(still),
    )  # fmt: skip


def _still_good(view: SnapshotView, context_id: str) -> tuple[list[Stored], frozenset[Package]]:
    """What is kept of the context already and still about bytes of the snapshot; of a damaged file nothing is."""
    try:
        facts = ContextFacts(kept.facts_path(view.store, context_id))
        held = kept.current(view, facts)
        older = [Stored(entry.path, entry.content, facts.raw(entry), entry.occurrences) for entry in held]
    except (FileNotFoundError, Corrupt, Incompatible):
        return [], frozenset()
    return older, facts.packages if older else frozenset()


class _Reading:
    """One import's documents, until where everything is defined is known."""

    def __init__(
        self, view: SnapshotView, context: Context, hashes: Mapping[str, str] | None, owned: Container[str] | None
    ) -> None:
        self._view = view
        self._owned = owned
        self._prefix = f"{context.root}/" if context.root else ""
        self._hashes = hashes
        # Packed, without homes: there may be millions of places. A file that two projects share has two documents.
        self._documents: dict[str, list[bytes]] = {}
        self.homes: dict[str, list[tuple[str, int]]] = {}  # symbol -> where it is defined
        self._definitions = 0
        self._packages: set[Package] = set()
        self.skipped: Counter[str] = Counter()
        self.changed: set[str] = set()

    def add(self, document: ScipDocument) -> None:
        path = "" if document.path is None else self._prefix + document.path
        try:
            occurrences = self._placed(path, document)
        except LeftOut as left_out:
            self._leave_out(path, str(left_out), document)
            return
        for start, _, symbol, roles in occurrences:
            if roles & DEFINITION:
                self._define(symbol, path, start)
        if self._owns(path):
            packed = msgspec.msgpack.encode(_without_homes(occurrences, document.implements))
            self._documents.setdefault(path, []).append(packed)

    def _leave_out(self, path: str, reason: str, document: ScipDocument) -> None:
        for item in document.occurrences:
            if item.roles & DEFINITION:
                self._note(item.symbol)  # not outside, for all that is left out
        if reason in (NOT_INDEXED, OUTSIDE):
            self.skipped[reason] += 1
        elif self._owns(path):
            self.skipped[reason] += 1
            self.changed.add(path)

    def _define(self, symbol: str, path: str, start: int) -> None:
        self._note(symbol)
        homes = self.homes.setdefault(symbol, [])
        if len(homes) <= limits.MAX_SCIP_HOMES and (path, start) not in homes:  # one more tells that there are too many
            homes.append((path, start))

    def _note(self, symbol: str) -> None:
        """Something of this symbol's package is defined in the project."""
        self._definitions += 1
        if self._definitions > limits.MAX_SCIP_DEFINITIONS:
            raise ScipInvalid(f"the index has more than {limits.MAX_SCIP_DEFINITIONS:,} definitions")
        known = scip.parsed(symbol)
        assert known is not None  # what is no symbol was not read
        self._packages.add((known.manager, known.package))

    def _owns(self, path: str) -> bool:
        return self._owned is None or path in self._owned

    def _placed(self, path: str, document: ScipDocument) -> list[Placed]:
        if not path:
            raise LeftOut(OUTSIDE)
        line = self._view.file_line(path)
        if line is None or line.skip is not None:
            raise LeftOut(NOT_INDEXED)
        if self._hashes is not None and self._hashes.get(path) != line.content_hash:
            raise LeftOut(CHANGED)
        source = self._view.source(path)
        if document.text is not None and document.text != source:
            raise LeftOut(OTHER_TEXT)
        proven = self._hashes is not None or document.text is not None
        found, left = placed(document.occurrences, source, document.encoding, by_name=not proven)
        self.skipped.update({reason: count for reason, count in left.items() if count})
        return found

    @property
    def packages(self) -> frozenset[Package]:
        """The packages of which something is defined in this index, also in documents that were left out."""
        return frozenset(self._packages)

    def stored(self) -> list[Stored]:
        """The documents as they are kept, each with where its symbols are defined.

        Of a file with several all have to be about its bytes.
        """
        return [self._stored(path, all_of) for path, all_of in self._documents.items() if path not in self.changed]

    def _stored(self, path: str, packed: Sequence[bytes]) -> Stored:
        document = _united([msgspec.msgpack.decode(each, type=Document) for each in packed])
        numbers: dict[str, int] = {}
        homes = tuple(
            tuple(Place(numbers.setdefault(home, len(numbers)), start) for home, start in self._homes_of(symbol))
            for symbol in document.symbols
        )
        files = tuple((home, self._content(home)) for home in numbers)
        return kept.stored(path, self._content(path), msgspec.structs.replace(document, files=files, homes=homes))

    def _homes_of(self, symbol: str) -> Sequence[tuple[str, int]]:
        """None for what is defined all over the project: every file that names it would list them all."""
        homes = self.homes.get(symbol, ())
        return homes if len(homes) <= limits.MAX_SCIP_HOMES else ()

    def _content(self, path: str) -> bytes:
        line = self._view.file_line(path)
        assert line is not None
        return bytes.fromhex(line.content_hash)


def _united(documents: Sequence[Document]) -> Document:
    """What several documents say of one file."""
    if len(documents) == 1:
        return documents[0]
    occurrences = {
        Placed(start, start + length, each.symbols[number], roles)
        for each in documents
        for start, length, number, roles in zip(each.starts, each.lengths, each.numbers, each.roles, strict=True)
    }
    implements = [(each.symbols[one], each.symbols[other]) for each in documents for one, other in each.implements]
    return _without_homes(sorted(occurrences), implements)


def _without_homes(occurrences: Sequence[Placed], implements: Iterable[tuple[str, str]]) -> Document:
    """A document of which is not known yet where its symbols are defined."""
    symbols: dict[str, int] = {}
    numbers = tuple(symbols.setdefault(item.symbol, len(symbols)) for item in occurrences)
    above = tuple(
        (symbols[symbol], symbols.setdefault(other, len(symbols)))
        for symbol, other in sorted(set(implements))
        if symbol in symbols
    )
    return Document(
        (), tuple(symbols), (), tuple(item.start for item in occurrences),
        tuple(item.end - item.start for item in occurrences), numbers, tuple(item.roles for item in occurrences), above,
    )  # fmt: skip
