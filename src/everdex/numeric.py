"""The one door to numpy: thread counts are fixed before it is imported.

Everything that computes imports `np` from here. A second BLAS thread makes small products slower under
load, and threads started before a fork make worker processes hang, so both libraries are told to use one.
"""

from __future__ import annotations

import os

from everdex.machine import require_room

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

# Where OpenBLAS finds no room it ends the process, with the exit code that says "nothing found".
require_room(80 << 20)

import numpy as np  # noqa: E402
import numpy.typing as npt  # noqa: E402

__all__ = ["np", "npt"]
