"""Cosine similarity of a query with every live document: brute force over int8 rows, exact and layout-free.

A document's vector is its text's unit vector plus a share of its path's and one of the mean of its file's texts, joined
here. The path is worth about .02 in dense NDCG@10 on the development set over the path as more words of the text, the
mean .004 in the whole ranking. How large the mean's share is depends on the question (weights.FILE_MEAN).
"""

from __future__ import annotations

from typing import Final

import msgspec

from everdex.embed.base import Embedder
from everdex.embed.compose import query_vector
from everdex.numeric import np, npt
from everdex.segment.vectors import file_means, joint_lengths, products, quantize_query
from everdex.terms.words import words_of
from everdex.view import SnapshotView

PATH_SHARE: Final = 0.5
# A segment is scanned where it lies when it is worth a call of its own and most of it is live; what is live of all
# others is copied side by side, once a view.
_LARGE: Final = 4_096
_LIVE_SHARE: Final = 0.7

Places = npt.NDArray[np.int64]


class _Matrix(msgspec.Struct, frozen=True):
    """Every vector that a view needs, numbered through some blocks, which may hold dead ones too."""

    blocks: tuple[npt.NDArray[np.int8], ...]
    factors: npt.NDArray[np.float32]  # 1 / length of each vector
    texts: Places | slice  # which vector is each document's text
    paths: Places  # which vector is each file's path


class DenseScorer:
    """Scores queries against one view; whatever does not depend on the query is kept."""

    def __init__(self, view: SnapshotView) -> None:
        self._view = view
        self._matrix: _Matrix | None = None
        self._lengths: dict[float, npt.NDArray[np.float64]] = {}  # of each document's joint vector, by the mean's share

    def cosines(
        self, embedder: Embedder, text: str, mean_share: float
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None:
        """Cosines by docId, with path and file and of the text alone; None when no word of the query has a vector."""
        query = quantize_query(query_vector(embedder, words_of(text)))
        norm = float(np.sqrt(np.square(query.astype(np.float64)).sum()))
        if norm == 0.0 or not self._view.doc_count:
            return None
        if self._matrix is None:
            self._matrix = _gather(self._view)
        if mean_share not in self._lengths:
            self._lengths[mean_share] = _joint_lengths(self._view, mean_share)
        matrix = self._matrix
        near = np.concatenate([products(query, block) for block in matrix.blocks])
        near *= matrix.factors
        joint = near[matrix.texts].astype(np.float64)
        alone = joint / norm
        of_file = PATH_SHARE * near[matrix.paths].astype(np.float64)
        # What the mean of some vectors has in common with the query is the mean of what they have.
        of_file += mean_share * file_means(joint, self._view.doc_files, len(of_file))
        joint += of_file[self._view.doc_files]
        joint /= self._lengths[mean_share] * norm
        return joint, alone


def _gather(view: SnapshotView) -> _Matrix:
    readers = [segment.vectors for segment in view.segments]
    starts = np.cumsum([0, *(len(reader.vectors) for reader in readers)])
    rows = np.array([reader.rows for reader in readers])
    segments, file_numbers = view.file_places
    texts = (starts[:-1] - np.array(view.bases))[segments][view.doc_files] + view.doc_rows
    paths = (starts[:-1] + rows)[segments] + file_numbers
    wanted = np.zeros(starts[-1], dtype=np.bool_)
    wanted[texts] = wanted[paths] = True
    numbers = np.zeros(starts[-1], dtype=np.int64)
    blocks: list[npt.NDArray[np.int8]] = []
    copied: list[npt.NDArray[np.int8]] = []
    taken: list[Places] = []
    copies: list[Places] = []
    for reader, start, stop in zip(readers, starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        live = np.flatnonzero(wanted[start:stop])
        if stop - start >= _LARGE and len(live) >= _LIVE_SHARE * (stop - start):
            blocks.append(reader.vectors)
            taken.append(np.arange(start, stop))
        else:
            copied.append(reader.vectors[live])
            copies.append(start + live)
    if copied:
        blocks.append(np.concatenate(copied))
    order = np.concatenate([*taken, *copies])
    numbers[order] = np.arange(len(order))
    factors = np.concatenate([part for reader in readers for part in (reader.row_factors, reader.path_factors)])
    return _Matrix(tuple(blocks), factors[order], _plain(numbers[texts]), numbers[paths])


def _joint_lengths(view: SnapshotView, mean_share: float) -> npt.NDArray[np.float64]:
    readers = [segment.vectors for segment in view.segments]
    row_factors, overlaps, coherence = (
        np.concatenate(parts)[view.doc_rows]
        for parts in zip(*((reader.row_factors, reader.overlaps, reader.coherence) for reader in readers), strict=True)
    )
    segments, file_numbers = view.file_places
    starts = np.cumsum([0, *(len(reader.path_factors) for reader in readers)])
    path_factors = np.concatenate([reader.path_factors for reader in readers])[starts[segments] + file_numbers]
    shares = PATH_SHARE, mean_share
    lengths = joint_lengths(row_factors, overlaps, coherence, path_factors, view.doc_files, shares)
    return np.where(lengths > 0, lengths, 1.0)


def _plain(places: Places) -> Places | slice:
    """A slice where it says the same: it copies nothing."""
    return slice(0, len(places)) if (places == np.arange(len(places))).all() else places
