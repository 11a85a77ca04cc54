"""Cosine similarity of a query with every live document: brute force over int8 rows, exact and layout-free."""

from __future__ import annotations

from everdex.embed.base import Embedder
from everdex.embed.compose import query_vector
from everdex.numeric import np, npt
from everdex.segment.vectors import quantize_query
from everdex.terms.bags import words_of
from everdex.view import SnapshotView


def cosines(view: SnapshotView, embedder: Embedder, text: str) -> npt.NDArray[np.float32] | None:
    """Cosine by docId; None when no word of the query has a vector."""
    vector = query_vector(embedder, words_of(text))
    query = quantize_query(vector)
    norm = float(np.sqrt(np.square(query.astype(np.float64)).sum()))
    if norm == 0.0:
        return None
    scores = np.zeros(view.row_count, dtype=np.float32)
    for base, segment in zip(view.bases, view.segments, strict=True):
        segment.vectors.cosines(query, scores[base : base + segment.vectors.rows])
    scores /= np.float32(norm)
    return scores[view.doc_rows]
