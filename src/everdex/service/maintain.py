"""Looking after stores on a user's word, as answers: health, audit, repair, upgrade, compaction, collection.

The work is done in `upkeep`; here it gets its store and its envelope. An answer about a store that is too damaged to
name its snapshot speaks of the tree instead.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from everdex import limits
from everdex.errors import Busy, EverdexError
from everdex.roots import everdex_home
from everdex.service import answers
from everdex.service.answers import Answer, Origin
from everdex.service.index import Index, Reading
from everdex.snapshot import active
from everdex.sync.model import SyncOptions

Done = TypeVar("Done")


def health(index: Index, reading: Reading) -> Answer:
    """Every check, each verified in full."""
    from everdex.upkeep.health import health as check

    started = time.perf_counter()
    report = check(index.root, index.config, index.store(), reading.snapshot_id)
    return _answer(index, report.to_dict(), started, reading)


def audit(index: Index, reading: Reading) -> Answer:
    """Every number of a snapshot, counted again."""
    from everdex.upkeep.audit import audit as count

    started = time.perf_counter()
    return _answer(index, count(index.store(), reading.snapshot_id).to_dict(), started, reading)


def repair(index: Index, *, dry_run: bool, options: SyncOptions | None = None) -> Answer:
    """Mend what is damaged, or say what would be done."""
    from everdex.upkeep.repair import open_for_repair
    from everdex.upkeep.repair import repair as mend

    started = time.perf_counter()
    store = open_for_repair(
        index.root, index.config_fingerprint, shared_path=index.shared_store, dry_run=dry_run
    )
    report = patiently(lambda: mend(index.root, index.config, store, dry_run=dry_run, options=options))
    return _answer(index, report.to_dict(), started)


def upgrade(index: Index) -> Answer:
    """Whether this build can go on with the store."""
    from everdex.upkeep.upgrade import upgrade_store

    started = time.perf_counter()
    return _answer(index, patiently(lambda: upgrade_store(index.store())).to_dict(), started)


def gc(index: Index, *, apply: bool) -> Answer:
    """What no retained snapshot needs; with `apply`, deleted."""
    from everdex.upkeep.housekeeping import gc_now

    started = time.perf_counter()
    return _answer(index, patiently(lambda: gc_now(index.store(), dry_run=not apply)).to_dict(), started)


def compact(index: Index, *, force: bool) -> Answer:
    """Merge segments when it is due; with `force`, now."""
    from everdex.upkeep.housekeeping import compact_now

    started = time.perf_counter()
    return _answer(index, patiently(lambda: compact_now(index.store(), force=force)).to_dict(), started)


def stores() -> dict[str, Any]:
    """Every store below EVERDEX_HOME; no root is needed, so there is no snapshot to speak of."""
    from everdex.upkeep.stores import inventory

    return _about_home({"stores": [entry.to_dict() for entry in inventory()]})


def gc_stores(current: Index | None, *, apply: bool, unused_days: int, force: bool) -> dict[str, Any]:
    """Stores that nobody has used for long; with `apply`, deleted."""
    from everdex.upkeep.stores import gc_stores as collect

    name = current.store_id if current is not None else None
    return _about_home(collect(name, unused_days=unused_days, force=force, dry_run=not apply).to_dict())


def _about_home(body: Mapping[str, Any]) -> dict[str, Any]:
    return answers.of_no_index({"home": str(everdex_home()), **body})


def _answer(index: Index, body: Mapping[str, Any], started: float, reading: Reading | None = None) -> Answer:
    timings = {"total": round((time.perf_counter() - started) * 1000, 1)}
    chosen = reading or Reading()
    freshness = answers.UNCHECKED if chosen.snapshot_id is None else answers.PINNED
    origin = _origin(index, chosen.snapshot_id)
    return Answer(origin, index.query_fingerprint, freshness, body, warnings=chosen.warnings, timings_ms=timings)


def _origin(index: Index, snapshot_id: str | None) -> Origin:
    try:
        return answers.origin_of(active.pin(index.store(), snapshot_id).manifest)
    except EverdexError:
        return index.tree_origin()


def patiently(write: Callable[[], Done]) -> Done:
    """Try again for a few seconds while it is `Busy`.

    A daemon indexes every edit unasked: whoever writes on a user's word must not fail because of that.
    """
    deadline = time.monotonic() + limits.WRITER_WAIT_MS / 1000
    while True:
        try:
            return write()
        except Busy:
            if time.monotonic() >= deadline:
                raise
            time.sleep(limits.GUARD_POLL_MS / 1000)
