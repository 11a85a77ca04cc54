"""Each case of the Python call graph, with what it must say at every call site written in it."""

from __future__ import annotations

import pytest

from fixtures.callgraph.python.harness import (
    HERE,
    Case,
    MemoryWorld,
    calls_by_line,
    cases,
    edges,
    expected_by_line,
    noted,
    resolve,
)


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_every_call_site_says_what_its_line_expects(case: Case) -> None:
    """No call site is without an expectation, and each has exactly the targets and the status written beside it."""
    graphs = resolve(MemoryWorld(case.files))
    for path, data in case.files.items():
        assert calls_by_line(graphs, path) == expected_by_line(data), path


@pytest.mark.parametrize("case", list(cases(HERE / "ran")), ids=lambda case: case.name)
def test_a_program_is_resolved_to_the_calls_it_runs(case: Case) -> None:
    """The resolved edges are those that ran when the program was run, but for the differences that it notes."""
    found = edges(resolve(MemoryWorld(case.files))) - noted(case, "through")
    truth = noted(case, "ran") | noted(case, "known")
    assert found - truth == noted(case, "extra")
    assert truth - found == noted(case, "missed")
