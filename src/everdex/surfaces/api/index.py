"""`everdex.open`: everything the command line can do with one repository, as typed calls.

A question goes to the daemon when one runs (or is wanted), otherwise this process answers and keeps the index warm
until the `Index` is closed; the answers are the same. Errors are those of `everdex.errors`, with code and hint.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from everdex import exporting, maintain, service
from everdex.answers import Freshness
from everdex.errors import DaemonStopping, UsageError
from everdex.reader import Reader
from everdex.relations import Question
from everdex.search.check import check
from everdex.search.model import Mode, SearchRequest
from everdex.search.place import parse_place
from everdex.service import Reading
from everdex.surfaces.api import model
from everdex.surfaces.api.states import StateQuestions
from everdex.surfaces.cli.output import encode, escape
from everdex.surfaces.cli.search import known_languages
from everdex.surfaces.daemon.client import connect, stop
from everdex.surfaces.daemon.start import start
from everdex.sync.model import SyncOptions, silent
from everdex.warm import WarmIndex

_Answer = TypeVar("_Answer", bound=msgspec.Struct)
_Local = Callable[[Reader, Freshness], Any]


class Index(StateQuestions):
    """One repository. Every method may be called from any thread."""

    def __init__(
        self,
        path: str | os.PathLike[str] = ".",
        *,
        daemon: bool | None = None,
        shared_store: str | os.PathLike[str] | None = None,
    ) -> None:
        """`daemon`: None asks one that runs, True starts one if none does, False never asks one."""
        shared = None if shared_store is None else Path(shared_store)
        self._warm = WarmIndex(service.Index.open_to_read(path, shared_store=shared))
        self._daemon = daemon

    @property
    def root(self) -> Path:
        """The canonical root: git's top level around the path that was opened, or that directory itself."""
        return self._warm.index.root.path

    def close(self) -> None:
        """Give back what was kept warm; the next question would open it again."""
        self._warm.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- questions -----------------------------------------------------------------------------

    def search(
        self,
        query: str,
        *,
        mode: str = "hybrid",
        k: int | None = None,
        languages: Iterable[str] = (),
        paths: Iterable[str] = (),
        ignore_case: bool = False,
        offset: int = 0,
        profile: str | None = None,
        budget: int | None = None,
        rerank: bool | None = None,
        explain: bool = False,
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> model.SearchAnswer:
        """The ranked answer to a question, or with `mode` regex or literal every matching line."""
        if mode not in list(Mode):
            raise UsageError(f"unknown mode {mode!r}; known are {', '.join(Mode)}")
        wanted = tuple(languages)
        known_languages(wanted)
        settings = self._warm.index.config.query
        request = SearchRequest(
            query, Mode(mode), settings.k if k is None else k, wanted, tuple(paths), ignore_case, offset, profile,
            budget, rerank,
        )  # fmt: skip
        check(request)
        params = {
            "query": query, "mode": mode, "k": request.k, "languages": list(wanted), "paths": list(request.paths),
            "ignore_case": ignore_case, "offset": offset, "profile": profile, "budget": budget, "rerank": rerank,
            "explain": explain,
        }  # fmt: skip

        def here(reader: Reader, freshness: Freshness) -> Any:
            return reader.search(request, freshness, snapshot_id=snapshot_id, explain=explain)

        return self._ask(model.SearchAnswer, "search", params, Reading(sync, snapshot_id), here)

    def search_many(self, queries: Iterable[str], **options: Any) -> Iterator[model.SearchAnswer]:
        """Answers to many questions, all from one snapshot; takes the options of `search`."""
        first: model.SearchAnswer | None = None
        for query in queries:
            if first is None:
                first = self.search(query, **options)
                yield first
            else:
                answer = self.search(query, **{**options, "snapshot_id": first.snapshot_id})
                yield msgspec.structs.replace(answer, freshness=first.freshness)

    def similar(
        self,
        place: str,
        *,
        k: int | None = None,
        languages: Iterable[str] = (),
        paths: Iterable[str] = (),
        explain: bool = False,
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> model.SearchAnswer:
        """The code most like the code at `place` (path:line), nearest first."""
        parse_place(place)
        wanted, globs = tuple(languages), tuple(paths)
        known_languages(wanted)
        most = self._warm.index.config.query.k if k is None else k
        params = {"place": place, "k": most, "languages": list(wanted), "paths": list(globs), "explain": explain}

        def here(reader: Reader, freshness: Freshness) -> Any:
            return reader.similar(
                place, most, freshness, snapshot_id=snapshot_id, languages=wanted, paths=globs, explain=explain
            )

        return self._ask(model.SearchAnswer, "similar", params, Reading(sync, snapshot_id), here)

    def symbol(
        self, name: str, *, references: int = 0, sync: bool = True, snapshot_id: str | None = None
    ) -> model.SymbolAnswer:
        """Every definition of a name (else names like it), or given a path the outline of that file.

        With `references` also that many places that name it, when exactly one definition fits.
        """

        def here(reader: Reader, freshness: Freshness) -> Any:
            return reader.symbols(name, freshness, snapshot_id=snapshot_id, references=references)

        params = {"name": name, "references": references}
        return self._ask(model.SymbolAnswer, "symbols", params, Reading(sync, snapshot_id), here)

    def get_symbol(self, name: str, path: str | None = None) -> model.Definition | None:
        """The first definition of exactly that name, in `path` if that is given; None when there is none."""
        found = (item for item in self.symbol(name).definitions if item.match == "exact")
        return next((item for item in found if path is None or item.path == path), None)

    def refs(
        self,
        symbol: str,
        *,
        role: str = "",
        k: int = 200,
        offset: int = 0,
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> model.RefsAnswer:
        """The definition of a symbol and every place that names it, or only those that do this with it: `write`."""
        reading = Reading(sync, snapshot_id)
        return self._related(model.RefsAnswer, "refs", reading, symbol=symbol, role=role, k=k, offset=offset)

    def get_references(self, symbol: str) -> tuple[model.Occurrence, ...]:
        """Every place that names a symbol, however many there are; empty when none or several definitions fit."""
        page = self.refs(symbol)
        found = list(page.references)
        while page.cursor is not None:
            page = self.refs(symbol, offset=page.cursor.offset, snapshot_id=page.cursor.snapshot_id)
            found += page.references
        return tuple(found)

    def callers(
        self, symbol: str, *, k: int = 200, offset: int = 0, sync: bool = True, snapshot_id: str | None = None
    ) -> model.CallersAnswer:
        """Every definition that calls a symbol, with the places."""
        reading = Reading(sync, snapshot_id)
        return self._related(model.CallersAnswer, "callers", reading, symbol=symbol, k=k, offset=offset)

    def callees(
        self, symbol: str, *, k: int = 200, offset: int = 0, sync: bool = True, snapshot_id: str | None = None
    ) -> model.CalleesAnswer:
        """Everything a symbol calls: in the repository, outside it, and what could not be decided."""
        reading = Reading(sync, snapshot_id)
        return self._related(model.CalleesAnswer, "callees", reading, symbol=symbol, k=k, offset=offset)

    def impact(
        self,
        symbol: str,
        *,
        depth: int = 3,
        k: int = 200,
        offset: int = 0,
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> model.ImpactAnswer:
        """What a change of a symbol may affect, each with one shortest way, and the affected tests."""
        reading = Reading(sync, snapshot_id)
        return self._related(
            model.ImpactAnswer, "impact", reading, symbol=symbol, depth=depth, k=k, offset=offset
        )

    def map(self, *, budget: int = 2_000, sync: bool = True, snapshot_id: str | None = None) -> model.MapAnswer:
        """What the repository consists of and what matters most in it, under that many tokens."""
        return self._related(model.MapAnswer, "map", Reading(sync, snapshot_id), budget=budget)

    def export_graph(
        self,
        output: str | os.PathLike[str],
        *,
        format: str = "json",
        sync: bool = True,
        snapshot_id: str | None = None,
    ) -> int:
        """Write the whole graph to a file as json, dot, scip or ctags; the number of bytes.

        Always written by this process: a graph is larger than an answer of the daemon may be.
        """
        reading, printing = Reading(sync, snapshot_id), exporting.Printing(encode, escape)
        with exporting.export(self._warm.index, format, reading, SyncOptions(), printing) as found:
            return exporting.to_file(found.pieces, Path(output))

    def get_map(self) -> model.MapAnswer:
        """`map`."""
        return self.map()

    def _related(self, kind: type[_Answer], method: str, reading: Reading, **params: Any) -> _Answer:
        def here(reader: Reader, freshness: Freshness) -> Any:
            asked = {"limit" if name == "k" else name: value for name, value in params.items()}
            return reader.relations(Question(method, **asked), freshness, snapshot_id=reading.snapshot_id)

        return self._ask(kind, method, params, reading, here)

    def files(
        self, *, skipped: bool = False, paths: Iterable[str] = (), snapshot_id: str | None = None
    ) -> model.FilesAnswer:
        """The eligible files as the tree is now, or as a snapshot has them; with `skipped` also what is out and why."""
        wanted = tuple(paths)
        params = {"skipped": skipped, "paths": list(wanted)}
        reading = Reading(snapshot_id=snapshot_id)
        return self._tell(
            model.FilesAnswer, "files", params, reading,
            lambda index: index.files(skipped=skipped, paths=wanted, reading=reading),
        )  # fmt: skip

    def explain(self, path: str, *, snapshot_id: str | None = None) -> model.Explanation:
        """Why one path is in or out, and what the index knows of it."""
        reading = Reading(snapshot_id=snapshot_id)
        return self._tell(
            model.Explanation, "explain", {"path": path}, reading, lambda index: index.explain(path, reading=reading)
        )

    def chunks(
        self, *, meta: bool = False, sync: bool = True, snapshot_id: str | None = None
    ) -> model.ChunksAnswer:
        """Every chunk's names and place, in docId order."""
        page = first = self._chunk_page(meta, 0, Reading(sync, snapshot_id))
        chunks = list(first.chunks)
        while page.cursor is not None:
            page = self._chunk_page(meta, page.cursor.offset, Reading(snapshot_id=page.cursor.snapshot_id))
            chunks += page.chunks
        envelope = {name: getattr(first, name) for name in model.Answer.__struct_fields__}
        return model.ChunksAnswer(**envelope, chunks=tuple(chunks))

    def _chunk_page(self, meta: bool, offset: int, reading: Reading) -> _ChunkPage:
        def here(reader: Reader, freshness: Freshness) -> Any:
            return reader.chunks(freshness, snapshot_id=reading.snapshot_id, meta=meta, offset=offset, count=1 << 31)

        return self._ask(_ChunkPage, "chunks", {"meta": meta, "offset": offset}, reading, here)

    def status(self, *, sync: bool = True, snapshot_id: str | None = None) -> model.StatusAnswer:
        """The store, its active snapshot and (unless told not to look) how the tree differs from it."""
        reading = Reading(sync, snapshot_id)
        params = {"no_sync": not sync}
        return self._tell(model.StatusAnswer, "status", params, reading, lambda index: index.status(reading=reading))

    def health(self) -> model.HealthAnswer:
        """Every check of the index, each verified in full."""
        return self._tell(model.HealthAnswer, "health", {}, Reading(), maintain.health)

    def audit(self, *, snapshot_id: str | None = None) -> model.AuditAnswer:
        """Every number of a snapshot, counted again."""
        reading = Reading(snapshot_id=snapshot_id)
        return self._tell(model.AuditAnswer, "audit", {}, reading, lambda index: maintain.audit(index, snapshot_id))

    # -- writing -------------------------------------------------------------------------------

    def sync(
        self,
        *,
        allow_degraded: bool = False,
        rebuild: bool = False,
        always_rehash: bool = False,
        workers: int = 2,
        wait: bool = True,
        progress: Callable[[str, int, int], None] = silent,
    ) -> model.SyncAnswer:
        """Bring the index up to date; `progress` is called with (phase, done, total)."""
        options = SyncOptions(allow_degraded, always_rehash, rebuild, workers=workers, progress=progress)
        index = self._warm.index
        return _typed(model.SyncAnswer, index.report(index.sync(options, wait=wait)).to_dict())

    def reindex_incremental(self, changed_paths: Iterable[str | os.PathLike[str]] = ()) -> model.SyncAnswer:
        """`sync`. The paths are only a hint, and none is needed: a sync finds every change by itself."""
        del changed_paths
        return self.sync()

    def reindex_full(self) -> model.SyncAnswer:
        """`sync` that indexes every file again, whatever is indexed."""
        return self.sync(rebuild=True)

    def plan(self) -> model.PlanAnswer:
        """What `sync` would do; writes nothing."""
        return _typed(model.PlanAnswer, self._warm.index.plan().to_dict())

    def repair(self, *, dry_run: bool = False) -> model.RepairAnswer:
        """Mend a damaged store from what is left of it and the tree."""
        return _typed(model.RepairAnswer, maintain.repair(self._warm.index, dry_run=dry_run).to_dict())

    def gc(self, *, apply: bool = False) -> model.GcAnswer:
        """What no retained snapshot needs; with `apply`, deleted."""
        return _typed(model.GcAnswer, maintain.gc(self._warm.index, apply=apply).to_dict())

    def compact(self, *, force: bool = False) -> model.CompactAnswer:
        """Merge segments when it is due; with `force`, now."""
        return _typed(model.CompactAnswer, maintain.compact(self._warm.index, force=force).to_dict())

    def upgrade_store(self) -> model.UpgradeAnswer:
        """Whether this everdex can go on with the store."""
        return _typed(model.UpgradeAnswer, maintain.upgrade(self._warm.index).to_dict())

    # -- the daemon ----------------------------------------------------------------------------

    def start_daemon(self, *, progress: Callable[[str, int, int], None] = silent) -> int:
        """Start the daemon of this repository if none runs; its process id."""
        with start(self._warm.index, progress) as connection:
            return int(connection.hello["pid"])

    def stop_daemon(self) -> int | None:
        """Stop the daemon of this repository; its process id, or None when none was running."""
        return stop(self._warm.index)

    # -- ways ----------------------------------------------------------------------------------

    def _ask(
        self, kind: type[_Answer], method: str, params: Mapping[str, Any], reading: Reading, here: _Local
    ) -> _Answer:
        """A question over a view: the daemon's answer, else `here`'s."""
        about = {"no_sync": not reading.sync, "snapshot_id": reading.snapshot_id}
        document = self._over_daemon(method, {**params, **about})
        if document is None:
            document = here(*self._warm.ready(reading)).to_dict()
        return _typed(kind, document)

    def _tell(
        self, kind: type[_Answer], method: str, params: Mapping[str, Any], reading: Reading,
        here: Callable[[service.Index], Any],
    ) -> _Answer:  # fmt: skip
        """A question that needs no view kept: the daemon's answer, else `here`'s."""
        about = {} if method == "health" else {"snapshot_id": reading.snapshot_id}
        document = self._over_daemon(method, {**params, **about})
        return _typed(kind, here(self._warm.index).to_dict() if document is None else document)

    def _over_daemon(self, method: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
        if self._daemon is False:
            return None
        index = self._warm.index
        connection = start(index, silent) if self._daemon else connect(index)
        if connection is None:
            return None
        with connection:
            try:
                return connection.call_patiently(method, params, silent)
            except DaemonStopping:
                return None


class _ChunkPage(model.ChunksAnswer, frozen=True, kw_only=True):
    cursor: model.Cursor | None


def _typed(kind: type[_Answer], document: Mapping[str, Any]) -> _Answer:
    return msgspec.convert(document, kind)


def open(
    path: str | os.PathLike[str] = ".",
    *,
    daemon: bool | None = None,
    shared_store: str | os.PathLike[str] | None = None,
) -> Index:
    """The index of the repository around `path`; nothing is created before the first question."""
    return Index(path, daemon=daemon, shared_store=shared_store)


def stores() -> tuple[model.StoreEntry, ...]:
    """Every store below EVERDEX_HOME."""
    return msgspec.convert(maintain.stores()["stores"], tuple[model.StoreEntry, ...])


def gc_stores(*, apply: bool = False, unused_days: int = 30, force: bool = False) -> model.StoresCollected:
    """Stores that nobody has used for that long; with `apply`, deleted."""
    return _typed(
        model.StoresCollected, maintain.gc_stores(None, apply=apply, unused_days=unused_days, force=force)
    )
