"""How much of this machine a job may take: as many worker processes as there are cores for us and memory for them.

Looks at what this process may use, not at what the machine has: an affinity mask and a container's quota count. Knows
nothing of the jobs. Also tells of a process that does them whether it stands still.
"""

from __future__ import annotations

import mmap
import os
import resource
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

from everdex import limits

_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")
_MEMORY: Final = Path("/proc/meminfo")


def workers() -> int:
    """How many worker processes a large job starts when nobody says how many."""
    return max(1, min(_cores(), limits.WORKERS, _available_bytes() // limits.WORKER_BYTES))


def require_room(size: int) -> None:
    """`MemoryError` where a limit of the address space (`ulimit -v`) leaves less."""
    if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
        return
    try:
        mmap.mmap(-1, size).close()
    except OSError as error:
        raise MemoryError(f"`ulimit -v` leaves less than {size >> 20} MiB") from error


class StandsStill:
    """Whether a process is stopped (SIGSTOP, a debugger) and stays so; to be asked every so often."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._since: float | None = None

    def __call__(self) -> bool:
        if not _is_stopped(self.pid):
            self._since = None
            return False
        # Whoever stops a whole family lets it go on in some order.
        self._since = self._since or time.monotonic()
        return time.monotonic() - self._since >= limits.STOPPED_S


def _is_stopped(pid: int) -> bool:
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as stream:
        return stream.read().rpartition(b")")[2].split()[0] in (b"T", b"t")
    return False


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
