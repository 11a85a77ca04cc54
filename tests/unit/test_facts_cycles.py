"""What reading a file leaves behind: workers read thousands with the collector off."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest

from everdex.facts import facts_of
from everdex.parse import trees_of

_FIXTURES = Path(__file__).parents[1] / "fixtures" / "callgraph"


@pytest.mark.parametrize("language", sorted(path.name for path in _FIXTURES.iterdir()))
def test_facts_leave_nothing_to_the_collector(language: str) -> None:
    """Whatever was needed to read a file is gone when its facts are there."""
    files = [path for path in sorted((_FIXTURES / language).rglob("*")) if path.is_file() and path.suffix != ".pyc"]
    for path in files:  # once, for what is loaded with the first file of a language
        facts_of(path.name, trees_of(path.name, path.read_bytes()), path.read_bytes())
    gc.collect()
    gc.disable()
    try:
        for path in files:
            facts_of(path.name, trees_of(path.name, path.read_bytes()), path.read_bytes())
        assert gc.collect() == 0
    finally:
        gc.enable()
