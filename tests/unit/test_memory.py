"""What the interpreter does with memory, counted by the kernel."""

from __future__ import annotations

import resource
from collections.abc import Callable

import pytest

from everdex.memory import roomy

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
