"""How many workers a job gets when nobody says: what this process may use of the machine, within bounds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from everdex import limits, machine
from everdex.sync.model import SyncOptions


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Sixteen cores, no quota and a terabyte."""
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(16)))
    monkeypatch.setattr(machine, "_QUOTA", tmp_path / "cpu.max")
    monkeypatch.setattr(machine, "_MEMORY", tmp_path / "meminfo")
    (tmp_path / "meminfo").write_text("MemTotal: 2000000000 kB\nMemAvailable: 1073741824 kB\n")
    return tmp_path


def test_one_a_core_up_to_a_limit(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every core gets a worker, and a machine with many cores no more than the limit says."""
    assert machine.workers() == limits.WORKERS
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {0, 1, 5})
    assert machine.workers() == SyncOptions().workers == 3


@pytest.mark.parametrize(
    ("quota", "expected"), [("max 100000", 8), ("250000 100000", 2), ("50000 100000", 1), ("", 8)]
)
def test_a_containers_quota_counts(large: Path, quota: str, expected: int) -> None:
    """A container that may use two and a half cores starts two workers, not sixteen."""
    (large / "cpu.max").write_text(quota)
    assert machine.workers() == expected


def test_each_worker_needs_free_memory(large: Path) -> None:
    """With little free memory there are fewer workers, and always one."""
    (large / "meminfo").write_text(f"MemAvailable: {3 * limits.WORKER_BYTES // 1024} kB\n")
    assert machine.workers() == 3
    (large / "meminfo").write_text("MemAvailable: 1000 kB\n")
    assert machine.workers() == 1


def test_the_cores_are_those_of_this_process() -> None:
    """What counts is the process's affinity, not what the machine has."""
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from everdex import machine; print(machine.workers())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "1\n"
