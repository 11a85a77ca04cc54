"""What a process does with memory that it needs no more."""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROGRAM = """
import weakref
from everdex.memory import ends_soon, let_go

class Piece: pass

{before}
piece = Piece()
known = weakref.ref(piece)
let_go(piece)
del piece
print(known() is not None)
"""


@pytest.mark.parametrize(("before", "stays"), [("", "False"), ("ends_soon()", "True")])
def test_what_is_let_go_stays_only_in_a_process_that_ends_soon(before: str, stays: str) -> None:
    """A daemon gives back what it needs no more; who makes one graph and ends leaves that to the system."""
    said = subprocess.run(
        [sys.executable, "-c", _PROGRAM.format(before=before)], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == stays
