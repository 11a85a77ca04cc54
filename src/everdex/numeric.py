"""The one door to numpy: thread counts are fixed before it is imported.

Everything that computes imports `np` from here. A second BLAS thread makes small products slower under
load, and threads started before a fork make worker processes hang, so both libraries are told to use one.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

import numpy as np
import numpy.typing as npt

__all__ = ["np", "npt"]
