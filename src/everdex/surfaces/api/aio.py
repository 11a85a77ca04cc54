"""The asynchronous form of the Python API: every method of `Index`, awaited, on a worker thread.

The work is the same; an event loop is not held up by it. `search_many` is an asynchronous iterator.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from functools import update_wrapper
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from everdex.surfaces.api import model
from everdex.surfaces.api.board import Board
from everdex.surfaces.api.index import Index

_P = ParamSpec("_P")
_R = TypeVar("_R")
_Blocking = TypeVar("_Blocking")


class _Awaiting(Protocol[_Blocking]):
    """Whatever has the blocking form that its methods belong to."""

    index: _Blocking


def _awaited(
    method: Callable[Concatenate[_Blocking, _P], _R],
) -> Callable[Concatenate[_Awaiting[_Blocking], _P], Awaitable[_R]]:
    async def call(self: _Awaiting[_Blocking], /, *arguments: _P.args, **options: _P.kwargs) -> _R:
        return await asyncio.to_thread(method, self.index, *arguments, **options)

    return update_wrapper(call, method)


class AsyncBoard:
    """The evidence board, for coroutines."""

    def __init__(self, board: Board) -> None:
        self.index = board  # the blocking form

    show = _awaited(Board.show)
    add_evidence = _awaited(Board.add_evidence)
    claim = _awaited(Board.claim)
    decide = _awaited(Board.decide)
    update = _awaited(Board.update)
    drop = _awaited(Board.drop)
    reset = _awaited(Board.reset)


class AsyncIndex:
    """One repository, for coroutines."""

    def __init__(self, index: Index) -> None:
        self.index = index

    @property
    def root(self) -> Path:
        return self.index.root

    @property
    def board(self) -> AsyncBoard:
        return AsyncBoard(self.index.board)

    async def __aenter__(self) -> AsyncIndex:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    close = _awaited(Index.close)
    search = _awaited(Index.search)
    similar = _awaited(Index.similar)
    symbol = _awaited(Index.symbol)
    get_symbol = _awaited(Index.get_symbol)
    refs = _awaited(Index.refs)
    get_references = _awaited(Index.get_references)
    callers = _awaited(Index.callers)
    callees = _awaited(Index.callees)
    impact = _awaited(Index.impact)
    impact_picture = _awaited(Index.impact_picture)
    architecture = _awaited(Index.architecture)
    map = _awaited(Index.map)
    get_map = _awaited(Index.get_map)
    export_graph = _awaited(Index.export_graph)
    explore = _awaited(Index.explore)
    files = _awaited(Index.files)
    explain = _awaited(Index.explain)
    chunks = _awaited(Index.chunks)
    status = _awaited(Index.status)
    health = _awaited(Index.health)
    audit = _awaited(Index.audit)
    gate = _awaited(Index.gate)
    check_mutation_gate = _awaited(Index.check_mutation_gate)
    state = _awaited(Index.state)
    get_file_state = _awaited(Index.get_file_state)
    get_file_states_batch = _awaited(Index.get_file_states_batch)
    rename_plan = _awaited(Index.rename_plan)
    rename_apply = _awaited(Index.rename_apply)
    contexts = _awaited(Index.contexts)
    refresh = _awaited(Index.refresh)
    import_scip = _awaited(Index.import_scip)
    refresh_semantic = _awaited(Index.refresh_semantic)
    enqueue_refresh = _awaited(Index.enqueue_refresh)
    run_job = _awaited(Index.run_job)
    get_job_status = _awaited(Index.get_job_status)
    jobs = _awaited(Index.jobs)
    sync = _awaited(Index.sync)
    reindex_incremental = _awaited(Index.reindex_incremental)
    reindex_full = _awaited(Index.reindex_full)
    plan = _awaited(Index.plan)
    repair = _awaited(Index.repair)
    gc = _awaited(Index.gc)
    compact = _awaited(Index.compact)
    upgrade_store = _awaited(Index.upgrade_store)
    start_daemon = _awaited(Index.start_daemon)
    stop_daemon = _awaited(Index.stop_daemon)

    async def search_many(self, queries: Iterable[str], **options: Any) -> AsyncIterator[model.SearchAnswer]:
        """Answers to many questions, all from one snapshot."""
        answers = self.index.search_many(queries, **options)
        while (answer := await asyncio.to_thread(next, answers, None)) is not None:
            yield answer


async def aopen(
    path: str | os.PathLike[str] = ".",
    *,
    daemon: bool | None = None,
    shared_store: str | os.PathLike[str] | None = None,
) -> AsyncIndex:
    """The index of the repository around `path`, for coroutines."""
    return AsyncIndex(await asyncio.to_thread(Index, path, daemon=daemon, shared_store=shared_store))
