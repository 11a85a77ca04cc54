"""What the interpreter does with memory, counted by the kernel or by the interpreter itself."""

from __future__ import annotations

import resource
import sys
import tracemalloc
from collections.abc import Callable

import pytest

from everdex.memory import roomy
from everdex.parse.grammar import parse_tree

_DEPTHS = 400
_CALLS = 200


def _nothing() -> None:
    pass


def _faults_by_depth(depth: int) -> list[int]:
    """At each depth of the stack, the pages that some calls of a small function have the kernel clear."""

    def call() -> None:
        _nothing()

    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(_CALLS):
        call()
    faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
    return [faults, *(_faults_by_depth(depth - 1) if depth else ())]


class _Deep:
    @roomy
    def faults(self, depth: int) -> list[int]:
        return _faults_by_depth(depth)

    @roomy
    def fail(self, *, kind: Callable[[str], Exception]) -> None:
        """Fails."""
        raise kind("deep")


def test_calls_on_a_roomy_stack_map_no_memory_again_and_again() -> None:
    """There is no depth at which each call has a piece of the stack mapped and cleared; without room there are such."""
    assert max(_faults_by_depth(_DEPTHS)) >= _CALLS
    assert max(_Deep().faults(_DEPTHS)) < _CALLS


def test_a_roomy_method_is_the_method() -> None:
    """Name, documentation, keywords and errors are those of the method itself."""
    assert (_Deep.fail.__name__, _Deep.fail.__doc__) == ("fail", "Fails.")
    with pytest.raises(LookupError, match="deep"):
        _Deep().fail(kind=LookupError)


def test_what_was_parsed_is_let_go() -> None:
    """A daemon parses with every edit, and a worker thousands of files: of none the text stays."""
    data = b"def f(a, b):\n    return [a, b, f(a, b)]\n\n\n" * 1_000
    parse_tree("python", data)
    small = data[:43]
    references = sys.getrefcount(small)
    tracemalloc.start()
    try:
        for _ in range(5):
            parse_tree("python", data)
            parse_tree("python", small)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < len(data)
    assert sys.getrefcount(small) == references
