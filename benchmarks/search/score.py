"""NDCG@10 as the development set's own scorer defines it, and its means over repositories and groups."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.search.corpora import Corpus, Query

DEPTH = 10


def same_path(left: str, right: str) -> bool:
    return left == right or left.endswith("/" + right) or right.endswith("/" + left)


def ndcg(hits: Sequence[Mapping[str, Any]], query: Query) -> float:
    """Each label gives its gain to the first hit that matches it; primary and secondary count alike."""
    gains = [0] * DEPTH
    for label in query.labels:
        for rank, hit in enumerate(hits[:DEPTH]):
            if not same_path(hit["path"], label.path):
                continue
            inside = label.start_line is None or label.end_line is None
            if inside or not (hit["end_line"] < label.start_line or hit["start_line"] > label.end_line):
                gains[rank] = 1
                break
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(DEPTH, len(query.labels))))
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains)) / ideal if ideal else 0.0


def mean_over_repositories(scores: Mapping[str, Sequence[float]]) -> float:
    return statistics.fmean(statistics.fmean(values) for values in scores.values())


def by_category(corpora: Sequence[Corpus], scores: Mapping[str, Sequence[float]]) -> dict[str, float]:
    groups: dict[str, list[float]] = defaultdict(list)
    for corpus in corpora:
        for query, score in zip(corpus.queries, scores[corpus.name], strict=True):
            groups[query.category].append(score)
    return {name: statistics.fmean(values) for name, values in sorted(groups.items())}


def by_language(corpora: Sequence[Corpus], scores: Mapping[str, Sequence[float]]) -> dict[str, float]:
    groups: dict[str, list[float]] = defaultdict(list)
    for corpus in corpora:
        groups[corpus.language].append(statistics.fmean(scores[corpus.name]))
    return {name: statistics.fmean(values) for name, values in sorted(groups.items())}
