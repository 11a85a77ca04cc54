"""Child processes that speak line by line, so that a test can stop, wake or kill them at a known point."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_TESTS = Path(__file__).resolve().parent.parent


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
