"""How often an unfinished graph is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.graph.making import unfinished
from everdex.graph.making.unfinished import Saving
from everdex.graph.resolvers import Resolvers
from support.stores import synced


def test_putting_a_graph_together_counts_as_keeping_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who resolves waits while a graph is put together, so one that takes ten seconds is kept every 200."""
    now = 1_000.0
    monkeypatch.setattr(unfinished.time, "monotonic", lambda: now)
    made = synced(tmp_path / "tree", {"a.py": "x = 1\n"})
    made.store.graphs.mkdir(exist_ok=True)
    saving = Saving(made.store, Resolvers())

    def pieces() -> tuple[bytes, ...]:
        nonlocal now
        now += 10
        return (b"a graph",)

    assert saving.save(pieces)
    now += 190
    assert not saving.is_due
    now += 10
    assert saving.is_due
