"""Runs commands and says what they cost: wall time, peak memory and number of processes of the whole tree.

Promises that memory is the sum over every living descendant, sampled from /proc, so that worker processes are
not forgotten (pages that they share are counted once for each). It knows nothing of what it measures.
"""

from __future__ import annotations

import math
import os
import platform
import random
import statistics
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SAMPLE_SECONDS = 0.02
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class CommandFailed(Exception):
    """A measured command ended with an exit code that was not expected."""


@dataclass(frozen=True, slots=True)
class Run:
    """One finished command and its cost."""

    seconds: float
    peak_rss_bytes: int
    peak_processes: int
    returncode: int
    stdout: str
    stderr: str


def descendants(pid: int) -> list[int]:
    """The process and every living descendant; those that end meanwhile are left out."""
    found, queue = [], [pid]
    while queue:
        current = queue.pop()
        found.append(current)
        try:
            for task in os.listdir(f"/proc/{current}/task"):
                children = Path(f"/proc/{current}/task/{task}/children").read_text()
                queue.extend(int(child) for child in children.split())
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def resident_bytes(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    except (FileNotFoundError, ProcessLookupError):
        return 0


class TreeSampler:
    """Samples one process tree until stopped; `peak_rss_bytes` and `peak_processes` are its findings."""

    def __init__(self, pid: int) -> None:
        self.peak_rss_bytes = 0
        self.peak_processes = 0
        self._pid = pid
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def _sample(self) -> None:
        while not self._stopped.wait(SAMPLE_SECONDS):
            sizes = [size for size in map(resident_bytes, descendants(self._pid)) if size]
            self.peak_rss_bytes = max(self.peak_rss_bytes, sum(sizes))
            self.peak_processes = max(self.peak_processes, len(sizes))

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()


def run_measured(
    argv: Sequence[str | Path],
    *,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    accept: Sequence[int] = (0,),
    sample: bool = True,
) -> Run:
    """Runs a command to its end. `sample=False` leaves /proc alone, for commands of a few milliseconds."""
    started = time.perf_counter()
    process = subprocess.Popen(
        [str(part) for part in argv],
        env={**os.environ, **(env or {})},
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    sampler = TreeSampler(process.pid) if sample else None
    stdout, stderr = process.communicate()
    seconds = time.perf_counter() - started
    if sampler is not None:
        sampler.stop()
    if process.returncode not in accept:
        command = " ".join(str(part) for part in argv)
        raise CommandFailed(f"exit {process.returncode}: {command}\n{stderr.strip()[-4000:]}")
    return Run(
        seconds=seconds,
        peak_rss_bytes=sampler.peak_rss_bytes if sampler else 0,
        peak_processes=sampler.peak_processes if sampler else 0,
        returncode=process.returncode,
        stdout=stdout,
        stderr=stderr,
    )


def timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def alternate(repeats: int, actions: Mapping[str, Callable[[], float]]) -> dict[str, list[float]]:
    """Runs each action `repeats` times, in turn: a slow minute of the machine then falls on all of them."""
    figures: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(repeats):
        for name, action in actions.items():
            figures[name].append(action())
    return figures


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def percentile(values: Sequence[float], percent: float) -> float:
    """The nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]


def tree_bytes(root: Path) -> int:
    """Bytes of the regular files below `root`; a hard-linked file counts once."""
    seen: dict[tuple[int, int], int] = {}
    for folder, _, names in os.walk(root):
        for name in names:
            status = os.lstat(os.path.join(folder, name))
            seen[status.st_dev, status.st_ino] = status.st_size
    return sum(seen.values())


def paired_bootstrap(
    groups: Sequence[Sequence[float]], *, resamples: int = 2_000, seed: int = 20_261_115
) -> tuple[float, float]:
    """A 95 % interval for the mean of group means of paired differences.

    Groups (repositories) are drawn with replacement and then queries inside each drawn group, because queries
    of one repository are not independent of each other.
    """
    generator = random.Random(seed)
    means = []
    for _ in range(resamples):
        drawn = generator.choices(groups, k=len(groups))
        resampled = [statistics.fmean(generator.choices(group, k=len(group))) for group in drawn]
        means.append(statistics.fmean(resampled))
    means.sort()
    return means[int(0.025 * resamples)], means[int(0.975 * resamples) - 1]


def machine() -> dict[str, str]:
    """What a reader needs to know of the machine to weigh the figures."""
    cpu = next(
        (
            line.split(":", 1)[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    memory_kib = int(Path("/proc/meminfo").read_text().split()[1])
    return {
        "cpu": f"{cpu} × {os.cpu_count()}",
        "memory": f"{memory_kib / 1024 / 1024:.0f} GiB",
        "kernel": platform.release(),
        "python": platform.python_version(),
        "load at start": " ".join(f"{value:.1f}" for value in os.getloadavg()),
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
    }
