"""Groups of pairs that share rare words: in a batch, each is the others' hard negative.

Whoever searches has to tell apart functions that talk about the same things, so the wrong answers to learn from are
those that look right by their words. What a search by words would bring together is found here without one: counts
weighed by rarity, thrown into a few random dimensions, and each package, or all of them as one, halved along its widest
direction until the parts are small.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from training.prepare import Prepared

_DIMENSIONS: Final = 64
_CHUNK: Final = 50_000
_LARGEST_RARITY: Final = 9.0
_SENTENCE_WEIGHT: Final = 2.0  # of the question's and the name's words, beside the code's

Floats = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]
Matrix = Any  # scipy.sparse has no types


class Neighbours:
    """Where each pair lies; another generator, other dimensions and so other groups."""

    def __init__(self, prepared: Prepared, generator: np.random.Generator) -> None:
        self._packages = prepared.packages
        self._vectors = _vectors(prepared, generator)

    def of_package(self, chosen: Places, size: int) -> list[Places]:
        """The chosen pairs in groups of at most so many, each out of one package."""
        ordered = chosen[np.argsort(self._packages[chosen], kind="stable")]
        return self._halved(np.split(ordered, np.flatnonzero(np.diff(self._packages[ordered])) + 1), size)

    def of_all(self, chosen: Places, size: int) -> list[Places]:
        """The same across packages."""
        return self._halved([chosen], size)

    def _halved(self, todo: list[Places], size: int) -> list[Places]:
        found = []
        while todo:
            part = todo.pop()
            if len(part) <= size:
                found.append(part)
                continue
            spread = self._vectors[part]
            spread -= spread.mean(axis=0)
            widest = np.linalg.eigh((spread.T @ spread).astype(np.float64))[1][:, -1].astype(np.float32)
            order = part[np.argsort(spread @ widest, kind="stable")]
            todo += [order[: len(order) // 2], order[len(order) // 2 :]]
        return found


def _vectors(prepared: Prepared, generator: np.random.Generator) -> Floats:
    counts = prepared.counts
    fields = [(counts["query"], _SENTENCE_WEIGHT), (counts["name"], _SENTENCE_WEIGHT), (counts["body"], 1.0)]
    pairs, words = counts["body"].shape
    holders = sum(np.bincount(matrix.indices, minlength=words) for matrix, _ in fields)
    rarity = np.clip(np.log(3 * pairs / (1 + holders)), 0, _LARGEST_RARITY).astype(np.float32)
    thrown = generator.standard_normal((words, _DIMENSIONS), dtype=np.float32) * rarity[:, None]
    vectors = np.zeros((pairs, _DIMENSIONS), dtype=np.float32)
    for start in range(0, pairs, _CHUNK):
        part = slice(start, start + _CHUNK)
        for matrix, weight in fields:
            rows: Matrix = matrix[part]
            rows.data = np.log1p(rows.data) * np.float32(weight)
            vectors[part] += rows @ thrown
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    return vectors / np.maximum(lengths, np.float32(1e-6))
