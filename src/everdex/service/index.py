"""The façade: every surface calls this, and nothing below it.

An `Index` is a root with its configuration and its store. Reading commands first bring the index up to date, unless
they are told not to, and then answer from one pinned snapshot; every answer names that snapshot and says how fresh it
is. What needs numpy or a model is imported where it is used, because most commands need neither.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from msgspec.structs import replace

from everdex import config
from everdex.changes import detect
from everdex.changes.model import NO_CHANGES
from everdex.discover import discover
from everdex.discover import explain as explain_path
from everdex.discover.model import Discovery
from everdex.embed import identity_of
from everdex.errors import Busy, EmbedderUnavailable, NotIndexed, RootRefused, Timeout, UsageError
from everdex.roots import Root, canonical_root, everdex_home, store_id
from everdex.service import answers, describe
from everdex.service.answers import Answer, Freshness, Origin
from everdex.service.searcher import Searcher
from everdex.snapshot import active
from everdex.snapshot.live import LiveMap, live_map
from everdex.snapshot.store import Store, create_store, open_store, open_store_at
from everdex.sync.glance import Stands, stands
from everdex.sync.look import look, pinned_or_none
from everdex.sync.model import Detected, SyncOptions, SyncReport
from everdex.sync.run import sync

if TYPE_CHECKING:
    from everdex.search.engine import Engine
    from everdex.search.model import SearchRequest
    from everdex.view import SnapshotView

_WAIT_FOR_WRITER_S: Final = 600.0


class Reading(msgspec.Struct, frozen=True):
    """How a reading command treats the index before it answers."""

    sync: bool = True  # bring it up to date first
    snapshot_id: str | None = None  # answer from this snapshot instead
    offline: bool = False  # read the store directly even when a daemon runs

    @property
    def warnings(self) -> tuple[str, ...]:
        return (answers.OFFLINE_WARNING,) if self.offline else ()


class Index:
    """Everything that can be asked of, or done to, one root."""

    def __init__(self, root: Root, settings: config.Config, *, shared_store: Path | None = None) -> None:
        self.root = root
        self.config = settings
        identity = identity_of(settings.index.embedder, root.path)
        self.config_fingerprint = config.config_fingerprint(settings.index, identity)
        self.query_fingerprint = config.query_fingerprint(settings.query)
        self.shared_store = Path(os.path.abspath(shared_store)) if shared_store is not None else None

    @classmethod
    def open(
        cls, path: str | os.PathLike[str] = ".", *, force_root: bool = False, shared_store: Path | None = None
    ) -> Index:
        """The index of the repository that holds `path`; nothing is created yet."""
        root = canonical_root(path, force=force_root)
        return cls(root, config.load(root.path), shared_store=shared_store)

    @classmethod
    def open_to_read(cls, path: str | os.PathLike[str] = ".", *, shared_store: Path | None = None) -> Index:
        """Like `open`, and a root that was indexed with force needs no more force to be read."""
        try:
            return cls.open(path, shared_store=shared_store)
        except RootRefused:
            forced = cls.open(path, force_root=True, shared_store=shared_store)
            try:
                forced.store()
            except NotIndexed:
                pass
            else:
                return forced
            raise

    # -- writing -------------------------------------------------------------------------------

    def sync(self, options: SyncOptions | None = None, *, wait: bool = False) -> SyncReport:
        """Bring the index up to date with the tree; with `wait`, after whoever is writing it now."""
        chosen = self._options(options)
        deadline = time.monotonic() + (_WAIT_FOR_WRITER_S if wait else 0.0)
        store = self.create_store()
        while True:
            try:
                report = sync(self.root, self.config, store, chosen)
                store.touch_last_used()
                return report
            except Busy as busy:
                if not wait:
                    raise
                self._pause(busy, chosen, deadline)

    def _options(self, options: SyncOptions | None) -> SyncOptions:
        chosen = options or SyncOptions()
        if os.environ.get("EVERDEX_ALWAYS_REHASH") == "1":
            chosen = replace(chosen, always_rehash=True)
        return chosen

    @staticmethod
    def _pause(busy: Busy, options: SyncOptions, deadline: float) -> None:
        if time.monotonic() > deadline:
            raise Timeout(f"gave up waiting for the other writer: {busy.message}") from busy
        options.progress("wait", 0, 0)
        time.sleep((busy.retry_after_ms or 1_000) / 1000)

    def create_store(self) -> Store:
        return create_store(self.root, self.config_fingerprint, shared_path=self.shared_store)

    def store(self) -> Store:
        """The existing store; `NotIndexed` when there is none."""
        if self.shared_store is None:
            return open_store(self.root, self.config_fingerprint)
        store = open_store_at(self.shared_store, self.root, self.config_fingerprint)
        if not store.info.shared:
            raise UsageError(f"{self.shared_store} is not a shared store")
        return store

    def preview(self, options: SyncOptions | None = None) -> Detected:
        """What a sync would do. Works without a store: then everything is new."""
        try:
            store = self.store()
        except NotIndexed:
            found = self.discover()
            return Detected(found, detect(self.root, found, {}), None)
        return look(self.root, self.config, store, self._options(options))

    # -- answers without search ----------------------------------------------------------------

    def report(self, report: SyncReport) -> Answer:
        """A sync's report as an answer."""
        return Answer(
            answers.origin_of(report.manifest),
            self.query_fingerprint,
            answers.checked(0),
            describe.sync_body(self.root, report),
            warnings=(*answers.of_emptiness(report.manifest, self.root.path), *report.warnings),
            timings_ms=report.timings_ms,
        )

    def plan(self, options: SyncOptions | None = None) -> Answer:
        """What a sync would do, as an answer; writes nothing."""
        detected = self.preview(options)
        body = describe.plan_body(self.root, self.config, detected)
        return self._of_tree(detected.discovery, body)

    def files(self, *, skipped: bool = False, paths: tuple[str, ...] = (), reading: Reading | None = None) -> Answer:
        """The eligible files of the tree as it is now (or of a snapshot), and with `skipped` what is out and why.

        With `paths` (globs, or directories) only those files are listed; what is skipped is always told of the whole.
        """
        chosen = reading or Reading()
        if chosen.snapshot_id is not None:
            pinned = active.pin(self.store(), chosen.snapshot_id)
            body = describe.snapshot_files(self.root, pinned.manifest, self._live(chosen.snapshot_id), skipped=skipped)
            origin = answers.origin_of(pinned.manifest)
            listed = Answer(origin, self.query_fingerprint, answers.PINNED, body, warnings=chosen.warnings)
            return only_paths(listed, paths)
        return only_paths(self.listing(skipped=skipped, warnings=chosen.warnings), paths)

    def listing(self, *, skipped: bool = False, warnings: tuple[str, ...] = ()) -> Answer:
        """All eligible files of the tree as it is now, and with `skipped` what is out and why."""
        found = self.discover(with_ignored=skipped)
        body = describe.tree_files(self.root, self.config, found, self._live(None), skipped=skipped)
        return self._of_tree(found, body, warnings=warnings)

    def explain(self, path: str, *, reading: Reading | None = None) -> Answer:
        """Why one path is in or out, and what the index knows of it."""
        chosen = reading or Reading()
        found = explain_path(
            self.root, self.config.index, path, include_untracked=self.untracked, everdex_home=everdex_home()
        )
        body = describe.explain_body(self.root, self.config, found, self._live(chosen.snapshot_id))
        origin, freshness = self.tree_origin(), answers.checked(0)
        if chosen.snapshot_id is not None:
            origin, freshness = answers.origin_of(active.retained(self.store(), chosen.snapshot_id)), answers.PINNED
        return Answer(origin, self.query_fingerprint, freshness, body, warnings=chosen.warnings)

    def stands(self) -> Stands | None:
        """What a glance tells: that the tree is what the active snapshot has, or None, when that takes a look."""
        store = self.store()
        base = pinned_or_none(store)
        if base is None or self._options(None).always_rehash:
            return None
        return stands(self.root, self.config, store, base)

    def status(self, *, reading: Reading | None = None, looked: Freshness | None = None) -> Answer:
        """The state of the store, its snapshots and (unless told not to look) the tree.

        `looked` is of a look that found the tree equal to the active snapshot, if the caller has one.
        """
        chosen = reading or Reading()
        store = self.store()
        pinned = active.pin(store, chosen.snapshot_id)
        freshness = answers.UNCHECKED if chosen.snapshot_id is None else answers.PINNED
        changes = None
        if chosen.sync and chosen.snapshot_id is None:
            changes = NO_CHANGES if looked is not None or self.stands() is not None else self.preview().changes
            freshness = looked or answers.checked(changes.dirty_count)
        body = describe.status_body(self.root, self.config, store, pinned.manifest, changes)
        warnings = (*pinned.warnings, *chosen.warnings)
        if store.info.shared and pinned.manifest.git.dirty:
            warnings = ("this shared store was published from a tree with uncommitted changes", *warnings)
        return Answer(answers.origin_of(pinned.manifest), self.query_fingerprint, freshness, body, warnings=warnings)

    def _live(self, snapshot_id: str | None) -> LiveMap | None:
        """What a snapshot knows of every file; None when there is no index (and none was asked for)."""
        try:
            store = self.store()
            return live_map(store.path, active.pin(store, snapshot_id).manifest)
        except NotIndexed:
            if snapshot_id is not None:
                raise
            return None

    def _of_tree(self, found: Discovery, body: dict[str, Any], *, warnings: tuple[str, ...] = ()) -> Answer:
        origin = self.tree_origin(found.ignore_fingerprint)
        warnings = (*found.warnings, *warnings)
        return Answer(origin, self.query_fingerprint, answers.checked(0), body, warnings=warnings)

    def tree_origin(self, ignore_fingerprint: str | None = None) -> Origin:
        """The origin of an answer that speaks of the tree, not of a snapshot."""
        return Origin(self.store_id, self.config_fingerprint, ignore_fingerprint, self.untracked)

    @property
    def store_id(self) -> str:
        if self.shared_store is not None:
            return self.shared_store.name
        return store_id(self.root.path, self.config_fingerprint)

    # -- search --------------------------------------------------------------------------------

    @contextmanager
    def view(self, reading: Reading, options: SyncOptions | None = None) -> Iterator[tuple[SnapshotView, Freshness]]:
        """A pinned snapshot and how fresh it is; indexes a tree never seen before."""
        from everdex.view import open_view

        freshness = self.prepare(reading, self._options(options))
        store = self.store()
        with open_view(store, reading.snapshot_id) as view:
            store.touch_last_used()
            yield view, freshness

    def prepare(self, reading: Reading, options: SyncOptions) -> Freshness:
        """Bring the index up to date as far as the reading asks for it; says how fresh it is then."""
        if reading.snapshot_id is not None:
            return answers.PINNED
        if not reading.sync:
            return answers.UNCHECKED
        deadline = time.monotonic() + _WAIT_FOR_WRITER_S
        while True:
            try:
                return answers.checked(0, self.sync(options).warnings)
            except Busy as busy:
                # Another process is writing. With a snapshot to answer from we do, and say it is stale.
                detected = self.preview()
                if detected.base is not None:
                    return answers.compared(detected)
                self._pause(busy, options, deadline)

    @cached_property
    def _outer_root(self) -> tuple[str, ...]:
        return answers.of_outer_root(self.root)

    def answer(self, view: SnapshotView, freshness: Freshness, body: dict[str, Any], **extra: Any) -> Answer:
        """Wrap a body in the envelope of a view."""
        where = (*answers.of_emptiness(view.manifest, self.root.path), *self._outer_root)
        warnings = (*where, *view.warnings, *extra.pop("warnings", ()))
        origin = answers.origin_of(view.manifest)
        fingerprint = extra.pop("query_fingerprint", self.query_fingerprint)
        return Answer(origin, fingerprint, freshness, body, warnings=warnings, **extra)

    @contextmanager
    def searcher(self, reading: Reading, options: SyncOptions | None = None) -> Iterator[Searcher]:
        """One pinned snapshot to ask as often as wanted."""
        with self.view(reading, options) as (view, freshness):
            embedder, warnings = self.embedder()
            engine = self.engine(view, embedder, warnings)
            yield Searcher(self, view, freshness, engine, (*reading.warnings, *warnings))

    def search(self, request: SearchRequest, reading: Reading | None = None, *, explain: bool = False) -> Answer:
        """The ranked answer to one question."""
        with self.searcher(reading or Reading()) as searcher:
            return searcher.answer(request, explain=explain)

    def engine(self, view: SnapshotView, embedder: Any, warnings: tuple[str, ...]) -> Engine:
        """An engine over a view; `embedder` and `warnings` as `embedder()` gave them."""
        from everdex.search.engine import Engine

        why = "".join(warnings) or "[index] embedder is none"
        return Engine(view, embedder, self.config.query, lexical_only=why)

    def embedder(self) -> tuple[Any, tuple[str, ...]]:
        """The embedder, or None with a warning: lexical search still answers and says that it is lexical only."""
        from everdex.embed import open_embedder

        try:
            return open_embedder(self.config.index.embedder, self.root.path), ()
        except EmbedderUnavailable as error:
            return None, (f"lexical search only: {error.message}",)

    # -- the tree ------------------------------------------------------------------------------

    @property
    def untracked(self) -> bool:
        """Whether untracked files are indexed: never in a shared store, which others read."""
        return self.config.index.untracked and self.shared_store is None

    def discover(self, *, with_ignored: bool = False) -> Discovery:
        return discover(
            self.root, self.config.index, include_untracked=self.untracked, everdex_home=everdex_home(),
            with_ignored=with_ignored,
        )  # fmt: skip


def only_paths(listing: Answer, paths: tuple[str, ...]) -> Answer:
    """Of a list of files, those that any of the patterns means."""
    if not paths:
        return listing
    from everdex.search.filters import path_matches

    kept = [file for file in listing.body["files"] if any(path_matches(file["path"], glob) for glob in paths)]
    return replace(listing, body={**listing.body, "files": kept})
