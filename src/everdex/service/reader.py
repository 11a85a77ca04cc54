"""Answers questions from a kept view. It does not look at the tree: the caller says how fresh the answer is.

The daemon's own process and its helper processes answer through this one class, each with views and engines of its own,
so that their answers cannot differ. The answer itself names its snapshot.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from everdex.errors import Busy
from everdex.memory import trim
from everdex.search.check import check
from everdex.search.engine import Engine
from everdex.search.model import Mode, SearchRequest
from everdex.service import describe
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

    def __init__(self, index: Index, *, makes_graphs: bool = True) -> None:
        """Without `makes_graphs` another process makes them, and a question whose graph is missing is `Busy`."""
        self.index = index
        self.store = index.store()
        self._embedder, self._warnings = index.embedder()
        self._views = KeptViews(self.store)
        self._makes_graphs = makes_graphs
        self._graphs: GraphKeeper | None = None  # what states were last computed with

    def search(
        self, request: SearchRequest, freshness: Freshness, *, snapshot_id: str | None = None, explain: bool = False
    ) -> Answer:
        """The same answer that `Index.search` gives."""
        check(request)
        with self._views.pinned(snapshot_id) as kept, kept.engine(self._engine) as engine:
            searcher = Searcher(self.index, kept.view, freshness, engine, self._warnings)
            return searcher.answer(request, explain=explain)

    def similar(
        self, place: str, k: int, freshness: Freshness, *, snapshot_id: str | None,
        languages: tuple[str, ...], paths: tuple[str, ...], explain: bool,
    ) -> Answer:  # fmt: skip
        """The same answer that `Index.similar` gives."""
        with self._views.pinned(snapshot_id) as kept:
            return self.index.similar_in(
                kept.view, freshness, place, k, languages=languages, paths=paths, explain=explain
            )

    def symbols(
        self, asked: str, freshness: Freshness, *, snapshot_id: str | None, references: int, offset: int
    ) -> Answer:
        """The same answer that `named.ask` gives; while nobody has made the graph, with the references that are known
        before it is there, or without."""
        from everdex.graph import naming
        from everdex.service import named, opening

        with self._views.pinned(snapshot_id) as kept:
            found = find(kept.view, kept.names, self.index.root.path, asked, offset)
            body, opened, early, more = found.body, None, None, None
            if body["by"] == "name" and (references or not body["definitions"]):
                needed = references or naming.is_id(asked.strip())
                opened = kept.graph(self._opened if needed else opening.open_made)
            if opened is None and not self._makes_graphs:
                early = kept.early()
                more = named.add_early(
                    self.index, kept.view, kept.names, body, references, freshness, SyncOptions(), early
                )
            if more is None:
                more = named.add_graph(opened, body, references, early)
            return self.index.answer(
                kept.view, freshness, body, limits_hit=found.limits_hit, warnings=(*found.warnings, *more)
            )

    def relations(self, question: Question, freshness: Freshness, *, snapshot_id: str | None) -> Answer:
        """The same answer that `everdex.service.relations.ask` gives."""
        from everdex.service import begun, relations

        relations.check(question)
        may_be_early = self._makes_graphs and question.method in begun.WITH_RESERVATION and not question.wait
        with self._views.pinned(snapshot_id) as kept:
            early = self._before_graph(kept, question, freshness, None) if may_be_early else None
            return early or self._related(kept, question, freshness)

    def before_graph(self, question: Question, freshness: Freshness, snapshot_id: str | None) -> Answer | None:
        """The answer from what is known before another process has finished the graph; None when it takes the graph."""
        with self._views.pinned(snapshot_id) as kept:
            return self._before_graph(kept, question, freshness, kept.early())

    def _before_graph(
        self, kept: Kept, question: Question, freshness: Freshness, early: Early | None
    ) -> Answer | None:
        from everdex.service import opening, relations

        if kept.graph(opening.open_made) is not None:
            return None
        return relations.before_graph(
            self.index, kept.view, kept.names, question, freshness, SyncOptions(), kept=early
        )

    def so_far(self, question: Question, snapshot_id: str | None) -> str:
        """What `before_graph` found out before it declined to answer, for the message to the waiting client; '' if
        nothing."""
        from everdex.service import relations

        with self._views.pinned(snapshot_id) as kept:
            return kept.early().refused.get(relations.asked_of(question), "")

    def _related(self, kept: Kept, question: Question, freshness: Freshness) -> Answer:
        from everdex.service import relations

        opened = kept.graph(self._opened)
        if opened is None:
            raise Busy("the graph of this snapshot is not there yet", hint="ask again", retry_after_ms=500)
        return relations.answer(self.index, opened, kept.names, question, freshness)

    def graph_of(self, snapshot_id: str | None = None) -> GraphOf:
        """Which snapshot a question about the graph would be answered from."""
        from everdex.service import opening

        with self._views.pinned(snapshot_id) as kept:
            manifest = kept.view.manifest
            return GraphOf(manifest.snapshot_id, manifest.seq, kept.graph(opening.open_made) is not None)

    def _opened(self, view: SnapshotView) -> Open | None:
        from everdex.service import opening

        return opening.open_for(view, SyncOptions()) if self._makes_graphs else opening.open_made(view)

    def gate(self, question: GateQuestion, freshness: Freshness, *, snapshot_id: str | None) -> Answer:
        """The same answer that `everdex.service.mutation.ask_gate` gives."""
        from everdex.service import mutation

        mutation.check(question)
        with self._scene(freshness, question.since, snapshot_id, make=question.intent == SEMANTIC) as found:
            return mutation.gate_answer(self.index, found, question)

    def states(
        self, paths: tuple[str, ...], since: str | None, freshness: Freshness, *, snapshot_id: str | None, offset: int
    ) -> Answer:
        """The same answer that `everdex.service.mutation.ask_states` gives."""
        from everdex.service import mutation

        mutation.check_paths(paths)
        with self._scene(freshness, since, snapshot_id, make=False) as found:
            return mutation.states_answer(self.index, found, paths, offset)

    @contextmanager
    def _scene(
        self, freshness: Freshness, since: str | None, snapshot_id: str | None, *, make: bool
    ) -> Iterator[Scene]:
        from everdex.service import mutation

        with self._views.pinned(snapshot_id) as kept:
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
        """The same answer that `everdex.service.boarding.ask` gives; the edit is a checked one."""
        from everdex.canvas.board.drafts import Sources
        from everdex.canvas.board.edits import search_request
        from everdex.service import boarding

        with self._views.pinned(reading.snapshot_id) as kept:

            def search(query: str) -> dict[str, Any]:
                with kept.engine(self._engine) as engine:
                    searcher = Searcher(self.index, kept.view, freshness, engine, self._warnings)
                    return dict(searcher.answer(search_request(query)).body)

            def impact(symbol: str) -> dict[str, Any]:
                return dict(self._related(kept, boarding.impact_question(symbol), freshness).body)

            sources = Sources(kept.view, search, impact)
            return boarding.answer(self.index, sources, edit, freshness, reading)

    def contexts(self, freshness: Freshness, *, snapshot_id: str | None) -> Answer:
        """The same answer that `everdex.service.contexts.ask_contexts` gives."""
        from everdex.service import contexts

        with self._views.pinned(snapshot_id) as kept:
            return contexts.contexts_answer(self.index, kept.view, freshness)

    def chunks(
        self, freshness: Freshness, *, snapshot_id: str | None, meta: bool, offset: int, count: int
    ) -> Answer:
        """A page of what `Index.chunks` gives, and with `cursor` where the next one begins."""
        with self._views.pinned(snapshot_id) as kept:
            page = describe.chunk_map(kept.view, meta=meta, offset=offset, count=count)
            rest = max(0, kept.view.doc_count - offset - count)
            following = {"snapshot_id": kept.view.manifest.snapshot_id, "offset": offset + count}
            body = {"chunks": page, "omitted": rest, "cursor": following if rest else None}
            return self.index.answer(kept.view, freshness, body)

    def pinned(self) -> AbstractContextManager[Kept]:
        """The active snapshot as it is, for one question."""
        return self._views.pinned()

    def _engine(self, view: SnapshotView) -> Engine:
        return self.index.engine(view, self._embedder, self._warnings)

    def warm_up(self) -> None:
        """Open the active snapshot and run one search, so that the first real one does not wait for that."""
        with self._views.pinned() as kept, kept.engine(self._engine) as engine:
            engine.search(SearchRequest("warm up the index", Mode.HYBRID, 1))
        trim()

    def forget_early(self, unused_s: float) -> None:
        """Free what is kept for answers before the graph is finished, unless it was used just now."""
        self._views.forget_early(unused_s)

    def shed(self) -> None:
        """Give memory back; the next question opens the view again."""
        self._views.release()
        gc.collect()
        trim()
