"""An index for a process that works on one root without a daemon: asked once, or kept warm between questions.

Each question brings the index up to date first, as far as it asks for that. A warm index uses another store from then
on when `.everdex.toml` changes.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from everdex import config
from everdex.service.answers import Freshness
from everdex.service.index import Index, Reading
from everdex.service.reader import Reader
from everdex.sync.model import SyncOptions


@contextmanager
def once(index: Index, reading: Reading, options: SyncOptions) -> Iterator[tuple[Reader, Freshness]]:
    """A reader of the index, made as fresh as the reading wants, and how fresh that is; not kept after the block."""
    freshness = index.prepare(reading, options)
    index.store().touch_last_used()
    reader = Reader(index, options=options)
    try:
        yield reader, freshness
    finally:
        reader.close()


class WarmIndex:
    """One root, asked again and again, from any thread."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._lock = threading.Lock()
        self._reader: Reader | None = None

    @property
    def index(self) -> Index:
        """The index as `.everdex.toml` describes it now."""
        with self._lock:
            settings = config.load(self._index.root.path)
            if settings != self._index.config:
                self._drop()
                self._index = Index(self._index.root, settings, shared_store=self._index.shared_store)
            return self._index

    def ready(self, reading: Reading) -> tuple[Reader, Freshness]:
        """A reader of the index, made as fresh as the reading wants, and how fresh that is."""
        index = self.index
        freshness = index.prepare(reading, SyncOptions())
        index.store().touch_last_used()
        with self._lock:
            if self._reader is None or self._reader.index is not index:
                self._drop()
                self._reader = Reader(index, waits=True)
            return self._reader, freshness

    def close(self) -> None:
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        if self._reader is not None:
            self._reader.shed()
            self._reader = None
