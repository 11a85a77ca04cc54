"""The mean of several runs that start from one table and differ in their order.

Worth it only while the runs stay in one basin, near a first table of some size; from the small one that is used now
they part, and the mean of two was worse than either (docs/model-card.md).
"""

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
