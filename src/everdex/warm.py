"""Answers for a process that stays: the last snapshot's view, engine and embedder are kept between questions.

Every question brings the index up to date first and is answered from the snapshot that is active then. The
readers' lock is held only while a question is answered, so a server that idles for hours never keeps GC waiting;
what is kept is used again only when its snapshot is still the active one, and so was never collected.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from everdex import config, maintain
from everdex.answers import Answer, Freshness
from everdex.errors import Corrupt
from everdex.search.engine import Engine
from everdex.search.model import SearchRequest
from everdex.search.names import SymbolNames
from everdex.service import Index, Reading, Searcher
from everdex.snapshot import active
from everdex.snapshot.guard import hold_shared
from everdex.snapshot.retention import readers_lock
from everdex.snapshot.store import Store
from everdex.symbols import find
from everdex.sync.model import SyncOptions
from everdex.view import SnapshotView


@dataclass(frozen=True, slots=True)
class _Kept:
    """What one snapshot is worth keeping."""

    view: SnapshotView
    engine: Engine
    names: SymbolNames
    warnings: tuple[str, ...]


class WarmIndex:
    """One root, asked again and again; safe to call from several threads, one at a time gets through."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._kept: _Kept | None = None
        self._embedder: tuple[Any, tuple[str, ...]] | None = None

    def search(self, request: SearchRequest, options: SyncOptions, *, explain: bool = False) -> Answer:
        """The ranked answer to one question."""
        with self._ready(options) as (kept, freshness):
            searcher = Searcher(self._index, kept.view, freshness, kept.engine, kept.warnings)
            return searcher.answer(request, explain=explain)

    def symbols(self, asked: str, options: SyncOptions) -> Answer:
        """Every definition of a name, or the outline of a file."""
        with self._ready(options) as (kept, freshness):
            found = find(kept.view, kept.names, self._index.root.path, asked)
            return self._index.answer(
                kept.view, freshness, found.body, limits_hit=found.limits_hit, warnings=found.warnings
            )

    def files(self) -> Answer:
        return self._current().files()

    def explain(self, path: str) -> Answer:
        return self._current().explain(path)

    def status(self) -> Answer:
        return self._current().status()

    def health(self) -> Answer:
        return maintain.health(self._current())

    @property
    def index(self) -> Index:
        return self._index

    def close(self) -> None:
        with self._lock:
            self._drop()

    def _current(self) -> Index:
        with self._lock:
            self._follow_configuration()
            return self._index

    @contextmanager
    def _ready(self, options: SyncOptions) -> Iterator[tuple[_Kept, Freshness]]:
        with self._lock:
            self._follow_configuration()
            freshness = self._index.prepare(Reading(), options)
            store = self._index.store()
            with hold_shared(readers_lock(store), store.permissions):
                pinned = active.pin(store)
                if self._kept is None or self._kept.view.manifest.snapshot_id != pinned.manifest.snapshot_id:
                    self._drop()
                    self._kept = self._open(store, pinned)
                self._kept.view.warnings = pinned.warnings
                try:
                    yield self._kept, freshness
                except Corrupt:
                    # Whoever repairs the store may keep the snapshot's name: never answer from the old files again.
                    self._drop()
                    raise
            store.touch_last_used()

    def _open(self, store: Store, pinned: active.Pinned) -> _Kept:
        if self._embedder is None:
            self._embedder = self._index.embedder()
        embedder, warnings = self._embedder
        view = SnapshotView(store, pinned.manifest, pinned.warnings)
        return _Kept(view, self._index.engine(view, embedder, warnings), SymbolNames(view), warnings)

    def _follow_configuration(self) -> None:
        """`.everdex.toml` may change under a process that stays; another configuration is another store."""
        settings = config.load(self._index.root.path)
        if settings != self._index.config:
            self._drop()
            self._embedder = None
            self._index = Index(self._index.root, settings, shared_store=self._index.shared_store)

    def _drop(self) -> None:
        if self._kept is not None:
            self._kept.view.close()
            self._kept = None
