"""One question against one SnapshotView: candidates from words, vectors and names, scored, cut to k.

The engine holds what is worth keeping warm between questions to the same snapshot. Its order is total and
depends on the snapshot's content only: ties go to the smaller docId, which is path and place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from msgspec.structs import replace

from everdex.config import QueryConfig
from everdex.discover.model import SkipReason
from everdex.embed.base import Embedder
from everdex.errors import QueryError
from everdex.numeric import np, npt
from everdex.rerank import open_reranker
from everdex.search import weights
from everdex.search.about import named_line
from everdex.search.budget import CONSIDERED, pack
from everdex.search.check import check
from everdex.search.features import NameMatcher
from everdex.search.filled import Filled, filled
from everdex.search.filters import allowed_documents, file_filter, fitting_nothing
from everdex.search.meant import meant
from everdex.search.model import Contribution, Hit, Mode, SearchOutcome, SearchRequest
from everdex.search.names import NameHit, SymbolNames, is_misspelt
from everdex.search.obvious import Obvious
from everdex.search.pasted import pasted
from everdex.search.profiles import PROFILES, Profile, category, in_pages
from everdex.search.query import Intent, Query, parse_query
from everdex.search.rank import Ranked, Scorer, best, contributions, saturate
from everdex.search.signals import Signals, SignalSource
from everdex.search.strength import is_strong
from everdex.search.verbatim import verbatim
from everdex.terms import split
from everdex.view import SnapshotView

if TYPE_CHECKING:
    from everdex.rerank.reranker import Reranker

# What a weak answer still shows, so that the reader can judge for himself.
_WEAK_RESULTS = 3
# How many times deeper later pages look. What is found deeper comes after all that was found before, whatever it
# scores: a page must stay as it was when the next one is asked for.
_DEPTHS = (1, 5, 25, 125)
# Why text of the tree may be out of the index; what git ignores, grep would pass over as well.
_UNREAD = (
    SkipReason.UNSUPPORTED_TYPE, SkipReason.TOO_LARGE, SkipReason.ENCODING, SkipReason.TOO_MANY_CHUNKS,
    SkipReason.UNREADABLE,
)  # fmt: skip


class Engine:
    """Answers searches over one view. Without an `embedder` it is lexical only, and `lexical_only` says why."""

    def __init__(
        self,
        view: SnapshotView,
        embedder: Embedder | None,
        config: QueryConfig,
        open_reranker: Callable[[], Reranker] = open_reranker,
        lexical_only: str = "this index has none",
    ) -> None:
        self._view = view
        self._embedder = embedder
        self._config = config
        self._source = SignalSource(view, config.file_mean_share)
        self._names = SymbolNames(view)
        self._obvious = Obvious(view)
        self._weights = weights.scaled(config.dense_weight)
        self._open_reranker = open_reranker
        self._reranker: Reranker | None = None
        self._lexical_only = lexical_only

    def search(self, request: SearchRequest) -> SearchOutcome:
        """The answer to one request; raises `QueryError` for a question that cannot be asked."""
        check(request)
        if request.mode in (Mode.REGEX, Mode.LITERAL):
            return self._grep(request)
        if request.mode is Mode.SEMANTIC and self._embedder is None:
            raise QueryError(
                f"semantic mode needs an embedder: {self._lexical_only}", hint="ask in hybrid or lexical mode"
            )
        profile = PROFILES[request.profile or self._config.profile]
        return self._ranked(request, self._obvious.without(parse_query(request.query)), profile)

    def _grep(self, request: SearchRequest) -> SearchOutcome:
        from everdex.search.grep import grep  # most questions are words

        found = grep(
            self._view,
            request.query,
            literal=request.mode is Mode.LITERAL,
            ignore_case=request.ignore_case,
            keep=file_filter(self._view, request.paths, request.languages),
            limit=request.offset + request.k,
        )
        matches = found.matches[request.offset :]
        omitted = found.total - len(matches)
        more = found.total > request.offset + len(matches)
        unfit = () if found.total else fitting_nothing(self._view, request.paths, request.languages)
        return SearchOutcome(
            matches=matches,
            omitted=omitted,
            next_offset=request.offset + len(matches) if more else None,
            limits_hit=found.limits_hit,
            warnings=unfit if found.total or request.languages else (*unfit, *self._unread()),
        )

    def _unread(self) -> tuple[str, ...]:
        """What an empty answer must not be taken for: text of the tree that the index does not have."""
        count = sum(self._view.manifest.skipped.get(reason, 0) for reason in _UNREAD)
        what = "1 file is not in the index and was" if count == 1 else f"{count:,} files are not in the index and were"
        return (f"{what} not looked at; `everdex files --skipped` lists them",) if count else ()

    def _ranked(self, request: SearchRequest, query: Query, profile: Profile) -> SearchOutcome:
        started = time.perf_counter()
        query, places = pasted(self._view, query)
        allowed = allowed_documents(self._view, self._source.bm25, request, query)
        made: Mapping[int, Filled] = {}
        if query.phrases:
            made = self._made_elsewhere(request, query)
            # A pasted message quotes its values, which do not stand where it is made: they must not be asked for.
            if made:
                query = replace(query, phrases=())
                allowed = allowed_documents(self._view, self._source.bm25, request, query)
        asked, (query, respelled) = query, meant(query, self._source.bm25, self._names)
        matcher = NameMatcher(query)
        named = self._named(query, matcher, allowed)
        # A lone name is found by its letters; its meaning is asked only when nothing has them.
        lone = query.intent is Intent.SYMBOL and request.mode is Mode.HYBRID
        signals = self._source.compute(
            query,
            None if request.mode is Mode.LEXICAL or (lone and named) else self._embedder,
            lexical=request.mode is not Mode.SEMANTIC,
            dense_if_needed=lone,
        )
        said = verbatim(self._view, self._source.bm25, asked, signals.lexical, allowed)
        shares = dict.fromkeys(said, 1.0)
        for doc, pasted_place in places.items():
            if allowed is None or allowed[doc]:
                said[doc], shares[doc] = pasted_place.line, pasted_place.share
        if not lone:
            for doc, place in (made or filled(self._view, self._source.bm25, asked, allowed)).items():
                if doc not in said:
                    said[doc], shares[doc] = place.line, place.share
        scorer = Scorer(
            self._view, signals, self._source.file_sizes, matcher, self._weights[query.intent], profile, shares,
            self._misspelt(matcher, named) if lone else (),
            weights.WITHIN.get(query.intent),
        )  # fmt: skip
        page = request.k if request.budget is None else max(request.k, CONSIDERED)
        wanted = request.offset + page
        ordered: list[Ranked] = []
        candidates: set[int] = set()
        taken: dict[int, int] = {}
        warnings: tuple[str, ...] = ()
        for depth in _DEPTHS:
            fresh = (self._candidates(signals, named, allowed, depth) | said.keys()) - candidates
            candidates |= fresh
            scored = scorer.score(fresh, named)
            if depth == _DEPTHS[0] and (self._config.rerank if request.rerank is None else request.rerank):
                scored, warnings = self._reranked(query, scorer, scored)
            ranked = saturate(self._view, scorer, scored, taken)
            # Quotas must see everything; without them nothing past the page is put in order.
            if profile.quotas:
                ordered += in_pages(profile, list(ranked), lambda item: self._category(scorer, item), page)
            else:
                ordered += islice(ranked, wanted + 1 - len(ordered))
            if len(ordered) > wanted or len(candidates) == self._evident(signals, candidates, allowed):
                break
        chosen: Sequence[Ranked] = ordered[request.offset : wanted]
        strong = is_strong(self._view, self._source.bm25, query, signals.best_cosine, scorer, ordered)
        if not strong:
            chosen = chosen[:_WEAK_RESULTS]
        found = self._found(signals, candidates, allowed)
        more = strong and len(ordered) > wanted
        hits = tuple(self._hit(item, contributions(scorer, item), said.get(item.doc_id)) for item in chosen)
        if not ordered:
            paths, wanted_languages = (*request.paths, *query.files), (*request.languages, *query.languages)
            warnings += fitting_nothing(self._view, paths, wanted_languages)
        packed = None
        if request.budget is not None:
            packed = pack(hits, request.budget, query.terms, request.k, self._view.symbols_in)
        shown = len(hits) - len(packed.left_out) if packed else len(hits)
        return SearchOutcome(
            hits=hits,
            packed=packed,
            omitted=max(0, found - shown),
            warnings=warnings,
            next_offset=wanted if more and packed is None else None,
            no_strong_match=not strong,
            suggestions=(respelled,) if respelled else self._suggestions(query, named),
            timings_ms={"search": round((time.perf_counter() - started) * 1000, 2)},
        )

    def _reranked(
        self, query: Query, scorer: Scorer, scored: list[tuple[float, int]]
    ) -> tuple[list[tuple[float, int]], tuple[str, ...]]:
        """The candidates after a second look, and what went wrong on the way; `RerankUnavailable` is not caught."""
        from everdex.search.second_look import look_again  # few questions ask for it

        if self._reranker is None:
            self._reranker = self._open_reranker()
        scored = look_again(self._view, scorer, self._reranker, query, scored)
        problem = self._reranker.cache_problem
        return scored, (problem,) if problem else ()

    def _made_elsewhere(self, request: SearchRequest, query: Query) -> Mapping[int, Filled]:
        """Where the message with these phrases as its values is made, found without them."""
        without = allowed_documents(self._view, self._source.bm25, request, replace(query, phrases=()))
        return filled(self._view, self._source.bm25, query, without)

    def _hit(self, item: Ranked, parts: tuple[Contribution, ...], said: int | None) -> Hit:
        row = self._view.document(item.doc_id).row
        line = said if said is not None else named_line(self._view, item.doc_id, row, parts)
        return Hit(item.doc_id, row, item.score, parts, line)

    def _category(self, scorer: Scorer, item: Ranked) -> str:
        file = int(self._view.doc_files[item.doc_id])
        return category(scorer.role(item.doc_id), self._view.file_languages[file])

    def _named(
        self, query: Query, matcher: NameMatcher, allowed: npt.NDArray[np.bool_] | None
    ) -> dict[int, NameHit]:
        """Definitions whose name the query spells out; near ones only when a lone name has no exact one."""
        found: dict[int, NameHit] = {}
        for name in sorted(matcher.wanted_names):
            hits = self._names.exact(name)
            if not hits and query.intent is Intent.SYMBOL:
                hits = self._names.near(name)
            for hit in hits[: weights.DEFINITION_CANDIDATES]:
                if allowed is None or allowed[hit.doc_id]:
                    known = found.get(hit.doc_id)
                    if known is None or hit.closeness > known.closeness:
                        found[hit.doc_id] = hit
        return found

    def _misspelt(self, matcher: NameMatcher, named: dict[int, NameHit]) -> frozenset[str]:
        """The names that must be meant by one that stands nowhere."""
        having = self._source.bm25.documents_with
        asked = [name for name in matcher.wanted_names if not len(having(split.index_terms(name)[0]))]
        return frozenset(hit.name for hit in named.values() if any(is_misspelt(name, hit.name) for name in asked))

    def _candidates(
        self,
        signals: Signals,
        named: dict[int, NameHit],
        allowed: npt.NDArray[np.bool_] | None,
        depth: int,
    ) -> set[int]:
        view = self._view
        chosen = set(named)
        chosen.update(best(signals.lexical, allowed, depth * weights.LEXICAL_CANDIDATES).tolist())
        chosen.update(best(signals.dense, allowed, depth * weights.DENSE_CANDIDATES).tolist())
        files = set(best(signals.file_lexical, None, weights.FILE_CANDIDATES).tolist())
        files.update(best(self._source.by_file(signals.dense), None, weights.FILE_CANDIDATES).tolist())
        for file in files:
            first, last = (int(n) for n in view.file_offsets[file : file + 2])
            both = signals.lexical[first:last] + signals.dense[first:last]
            if allowed is not None:
                both = both * allowed[first:last]
            if both.any():
                chosen.add(first + int(both.argmax()))
        return chosen

    def _found(self, signals: Signals, candidates: set[int], allowed: npt.NDArray[np.bool_] | None) -> int:
        """How many documents have any evidence: a word of the query, or a place among the candidates."""
        having = signals.lexical > 0
        if allowed is not None:
            having = having & allowed
        having[sorted(candidates)] = True
        return int(np.count_nonzero(having))

    def _evident(self, signals: Signals, candidates: set[int], allowed: npt.NDArray[np.bool_] | None) -> int:
        """How many documents can become candidates, however deep one looks."""
        having = (signals.lexical > 0) | (signals.dense > 0)
        if allowed is not None:
            having &= allowed
        having[sorted(candidates)] = True
        return int(np.count_nonzero(having))

    def _suggestions(self, query: Query, named: dict[int, NameHit]) -> tuple[str, ...]:
        """"Did you mean": names close to one that nothing is called."""
        if query.intent is not Intent.SYMBOL or any(hit.how == "exact" for hit in named.values()):
            return ()
        ranked = sorted(named.values(), key=lambda hit: (-hit.closeness, hit.name))
        return tuple(dict.fromkeys(hit.name for hit in ranked))[:5]
