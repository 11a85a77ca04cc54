"""The one place where the benchmarks touch everdex: as whole commands, and in process.

Everything else in benchmarks/ speaks to these classes: when everdex changes its interface, only this file does.
Each adapter works in a home of its own and never sees the user's stores.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Run, run_measured, tree_bytes
from benchmarks.search.systems import Hit, IndexFacts

if TYPE_CHECKING:
    from everdex.service.searcher import Searcher


class Commands:
    """everdex as a person runs it: one process a call, no daemon."""

    def __init__(self, home: Path, python: str = sys.executable) -> None:
        self._home = home
        self._python = python

    def run(self, *arguments: str | Path, accept: Sequence[int] = (0,), sample: bool = False) -> Run:
        command = [self._python, "-m", "everdex", *arguments]
        return run_measured(command, env={"EVERDEX_HOME": str(self._home)}, accept=accept, sample=sample)

    def index(self, root: Path, *, sample: bool = False) -> Run:
        return self.run("index", root, "--json", sample=sample)

    def search(self, root: Path, query: str, k: int = 10) -> tuple[Run, list[Hit]]:
        """Exit code 1 is an answer too: nothing found."""
        run = self.run("search", query, root, "--json", "-k", str(k), accept=(0, 1))
        return run, hits_of(json.loads(run.stdout))

    def store_bytes(self) -> int:
        return tree_bytes(self._home / "data")


@dataclass(frozen=True, slots=True)
class Shape:
    """How the active snapshot is laid out."""

    files: int
    chunks: int
    segments: int
    tombstones: int


class Session:
    """everdex inside this process, warm: one pinned snapshot answers until the next sync."""

    def __init__(self, home: Path, root: Path) -> None:
        os.environ["EVERDEX_HOME"] = str(home)
        from everdex.service.index import Index

        self._index = Index.open(root)
        self._open = ExitStack()
        self._searcher: Searcher | None = None

    def sync(self, *, auto_compact: bool = True) -> Shape:
        from everdex.sync.model import SyncOptions

        manifest = self._index.sync(SyncOptions(auto_compact=auto_compact)).manifest
        # The next search must pin the snapshot that was just published.
        self._open.close()
        self._searcher = None
        return Shape(
            files=manifest.counts.files_indexed,
            chunks=manifest.counts.chunks_indexed,
            segments=len(manifest.segments),
            tombstones=sum(tombstones.count for tombstones in manifest.tombstones),
        )

    def chunks_by_file(self) -> dict[str, int]:
        from everdex.view import open_view

        with open_view(self._index.store()) as view:
            return dict(zip(view.paths, (view.file_offsets[1:] - view.file_offsets[:-1]).tolist(), strict=True))

    def search(self, query: str, k: int, mode: str = "hybrid") -> list[Hit]:
        from everdex.search.model import Mode, SearchRequest
        from everdex.service.index import Reading

        if self._searcher is None:
            self._searcher = self._open.enter_context(self._index.searcher(Reading(sync=False)))
        return hits_of(self._searcher.answer(SearchRequest(query, Mode(mode), k)).body)


class SearchSystem:
    """everdex as one of the systems of benchmarks/search."""

    def __init__(self, scratch: Path, mode: str) -> None:
        # What is not installed must be known before anything is timed.
        import everdex.service.index  # noqa: F401

        self._home = scratch / "everdex"
        self._mode = mode
        self._session: Session | None = None

    def index(self, root: Path) -> IndexFacts:
        self._session = Session(self._home, root)
        shape = self._session.sync()
        return IndexFacts(shape.files, shape.chunks, tree_bytes(self._home / "data"))

    def search(self, query: str, k: int) -> list[Hit]:
        assert self._session is not None, "search before index"
        return self._session.search(query, k, self._mode)


def hits_of(answer: Mapping[str, Any]) -> list[Hit]:
    return [Hit(row["path"], row["start_line"], row["end_line"], row["score"]) for row in answer["results"]]
