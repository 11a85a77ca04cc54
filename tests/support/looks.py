"""How much of a tree a sync looks at, and whether it published what a full look would have."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from everdex.discover import discovery
from everdex.sync import glance
from everdex.sync.look import Look
from everdex.sync.model import SyncOptions
from support.stores import Workspace, workspace


def stands_still(made: Workspace) -> bool:
    return glance.stands(made.root, made.config, made.store, made.base()) is not None


def is_all_seen(made: Workspace) -> bool:
    """Whether a full look has nothing to add to the active snapshot."""
    return Look(made.root, made.config, made.store, made.base(), SyncOptions()).nothing_to_do


def happened_beside_an_edit(made: Workspace, other: Callable[[Path], object], *, settled: bool) -> None:
    """After an edit that was published from a narrow look another one, and something else; then a sync."""
    (made.path / "main.py").write_text("def main():\n    return 5\n")
    assert made.sync().published
    if settled:
        made.settle()
    (made.path / "main.py").write_text("def main():\n    return 7777\n")
    other(made.path)
    made.sync()


def same_as_a_full_look(made: Workspace, tmp_path: Path) -> None:
    """The active snapshot, compared with the tree and with a store that knows nothing of any before."""
    assert is_all_seen(made)
    again = workspace(shutil.copytree(made.path, tmp_path / "again", symlinks=True))
    again.sync()
    assert made.texts() == again.texts()
    told, expected = made.base(), again.base()
    for field in ("ignore_fingerprint", "git", "skipped", "errors", "degraded"):
        assert getattr(told, field) == getattr(expected, field), field
    assert msgspec.structs.replace(told.counts, tombstones_added=0) == expected.counts


def discoveries(monkeypatch: pytest.MonkeyPatch, step: str) -> list[object]:
    """Grows by one whenever discovery takes this step."""
    taken: list[object] = []
    take = getattr(discovery, step)

    def counted(*arguments: object) -> object:
        taken.append(arguments)
        return take(*arguments)

    monkeypatch.setattr(discovery, step, counted)
    return taken
