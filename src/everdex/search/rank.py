"""From signals and names to an order: every candidate's score is a sum of named contributions.

The order is total (score, then docId) and the sum is what `--explain` shows: there is no other arithmetic.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from everdex.numeric import np, npt
from everdex.search import weights as table
from everdex.search.features import Definition, NameMatcher, PathFeatures
from everdex.search.model import Contribution
from everdex.search.names import NameHit
from everdex.search.profiles import BALANCED, Profile, role_share
from everdex.search.signals import Signals
from everdex.search.weights import Weights
from everdex.view import SnapshotView

_FUNCTIONS = frozenset(("function", "method", "constructor"))


@dataclass(frozen=True, slots=True)
class Ranked:
    doc_id: int
    score: float
    role: str
    contributions: tuple[Contribution, ...]


def best(values: npt.NDArray[np.float64], allowed: npt.NDArray[np.bool_] | None, count: int) -> npt.NDArray[np.int64]:
    """Places of the `count` largest positive values, ties by place."""
    usable = np.flatnonzero(values > 0 if allowed is None else (values > 0) & allowed)
    if len(usable) > count:
        # Everything at least as good as the count-th stays, so that ties are cut by place and not by chance.
        edge = np.partition(values[usable], len(usable) - count)[len(usable) - count]
        usable = usable[values[usable] >= edge]
    chosen: npt.NDArray[np.int64] = usable[np.lexsort((usable, -values[usable]))][:count]
    return chosen


class Scorer:
    """Scores the candidates of one query."""

    def __init__(
        self,
        view: SnapshotView,
        signals: Signals,
        file_sizes: npt.NDArray[np.float64],
        matcher: NameMatcher,
        chosen: Weights,
        profile: Profile,
    ) -> None:
        self._view = view
        self._signals = signals
        self._sizes = file_sizes
        self._matcher = matcher
        self._weights = chosen
        self._roles = dict(chosen.roles)
        self._profile = profile
        self._paths: dict[int, PathFeatures] = {}

    def score(self, candidates: Iterable[int], named: Mapping[int, NameHit]) -> list[Ranked]:
        documents = sorted(set(candidates))
        definitions = self._view.definitions(documents)
        return [self._score(doc, definitions.get(doc, ()), named.get(doc)) for doc in documents]

    def _path(self, file: int) -> PathFeatures:
        known = self._paths.get(file)
        if known is None:
            known = self._paths[file] = self._matcher.path(self._view.paths[file])
        return known

    def _score(self, doc: int, definitions: Sequence[Definition], named: NameHit | None) -> Ranked:
        file = int(self._view.doc_files[doc])
        weights, signals = self._weights, self._signals
        path = self._path(file)
        names = self._matcher.definitions(definitions)
        parts = [
            ("lexical", weights.lexical * float(signals.lexical[doc]), ""),
            ("file_lexical", weights.file_lexical * float(signals.file_lexical[file]), ""),
            ("dense", weights.dense * float(signals.dense[doc]), ""),
            ("file_dense", weights.file_dense * float(signals.file_dense[file]), ""),
            ("size", weights.size * float(self._sizes[file]), ""),
            ("stem", weights.stem * path.stem, ""),
            ("stem_query", weights.stem_query * path.stem_query, ""),
            ("defines", weights.defines * names.covers, names.name),
            ("defines_exactly", weights.defines_exactly * names.exact, names.name),
            ("path", weights.path * path.exact, ""),
            ("role", self._roles.get(path.role, 0.0) * role_share(self._profile, path.role), path.role),
            ("barrel", weights.barrel * path.barrel, ""),
            ("header", weights.header * path.header, ""),
        ]
        if named is not None and named.how != "exact":
            parts.append((f"name_{named.how}", weights.defines_exactly * named.closeness, named.name))
        if self._profile is not BALANCED and any(kind in _FUNCTIONS for _, _, kind in definitions):
            parts.append(("profile_function", self._profile.function / BALANCED.function - 1.0, self._profile.name))
        contributions = tuple(Contribution(name, round(value, 6), detail) for name, value, detail in parts if value)
        return Ranked(doc, round(sum(item.value for item in contributions), 6), path.role, contributions)


def saturate(view: SnapshotView, scored: Iterable[Ranked], count: int) -> list[Ranked]:
    """The best `count`, one strong hit a file before the second: each further one keeps a share of its score."""
    heap = [(-item.score, item.doc_id, 0, item) for item in scored]
    heapq.heapify(heap)
    taken: dict[int, int] = {}
    result: list[Ranked] = []
    while heap and len(result) < count:
        _, doc, seen, item = heapq.heappop(heap)
        file = int(view.doc_files[doc])
        before = taken.get(file, 0)
        if before == seen:
            taken[file] = before + 1
            result.append(item)
            continue
        original = sum(part.value for part in item.contributions if part.feature != "repeat")
        cost = -round(abs(original) * (1.0 - table.SATURATION**before), 6)
        kept = tuple(part for part in item.contributions if part.feature != "repeat")
        repeated = Ranked(doc, round(original + cost, 6), item.role, (*kept, Contribution("repeat", cost)))
        heapq.heappush(heap, (-repeated.score, doc, before, repeated))
    return result
