"""Real edits: a repository's own commits, one after the other, each graph from the one before it against a clean one.

    python benchmarks/callgraph/history.py REPOSITORY [--commits 60] [--stride 1] [--skip 0] [--check 1]
        [--saved] [--stay]

`REPOSITORY` is a git directory. Its last first-parent commits, every `--stride`-th of them, are checked out in a clone
in a temporary place, oldest first; with `--saved` one file after the other, as an editor saves them. CPU of one
process, as in `speed.py`, with parse and facts of what changed. Every `--check`-th graph is compared with one that is
made from nothing. With `--stay` the resolvers go on with what they know, as the daemon's do; what they do between two
graphs, when nobody waits any more, is told by itself.
"""

from __future__ import annotations

import argparse
import gc
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from everdex.durable import make_directory
from everdex.graph.making.build import Built, build
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.memory import collector_held
from everdex.service.index import Index
from everdex.sync.model import SyncOptions
from everdex.view import SnapshotView, open_view


@dataclass(frozen=True)
class Step:
    """One commit, or one file of it: its cost from the graph before it."""

    what: str
    changed: int  # files that have a resolver
    resolved: int
    seconds: float
    resting: float  # seconds, afterwards
    same: bool | None  # as a clean build; None: not compared


def replay(
    repository: Path, commits: int, stride: int, skip: int, check: int, saved: bool, stay: bool
) -> list[Step]:
    with tempfile.TemporaryDirectory(prefix="everdex-history-") as place:
        os.environ["EVERDEX_HOME"] = f"{place}/home"
        tree = Path(place, "tree")
        _git(None, "clone", "-q", "--shared", "--no-checkout", str(repository), str(tree))
        chosen = _git(tree, "rev-list", "--first-parent", "HEAD").split()[skip::stride][: commits + 1][::-1]
        before: Graph | None = None
        steps = []
        known = Resolvers(stay=stay)
        for number, what in enumerate(_states(tree, chosen, saved)):
            index = Index.open(str(tree), force_root=True)
            index.sync(SyncOptions())
            make_directory(index.store().graphs, index.store().permissions)  # or no facts would be kept
            with open_view(index.store()) as view:
                started = time.process_time()
                with collector_held() if stay else nullcontext():  # as the daemon's process does
                    built = _built(view, known, before)
                    seconds = time.process_time() - started
                known.rest()
                if stay:
                    gc.freeze()
                resting = time.process_time() - started - seconds
                same = None
                if before is not None and number % check == 0:
                    same = built.data == _built(view, Resolvers(), None).data
            if before is not None:
                steps.append(Step(what, built.changed, built.resolved, seconds, resting, same))
                if same is False:
                    print(f"{what} is not what a clean build is", flush=True)
            before = Graph(built.data, "before")
        return steps


def _states(tree: Path, commits: list[str], saved: bool) -> Iterator[str]:
    """What the tree is brought to, in turn; it is so when its name is given."""
    for former, commit in zip((None, *commits), commits, strict=False):
        if saved and former is not None:
            for path in _git(tree, "diff", "--no-renames", "--name-only", "-z", former, commit).split("\0")[:-1]:
                named = ("--", f":(literal){path}")
                there = _git(tree, "ls-tree", "--name-only", commit, *named)
                _git(tree, *(("checkout", "-q", commit) if there else ("rm", "-q", "--force")), *named)
                yield f"{commit[:10]} {path}"
        else:
            _git(tree, "checkout", "-q", "--force", commit)
            yield commit[:10]


def _built(view: SnapshotView, known: Resolvers, before: Graph | None) -> Built:
    return build(view, known, before, workers=1, progress=lambda *_: None)


def _git(tree: Path | None, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=tree, check=True, capture_output=True, text=True).stdout


def _report(name: str, steps: list[Step]) -> None:
    compared = [step.same for step in steps if step.same is not None]
    print(f"{name}: {len(steps)} steps; of {len(compared)} compared {sum(compared)} are as clean builds")
    print("| files changed | steps | files resolved, p50 | p90 | CPU ms, p50 | p90 | largest | within 150 ms |")
    print("|---|---|---|---|---|---|---|---|")
    for said, least, most in (("1", 1, 1), ("2 to 5", 2, 5), ("more", 6, 1 << 30)):
        found = [step for step in steps if least <= step.changed <= most]
        if found:
            costs = sorted(step.seconds * 1000 for step in found)
            files = sorted(step.resolved for step in found)
            half, nine = len(found) // 2, len(found) * 9 // 10
            print(
                f"| {said} | {len(found)} | {files[half]} | {files[nine]} | {costs[half]:.0f} | {costs[nine]:.0f} "
                f"| {costs[-1]:.0f} | {sum(each <= 150 for each in costs)} |"
            )
    resting = sorted(step.resting * 1000 for step in steps)
    print(f"afterwards: p50 {resting[len(steps) // 2]:.0f} ms, largest {resting[-1]:.0f} ms")
    for step in sorted(steps, key=lambda step: -step.seconds)[:3]:
        print(f"- {step.what}: {step.changed} files changed, {step.resolved} resolved, {step.seconds * 1000:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--commits", type=int, default=60)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--check", type=int, default=1)
    parser.add_argument("--saved", action="store_true")
    parser.add_argument("--stay", action="store_true")
    asked = parser.parse_args()
    _report(
        asked.repository.parent.name or asked.repository.name,
        replay(asked.repository, asked.commits, asked.stride, asked.skip, asked.check, asked.saved, asked.stay),
    )


if __name__ == "__main__":
    main()
