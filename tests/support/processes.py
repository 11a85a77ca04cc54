"""Processes beside a test: children that speak line by line, who lives, and waiting until something holds.

No test sleeps and hopes: it waits `until` what it needs is so. The bound only tells a hang from a slow machine, so it
is far longer than anything takes; what goes while it is looked at is gone, and no error.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

PATIENCE_S = 180
_TESTS = Path(__file__).resolve().parent.parent
_Found = TypeVar("_Found")


def until(look: Callable[[], _Found], what: str, seconds: float = PATIENCE_S) -> _Found:
    """What `look` found, as soon as that is something; `what` says for what was waited in vain."""
    deadline = time.monotonic() + seconds
    while not (found := look()):
        assert time.monotonic() < deadline, f"waited in vain for {what}"
        time.sleep(0.02)
    return found


def alive(pid: int) -> bool:
    """Whether a process is there and has not ended; one that nobody has buried yet has."""
    return _state(Path(f"/proc/{pid}")) not in ("", "Z", "X")


def stopped(pid: int) -> bool:
    """Whether every thread of a process has obeyed SIGSTOP."""
    return {_state(thread) for thread in _threads(pid)} == {"T"}


def children(pid: int) -> list[int]:
    """The processes that any thread of this one has started and not buried; none when it is gone itself."""
    found: list[int] = []
    for thread in _threads(pid):
        with suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, (thread / "children").read_text().split())
    return found


def _threads(pid: int) -> list[Path]:
    try:
        return [Path(f"/proc/{pid}/task/{name}") for name in os.listdir(f"/proc/{pid}/task")]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _state(directory: Path) -> str:
    """A letter, as the kernel tells it of a process or thread; none when it is gone."""
    try:
        return (directory / "stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def running(words: str | os.PathLike[str], among: Iterable[int] | None = None) -> list[int]:
    """Which of these processes, or of all, live and have these words in their command line; NUL stands between two."""
    found = []
    for pid in map(int, filter(str.isdecimal, os.listdir("/proc"))) if among is None else among:
        with suppress(FileNotFoundError, ProcessLookupError):
            if os.fsencode(words) in Path(f"/proc/{pid}/cmdline").read_bytes() and alive(pid):
                found.append(pid)
    return found


def environment() -> dict[str, str]:
    """This process's environment, with tests/ importable."""
    inherited = [path for path in (os.environ.get("PYTHONPATH"),) if path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join([os.fspath(_TESTS), *inherited])}


class Child:
    """A Python child running `source`, with tests/ importable; `ARGS` holds its string arguments."""

    def __init__(self, source: str, *arguments: object, pass_fds: tuple[int, ...] = ()) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", f"import sys\nARGS = sys.argv[1:]\n{source}", *map(str, arguments)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment(),
            pass_fds=pass_fds,
        )  # fmt: skip

    def line(self) -> str:
        """The next line the child printed; empty when it has ended."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def go(self) -> None:
        """Let a child that waits in `input()` continue."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()
