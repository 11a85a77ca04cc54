"""How well held-out packages' sentences find their code, by language: the figure to watch while training.

Each question ranks its own document among those of a thousand held-out pairs of all packages; the figure is the mean
reciprocal rank with a 95 % interval from resampling packages. `examples` are README sentences and the code below them,
asked in the words of people who look for something. The benchmarks in benchmarks/search are another matter
and are never read here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from training.model import Bag, Parameters, embed_documents, embed_questions
from training.prepare import Prepared
from training.train import logarithmic

_POOL: Final = 1_000
_SEED: Final = 1
_RESAMPLES: Final = 500


@dataclass(frozen=True, slots=True)
class Figure:
    pairs: int
    mrr: float
    low: float
    high: float


def evaluate(prepared: Prepared, parameters: Parameters, most: int = 20_000) -> dict[str, Figure]:
    """Language, `all` of them, or `examples` to its figure."""
    generator = np.random.default_rng(_SEED)
    chosen, ranks = _ranked(prepared, parameters, prepared.held_out & ~prepared.examples, most, generator)
    figures = {}
    packages, languages = prepared.packages[chosen], prepared.languages[chosen]
    for number, name in [(None, "all"), *enumerate(prepared.language_names)]:
        mine = np.ones(len(chosen), dtype=np.bool_) if number is None else languages == number
        if mine.any():
            figures[name] = _figure(ranks[mine], packages[mine], generator)
    chosen, ranks = _ranked(prepared, parameters, prepared.examples, most, generator)
    if len(chosen):
        figures["examples"] = _figure(ranks, prepared.packages[chosen], generator)
    return figures


def _ranked(
    prepared: Prepared,
    parameters: Parameters,
    wanted: npt.NDArray[np.bool_],
    most: int,
    generator: np.random.Generator,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """At most so many of the wanted pairs, shuffled, and the reciprocal rank of each in its thousand."""
    chosen = generator.permutation(np.flatnonzero(wanted))[:most]
    pools = [chosen[at : at + _POOL] for at in range(0, len(chosen), _POOL)]
    return chosen, np.concatenate([np.zeros(0), *(_reciprocal_ranks(prepared, parameters, pool) for pool in pools)])


def _reciprocal_ranks(
    prepared: Prepared, parameters: Parameters, chosen: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    counts, pieces = prepared.counts, prepared.pieces
    question, path = counts["query"][chosen], counts["path"][chosen]
    text = counts["body"][chosen] + counts["name"][chosen]
    cut = [Bag.of((logarithmic(bag) @ pieces).tocsr()) for bag in (question, text, path)]
    cosines = embed_questions(parameters, cut[0]) @ embed_documents(parameters, cut[1], cut[2]).T
    ranks = (cosines > np.diagonal(cosines)[:, None]).sum(axis=1) + 1
    return 1.0 / ranks


def _figure(ranks: npt.NDArray[np.float64], packages: npt.NDArray[np.int32], generator: np.random.Generator) -> Figure:
    names, places = np.unique(packages, return_inverse=True)
    sums = np.bincount(places, weights=ranks)
    sizes = np.bincount(places)
    draws = generator.integers(0, len(names), (_RESAMPLES, len(names)))
    means = sums[draws].sum(axis=1) / sizes[draws].sum(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Figure(len(ranks), float(ranks.mean()), float(low), float(high))
