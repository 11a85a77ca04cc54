"""A repository with a semantic context and an indexer that knows it, for tests of what jobs do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from everdex.semantic import kept
from everdex.semantic.discovery import context_id
from everdex.semantic.running import Run
from everdex.service import contexts, indexing
from everdex.service.index import Index, Reading
from everdex.service.refreshing import RefreshJobs
from everdex.service.work import OwnWork
from everdex.state.jobs import RefreshJob
from everdex.state.scopes import RefreshScope
from everdex.sync.model import SyncOptions
from support.asked import asked
from support.indexers import copying, export_index, put_indexer
from support.stores import synced

FILES = {
    "pyproject.toml": "[project]\nname = 'p'\n",
    "core.py": "def helper(a):\n    return a\n",
    "app.py": "from core import helper\nhelper(1)\n",
    "lone.py": "def alone():\n    return 1\n",
}
CONTEXT = context_id("python", "")


class Scene:
    """A repository with one context and an indexer that knows it."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> None:
        self.made = synced(tmp_path / "tree", files, git=True)
        self._monkeypatch, self._bin, self._scip = monkeypatch, tmp_path / "bin", tmp_path / "index.scip"
        self.index = Index.open(self.made.path)
        self.jobs = RefreshJobs(self.index)
        self.answer_now()

    def answer_now(self, before: str = "") -> None:
        """Have the indexer say what is true of the tree as it is."""
        self.install(f"{before}\n{copying(export_index(self.made.path, self._scip))}")

    def install(self, body: str) -> None:
        put_indexer(self._bin, self._monkeypatch, body)

    def enqueue(self, scope: RefreshScope | None = None) -> int:
        numbers, _ = indexing.enqueue(self.index, scope=scope)
        (number,) = numbers
        return number

    def run(self, work: OwnWork | None = None) -> RefreshJob:
        return self.jobs.run(self.enqueue(), work)

    def current(self) -> set[str]:
        """The files of the context that have semantic facts about their bytes as they are."""
        (context,) = self.contexts()["contexts"]
        with self.index.view(Reading(sync=False)) as (view, _):
            facts = {found.context.id: found for found in kept.read_all(view.store)[0]}
            found = contexts.current_paths(view, facts.get(CONTEXT))
        assert len(found) == context["current_files"]
        return set(found)

    def contexts(self) -> dict[str, Any]:
        return asked(self.index, "contexts")

    def state(self) -> str:
        return str(self.contexts()["contexts"][0]["state"])

    def meddling(self, meddle: Callable[[], object]) -> OwnWork:
        """Work during which something happens after the indexer has run and before its answer is looked at."""

        class Meddling(OwnWork):
            ran = False

            def indexing(self, run: Run) -> None:
                self.ran = True

            def sync(self, options: SyncOptions) -> None:
                if self.ran:
                    meddle()
                super().sync(options)

        return Meddling(self.index)
