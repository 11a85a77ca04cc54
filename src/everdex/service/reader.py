"""Answers questions from a kept view. It does not look at the tree: the caller says how fresh the answer is.

A command, the Python API, the daemon and its helper processes answer through this one class, each with views and
engines of its own, so that their answers cannot differ. The answer itself names its snapshot.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from everdex.errors import Busy
from everdex.memory import trim
from everdex.search.check import check
from everdex.search.model import Mode, SearchRequest
from everdex.service import answers, describe, paging
from everdex.service.answers import Answer, Freshness
from everdex.service.index import Index, Reading
from everdex.service.kept import Kept, KeptViews
from everdex.service.searcher import Searcher
from everdex.service.symbols import find
from everdex.state.model import SEMANTIC
from everdex.sync.model import SyncOptions
from everdex.view import SnapshotView

if TYPE_CHECKING:
    from everdex.canvas.board.edits import Edit
    from everdex.search.engine import Engine
    from everdex.service.begun import Early
    from everdex.service.mutation import GateQuestion, GraphKeeper, Scene
    from everdex.service.opening import Open
    from everdex.service.relations import Question
    from everdex.state.states import Known


class GraphOf(msgspec.Struct, frozen=True):
    """A snapshot, and whether its graph is made."""

    snapshot_id: str
    seq: int
    made: bool


class Reader:
    """One store, read again and again. Every method may be called from any thread."""

    def __init__(
        self, index: Index, *, makes_graphs: bool = True, waits: bool = False, options: SyncOptions | None = None
    ) -> None:
        """Without `makes_graphs` another process makes them, and a question whose graph is missing is `Busy`. One that
        `waits` for them answers before they are finished only where a question asks for that."""
        self.index = index
        self.store = index.store()
        self._views = KeptViews(self.store)
        self._makes_graphs = makes_graphs
        self._waits = waits
        self._options = options or SyncOptions()  # how graphs are made
        self._graphs: GraphKeeper | None = None  # what states were last computed with

    @cached_property
    def _embedder(self) -> tuple[Any, tuple[str, ...]]:
        return self.index.embedder()

    def search(
        self, request: SearchRequest, freshness: Freshness, reading: Reading, *, explain: bool = False
    ) -> Answer:
        """The ranked answer to one question."""
        check(request)
        with self._views.pinned(reading.snapshot_id) as kept:
            return self._searched(kept, request, freshness, reading, explain=explain)

    def _searched(
        self, kept: Kept, request: SearchRequest, freshness: Freshness, reading: Reading, *, explain: bool = False
    ) -> Answer:
        with kept.engine(self._engine) as engine:
            warnings = (*reading.warnings, *self._embedder[1])
            return Searcher(self.index, kept.view, freshness, engine, warnings).answer(request, explain=explain)

    def similar(
        self, place: str, k: int, freshness: Freshness, reading: Reading, *, languages: tuple[str, ...],
        paths: tuple[str, ...], explain: bool,
    ) -> Answer:  # fmt: skip
        """The code most like the code at `place` (path:line), nearest first; it never contains the place itself."""
        from everdex.search.similar import document_at, similar

        with self._views.pinned(reading.snapshot_id) as kept:
            outcome = similar(kept.view, document_at(kept.view, self.index.root.path, place), k, languages, paths)
            body = {
                "query": place,
                "mode": "like",
                "ignore_case": False,
                "results": answers.results(outcome.hits, (), explain=explain),
                "omitted": outcome.omitted,
                "cursor": None,
                "no_strong_match": False,
                "suggestions": [],
            }
            return self.index.answer(kept.view, freshness, body, warnings=reading.warnings)

    def symbols(
        self, asked: str, freshness: Freshness, reading: Reading, *, references: int = 0, offset: int = 0
    ) -> Answer:
        """Every definition of a name (else the names like it), or the outline of a file; and that many references.

        While nobody has made the graph, with the references that are known before it is there, or without."""
        with self._views.pinned(reading.snapshot_id) as kept:
            found = find(kept.view, kept.names, self.index.root.path, asked, offset)
            body, early, more = found.body, None, None
            wanted = body["by"] == "name" and (references or not body["definitions"])
            if not wanted and not references:  # what a graph is asked with need not be there: a fifth of a command
                return self.index.answer(
                    kept.view, freshness, {**body, "references": None}, limits_hit=found.limits_hit,
                    warnings=(*reading.warnings, *found.warnings),
                )  # fmt: skip
            from everdex.graph.definitions import spelling
            from everdex.service import named, opening

            opened = kept.graph(opening.open_made) if wanted else None
            if opened is None and not self._waits:
                early = None if self._makes_graphs else kept.early()
                more = named.add_early(
                    self.index, kept.view, kept.names, body, references, freshness, self._options, early
                )
            if more is None:
                if wanted and opened is None and (references or spelling.is_id(asked.strip())):
                    opened = kept.graph(self._opened)
                more = named.add_graph(opened, body, references, early)
            warnings = (*reading.warnings, *found.warnings, *more)
            return self.index.answer(kept.view, freshness, body, limits_hit=found.limits_hit, warnings=warnings)

    def relations(self, question: Question, freshness: Freshness, reading: Reading) -> Answer:
        """The answer to a question about the graph."""
        from everdex.service import begun, relations

        relations.check(question)
        hurries = not self._waits or (question.method in begun.WITH_RESERVATION and not question.wait)
        with self._views.pinned(reading.snapshot_id) as kept:
            if self._makes_graphs and hurries:
                early = self._before_graph(kept, question, freshness, reading, None)
                if early is not None:
                    return early
            return self._related(kept, question, freshness, reading)

    def before_graph(
        self, question: Question, freshness: Freshness, reading: Reading, *, is_begun: bool = False
    ) -> Answer | None:
        """The answer from what is known before another process has finished the graph; None when it takes the graph.
        Whoever has asked this before that process had begun it asks again when it `is_begun`."""
        with self._views.pinned(reading.snapshot_id) as kept:
            return self._before_graph(kept, question, freshness, reading, kept.early(), is_begun=is_begun)

    def _before_graph(
        self, kept: Kept, question: Question, freshness: Freshness, reading: Reading, early: Early | None, *,
        is_begun: bool = False,
    ) -> Answer | None:  # fmt: skip
        from everdex.service import opening, relations

        if kept.graph(opening.open_made) is not None:
            return None
        return relations.before_graph(
            self.index, kept.view, kept.names, question, freshness, self._options, reading.warnings, kept=early,
            is_begun=is_begun,
        )  # fmt: skip

    def so_far(self, question: Question, snapshot_id: str | None) -> str:
        """What `before_graph` found out before it declined to answer, for the message to the waiting client; '' if
        nothing."""
        from everdex.service import relations

        with self._views.pinned(snapshot_id) as kept:
            return kept.early().refused.get(relations.asked_of(question), "")

    def _related(self, kept: Kept, question: Question, freshness: Freshness, reading: Reading) -> Answer:
        from everdex.service import relations

        opened = kept.graph(self._opened)
        if opened is None:
            raise Busy("the graph of this snapshot is not there yet", hint="ask again", retry_after_ms=500)
        return relations.answer(self.index, opened, kept.names, question, freshness, reading.warnings)

    def graph_of(self, snapshot_id: str | None = None) -> GraphOf:
        """Which snapshot a question about the graph would be answered from."""
        from everdex.service import opening

        with self._views.pinned(snapshot_id) as kept:
            manifest = kept.view.manifest
            return GraphOf(manifest.snapshot_id, manifest.seq, kept.graph(opening.open_made) is not None)

    def _opened(self, view: SnapshotView) -> Open | None:
        from everdex.service import opening

        return opening.open_for(view, self._options) if self._makes_graphs else opening.open_made(view)

    def gate(self, question: GateQuestion, freshness: Freshness, reading: Reading) -> Answer:
        """Whether files may be changed now."""
        from everdex.service import mutation

        mutation.check(question)
        with self._scene(freshness, question.since, reading, make=question.intent == SEMANTIC) as found:
            return mutation.gate_answer(self.index, found, question, reading.warnings)

    def states(
        self, paths: tuple[str, ...], since: str | None, freshness: Freshness, reading: Reading, *, offset: int = 0
    ) -> Answer:
        """The states of files; without any, of every file that is not clean."""
        from everdex.service import mutation

        mutation.check_paths(paths)
        with self._scene(freshness, since, reading, make=False) as found:
            return mutation.states_answer(self.index, found, paths, offset, reading.warnings)

    @contextmanager
    def _scene(
        self, freshness: Freshness, since: str | None, reading: Reading, *, make: bool
    ) -> Iterator[Scene]:
        from everdex.service import mutation

        with self._views.pinned(reading.snapshot_id) as kept:
            if make:
                kept.graph(self._opened)
            known = self.known(kept)
            with mutation.scene(self.index, kept.view, known, freshness, since) as found:
                yield found

    def known(self, kept: Kept) -> Known | None:
        """The graph to compute states with: the view's own if it is made, else the nearest that is kept."""
        from everdex.service import mutation, opening

        if self._graphs is None:
            self._graphs = mutation.GraphKeeper()
        opened = kept.graph(opening.open_made)
        return self._graphs.known(kept.view, opened.atlas.graph if opened is not None else None)

    def board(self, edit: Edit, freshness: Freshness, reading: Reading) -> Answer:
        """The board, read or changed; the edit is a checked one."""
        from everdex.canvas.board.drafts import Sources
        from everdex.canvas.board.edits import search_request
        from everdex.service import boarding

        with self._views.pinned(reading.snapshot_id) as kept:

            def search(query: str) -> dict[str, Any]:
                return dict(self._searched(kept, search_request(query), freshness, reading).body)

            def impact(symbol: str) -> dict[str, Any]:
                return dict(self._related(kept, boarding.impact_question(symbol), freshness, reading).body)

            sources = Sources(kept.view, search, impact)
            return boarding.answer(self.index, sources, edit, freshness, reading)

    def contexts(self, freshness: Freshness, reading: Reading) -> Answer:
        """The projects that an indexer can be run for."""
        from everdex.service import contexts

        with self._views.pinned(reading.snapshot_id) as kept:
            return contexts.contexts_answer(self.index, kept.view, freshness, reading.warnings)

    def chunks(
        self, freshness: Freshness, reading: Reading, *, meta: bool, offset: int = 0, count: int = 1 << 31
    ) -> Answer:
        """A page of every chunk's names and place, in docId order (IDENTITY's chunk_uid_map), and with `cursor` where
        the next one begins."""
        with self._views.pinned(reading.snapshot_id) as kept:
            page = paging.Room().fill(describe.chunk_map(kept.view, meta=meta, offset=offset, count=count), least=1)
            end = offset + len(page)
            rest = max(0, kept.view.doc_count - end)
            following = {"snapshot_id": kept.view.manifest.snapshot_id, "offset": end}
            body = {"chunks": page, "omitted": rest, "cursor": following if rest else None}
            return self.index.answer(kept.view, freshness, body, warnings=reading.warnings)

    def pinned(self) -> AbstractContextManager[Kept]:
        """The active snapshot as it is, for one question."""
        return self._views.pinned()

    def _engine(self, view: SnapshotView) -> Engine:
        return self.index.engine(view, *self._embedder)

    def warm_up(self) -> None:
        """Open the active snapshot and run one search, so that the first real one does not wait for that."""
        with self._views.pinned() as kept, kept.engine(self._engine) as engine:
            engine.search(SearchRequest("warm up the index", Mode.HYBRID, 1))
        trim()

    def forget_early(self, unused_s: float) -> None:
        """Free what is kept for answers before the graph is finished, unless it was used just now."""
        self._views.forget_early(unused_s)

    def close(self) -> None:
        """Give back the views; the next question opens them again."""
        self._views.release()

    def shed(self) -> None:
        """Give memory back, too."""
        self.close()
        gc.collect()
        trim()
