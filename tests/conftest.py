"""Every test gets its own EVERDEX_HOME: nothing may reach the user's."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.stores import use_home

_MEMORY = "/dev/shm"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The EVERDEX_HOME of this test, with the fake embedder.

    In memory where there is enough of it: a store flushes a lot, and what survives a power loss is the crash
    suite's business, not that of every test.
    """
    roomy = os.path.isdir(_MEMORY) and shutil.disk_usage(_MEMORY).free > 48 << 20
    directory = tempfile.mkdtemp(prefix="everdex-test-", dir=_MEMORY if roomy else None)
    yield use_home(monkeypatch, Path(directory))
    shutil.rmtree(directory, ignore_errors=True)
