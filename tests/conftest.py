"""Every test gets its own EVERDEX_HOME: nothing may reach the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.stores import use_home


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The EVERDEX_HOME of this test, with the fake embedder."""
    return use_home(monkeypatch, tmp_path_factory.mktemp("everdex"))
