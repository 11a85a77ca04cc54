"""What the measurements of run.py ask: a daemon over a copy of a real tree, with its memory, time and handles."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.daemon.load import Wire
from benchmarks.measure import descendants, resident_bytes
from benchmarks.store import corpus

LEFT_OUT = ("physics", "polys", "solvers")  # of sympy: what remains has about 40,000 chunks
MAKER = b"everdex.surfaces.daemon.grapher"
TICK = os.sysconf("SC_CLK_TCK")


class Daemon:
    """`everdex serve` over a tree, in a home of its own."""

    def __init__(self, tree: Path, home: Path) -> None:
        self.tree = tree
        self.env = {**os.environ, "EVERDEX_HOME": str(home)}
        self.env.pop("PYTHONDONTWRITEBYTECODE", None)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "everdex", "serve", str(tree), "--json"], stdout=subprocess.PIPE, text=True,
            env=self.env,
        )  # fmt: skip
        assert self.process.stdout is not None
        self.socket: str = json.loads(self.process.stdout.readline())["socket"]

    def wire(self) -> Wire:
        return Wire(self.socket)

    def status(self) -> dict[str, Any]:
        with self.wire() as wire:
            found: dict[str, Any] = wire.call("status", no_sync=True)
            return found

    def cpu_s(self) -> float:
        """User and system time of the daemon and its helpers so far."""
        total = 0
        for pid in descendants(self.process.pid):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            total += int(fields[11]) + int(fields[12])
        return total / TICK

    def rss_bytes(self) -> int:
        return sum(map(resident_bytes, descendants(self.process.pid)))

    def making_bytes(self) -> int:
        """Memory of the process that makes a graph, if one does."""
        return sum(resident_bytes(pid) for pid in descendants(self.process.pid) if MAKER in _command_line(pid))

    def handles(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def settle(self) -> None:
        """Wait until the graph is made: it is made once, and not what is measured."""
        with self.wire() as wire:
            while wire.call("ping")["graph"]["state"] in ("due", "making"):
                time.sleep(1)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


@dataclass(frozen=True)
class Setting:
    """What every measurement needs; the daemon is started for the first that asks it something."""

    whole: Path
    scratch: Path
    seconds: float
    session_s: float

    @cached_property
    def daemon(self) -> Daemon:
        daemon = Daemon(subset(self.whole), self.scratch / "home")
        daemon.settle()
        return daemon

    @cached_property
    def queries(self) -> list[str]:
        return corpus.sample_queries(self.daemon.tree, 1_000)

    def close(self) -> None:
        if "daemon" in self.__dict__:
            self.daemon.stop()


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def subset(whole: Path) -> Path:
    """The part of the store's tree that has about 40,000 chunks."""
    return copied(whole, "daemon-tree", {whole / "sympy" / "sympy" / name for name in LEFT_OUT})


def copied(whole: Path, name: str, doomed: set[Path]) -> Path:
    """A copy of the tree without some directories, made once, as it was committed."""
    tree = whole.parent / name
    if not (tree / ".git").exists():

        def ignored(folder: str, names: list[str]) -> set[str]:
            return {name for name in names if name == ".git" or Path(folder, name) in doomed}

        shutil.copytree(whole, tree, symlinks=True, ignore=ignored)
        corpus.git(tree, "init", "--quiet")
        corpus.git(tree, "add", "--all", "--force")
        corpus.git(tree, "commit", "--quiet", "--message", "the tree")
    corpus.restore(tree)
    return tree
