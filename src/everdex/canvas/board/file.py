"""canvas/state.json: where a root's board lies, how it is read, and the one way it is changed.

Changes are single file under one guard a root, and reach the disk whole or not at all. A board belongs to the root:
when another configuration means another store, the newest board of the root's stores is the board, and the next
change brings it along. A damaged file is never trusted and never replaced, except by `reset`, which keeps it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import msgspec

from everdex import clock, limits
from everdex.canvas.board.model import HINT, Board, decode, encode, new_board
from everdex.durable import fsync_directory, make_directory, remove_leftovers, replace_atomically, storage_errors
from everdex.errors import Corrupt, EverdexError, LimitExceeded
from everdex.roots import root_hash
from everdex.snapshot.guard import Guard, hold_guard
from everdex.snapshot.store import Store

DIRECTORY: Final = "canvas"
NAME: Final = "state.json"
_MOST_BYTES: Final = 2 * limits.MAX_BOARD_BYTES  # more than any of ours: not even read


def board_path(store_path: Path) -> Path:
    return store_path / DIRECTORY / NAME


def read_board(store: Store) -> Board:
    """The root's board as it is now; an empty one where there is none."""
    found = _newest(store)
    return new_board() if found is None else found[1]


def change_board(store: Store, change: Callable[[Board], Board]) -> Board:
    """Read, change and write the board, alone; whatever `change` raises leaves it as it was."""
    with _alone(store) as guard:
        before = read_board(store)
        after = msgspec.structs.replace(change(before), revision=before.revision + 1)
        _write(store, guard, after, _stranger(store, after))
        for path, older in _boards(store):
            # What came along from a store that another configuration used: two of one board would drift apart.
            if path != board_path(store.path) and older.board_id == after.board_id:
                with storage_errors(path):
                    path.unlink(missing_ok=True)
                fsync_directory(path.parent)
        return after


def reset_board(store: Store) -> tuple[Path, ...]:
    """Begin a new board; the paths under which everything that was there is kept, also what is damaged."""
    kept = []
    with _alone(store) as guard:
        guard.require()
        for path in _paths(store):
            kept.append(_put_aside(path, _condition(path)))
        _write(store, guard, msgspec.structs.replace(new_board(), revision=1))
    return tuple(kept)


def has_board(store_path: Path) -> bool:
    """Whether a store holds a board that somebody would miss; a damaged one counts."""
    path = board_path(store_path)
    try:
        return path.is_file() and bool(_read(path).items)
    except EverdexError:
        return True


@contextmanager
def _alone(store: Store) -> Iterator[Guard]:
    with hold_guard(_guard_path(store), store.permissions) as guard:
        make_directory(board_path(store.path).parent, store.permissions)
        remove_leftovers(board_path(store.path).parent)
        yield guard


def _guard_path(store: Store) -> Path:
    """One for all stores of a root: the board may lie in any of them."""
    if store.info.shared:
        return store.locks / "board.lock"
    return store.path.parent / f".board-{_root_digits(store)}.lock"


def _stranger(store: Store, board: Board) -> Path | None:
    """Another board in our place (a store that came back from a backup): to be put aside, not written over."""
    own = board_path(store.path)
    return own if any(path == own and found.board_id != board.board_id for path, found in _boards(store)) else None


def _write(store: Store, guard: Guard, board: Board, aside: Path | None = None) -> None:
    raw = encode(board)
    if len(raw) > limits.MAX_BOARD_BYTES:
        raise LimitExceeded(
            f"the board would have {len(raw):,} bytes; at most {limits.MAX_BOARD_BYTES:,} are allowed",
            hint="shorten texts or drop evidence; `everdex board reset` puts all of it aside and begins anew",
        )
    guard.require()  # a process that was stopped for long may have lost it
    if aside is not None:
        _put_aside(aside, "other")
    replace_atomically(board_path(store.path), raw, store.permissions)


def _newest(store: Store) -> tuple[Path, Board] | None:
    return max(_boards(store), key=lambda found: found[1].revision, default=None)


def _boards(store: Store) -> list[tuple[Path, Board]]:
    while True:
        try:
            return [(path, _read(path)) for path in _paths(store)]
        except FileNotFoundError:
            continue  # another process brought it along just now: it is elsewhere


def _paths(store: Store) -> list[Path]:
    """Boards in this store and, as long as it is a private one, in the root's other stores."""
    own = board_path(store.path)
    paths = {own}
    if not store.info.shared:
        digits = f"-{_root_digits(store)}-"
        with os.scandir(store.path.parent) as entries:
            paths |= {board_path(Path(entry.path)) for entry in entries if digits in entry.name}
    return sorted((path for path in paths if path.exists()), key=lambda path: (path != own, path))


def _root_digits(store: Store) -> str:
    return root_hash(Path(store.info.canonical_root))[:12]


def _read(path: Path) -> Board:
    with storage_errors(path), open(path, "rb") as stream:
        raw = stream.read(_MOST_BYTES + 1)
    if len(raw) > _MOST_BYTES:
        raise Corrupt(f"{path} is larger than any board", hint=HINT)
    return decode(raw, str(path))


def _put_aside(path: Path, why: str) -> Path:
    aside = path.with_name(f"{NAME}.{why}-{clock.new_ulid()}")
    with storage_errors(path):
        os.rename(path, aside)
    fsync_directory(path.parent)
    return aside


def _condition(path: Path) -> str:
    try:
        _read(path)
    except EverdexError:
        return "damaged"
    return "before-reset"
