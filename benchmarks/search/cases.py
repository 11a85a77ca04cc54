"""Labelled queries as numbers: the features of their candidates, and NDCG@10 of any weights, for all at once.

What the engine does with a score is done here with whole arrays, so that a fit can try thousands of weights: further
results of a file lose their file's share as in `rank.saturate`. Knows features by name only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from msgspec.structs import fields

from benchmarks.search.corpora import Corpus, Label
from benchmarks.search.score import DEPTH, same_path
from everdex.embed import open_embedder
from everdex.numeric import np, npt
from everdex.search import weights as table
from everdex.search.engine import Engine
from everdex.search.features import NameMatcher
from everdex.search.profiles import BALANCED
from everdex.search.query import Intent, parse_query
from everdex.search.rank import Scorer
from everdex.search.weights import Weights
from everdex.service.index import Index, Reading
from everdex.view import SnapshotView

ROLES = ("test", "example", "doc", "config", "generated", "vendored", "migration")
PLAIN = [item.name for item in fields(Weights) if item.name != "roles"]
FEATURES = [*PLAIN, *(f"role_{role}" for role in ROLES)]
PLACE = {name: index for index, name in enumerate(FEATURES)}
# Those that are the same for every chunk of a file.
OF_CHUNK = ("lexical", "dense", "defines", "defines_exactly", "function", "code")
OF_FILE = np.array([name not in OF_CHUNK for name in FEATURES])
DISCOUNT = 1 / np.log2(np.arange(DEPTH) + 2)
IDEAL = np.concatenate([[1.0], np.cumsum(DISCOUNT)])
KEPT_FILES = 15  # candidates that stay: the best of so many files, and so many chunks, under each of several weights
SPREADS = 16

Vector = npt.NDArray[np.float64]
KINDS = ("natural", "action", "symbol")  # each has weights of its own
OF_KIND = {"natural": table.NATURAL, "action": table.ACTION, "symbol": table.SYMBOL}


def ones() -> Weights:
    return Weights(**dict.fromkeys(PLAIN, 1.0), roles=tuple((role, 1.0) for role in ROLES))  # type: ignore[arg-type]


def vector(weights: Weights) -> Vector:
    values = np.zeros(len(FEATURES))
    for name in PLAIN:
        values[PLACE[name]] = getattr(weights, name)
    for role, value in weights.roles:
        values[PLACE[f"role_{role}"]] = value
    return values


@dataclass(frozen=True, slots=True)
class Cases:
    """Queries and their candidates; a candidate's labels are the bits of those that it satisfies."""

    repos: npt.NDArray[np.str_]  # by query
    kinds: npt.NDArray[np.str_]
    labelled: npt.NDArray[np.int64]
    owners: npt.NDArray[np.int64]  # by candidate: its query, ascending
    files: npt.NDArray[np.int64]
    labels: npt.NDArray[np.uint64]
    features: Vector

    def where(self, wanted: npt.NDArray[np.bool_]) -> Self:
        rows = wanted[self.owners]
        owners = (np.cumsum(wanted) - 1)[self.owners[rows]]
        return type(self)(
            self.repos[wanted], self.kinds[wanted], self.labelled[wanted], owners, self.files[rows], self.labels[rows],
            self.features[rows],
        )  # fmt: skip

    def varied(self, place: int) -> npt.NDArray[np.bool_]:
        """By query: whether its candidates differ in a feature, so that its weight can matter."""
        column, firsts = self.features[:, place], np.searchsorted(self.owners, np.arange(len(self.repos)))
        flags = np.zeros(len(self.repos), dtype=np.bool_)
        flags[self.owners[column != column[firsts][self.owners]]] = True
        return flags

    def scores(self, weights: Vector) -> tuple[Vector, Vector]:
        """Of every candidate: its score, and what its file brings to it."""
        return self.features @ weights, self.features @ (OF_FILE * weights)

    def ndcg(self, scores: Vector, of_file: Vector) -> Vector:
        """NDCG@10 of every query."""
        groups = self.owners * (self.files.max(initial=0) + 1) + self.files
        order = np.lexsort((-scores, groups))
        places = np.arange(len(order))
        begins = np.diff(groups[order], prepend=-1) != 0
        before = np.empty(len(order))
        before[order] = places - np.maximum.accumulate(np.where(begins, places, 0))
        final = scores - np.abs(of_file) * (1 - table.SATURATION**before)
        order = np.lexsort((-final, self.owners))
        ranks = places - np.searchsorted(self.owners, np.arange(len(self.repos)))[self.owners[order]]
        order, ranks = order[ranks < DEPTH], ranks[ranks < DEPTH]
        shown = np.zeros((len(self.repos), DEPTH), dtype=np.uint64)
        shown[self.owners[order], ranks] = self.labels[order]
        seen = np.zeros(len(self.repos), dtype=np.uint64)
        total = np.zeros(len(self.repos))
        for rank in range(DEPTH):
            total += ((shown[:, rank] & ~seen) > 0) * DISCOUNT[rank]
            seen |= shown[:, rank]
        return total / IDEAL[np.minimum(self.labelled, DEPTH)]

    def mean(self, found: Vector) -> float:
        """The mean over repositories of the mean over their queries."""
        _, repos = np.unique(self.repos, return_inverse=True)
        return float((np.bincount(repos, found) / np.bincount(repos)).mean())


def gather(corpora: list[Corpus], starts: Mapping[str, Vector]) -> Cases:
    """The cases of some corpora; candidates that no weights near one of the starting ones would show are left out."""
    kept: list[tuple[Any, ...]] = []
    for corpus in corpora:
        index = Index.open(corpus.root, force_root=True)
        index.sync()
        with index.view(Reading(sync=False)) as (view, _):
            engine = Engine(view, open_embedder(index.config.index.embedder, index.root.path), index.config.query)
            for query in corpus.queries:
                found = _candidates(engine, view, query.text, query.labels, starts)
                kept.append((corpus.name, len(query.labels), *found))
    owners = np.repeat(np.arange(len(kept)), [len(item[3]) for item in kept])
    return Cases(
        np.array([item[0] for item in kept]), np.array([item[2] for item in kept]),
        np.array([item[1] for item in kept]), owners, np.concatenate([item[3] for item in kept]),
        np.concatenate([item[4] for item in kept]), np.concatenate([item[5] for item in kept]),
    )  # fmt: skip


def _candidates(
    engine: Engine, view: SnapshotView, text: str, labels: tuple[Label, ...], starts: Mapping[str, Vector]
) -> tuple[str, npt.NDArray[np.int64], npt.NDArray[np.uint64], Vector]:
    query = engine._obvious.without(parse_query(text))
    kind = next(kind for kind in KINDS if OF_KIND[kind] is table.BY_INTENT[query.intent])
    matcher = NameMatcher(query)
    named = engine._named(query, matcher, None)
    lone = query.intent is Intent.SYMBOL
    signals = engine._source.compute(
        query, None if lone and named else engine._embedder, lexical=True, dense_if_needed=lone
    )
    documents = sorted(engine._candidates(signals, named, None, 1))
    scorer = Scorer(view, signals, engine._source.file_sizes, matcher, ones(), BALANCED)
    scorer.score(documents, named)
    features = np.zeros((len(documents), len(FEATURES)))
    for row, doc in enumerate(documents):
        for name, value, detail in scorer.explain(doc):
            key = f"role_{detail}" if name == "role" else "defines_exactly" if name.startswith("name_") else name
            features[row, PLACE[key]] += value
    files = view.doc_files[documents]
    satisfied = np.array([_satisfied(view, doc, labels) for doc in documents], dtype=np.uint64)
    stay = satisfied > 0
    for start in [starts["symbol"]] if kind == "symbol" else [starts["natural"], starts["action"]]:
        stay |= _likely(features, files, start)
    return kind, files[stay], satisfied[stay], features[stay]


def _satisfied(view: SnapshotView, doc: int, labels: tuple[Label, ...]) -> int:
    path, bits = view.paths[int(view.doc_files[doc])], 0
    for bit, label in enumerate(labels):
        if same_path(path, label.path):
            inside = label.start_line is None or label.end_line is None
            if label.start_line is not None and label.end_line is not None:
                row = view.document(doc).row
                inside = not (row.end_line < label.start_line or row.start_line > label.end_line)
            bits |= inside << bit
    return bits


def _likely(features: Vector, files: npt.NDArray[np.int64], start: Vector) -> npt.NDArray[np.bool_]:
    stay = np.zeros(len(features), dtype=np.bool_)
    chance = np.random.default_rng(0)
    for _ in range(SPREADS):
        weights = start * (1 + 0.5 * chance.normal(size=len(start)))
        order = np.argsort(-(features @ weights), kind="stable")
        _, first = np.unique(files[order], return_index=True)
        stay[order[np.sort(first)[:KEPT_FILES]]] = True
        stay[order[:KEPT_FILES]] = True
    return stay
