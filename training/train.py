"""One run: three passes, batches that put like code of one package side by side, Adam on the rows that a batch touches.

All runs start from the same table and differ in their order only. A run is a function of the prepared pairs, its number
and the settings; a finished run is not repeated.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from training.model import Bag, Batch, Floats, Matrix, Parameters, gradients, start
from training.neighbours import Neighbours
from training.prepare import Prepared

START_SEED: Final = 20_261_115


@dataclass(frozen=True, slots=True)
class Settings:
    dimensions: int = 288
    batch: int = 4_096
    group: int = 256  # of a batch, alike and so the hard negatives of each other
    anywhere: float = 0.5  # of the pairs, how many are grouped with those of all packages and not of their own
    epochs: int = 3
    rate: float = 8e-3
    warm_up: int = 50
    dropout: float = 0.1
    bare: float = 0.3  # documents without path and name
    named: float = 0.15  # batches that ask for the function by its name
    spread: float = 0.01  # of the first table: what is never seen must weigh next to nothing


class Adam:
    """Adam whose moments of a row move only when the row is touched."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._first = np.zeros(shape, dtype=np.float32)
        self._second = np.zeros(shape, dtype=np.float32)
        self._step = 0

    def update(self, values: Floats, rows: npt.NDArray[np.int64], gradient: Floats, rate: float) -> None:
        self._step += 1
        first = self._first[rows] * np.float32(0.9) + gradient * np.float32(0.1)
        second = self._second[rows] * np.float32(0.98) + np.square(gradient) * np.float32(0.02)
        self._first[rows], self._second[rows] = first, second
        rate *= float(np.sqrt(1 - 0.98**self._step) / (1 - 0.9**self._step))
        values[rows] -= np.float32(rate) * first / (np.sqrt(second) + np.float32(1e-8))


def batches(prepared: Prepared, settings: Settings, generator: np.random.Generator) -> list[npt.NDArray[np.int64]]:
    """One pass: every pair in a group of like ones, the groups shuffled and joined."""
    usable = np.flatnonzero(~prepared.held_out)
    near = Neighbours(prepared, generator)
    anywhere = generator.random(len(usable)) < settings.anywhere
    groups = near.of_package(usable[~anywhere], settings.group) + near.of_all(usable[anywhere], settings.group)
    joined = np.concatenate([groups[place] for place in generator.permutation(len(groups))])
    size = min(settings.batch, len(joined))
    return [joined[at : at + size] for at in range(0, len(joined) - size + 1, size)]


def logarithmic(counts: Matrix) -> Matrix:
    weighted = counts.copy()
    weighted.data = np.log1p(weighted.data)
    return weighted


def make_batch(
    prepared: Prepared, chosen: npt.NDArray[np.int64], settings: Settings, generator: np.random.Generator
) -> Batch:
    counts, pieces = prepared.counts, prepared.pieces
    names = counts["name"][chosen]
    by_name = generator.random() < settings.named
    question = counts["query"][chosen]
    if by_name:
        # What has no name of its own keeps its sentence.
        nameless = np.diff(names.indptr) == 0
        question = names + _only(question, nameless)
    dressed = generator.random(len(chosen)) >= settings.bare
    text = counts["body"][chosen]
    if not by_name:
        text = text + _only(names, dressed)
    bags = [logarithmic(question), logarithmic(text), logarithmic(_only(counts["path"][chosen], dressed))]
    cut = [_dropped(bag @ pieces, settings.dropout, generator) for bag in bags]
    queries, bodies = prepared.query_hashes[chosen], prepared.body_hashes[chosen]
    same = (queries[:, None] == queries[None, :]) | (bodies[:, None] == bodies[None, :])
    return Batch(Bag.of(cut[0]), Bag.of(cut[1]), Bag.of(cut[2]), same)


def _only(matrix: Matrix, rows: npt.NDArray[np.bool_]) -> Matrix:
    """The matrix with all other rows empty."""
    kept = matrix.multiply(rows[:, None].astype(np.float32)).tocsr()
    kept.eliminate_zeros()
    return kept


def _dropped(matrix: Matrix, share: float, generator: np.random.Generator) -> Matrix:
    matrix = matrix.tocsr().astype(np.float32)
    matrix.data *= generator.random(len(matrix.data)) >= share
    return matrix


def train(prepared: Prepared, settings: Settings, run: int, output: Path) -> Parameters:
    """Train one table; the run's number seeds the order."""
    generator = np.random.default_rng((START_SEED, run))
    parameters = start(len(prepared.vocabulary), settings.dimensions, START_SEED, settings.spread)
    table, asking, scale = Adam(parameters.table.shape), Adam(parameters.asking.shape), Adam((1,))
    passes = [batches(prepared, settings, generator) for _ in range(settings.epochs)]
    total = sum(map(len, passes))
    began, losses = time.monotonic(), []
    one = np.zeros(1, dtype=np.int64)
    for step, chosen in enumerate((batch for part in passes for batch in part), 1):
        rate = settings.rate * min(step / settings.warm_up, 0.5 * (1 + np.cos(np.pi * step / total)))
        found = gradients(parameters, make_batch(prepared, chosen, settings, generator))
        table.update(parameters.table, found.columns, found.table, rate)
        asking.update(parameters.asking, found.asking_columns, found.asking, rate)
        logarithm = np.array([parameters.scale], dtype=np.float32)
        scale.update(logarithm, one, np.array([found.scale], dtype=np.float32), rate)
        parameters.scale = float(min(logarithm[0], np.log(100.0)))
        losses.append(found.loss)
        if step % 50 == 0 or step == total:
            left = (time.monotonic() - began) / step * (total - step)
            mean = sum(losses[-50:]) / len(losses[-50:])
            print(
                f"run {run}: step {step} of {total}, loss {mean:.3f}, scale {np.exp(parameters.scale):.1f}, "
                f"{left:.0f} s left",
                flush=True,
            )
    parameters.save(output)
    return parameters
