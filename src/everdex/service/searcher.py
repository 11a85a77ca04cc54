"""Searches one pinned snapshot and puts each result into the envelope that every surface shows.

Finding is the engine's work. Which snapshot is asked, and how fresh it is, the caller decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from everdex import config
from everdex.service import answers
from everdex.service.answers import Answer, Freshness

if TYPE_CHECKING:
    from everdex.search.engine import Engine
    from everdex.search.model import SearchRequest
    from everdex.service.index import Index
    from everdex.view import SnapshotView


class Searcher:
    """Answers questions over one pinned snapshot."""

    def __init__(
        self, index: Index, view: SnapshotView, freshness: Freshness, engine: Engine, warnings: tuple[str, ...]
    ) -> None:
        self._index = index
        self._view = view
        self._freshness = freshness
        self._engine = engine
        self._warnings = warnings

    def answer(self, request: SearchRequest, *, explain: bool = False) -> Answer:
        outcome = self._engine.search(request)
        body = {
            "query": request.query,
            "mode": str(request.mode),
            "ignore_case": request.ignore_case,
            "results": answers.results(outcome.hits, outcome.matches, explain=explain),
            "omitted": outcome.omitted,
            "cursor": None if outcome.next_offset is None else self._cursor(outcome.next_offset),
            "no_strong_match": outcome.no_strong_match,
            "suggestions": list(outcome.suggestions),
        }
        if outcome.packed is not None:
            body["results"] = [answers.snippet_dict(snippet) for snippet in outcome.packed.snippets]
            body["budget"] = answers.budget_dict(outcome.packed)
        return self._index.answer(
            self._view,
            self._freshness,
            body,
            query_fingerprint=self._fingerprint(request),
            limits_hit=outcome.limits_hit,
            warnings=(*self._warnings, *outcome.warnings),
            timings_ms=outcome.timings_ms,
        )

    def _fingerprint(self, request: SearchRequest) -> str:
        """The configured settings with what this request overrides."""
        settings = self._index.config.query
        rerank = settings.rerank if request.rerank is None else request.rerank
        return config.query_fingerprint(replace(settings, profile=request.profile or settings.profile, rerank=rerank))

    def _cursor(self, offset: int) -> dict[str, Any]:
        """Where the next page begins; it counts in this snapshot only."""
        return {"snapshot_id": self._view.manifest.snapshot_id, "offset": offset}
