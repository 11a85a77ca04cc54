"""The reranker's say: the best results are read again by a small transformer, and its cosines join their scores.

Only search knows what a cosine is worth; the reranker knows nothing of scores. A question whose kind gains nothing
from a second look (`weights.RERANK`) is not given one.
"""

from __future__ import annotations

from itertools import islice

from everdex.numeric import np
from everdex.rerank.reranker import Reranker, document_text
from everdex.search import weights
from everdex.search.query import Query
from everdex.search.rank import Scorer, saturate
from everdex.view import SnapshotView


def look_again(
    view: SnapshotView, scorer: Scorer, reranker: Reranker, query: Query, scored: list[tuple[float, int]]
) -> list[tuple[float, int]]:
    """The same candidates; the best of them get their share, from nothing for the farthest to all for the nearest."""
    weight = weights.RERANK[query.intent]
    if not weight or not scored:
        return scored
    documents = [item.doc_id for item in islice(saturate(view, scorer, scored, {}), weights.RERANKED)]
    cosines = reranker.rerank(query.text, [document_text(view.document(doc).row) for doc in documents])
    near = cosines.astype(np.float64) - cosines.min()
    shares = weight * near / (near.max() or 1.0)
    return scorer.add_rerank(scored, dict(zip(documents, shares.tolist(), strict=True)))
