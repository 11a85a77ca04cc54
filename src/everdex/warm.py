"""Answers for a process that stays with one root: questions of every kind over a kept view.

Every question brings the index up to date first and is answered from the snapshot that is active then. A change of
`.everdex.toml` is followed: another configuration is another store.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from everdex import config, maintain
from everdex.answers import Answer, Freshness
from everdex.kept import Kept, KeptViews
from everdex.search.engine import Engine
from everdex.search.model import SearchRequest
from everdex.service import Index, Reading, Searcher
from everdex.symbols import find
from everdex.sync.model import SyncOptions
from everdex.view import SnapshotView


class WarmIndex:
    """One root, asked again and again; safe to call from several threads, one at a time gets through."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._views: KeptViews | None = None
        self._embedder: tuple[Any, tuple[str, ...]] | None = None

    def search(self, request: SearchRequest, options: SyncOptions, *, explain: bool = False) -> Answer:
        """The ranked answer to one question."""
        with self._ready(options) as (kept, freshness), kept.engine(self._engine) as engine:
            searcher = Searcher(self._index, kept.view, freshness, engine, self._loaded()[1])
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
    def _ready(self, options: SyncOptions) -> Iterator[tuple[Kept, Freshness]]:
        with self._lock:
            self._follow_configuration()
            freshness = self._index.prepare(Reading(), options)
            store = self._index.store()
            if self._views is None:
                self._views = KeptViews(store)
            with self._views.pinned() as kept:
                yield kept, freshness
            store.touch_last_used()

    def _engine(self, view: SnapshotView) -> Engine:
        return self._index.engine(view, *self._loaded())

    def _loaded(self) -> tuple[Any, tuple[str, ...]]:
        """The embedder and what there is to say about it, loaded once."""
        if self._embedder is None:
            self._embedder = self._index.embedder()
        return self._embedder

    def _follow_configuration(self) -> None:
        """`.everdex.toml` may change under a process that stays; another configuration is another store."""
        settings = config.load(self._index.root.path)
        if settings != self._index.config:
            self._drop()
            self._embedder = None
            self._index = Index(self._index.root, settings, shared_store=self._index.shared_store)

    def _drop(self) -> None:
        if self._views is not None:
            self._views.release()
            self._views = None
