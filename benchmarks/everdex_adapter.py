"""The one place where the benchmarks touch everdex: as whole commands, and in process.

Everything else in benchmarks/ speaks to these classes: when everdex changes its interface, only this file does.
Each adapter works in a home of its own and never sees the user's stores.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import Run, run_measured, tree_bytes
from benchmarks.search.systems import Hit, IndexFacts


class Commands:
    """everdex as a person runs it: one process a call, no daemon."""

    def __init__(self, home: Path, python: str = sys.executable) -> None:
        self._home = home
        self._python = python

    def run(self, *arguments: str | Path, accept: Sequence[int] = (0,), sample: bool = False) -> Run:
        command = [self._python, "-m", "everdex", *arguments]
        return run_measured(command, env={"EVERDEX_HOME": str(self._home)}, accept=accept, sample=sample)

    def index(self, root: Path, *, sample: bool = False) -> tuple[Run, dict[str, Any]]:
        run = self.run("index", root, "--json", sample=sample)
        return run, json.loads(run.stdout)

    def search(self, root: Path, query: str, k: int = 10) -> tuple[Run, list[Hit]]:
        """Exit code 1 is an answer too: nothing found."""
        run = self.run("search", query, root, "--json", "-k", str(k), accept=(0, 1))
        return run, hits_of(json.loads(run.stdout))

    def status(self, root: Path) -> dict[str, Any]:
        return dict(json.loads(self.run("status", root, "--json").stdout))

    def compact(self, root: Path) -> None:
        self.run("compact", root, "--force", "--json")

    def store_bytes(self) -> int:
        return tree_bytes(self._home / "data")


@dataclass(frozen=True, slots=True)
class Shape:
    """How the active snapshot is laid out."""

    segments: int
    tombstones: int


class Session:
    """everdex inside this process, warm: the index is opened once."""

    def __init__(self, home: Path, root: Path) -> None:
        os.environ["EVERDEX_HOME"] = str(home)
        from everdex.service import Index

        self._index = Index(root)

    def sync(self, *, auto_compact: bool = True) -> None:
        self._index.sync(auto_compact=auto_compact)

    def search(self, query: str, k: int, mode: str = "hybrid") -> list[Hit]:
        return hits_of(self._index.search(query, k=k, mode=mode))

    def shape(self) -> Shape:
        status = self._index.status()
        return Shape(status["segments"], status["tombstones"])


class SearchSystem:
    """everdex as one of the systems of benchmarks/search."""

    def __init__(self, scratch: Path, mode: str) -> None:
        import everdex.service  # noqa: F401  (not installed must be known before anything is timed)

        self._home = scratch / "everdex"
        self._mode = mode
        self._session: Session | None = None

    def index(self, root: Path) -> IndexFacts:
        self._session = Session(self._home, root)
        self._session.sync()
        status = Commands(self._home).status(root)
        return IndexFacts(status["files"], status["chunks"], tree_bytes(self._home / "data"))

    def search(self, query: str, k: int) -> list[Hit]:
        assert self._session is not None, "search before index"
        return self._session.search(query, k, self._mode)


def hits_of(answer: dict[str, Any]) -> list[Hit]:
    return [Hit(row["path"], row["start_line"], row["end_line"], row["score"]) for row in answer["results"]]
