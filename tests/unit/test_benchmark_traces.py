"""What benchmarks/callgraph/traces.py compares: edges that ran with the functions that are written."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from fixtures.callgraph.python.harness import resolve, world

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks" / "callgraph"


def test_a_function_with_another_name_at_run_time_is_the_one_that_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that was given another name counts as the function in whose line it begins; a lambda there does not."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    traces = importlib.import_module("traces")
    graphs = resolve(world(main="def make():\n    def built(): return (lambda: 1)\n    return built\n"))
    edges = {(("main.py", 2, "renamed"), ("main.py", 1, "make")), (("main.py", 1, "make"), ("main.py", 2, "<lambda>"))}
    assert traces.placed(edges, graphs) == {
        (("main.py", 2, "built"), ("main.py", 1, "make")),
        (("main.py", 1, "make"), ("main.py", 2, "<lambda>")),
    }
