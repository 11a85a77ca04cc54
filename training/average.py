"""The mean of several runs. They start from one table and so lie in one basin: the mean is better than each."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from training.model import Parameters


def average(runs: Sequence[Parameters]) -> Parameters:
    if not runs:
        raise ValueError("no runs to average")
    return Parameters(
        np.mean([one.table for one in runs], axis=0, dtype=np.float64).astype(np.float32),
        np.mean([one.asking for one in runs], axis=0, dtype=np.float64).astype(np.float32),
        float(np.mean([one.scale for one in runs])),
    )
