"""The façade: every surface calls this and nothing below it.

An `Index` is a root, its configuration and its store. Reading commands make sure the index is current
(unless told otherwise) and answer from one pinned snapshot; the answer says which, and how fresh it is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from everdex import answers, config
from everdex.answers import Answer, Freshness
from everdex.changes import detect
from everdex.discover import discover
from everdex.discover import explain as explain_path
from everdex.discover.model import Candidate, Skip
from everdex.embed import identity_of
from everdex.errors import Busy, EmbedderUnavailable, NotIndexed, Timeout
from everdex.languages import language_of, role_of
from everdex.roots import Root, canonical_root, everdex_home
from everdex.search.model import SearchRequest
from everdex.snapshot.store import Store, create_store, open_store
from everdex.sync.model import Detected, SyncOptions, SyncReport
from everdex.sync.run import look, sync
from everdex.view import SnapshotView, open_view

_WAIT_FOR_FIRST_INDEX_S = 600.0


@dataclass(frozen=True, slots=True)
class Reading:
    """How a reading command treats the index before it answers."""

    sync: bool = True  # bring it up to date first
    snapshot_id: str | None = None  # answer from this snapshot instead


class Index:
    """Everything that can be asked of, or done to, one root."""

    def __init__(self, root: Root, settings: config.Config, *, shared_store: Path | None = None) -> None:
        self.root = root
        self.config = settings
        identity = identity_of(settings.index.embedder, root.path)
        self.config_fingerprint = config.config_fingerprint(settings.index, identity)
        self.query_fingerprint = config.query_fingerprint(settings.query)
        self._shared = shared_store

    @classmethod
    def open(
        cls, path: str | os.PathLike[str] = ".", *, force_root: bool = False, shared_store: Path | None = None
    ) -> Index:
        """The index of the repository that holds `path`; nothing is created yet."""
        root = canonical_root(path, force=force_root)
        return cls(root, config.load(root.path), shared_store=shared_store)

    # -- writing -------------------------------------------------------------------------------

    def sync(self, options: SyncOptions | None = None) -> SyncReport:
        """Bring the index up to date with the tree."""
        chosen = options or SyncOptions()
        if os.environ.get("EVERDEX_ALWAYS_REHASH") == "1":
            chosen = replace(chosen, always_rehash=True)
        report = sync(self.root, self.config, self.create_store(), chosen)
        self.store().touch_last_used()
        return report

    def create_store(self) -> Store:
        return create_store(self.root, self.config_fingerprint, shared_path=self._shared)

    def store(self) -> Store:
        """The existing store; `NotIndexed` when there is none."""
        if self._shared is not None:
            return self.create_store()
        return open_store(self.root, self.config_fingerprint)

    def preview(self, options: SyncOptions | None = None) -> Detected:
        """What a sync would do. Works without a store: then everything is new."""
        try:
            store = self.store()
        except NotIndexed:
            found = self.discover()
            return Detected(found, detect(self.root, found, {}), None)
        return look(self.root, self.config, store, options or SyncOptions())

    # -- reading -------------------------------------------------------------------------------

    @contextmanager
    def view(self, reading: Reading, options: SyncOptions | None = None) -> Iterator[tuple[SnapshotView, Freshness]]:
        """A pinned snapshot and how fresh it is; indexes a tree never seen before."""
        freshness = self._prepare(reading, options or SyncOptions())
        store = self.store()
        with open_view(store, reading.snapshot_id) as view:
            store.touch_last_used()
            yield view, freshness

    def _prepare(self, reading: Reading, options: SyncOptions) -> Freshness:
        if reading.snapshot_id is not None:
            return answers.PINNED
        if not reading.sync:
            return answers.UNCHECKED
        deadline = time.monotonic() + _WAIT_FOR_FIRST_INDEX_S
        while True:
            try:
                self.sync(options)
                return answers.checked(0)
            except Busy as busy:
                # Another process is writing. With a snapshot to answer from we do, and say it is stale.
                try:
                    detected = self.preview()
                except NotIndexed:
                    detected = None
                if detected is not None and detected.base is not None:
                    changes = detected.changes
                    return answers.checked(len(changes.to_index) + len(changes.delete))
                if time.monotonic() > deadline:
                    raise Timeout("another process is still making the first index") from busy
                options.progress("wait", 0, 0)
                time.sleep((busy.retry_after_ms or 1_000) / 1000)

    def answer(self, view: SnapshotView, freshness: Freshness, body: dict[str, Any], **extra: Any) -> Answer:
        """Wrap a body in the envelope of a view."""
        warnings = (*view.warnings, *extra.pop("warnings", ()))
        return Answer(view.manifest, self.query_fingerprint, freshness, body, warnings=warnings, **extra)

    def search(
        self, request: SearchRequest, reading: Reading | None = None, options: SyncOptions | None = None,
        *, explain: bool = False,
    ) -> Answer:  # fmt: skip
        """The ranked answer to one question."""
        return next(self.search_many([request], reading, options, explain=explain))

    def search_many(
        self, requests: Iterable[SearchRequest], reading: Reading | None = None, options: SyncOptions | None = None,
        *, explain: bool = False,
    ) -> Iterator[Answer]:  # fmt: skip
        """Answers to many questions over one pinned snapshot."""
        from everdex.search.engine import Engine

        with self.view(reading or Reading(), options) as (view, freshness):
            embedder, warnings = self._embedder()
            engine = Engine(view, embedder, self.config.query)
            for request in requests:
                outcome = engine.search(request)
                yield self.answer(
                    view,
                    freshness,
                    {
                        "query": request.query,
                        "mode": str(request.mode),
                        "results": answers.results(outcome.hits, outcome.matches, explain=explain),
                        "omitted": outcome.omitted,
                        "no_strong_match": outcome.no_strong_match,
                        "suggestions": list(outcome.suggestions),
                    },
                    limits_hit=outcome.limits_hit,
                    warnings=(*warnings, *outcome.warnings),
                    timings_ms=outcome.timings_ms,
                )

    def _embedder(self) -> tuple[Any, tuple[str, ...]]:
        """The embedder, or None with a warning: lexical search still answers and says that it is lexical only."""
        from everdex.embed import open_embedder

        try:
            return open_embedder(self.config.index.embedder, self.root.path), ()
        except EmbedderUnavailable as error:
            return None, (f"lexical search only: {error.message}",)

    def discover(self, *, with_ignored: bool = False) -> Any:
        return discover(
            self.root, self.config.index, include_untracked=self.config.index.untracked and self._shared is None,
            everdex_home=everdex_home(), with_ignored=with_ignored,
        )  # fmt: skip

    def files(self, *, skipped: bool = False) -> dict[str, Any]:
        """The eligible set of the tree as it is now, and with `skipped` every path that is out, with its reason."""
        found = self.discover(with_ignored=skipped)
        body: dict[str, Any] = {
            "canonical_root": os.fspath(self.root.path),
            "source": found.source,
            "ignore_fingerprint": found.ignore_fingerprint,
            "files": [self._candidate(file) for file in found.files],
            "collisions": [{"key": item.key, "paths": list(item.paths)} for item in found.collisions],
            "warnings": list(found.warnings),
        }
        if skipped:
            body["skipped"] = [self._skip(item) for item in found.skipped]
        return body

    def explain(self, path: str) -> dict[str, Any]:
        """Why one path is in or out, and what the index knows of it."""
        found = explain_path(self.root, self.config.index, path)
        if isinstance(found, Skip):
            return {"path": found.path_key, "eligible": False, **self._skip(found)}
        return {"eligible": True, "reason": None, "detail": "", **self._candidate(found)}

    def _candidate(self, file: Candidate) -> dict[str, Any]:
        return {
            "path": file.path_key,
            "size": file.stat.size,
            "language": language_of(file.path_key),
            "role": role_of(file.path_key),
        }

    def _skip(self, skip: Skip) -> dict[str, Any]:
        return {"path": skip.path_key, "reason": str(skip.reason), "detail": skip.detail}


