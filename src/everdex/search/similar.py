"""Code like a given piece of code: the nearest chunks by the vector of their text. Paths play no part in it.

A chunk is named by a place, `path:line`. The answer never holds the chunk itself; copies of it stand first, marked by
a cosine near one.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from everdex import limits
from everdex.errors import QueryError
from everdex.nearby import WHY_OUT, meant
from everdex.numeric import np, npt
from everdex.search.filters import file_filter
from everdex.search.model import Contribution, Hit, SearchOutcome
from everdex.search.place import parse_place
from everdex.search.rank import best
from everdex.segment.vectors import products, quantize_query
from everdex.view import SnapshotView


def document_at(view: SnapshotView, root: Path, place: str) -> int:
    """The docId of the innermost chunk at `path:line`; the path is relative to the root, or absolute below it."""
    wanted, line = parse_place(place)
    path = Path(wanted)
    if path.is_absolute() and path.is_relative_to(root):
        path = path.relative_to(root)
    key = PurePosixPath(path).as_posix()
    try:
        view.file_index(key)
    except KeyError as error:
        raise QueryError(
            f"no indexed file has the path {wanted!r}", hint=meant(key, view.paths) or WHY_OUT
        ) from error
    holding = [
        document for document in view.documents_of(key) if document.row.start_line <= line <= document.row.end_line
    ]
    if not holding:
        raise QueryError(f"{key} has no line {line}")
    nearest = min(holding, key=lambda document: (document.row.end_line - document.row.start_line, document.doc_id))
    return nearest.doc_id


def similar(
    view: SnapshotView, doc_id: int, k: int, languages: tuple[str, ...], paths: tuple[str, ...]
) -> SearchOutcome:
    """The k chunks whose text lies nearest, by cosine, ties by docId."""
    if not 1 <= k <= limits.MAX_RESULTS:
        raise QueryError(f"-k is {k}; allowed is 1 to {limits.MAX_RESULTS}")
    row = _row_vector(view, doc_id)
    query = quantize_query(row)
    norm = float(np.sqrt(np.square(query.astype(np.float64)).sum()))
    if norm == 0.0:
        raise QueryError("the code at this place has no vector", hint="it has no words, or the index has no embedder")
    rows = np.zeros(view.row_count, dtype=np.float32)
    for base, segment in zip(view.bases, view.segments, strict=True):
        reader = segment.vectors
        rows[base : base + reader.rows] = products(query, reader.row_vectors) * reader.row_factors
    cosines = rows[view.doc_rows].astype(np.float64) / norm
    cosines[doc_id] = 0.0
    keep = file_filter(view, paths, languages)
    if keep is not None:
        files = np.fromiter((keep(file) for file in range(len(view.paths))), np.bool_, len(view.paths))
        cosines[~files[view.doc_files]] = 0.0
    chosen = best(cosines, None, k).tolist()
    hits = tuple(
        Hit(doc, view.document(doc).row, float(cosines[doc]), (Contribution("cosine", float(cosines[doc])),))
        for doc in chosen
    )
    return SearchOutcome(hits=hits, omitted=int(np.count_nonzero(cosines > 0)) - len(hits))


def _row_vector(view: SnapshotView, doc_id: int) -> npt.NDArray[np.float32]:
    row = int(view.doc_rows[doc_id])
    for base, segment in zip(view.bases, view.segments, strict=True):
        if base <= row < base + segment.vectors.rows:
            vector: npt.NDArray[np.float32] = segment.vectors.row_vectors[row - base].astype(np.float32)
            return vector
    return np.zeros(0, dtype=np.float32)
