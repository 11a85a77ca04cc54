"""The model and its gradients: a table of piece vectors, a scalar for each piece of a question, and a temperature.

A bag is Σ log(1 + count) · vector, made a unit. A document is the unit of its text plus half the unit of its path,
exactly as everdex joins them at query time; a question's pieces are first multiplied by their scalars. Gradients are
written out by hand: everything sparse stays sparse, and no framework is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

PATH_SHARE: Final = 0.5
_TINY: Final = np.float32(1e-6)

Floats = npt.NDArray[np.float32]
Matrix = Any  # scipy.sparse has no types


@dataclass(slots=True)
class Parameters:
    table: Floats  # vocabulary × dimensions
    asking: Floats  # vocabulary: what a piece counts in a question
    scale: float  # the logarithm of the inverse temperature

    def save(self, path: Path) -> None:
        partial = path.with_suffix(".partial.npz")
        np.savez(partial, table=self.table, asking=self.asking, scale=np.float32(self.scale))
        partial.rename(path)


def load_parameters(path: Path) -> Parameters:
    arrays = np.load(path)
    return Parameters(arrays["table"], arrays["asking"], float(arrays["scale"]))


def start(vocabulary: int, dimensions: int, seed: int, spread: float) -> Parameters:
    generator = np.random.default_rng(seed)
    table = generator.normal(0.0, spread, (vocabulary, dimensions)).astype(np.float32)
    return Parameters(table, np.ones(vocabulary, dtype=np.float32), float(np.log(20.0)))


@dataclass(frozen=True, slots=True)
class Bag:
    """Weighted pieces of a batch, its columns reduced to the pieces that occur."""

    columns: npt.NDArray[np.int64]
    weights: Matrix  # batch × columns

    @classmethod
    def of(cls, matrix: Matrix) -> Bag:
        columns, places = np.unique(matrix.indices, return_inverse=True)
        reduced = type(matrix)(
            (matrix.data, places.astype(np.int32), matrix.indptr), shape=(matrix.shape[0], max(len(columns), 1))
        )
        return cls(columns.astype(np.int64), reduced)

    def sums(self, rows: Floats) -> Floats:
        if not len(self.columns):
            return np.zeros((self.weights.shape[0], rows.shape[1]), dtype=np.float32)
        result: Floats = self.weights @ rows
        return result

    def spread(self, gradient: Floats) -> Floats:
        """The gradient of the columns' rows."""
        if not len(self.columns):
            return np.zeros((0, gradient.shape[1]), dtype=np.float32)
        result: Floats = self.weights.T @ gradient
        return result


def units(sums: Floats) -> tuple[Floats, Floats]:
    lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", sums, sums)), _TINY)[:, None]
    return sums / lengths, lengths


def through_units(gradient: Floats, unit: Floats, lengths: Floats) -> Floats:
    along = np.einsum("ij,ij->i", gradient, unit)[:, None]
    return (gradient - unit * along) / lengths


@dataclass(frozen=True, slots=True)
class Batch:
    question: Bag
    text: Bag
    path: Bag
    same: npt.NDArray[np.bool_]  # pairs i, j that are no negatives of each other


@dataclass(frozen=True, slots=True)
class Gradients:
    loss: float
    columns: npt.NDArray[np.int64]
    table: Floats  # one row for each of the columns
    asking_columns: npt.NDArray[np.int64]
    asking: Floats
    scale: float


def embed_questions(parameters: Parameters, bag: Bag) -> Floats:
    rows = parameters.table[bag.columns] * parameters.asking[bag.columns][:, None]
    return units(bag.sums(rows))[0]


def embed_documents(parameters: Parameters, text: Bag, path: Bag) -> Floats:
    texts, _ = units(text.sums(parameters.table[text.columns]))
    paths, _ = units(path.sums(parameters.table[path.columns]))
    return units(texts + PATH_SHARE * paths)[0]


def gradients(parameters: Parameters, batch: Batch) -> Gradients:
    """Symmetric InfoNCE: each question must find its document among the batch's, and each document its question."""
    question, text, path = batch.question, batch.text, batch.path
    plain = parameters.table[question.columns]
    asking = parameters.asking[question.columns]
    asked, asked_lengths = units(question.sums(plain * asking[:, None]))
    texts, text_lengths = units(text.sums(parameters.table[text.columns]))
    paths, path_lengths = units(path.sums(parameters.table[path.columns]))
    found, found_lengths = units(texts + np.float32(PATH_SHARE) * paths)

    temperature = np.float32(np.exp(parameters.scale))
    cosines = asked @ found.T
    logits = cosines * temperature
    logits[batch.same] = -np.inf
    size = len(logits)
    diagonal = np.arange(size)
    logits[diagonal, diagonal] = cosines[diagonal, diagonal] * temperature
    by_row, row_loss = _softmax(logits, 1)
    by_column, column_loss = _softmax(logits, 0)
    push = (by_row + by_column) * np.float32(0.5 / size)
    push[diagonal, diagonal] -= np.float32(1.0 / size)
    # The logarithm of the scale is what is learned, so its gradient carries the temperature once more.
    scale = float(np.einsum("ij,ij->", push, cosines)) * float(temperature)
    push *= temperature

    down_asked = through_units(push @ found, asked, asked_lengths)
    down_found = through_units(push.T @ asked, found, found_lengths)
    down_text = through_units(down_found, texts, text_lengths)
    down_path = through_units(np.float32(PATH_SHARE) * down_found, paths, path_lengths)

    by_question = question.spread(down_asked)
    columns = np.unique(np.concatenate([question.columns, text.columns, path.columns]))
    table = np.zeros((len(columns), plain.shape[1]), dtype=np.float32)
    table[np.searchsorted(columns, question.columns)] += by_question * asking[:, None]
    table[np.searchsorted(columns, text.columns)] += text.spread(down_text)
    table[np.searchsorted(columns, path.columns)] += path.spread(down_path)
    return Gradients(
        loss=0.5 * (row_loss + column_loss),
        columns=columns,
        table=table,
        asking_columns=question.columns,
        asking=np.einsum("ij,ij->i", by_question, plain),
        scale=scale,
    )


def _softmax(logits: Floats, axis: int) -> tuple[Floats, float]:
    """(probabilities, mean loss of the diagonal)."""
    largest = logits.max(axis=axis, keepdims=True)
    shifted = np.exp(logits - largest)
    totals = shifted.sum(axis=axis, keepdims=True)
    shifted /= totals
    diagonal = np.maximum(np.diagonal(shifted), np.float32(1e-30))
    return shifted, float(-np.log(diagonal).mean())
