"""One open view and its engines, kept between questions and replaced when another snapshot is active.

The readers' lock is held only while a question is answered, so a process that idles for hours never keeps GC
waiting; what is kept is used again only while its snapshot is still the active one, and so was never collected.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Final

from everdex.errors import Corrupt
from everdex.search.engine import Engine
from everdex.search.names import SymbolNames
from everdex.snapshot import active
from everdex.snapshot.guard import hold_shared
from everdex.snapshot.retention import readers_lock
from everdex.snapshot.store import Store
from everdex.view import SnapshotView, open_kept_view

# An engine answers one question at a time; more of them than cores would only fight for the interpreter.
_LANES: Final = 2


class Kept:
    """A view, its engines and how many questions use it now."""

    def __init__(self, view: SnapshotView) -> None:
        self.view = view
        self.users = 0
        self.retired = False
        self._engines: list[Engine] = []
        self._free = threading.Semaphore(_LANES)

    @contextmanager
    def engine(self, make: Callable[[SnapshotView], Engine]) -> Iterator[Engine]:
        with self._free:
            try:
                engine = self._engines.pop()
            except IndexError:
                engine = make(self.view)
            try:
                yield engine
            finally:
                self._engines.append(engine)

    @cached_property
    def names(self) -> SymbolNames:
        return SymbolNames(self.view)


class KeptViews:
    """The kept view of one store. Every method may be called from any thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._kept: Kept | None = None

    @contextmanager
    def pinned(self) -> Iterator[Kept]:
        """The active snapshot's view, for one question."""
        with hold_shared(readers_lock(self._store), self._store.permissions):
            with self._lock:
                kept = self._kept
                if kept is None or kept.view.manifest.snapshot_id != active.read_pointer(self._store):
                    fresh = Kept(open_kept_view(self._store))
                    self._retire()
                    kept = self._kept = fresh
                kept.users += 1
            try:
                yield kept
            except Corrupt:
                # Whoever repairs the store may keep the snapshot's name: never answer from the old files again.
                self._forget(kept)
                raise
            finally:
                with self._lock:
                    kept.users -= 1
                    if kept.retired and not kept.users:
                        kept.view.close()

    def release(self) -> None:
        """Close the view as soon as nobody uses it; the next question opens it again."""
        with self._lock:
            self._retire()

    def _forget(self, kept: Kept) -> None:
        with self._lock:
            if self._kept is kept:
                self._retire()

    def _retire(self) -> None:
        kept, self._kept = self._kept, None
        if kept is not None:
            kept.retired = True
            if not kept.users:
                kept.view.close()
