"""The stores of other worktrees of the same repository: what they hold of equal files need not be worked out again.

Two worktrees never share a store. What is taken from a neighbour is copied, and only where path and content are equal
and everything that decides what is made of them is, too.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from everdex.changes.git_places import git_places, worktree_roots
from everdex.errors import EverdexError
from everdex.roots import Root, store_id
from everdex.snapshot.store import Store, open_store_at, store_path

_MOST: Final = 4


def neighbours(store: Store) -> list[Store]:
    """Stores of the repository's other worktrees with the same configuration, the one used last first."""
    if store.info.shared:
        return []
    try:
        _, shared = git_places(Root(Path(store.info.canonical_root), is_git=True))
    except OSError:
        return []
    fingerprint = store.info.config_fingerprint
    found: dict[str, tuple[float, Store]] = {}
    for root in worktree_roots(shared):
        path = store_path(store_id(Path(os.path.realpath(os.fsdecode(root))), fingerprint))
        try:
            other = open_store_at(path, config_fingerprint=fingerprint)
            found[other.store_id] = (-other.active_path.stat().st_mtime, other)
        except (EverdexError, OSError):
            continue  # not indexed, damaged or gone: that is for those who work there
    found.pop(store.store_id, None)
    return [found[name][1] for name in sorted(found, key=lambda name: (found[name][0], name))[:_MOST]]
