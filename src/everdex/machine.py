"""How much of this machine a job may take: as many worker processes as there are cores for us and memory for them.

Looks at what this process may use, not at what the machine has: an affinity mask and a container's quota count. Knows
nothing of the jobs.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from everdex import limits

_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")
_MEMORY: Final = Path("/proc/meminfo")


def workers() -> int:
    """How many worker processes a large job starts when nobody says how many."""
    return max(1, min(_cores(), limits.WORKERS, _available_bytes() // limits.WORKER_BYTES))


def _cores() -> int:
    allowed = len(os.sched_getaffinity(0))
    with suppress(OSError, ValueError):  # no such file, or "max": no quota
        quota, period = _QUOTA.read_text().split()
        return min(allowed, max(1, int(quota) // int(period)))
    return allowed


def _available_bytes() -> int:
    for line in _MEMORY.read_text().splitlines():
        name, _, value = line.partition(":")
        if name == "MemAvailable":
            return int(value.split()[0]) << 10
    return limits.WORKERS * limits.WORKER_BYTES
