"""The part of `Index` that keeps the store: up to date, mended and tidy; its daemon; other stores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable

import msgspec

from everdex import machine
from everdex.service import maintain
from everdex.surfaces.api import store_model
from everdex.surfaces.api.asking import Asking, typed
from everdex.surfaces.daemon.client import stop
from everdex.surfaces.daemon.start import start
from everdex.sync.model import SyncOptions, silent


class Keeping(Asking):
    """The methods that write to the store. One process writes at a time; the others wait or get `Busy`."""

    def sync(
        self,
        *,
        allow_degraded: bool = False,
        rebuild: bool = False,
        large: bool = False,
        always_rehash: bool = False,
        workers: int | None = None,
        wait: bool = True,
        progress: Callable[[str, int, int], None] = silent,
    ) -> store_model.SyncAnswer:
        """Bring the index up to date; `progress` is called with (phase, done, total).

        Without `workers` there is one a core, at most eight.
        """
        options = SyncOptions(
            allow_degraded, always_rehash, rebuild, large, workers=workers or machine.workers(), progress=progress
        )
        index = self._warm.index
        return typed(store_model.SyncAnswer, index.report(index.sync(options, wait=wait)).to_dict())

    def reindex_incremental(self, changed_paths: Iterable[str | os.PathLike[str]] = ()) -> store_model.SyncAnswer:
        """`sync`. The paths are only a hint, and none is needed: a sync finds every change by itself."""
        del changed_paths
        return self.sync()

    def reindex_full(self) -> store_model.SyncAnswer:
        """`sync` that indexes every file again, whatever is indexed."""
        return self.sync(rebuild=True)

    def plan(self) -> store_model.PlanAnswer:
        """What `sync` would do; writes nothing."""
        return typed(store_model.PlanAnswer, self._warm.index.plan().to_dict())

    def repair(self, *, dry_run: bool = False) -> store_model.RepairAnswer:
        """Mend a damaged store from what is left of it and the tree."""
        return typed(store_model.RepairAnswer, maintain.repair(self._warm.index, dry_run=dry_run).to_dict())

    def gc(self, *, apply: bool = False) -> store_model.GcAnswer:
        """What no retained snapshot needs; with `apply`, deleted."""
        return typed(store_model.GcAnswer, maintain.gc(self._warm.index, apply=apply).to_dict())

    def compact(self, *, force: bool = False) -> store_model.CompactAnswer:
        """Merge segments when it is due; with `force`, now."""
        return typed(store_model.CompactAnswer, maintain.compact(self._warm.index, force=force).to_dict())

    def upgrade_store(self) -> store_model.UpgradeAnswer:
        """Whether this everdex can go on with the store."""
        return typed(store_model.UpgradeAnswer, maintain.upgrade(self._warm.index).to_dict())

    # -- the daemon ----------------------------------------------------------------------------

    def start_daemon(self, *, progress: Callable[[str, int, int], None] = silent) -> int:
        """Start the daemon of this repository if none runs; its process id."""
        with start(self._warm.index, progress) as connection:
            return int(connection.hello["pid"])

    def stop_daemon(self) -> int | None:
        """Stop the daemon of this repository; its process id, or None when none was running."""
        return stop(self._warm.index)


def stores() -> tuple[store_model.StoreEntry, ...]:
    """Every store below EVERDEX_HOME."""
    return msgspec.convert(maintain.stores()["stores"], tuple[store_model.StoreEntry, ...])


def gc_stores(*, apply: bool = False, unused_days: int = 30, force: bool = False) -> store_model.StoresCollected:
    """Stores that nobody has used for that long; with `apply`, deleted."""
    return typed(
        store_model.StoresCollected, maintain.gc_stores(None, apply=apply, unused_days=unused_days, force=force)
    )
