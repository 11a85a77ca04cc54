"""The made-up language of `support.toy` with a program that can be asked about; a repository with an indexer."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.graph import resolvers
from support.graphs import PROGRAM, Ask, asker
from support.scenes import FILES, Scene
from support.stores import synced


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the made-up language is resolved."""
    monkeypatch.setattr(resolvers, "MODULES", ("support.toy",))


@pytest.fixture
def ask(tmp_path: Path, toy: None) -> Ask:
    return asker(synced(tmp_path / "tree", PROGRAM))


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(tmp_path, monkeypatch, FILES)
