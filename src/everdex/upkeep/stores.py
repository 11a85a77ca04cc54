"""Whole stores: what lies below EVERDEX_HOME, and which of it nobody has used for long.

The inventory is one scan of one directory. A store is deleted only when it is old, is not the one in use
for the current root, and no writer or reader is in it; deleting is a rename first, so no half store remains.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from everdex import clock, limits
from everdex.canvas.board.file import has_board
from everdex.durable import storage_errors
from everdex.errors import Busy, EverdexError
from everdex.roots import everdex_home
from everdex.snapshot import active
from everdex.snapshot.guard import hold_exclusive, hold_guard
from everdex.snapshot.lease import guard_path, holder
from everdex.snapshot.store import Store, open_store_at
from everdex.snapshot.trees import remove_all, tree_size

_TRASH: Final = ".trash-"
_SECONDS_A_DAY: Final = 86_400


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """One directory of EVERDEX_HOME/data; fields of a store that cannot be opened are None."""

    store_id: str
    config_fingerprint: str | None
    canonical_root: str | None
    created_at: str | None
    last_used_at: str
    size_bytes: int
    active_snapshot_id: str | None
    problem: str | None

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class KeptStore:
    store_id: str
    reason: str  # current, in_use, recent, damaged, board


@dataclass(frozen=True, slots=True)
class StoreGcReport:
    dry_run: bool
    deleted: tuple[StoreEntry, ...]  # in a dry run: what would be
    kept: tuple[KeptStore, ...]
    bytes_freed: int

    def to_dict(self) -> dict[str, object]:
        return asdict(self)


def inventory() -> tuple[StoreEntry, ...]:
    """Every store below EVERDEX_HOME, by id."""
    found = []
    for path in _directories():
        with suppress(FileNotFoundError):  # another process deleted it just now
            found.append(_entry(path))
    return tuple(found)


def _directories() -> list[Path]:
    data = everdex_home() / "data"
    if not data.is_dir():
        return []
    return sorted(path for path in data.iterdir() if path.is_dir() and not path.name.startswith("."))


def _entry(path: Path) -> StoreEntry:
    size = tree_size(path)
    used = clock.rfc3339(_last_used(path))
    try:
        store = open_store_at(path)
        snapshot = active.read_pointer(store)
    except EverdexError as error:
        return StoreEntry(path.name, None, None, None, used, size, None, error.message)
    info = store.info
    return StoreEntry(
        path.name, info.config_fingerprint, info.canonical_root, info.created_at, used, size, snapshot, None
    )


def _last_used(path: Path) -> float:
    """The latest of: a query's or sync's mark, the last publish, the store's making."""
    times = [path.stat().st_mtime]
    for name in ("last_used", "ACTIVE_SNAPSHOT", "store.json"):
        try:
            times.append((path / name).stat().st_mtime)
        except FileNotFoundError:
            continue
    return max(times)


def gc_stores(
    current_store_id: str | None,
    *,
    unused_days: int = limits.STORE_UNUSED_DAYS,
    force: bool = False,
    dry_run: bool = True,
) -> StoreGcReport:
    """Delete stores unused for `unused_days`; the current one, damaged ones and boards only with `force`."""
    deleted: list[StoreEntry] = []
    kept: list[KeptStore] = []
    if not dry_run:
        _empty_trash()
    for entry in inventory():
        reason = _reason_to_keep(entry, current_store_id, unused_days, force)
        if reason is None and not dry_run:
            reason = _delete(everdex_home() / "data" / entry.store_id, damaged=entry.problem is not None)
        if reason is None:
            deleted.append(entry)
        else:
            kept.append(KeptStore(entry.store_id, reason))
    return StoreGcReport(dry_run, tuple(deleted), tuple(kept), sum(entry.size_bytes for entry in deleted))


def _reason_to_keep(entry: StoreEntry, current: str | None, unused_days: int, force: bool) -> str | None:
    if entry.store_id == current and not force:
        return "current"
    if clock.now() - clock.parse_rfc3339(entry.last_used_at) < unused_days * _SECONDS_A_DAY:
        return "recent"
    if entry.problem is not None:
        return None if force else "damaged"
    if has_board(everdex_home() / "data" / entry.store_id) and not force:
        return "board"  # an index is made again; what somebody wrote is not
    store = open_store_at(everdex_home() / "data" / entry.store_id)
    return "in_use" if holder(store) is not None else None


def _delete(path: Path, *, damaged: bool) -> str | None:
    """Rename the store away and delete it; a reason when somebody is using it after all."""
    trash = path.with_name(f"{_TRASH}{clock.new_ulid()}")
    if damaged:
        with storage_errors(path):
            os.rename(path, trash)
    else:
        try:
            _rename_unused(open_store_at(path), trash)
        except Busy:
            return "in_use"
    remove_all(trash)
    return None


def _rename_unused(store: Store, trash: Path) -> None:
    """Rename a store away under the lease guard and the readers' lock, so that nobody writes or reads it."""
    with (
        hold_guard(guard_path(store), store.permissions, wait_ms=0),
        hold_exclusive(store.readers_lock, store.permissions, wait_ms=0),
    ):
        if holder(store) is not None:
            raise Busy(f"store {store.store_id} is being written")
        with storage_errors(store.path):
            os.rename(store.path, trash)


def _empty_trash() -> None:
    """What a crash during an earlier deletion left behind."""
    data = everdex_home() / "data"
    if data.is_dir():
        for path in data.glob(f"{_TRASH}*"):
            remove_all(path)
