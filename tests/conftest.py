"""Every test gets its own EVERDEX_HOME: nothing may reach the user's. Property tests have a fixed seed."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from support.stores import use_home

_MEMORY = "/dev/shm"

# Commands are started by the thousand. Where bytecode is not to be written beside the source (the workers inherit what
# is set here) it goes elsewhere: compiling takes longer than most commands do.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    _BYTECODE = tempfile.TemporaryDirectory(prefix="everdex-bytecode-", ignore_cleanup_errors=True)
    os.environ["PYTHONPYCACHEPREFIX"] = _BYTECODE.name

# Where it is set, what commands put on a terminal comes in an order that users do not see.
os.environ.pop("PYTHONUNBUFFERED", None)

# The same examples in every run, on a machine of any speed; `--hypothesis-profile=default` tries others.
_UNTIMED = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
settings.register_profile("everdex", derandomize=True, deadline=None, suppress_health_check=_UNTIMED)
settings.load_profile("everdex")


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
