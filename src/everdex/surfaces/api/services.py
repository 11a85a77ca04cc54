"""The three interfaces that the INDEX specification names, as protocols: for code that takes any such index.

`Index` is all three, `AsyncIndex` the awaited ones. Files are named by path; there is one context, the working tree.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Iterable
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from everdex.state.scopes import RefreshScope
from everdex.surfaces.api import model, state_model, store_model


@runtime_checkable
class IndexCoordinator(Protocol):
    """Searches, symbols, references, the map, and bringing the index up to date."""

    def search(self, query: str, *, mode: str = "hybrid") -> model.SearchAnswer: ...

    def get_symbol(self, name: str, path: str | None = None) -> model.Definition | None: ...

    def get_references(self, symbol: str) -> tuple[model.Occurrence, ...]: ...

    def get_map(self) -> model.MapAnswer: ...

    def reindex_incremental(self, changed_paths: Iterable[str | os.PathLike[str]] = ()) -> store_model.SyncAnswer: ...

    def reindex_full(self) -> store_model.SyncAnswer: ...


@runtime_checkable
class FileStateService(Protocol):
    """How current and certain the index is about files, and whether they may be changed."""

    def get_file_state(self, path: str) -> state_model.FileState: ...

    def get_file_states_batch(self, paths: Iterable[str]) -> dict[str, state_model.FileState]: ...

    def check_mutation_gate(self, paths: Iterable[str]) -> state_model.MutationGateResult: ...


@runtime_checkable
class RefreshJobService(Protocol):
    """Refreshing as jobs."""

    def enqueue_refresh(self, scope: RefreshScope | None = None) -> int | None: ...

    def run_job(self, job_id: int) -> state_model.RefreshJobStatus: ...

    def get_job_status(self, job_id: int) -> state_model.RefreshJobStatus: ...


@runtime_checkable
class AsyncFileStateService(Protocol):
    def get_file_state(self, path: str) -> Awaitable[state_model.FileState]: ...

    def get_file_states_batch(self, paths: Iterable[str]) -> Awaitable[dict[str, state_model.FileState]]: ...

    def check_mutation_gate(self, paths: Iterable[str]) -> Awaitable[state_model.MutationGateResult]: ...


@runtime_checkable
class AsyncRefreshJobService(Protocol):
    def enqueue_refresh(self, scope: RefreshScope | None = None) -> Awaitable[int | None]: ...

    def run_job(self, job_id: int) -> Awaitable[state_model.RefreshJobStatus]: ...

    def get_job_status(self, job_id: int) -> Awaitable[state_model.RefreshJobStatus]: ...


@runtime_checkable
class AsyncIndexCoordinator(Protocol):
    def search(self, query: str, *, mode: str = "hybrid") -> Awaitable[model.SearchAnswer]: ...

    def get_symbol(self, name: str, path: str | None = None) -> Awaitable[model.Definition | None]: ...

    def get_references(self, symbol: str) -> Awaitable[tuple[model.Occurrence, ...]]: ...

    def get_map(self) -> Awaitable[model.MapAnswer]: ...

    def reindex_incremental(
        self, changed_paths: Iterable[str | os.PathLike[str]] = ()
    ) -> Awaitable[store_model.SyncAnswer]: ...

    def reindex_full(self) -> Awaitable[store_model.SyncAnswer]: ...


if TYPE_CHECKING:
    from everdex.surfaces.api.aio import AsyncIndex
    from everdex.surfaces.api.index import Index

    # For the type checker alone: neither class can drift from what is promised here.
    def _is_all_three(index: Index) -> tuple[IndexCoordinator, FileStateService, RefreshJobService]:
        return index, index, index

    def _is_all_three_awaited(
        index: AsyncIndex,
    ) -> tuple[AsyncIndexCoordinator, AsyncFileStateService, AsyncRefreshJobService]:
        return index, index, index
