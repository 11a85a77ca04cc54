"""The stores of other worktrees of the same repository: what they hold of equal files need not be worked out again.

Two worktrees never share a store. What is taken from a neighbour is copied, and only where path and content are equal
and everything that decides what is made of them is, too.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from everdex.changes.standstill import git_places
from everdex.errors import EverdexError
from everdex.roots import Root, everdex_home
from everdex.snapshot.store import Store, open_store_at

_MOST: Final = 4


def neighbours(store: Store) -> list[Store]:
    """Stores of the repository's other worktrees with the same configuration, the one used last first."""
    shared = _shared_git(Path(store.info.canonical_root))
    if shared is None or store.info.shared:
        return []
    found: list[tuple[float, Store]] = []
    fingerprint = store.info.config_fingerprint
    for path in (everdex_home() / "data").glob(f"*-{fingerprint[:12]}"):
        try:
            other = open_store_at(path, config_fingerprint=fingerprint)
            used = other.active_path.stat().st_mtime
        except (EverdexError, OSError):
            continue  # not published, damaged or gone: that is for those who work there
        is_other = other.store_id != store.store_id and not other.info.shared
        if is_other and _shared_git(Path(other.info.canonical_root)) == shared:
            found.append((used, other))
    found.sort(key=lambda each: (-each[0], each[1].store_id))
    return [other for _, other in found[:_MOST]]


def _shared_git(root: Path) -> str | None:
    """The git directory that all worktrees of a repository have in common."""
    try:
        return os.path.realpath(os.fsdecode(git_places(Root(root, is_git=True))[1]))
    except OSError:
        return None
