"""`everdex.open`: everything the command line can do with one repository, as typed calls.

A question goes to the daemon when one runs (or is wanted), otherwise this process answers and keeps the index warm
until the `Index` is closed; the answers are the same. Errors are those of `everdex.errors`, with code and hint.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from everdex.canvas.board.edits import Edit
from everdex.errors import UsageError
from everdex.search.check import check
from everdex.search.model import Mode, SearchRequest
from everdex.search.place import parse_place
from everdex.service import index as service
from everdex.service import maintain
from everdex.service.index import Reading
from everdex.service.warm import WarmIndex
from everdex.surfaces.api import model, store_model
from everdex.surfaces.api.board import Board, BoardAnswer
from everdex.surfaces.api.keeping import Keeping
from everdex.surfaces.api.relations import Relations
from everdex.surfaces.api.states import StateQuestions
from everdex.surfaces.cli.search import known_languages


class Index(Relations, StateQuestions, Keeping):
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
        super().__init__(WarmIndex(service.Index.open_to_read(path, shared_store=shared)), daemon)

    @property
    def root(self) -> Path:
        """The canonical root: git's top level around the path that was opened, or that directory itself."""
        return self._warm.index.root.path

    @property
    def board(self) -> Board:
        """The evidence board: what was looked at, what is believed and what was decided."""

        def ask(edit: Edit, reading: Reading) -> BoardAnswer:
            return self._ask(
                BoardAnswer, "board", msgspec.to_builtins(edit), reading,
                lambda reader, freshness, reading: reader.board(edit, freshness, reading),
            )  # fmt: skip

        return Board(ask)

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
        params = {**msgspec.to_builtins(request), "explain": explain}
        return self._ask(
            model.SearchAnswer, "search", params, Reading(sync, snapshot_id),
            lambda reader, freshness, reading: reader.search(request, freshness, reading, explain=explain),
        )  # fmt: skip

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
        return self._ask(
            model.SearchAnswer, "similar", params, Reading(sync, snapshot_id),
            lambda reader, freshness, reading: reader.similar(
                place, most, freshness, reading, languages=wanted, paths=globs, explain=explain
            ),
        )  # fmt: skip

    def symbol(
        self, name: str, *, references: int = 0, offset: int = 0, sync: bool = True, snapshot_id: str | None = None
    ) -> model.SymbolAnswer:
        """Every definition of a name (else names like it), or given a path the outline of that file. A `*` in a name
        stands for any letters.

        With `references` also that many places that name it, when exactly one definition fits.
        """
        params = {"name": name, "references": references, "offset": offset}
        return self._ask(
            model.SymbolAnswer, "symbols", params, Reading(sync, snapshot_id),
            lambda reader, freshness, reading: reader.symbols(
                name, freshness, reading, references=references, offset=offset
            ),
        )  # fmt: skip

    def get_symbol(self, name: str, path: str | None = None) -> model.Definition | None:
        """The first definition of exactly that name, in `path` if that is given; None when there is none."""
        page = self.symbol(name)
        while True:
            for item in page.definitions:
                if item.match == "exact" and path in (None, item.path):
                    return item
            if page.cursor is None:
                return None
            page = self.symbol(name, offset=page.cursor.offset, snapshot_id=page.cursor.snapshot_id)

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
        return self._ask(
            _ChunkPage, "chunks", {"meta": meta, "offset": offset}, reading,
            lambda reader, freshness, reading: reader.chunks(freshness, reading, meta=meta, offset=offset),
        )  # fmt: skip

    def status(self, *, sync: bool = True, snapshot_id: str | None = None) -> store_model.StatusAnswer:
        """The store, its active snapshot and (unless told not to look) how the tree differs from it."""
        reading = Reading(sync, snapshot_id)
        params = {"no_sync": not sync}
        return self._tell(
            store_model.StatusAnswer, "status", params, reading, lambda index: index.status(reading=reading)
        )

    def health(self, *, snapshot_id: str | None = None) -> store_model.HealthAnswer:
        """Every check of the index, each verified in full."""
        reading = Reading(snapshot_id=snapshot_id)
        return self._tell(
            store_model.HealthAnswer, "health", {}, reading, lambda index: maintain.health(index, reading)
        )

    def audit(self, *, snapshot_id: str | None = None) -> store_model.AuditAnswer:
        """Every number of a snapshot, counted again."""
        reading = Reading(snapshot_id=snapshot_id)
        return self._tell(
            store_model.AuditAnswer, "audit", {}, reading, lambda index: maintain.audit(index, reading)
        )


class _ChunkPage(model.ChunksAnswer, frozen=True, kw_only=True):
    cursor: model.Cursor | None


def open(
    path: str | os.PathLike[str] = ".",
    *,
    daemon: bool | None = None,
    shared_store: str | os.PathLike[str] | None = None,
) -> Index:
    """The index of the repository around `path`; nothing is created before the first question."""
    return Index(path, daemon=daemon, shared_store=shared_store)
