"""What a second worktree costs beside the first: its index, and the first question about its graph.

    python benchmarks/store/worktrees.py TREE SYMBOL [--edit PATH]

TREE is copied, committed and indexed from nothing, its graph is made, and SYMBOL is asked for. Then the same in a
worktree of it, with one file edited if PATH is given. Wall and CPU seconds of whole commands, children included.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_GIT = ("git", "-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("symbol")
    parser.add_argument("--edit", help="a file of the worktree that gets one more line")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="everdex-worktrees-") as scratch:
        first, second = Path(scratch, "first"), Path(scratch, "second")
        shutil.copytree(arguments.tree, first, ignore=shutil.ignore_patterns(".git"), symlinks=True)
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "all"]):
            subprocess.run([*_GIT, *command], cwd=first, check=True)
        environment = {**os.environ, "EVERDEX_HOME": os.fspath(Path(scratch, "home"))}
        print("| | `index` | `map`, which makes the graph | `callers` |")
        print("|---|---|---|---|")
        _row("the first worktree", first, arguments.symbol, environment)
        subprocess.run([*_GIT, "worktree", "add", "-q", os.fspath(second)], cwd=first, check=True)
        if arguments.edit:
            with open(second / arguments.edit, "a") as edited:
                edited.write("\n")
        _row("the second", second, arguments.symbol, environment)


def _row(name: str, root: Path, symbol: str, environment: dict[str, str]) -> None:
    costs = [
        _cost([sys.executable, "-m", "everdex", *command], root, environment)
        for command in (["index", "-q"], ["map", "--budget", "500"], ["callers", symbol])
    ]
    print(f"| {name} | " + " | ".join(f"{wall:.1f} s, {cpu:.1f} s of CPU" for wall, cpu in costs) + " |")


def _cost(command: list[str], root: Path, environment: dict[str, str]) -> tuple[float, float]:
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - began, cpu


if __name__ == "__main__":
    main()
