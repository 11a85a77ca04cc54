"""The one door to numpy: thread counts are fixed before it is imported.

Everything that computes imports `np` from here. A second BLAS thread makes small products slower under
load, and threads started before a fork make worker processes hang, so both libraries are told to use one.
"""

from __future__ import annotations

import os
from typing import Any, TypeVar

from everdex.machine import require_room

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

# Where OpenBLAS finds no room it ends the process, with the exit code that says "nothing found".
require_room(80 << 20)

import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402

Number = TypeVar("Number", bound=np.integer[Any])
__all__ = ["distinct", "np", "npt"]


def distinct(numbers: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Each number once, in order: `np.unique`, which loads all that numpy has for masked arrays to tell that this is
    none, a twentieth of what a short command takes."""
    ordered = np.sort(numbers, axis=None)
    is_first = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_first[1:])
    return ordered[is_first]
