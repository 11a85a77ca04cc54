"""One question against one SnapshotView: candidates from words and vectors, fused, ranked, cut to k.

The engine holds what is worth keeping warm between questions to the same snapshot. Its order is total and
depends on the snapshot's content only: ties go to the smaller docId, which is path and place.
"""

from __future__ import annotations

import fnmatch
import time
from collections.abc import Callable

from everdex import limits
from everdex.config import QueryConfig
from everdex.embed.base import Embedder
from everdex.errors import QueryError
from everdex.numeric import np, npt
from everdex.search import dense
from everdex.search.bm25 import Bm25
from everdex.search.grep import grep
from everdex.search.model import Contribution, Hit, Mode, SearchOutcome, SearchRequest
from everdex.search.query import Query, parse_query
from everdex.view import SnapshotView

_FIELD_WEIGHTS = (1.0, 3.0, 3.0, 1.0, 1.0)
_RRF_K = 60
_LEXICAL_WEIGHT = 0.7


class Engine:
    """Answers searches over one view. `embedder` is None for a lexical-only index."""

    def __init__(self, view: SnapshotView, embedder: Embedder | None, config: QueryConfig) -> None:
        self._view = view
        self._embedder = embedder
        self._config = config
        self._bm25 = Bm25([segment.lexical for segment in view.segments], view.bases, view.live_mask)

    def search(self, request: SearchRequest) -> SearchOutcome:
        if not 1 <= request.k <= limits.MAX_RESULTS:
            raise QueryError(f"-k is {request.k}; allowed is 1 to {limits.MAX_RESULTS}")
        if request.mode in (Mode.REGEX, Mode.LITERAL):
            return self._grep(request)
        return self._ranked(request, parse_query(request.query))

    def _grep(self, request: SearchRequest) -> SearchOutcome:
        found = grep(
            self._view,
            request.query,
            literal=request.mode is Mode.LITERAL,
            ignore_case=request.ignore_case,
            keep=self._file_filter(request.paths, request.languages),
            limit=request.k,
        )
        return SearchOutcome(
            matches=found.matches, omitted=found.total - len(found.matches), limits_hit=found.limits_hit
        )

    def _file_filter(self, paths: tuple[str, ...], wanted: tuple[str, ...]) -> Callable[[int], bool] | None:
        if not paths and not wanted:
            return None
        view = self._view

        def keep(index: int) -> bool:
            path_key = view.paths[index]
            if paths and not any(path_matches(path_key, pattern) for pattern in paths):
                return False
            return not wanted or view.file_languages[index] in wanted

        return keep

    def _ranked(self, request: SearchRequest, query: Query) -> SearchOutcome:
        started = time.perf_counter()
        allowed = self._allowed(request, query)
        shares: list[tuple[str, npt.NDArray[np.float64]]] = []
        if request.mode is not Mode.SEMANTIC:
            scores = self._bm25.scores([(term, 1.0) for term in query.terms], _FIELD_WEIGHTS)
            shares.append(("lexical", self._reciprocal(scores[self._view.doc_rows], allowed) * _LEXICAL_WEIGHT))
        if request.mode is not Mode.LEXICAL and self._embedder is not None:
            cosines = dense.cosines(self._view, self._embedder, query.text)
            if cosines is not None:
                shares.append(("dense", self._reciprocal(cosines, allowed) * (1 - _LEXICAL_WEIGHT)))
        total = sum((share for _, share in shares), np.zeros(self._view.doc_count))
        order = np.lexsort((np.arange(len(total)), -total))
        found = order[total[order] > 0]
        hits = tuple(self._hit(int(doc), total, shares) for doc in found[: request.k])
        return SearchOutcome(
            hits=hits,
            omitted=max(0, len(found) - len(hits)),
            timings_ms={"rank": round((time.perf_counter() - started) * 1000, 2)},
        )

    def _allowed(self, request: SearchRequest, query: Query) -> npt.NDArray[np.bool_] | None:
        keep = self._file_filter((*request.paths, *query.files), (*request.languages, *query.languages))
        if keep is None:
            return None
        files = np.fromiter((keep(index) for index in range(len(self._view.paths))), np.bool_, len(self._view.paths))
        return files[self._view.doc_files]

    def _reciprocal(
        self, scores: npt.NDArray[np.floating], allowed: npt.NDArray[np.bool_] | None
    ) -> npt.NDArray[np.float64]:
        """k / (k + rank) for the best candidates, 0 for the others."""
        usable = scores > 0 if allowed is None else (scores > 0) & allowed
        docs = np.flatnonzero(usable)
        order = docs[np.lexsort((docs, -scores[docs]))][: self._config.candidates]
        shares = np.zeros(len(scores))
        shares[order] = _RRF_K / (_RRF_K + np.arange(len(order)))
        return shares

    def _hit(
        self, doc: int, total: npt.NDArray[np.float64], shares: list[tuple[str, npt.NDArray[np.float64]]]
    ) -> Hit:
        contributions = tuple(Contribution(name, float(share[doc])) for name, share in shares if share[doc])
        return Hit(doc, self._view.document(doc).row, float(total[doc]), contributions)


def path_matches(path_key: str, pattern: str) -> bool:
    """A glob over the whole path, its last part, or a directory prefix."""
    trimmed = pattern.strip("/")
    return (
        fnmatch.fnmatchcase(path_key, trimmed)
        or fnmatch.fnmatchcase(path_key.rpartition("/")[2], trimmed)
        or path_key.startswith(trimmed + "/")
        or fnmatch.fnmatchcase(path_key, trimmed + "/*")
    )
