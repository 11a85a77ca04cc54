"""The made-up language of `support.toy`, and a program in it that can be asked about."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.graph import resolvers
from support.graphs import PROGRAM, Ask, asker
from support.stores import synced


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the made-up language is resolved."""
    monkeypatch.setattr(resolvers, "MODULES", ("support.toy",))


@pytest.fixture
def ask(tmp_path: Path, toy: None) -> Ask:
    return asker(synced(tmp_path / "tree", PROGRAM))
