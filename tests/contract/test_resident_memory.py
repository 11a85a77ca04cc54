"""A process that answers for hours is not larger after a thousand edits than after one."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from everdex.graph.resolvers import Resolvers
from everdex.search.model import Mode, SearchRequest
from everdex.service import kept
from everdex.service.index import Reading
from everdex.service.opening import make
from everdex.service.relations import Question
from everdex.service.resident import ResidentIndex
from everdex.sync.model import SyncOptions
from support.daemons import resident
from support.trees import tree


@pytest.fixture
def warm(tmp_path: Path) -> Iterator[ResidentIndex]:
    root = tree(tmp_path / "project", {"a.py": "def alpha():\n    return 1\n\n\ndef beta():\n    return alpha()\n"})
    with resident(root) as index:
        yield index


def _ask_everything(warm: ResidentIndex) -> None:
    assert warm.reader.search(SearchRequest("alpha", Mode.HYBRID, 3), warm.stated(Reading()), Reading()).body["results"]
    assert warm.symbols("alpha", Reading()).body["definitions"]
    # As the process beside a daemon does.
    make(warm.index, warm.reader.graph_of().snapshot_id, SyncOptions(), Resolvers())
    for question in (Question("callers", symbol="alpha"), Question("map"), Question("architecture")):
        assert warm.relations(question, Reading()).body
    assert warm.chunks(Reading(), meta=True, offset=0, count=10).body["chunks"]


def test_a_replaced_view_is_gone_at_once(warm: ResidentIndex) -> None:
    """With its graph and every file it had mapped, not when the collector next comes by."""
    gc.disable()
    try:
        _ask_everything(warm)
        with warm.reader.pinned() as old:
            view = weakref.ref(old.view)
        del old
        assert view() is not None
        (warm.index.root.path / "a.py").write_text("def alpha():\n    return 2\n")
        _ask_everything(warm)
        assert view() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(("every_s", "wanted"), [(0.0, 3), (3600.0, 0)])
def test_memory_is_given_back_after_views_were_replaced(
    warm: ResidentIndex, monkeypatch: pytest.MonkeyPatch, every_s: float, wanted: int
) -> None:
    """By the questions themselves, at most so often; a question that finds its view in place pays nothing."""
    trims: list[int] = []
    monkeypatch.setattr(kept, "trim", lambda: trims.append(1))
    monkeypatch.setattr(kept, "_TRIM_EVERY_S", every_s)
    for number in range(4):
        (warm.index.root.path / "a.py").write_text(f"def alpha():\n    return {number + 10}\n")
        for _ in range(3):
            warm.symbols("alpha", Reading())
    assert len(trims) == wanted  # the first view replaced none
