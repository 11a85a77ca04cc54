"""Open views and their search engines, kept between questions: of the active snapshot, and of the last one asked by id.

The readers' lock is held only while a question is answered, so that a process which idles for hours never blocks
garbage collection. A kept view is used again only if its snapshot, looked up under that lock, is still there.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final

from everdex.errors import Corrupt
from everdex.memory import trim
from everdex.search.names import SymbolNames
from everdex.semantic.kept import stamp
from everdex.snapshot import active
from everdex.snapshot.guard import hold_shared
from everdex.snapshot.store import Store
from everdex.view import SnapshotView, open_kept_view

if TYPE_CHECKING:
    from everdex.search.engine import Engine
    from everdex.service.begun import Early
    from everdex.service.opening import Open

# An engine answers one question at a time; more of them than cores would only fight for the interpreter.
_LANES: Final = 2
# Giving memory back takes milliseconds: not after every edit.
_TRIM_EVERY_S: Final = 2.0


class Kept:
    """A view, its engines and how many questions use it now."""

    def __init__(self, view: SnapshotView) -> None:
        self.view = view
        self.users = 0
        self.retired = False
        self._engines: list[Engine] = []
        self._free = threading.Semaphore(_LANES)
        self._graph: Open | None = None
        self._facts: object = None  # what indexers said when it was opened
        self._making = threading.Lock()
        self._early: Early | None = None

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

    def graph(self, make: Callable[[SnapshotView], Open | None]) -> Open | None:
        """The graph of the view, opened (or made) for the first question that needs it; None if `make` has none.

        What indexers say arrives without a new snapshot: then it is another graph.
        """
        with self._making:
            facts = stamp(self.view.store)
            if self._graph is None or self._facts != facts:
                self._graph, self._facts = make(self.view), facts
            return self._graph

    def early(self) -> Early:
        """What is kept for questions about the graph while there is none."""
        from everdex.service.begun import Early

        with self._making:
            self._early = self._early or Early()
            return self._early

    def forget_early(self, unused_s: float = 0.0) -> None:
        early = self._early
        if early is not None:
            early.close(unused_s)

    def close(self) -> None:
        self.forget_early()
        self.view.close()

    @cached_property
    def names(self) -> SymbolNames:
        return SymbolNames(self.view)


class KeptViews:
    """The kept views of one store. Every method may be called from any thread."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._active: Kept | None = None
        self._older: Kept | None = None
        self._replaced = False  # since memory was last given back
        self._trimmed = time.monotonic()

    @contextmanager
    def pinned(self, snapshot_id: str | None = None) -> Iterator[Kept]:
        """The view of the active snapshot, or of a retained one, for one question."""
        with hold_shared(self._store.readers_lock, self._store.permissions):
            with self._lock:
                kept = self._current() if snapshot_id is None else self._named(snapshot_id)
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
                        kept.close()
        self._give_back()

    def _give_back(self) -> None:
        """Trim when a view was replaced, after the answer: by then its memory is free."""
        with self._lock:
            now = time.monotonic()
            if not self._replaced or now - self._trimmed < _TRIM_EVERY_S:
                return
            self._replaced, self._trimmed = False, now
        trim()

    def _current(self) -> Kept:
        kept = self._active
        if kept is None or kept.view.manifest.snapshot_id != active.read_pointer(self._store):
            fresh = Kept(open_kept_view(self._store))
            if kept is not None:
                _retire(kept)
                self._replaced = True
            kept = self._active = fresh
        return kept

    def _named(self, snapshot_id: str) -> Kept:
        for kept in (self._active, self._older):
            known = kept is not None and kept.view.manifest.snapshot_id == snapshot_id
            if kept is not None and known and active.manifest_path(self._store, snapshot_id).is_file():
                return kept
        pinned = active.pin(self._store, snapshot_id)
        fresh = Kept(SnapshotView(self._store, pinned.manifest, pinned.warnings))
        _retire(self._older)
        self._older = fresh
        return fresh

    def release(self) -> None:
        """Close the views as soon as nobody uses them; the next question opens them again."""
        with self._lock:
            _retire(self._active)
            _retire(self._older)
            self._active = self._older = None

    def forget_early(self, unused_s: float) -> None:
        """Let go of what was resolved for questions before the graph and was not used for so long."""
        with self._lock:
            for kept in (self._active, self._older):
                if kept is not None:
                    kept.forget_early(unused_s)

    def _forget(self, kept: Kept) -> None:
        with self._lock:
            _retire(kept)
            if self._active is kept:
                self._active = None
            elif self._older is kept:
                self._older = None


def _retire(kept: Kept | None) -> None:
    if kept is not None:
        kept.retired = True
        if not kept.users:
            kept.close()
