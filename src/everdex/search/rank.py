"""From signals and names to an order: every candidate's score is a sum of named contributions.

The order is total (score, then docId) and the sum is what `--explain` shows: there is no other arithmetic. Only
what is returned is explained; explaining adds the same numbers in the same order, so it gives the same score.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

import msgspec

from everdex import limits
from everdex.numeric import np, npt
from everdex.search import weights as table
from everdex.search.features import FUNCTION_KINDS, Definition, NameMatcher, PathFeatures, function_share
from everdex.search.model import Contribution
from everdex.search.names import NameHit
from everdex.search.profiles import BALANCED, Profile, role_share
from everdex.search.signals import Signals
from everdex.search.weights import Weights
from everdex.view import SnapshotView

_COLUMN = 64
_LEAST = 5e-324  # the smallest number above 0

Part = tuple[str, float, str]  # feature, value, detail


class Ranked(msgspec.Struct, frozen=True):
    """A candidate in its final place. `repeat` is what saturation took from `raw`."""

    doc_id: int
    raw: float
    repeat: float

    @property
    def score(self) -> float:
        return self.raw + self.repeat


def best(values: npt.NDArray[np.float64], allowed: npt.NDArray[np.bool_] | None, count: int) -> npt.NDArray[np.int64]:
    """Places of the `count` largest positive values, ties by place."""
    if allowed is not None:
        values = values * allowed
    usable = np.flatnonzero(values >= _edge(values, count))
    if len(usable) > count:
        # Everything at least as good as the count-th stays, so that ties are cut by place and not by chance.
        edge = np.partition(values[usable], len(usable) - count)[len(usable) - count]
        usable = usable[values[usable] >= edge]
    chosen: npt.NDArray[np.int64] = usable[np.lexsort((usable, -values[usable]))][:count]
    return chosen


def _edge(values: npt.NDArray[np.float64], count: int) -> float:
    """A positive number that at least `count` values reach, or that all positive ones do."""
    # Cut into columns whose largest values are known: if `count` of these reach a number, so many values do.
    width = len(values) // _COLUMN
    if width > count:
        largest = values[: width * _COLUMN].reshape(_COLUMN, width).max(axis=0)
        edge = float(np.partition(largest, width - count)[width - count])
        if edge > 0.0:
            return edge
    return _LEAST


class Scorer:
    """Scores the candidates of one query, and explains those that are asked for."""

    def __init__(
        self,
        view: SnapshotView,
        signals: Signals,
        file_sizes: npt.NDArray[np.float64],
        matcher: NameMatcher,
        chosen: Weights,
        profile: Profile,
        said: Mapping[int, float] | None = None,
        misspelt: Container[str] = (),
        within: Weights | None = None,
    ) -> None:
        self._view = view
        self._said = said or {}  # documents that have the query's text, and how much of it
        self._misspelt = misspelt  # names that must be meant
        self._within = within  # by which a file's candidates change places among themselves
        self._moved: dict[int, float] = {}
        self._signals = signals
        self._sizes = file_sizes
        self._matcher = matcher
        self._weights = chosen
        self._roles = {role: penalty * role_share(profile, role) for role, penalty in chosen.roles}
        self._profile = profile
        self._paths: dict[int, PathFeatures] = {}
        self._by_path: dict[int, tuple[Part, ...]] = {}
        self._by_name: dict[int, tuple[Part, ...]] = {}
        self._reranked: Mapping[int, float] = {}

    def score(self, candidates: Iterable[int], named: Mapping[int, NameHit]) -> list[tuple[float, int]]:
        """(score, docId) of every candidate, by docId."""
        documents = sorted(set(candidates))
        files = self._view.doc_files[documents]
        parts = self._signal_parts(np.array(documents, dtype=np.int64), files)
        totals = sum((values for _, values in parts), np.zeros(len(documents)))
        definitions = self._view.definitions(documents)
        scored = []
        for doc, file, total in zip(documents, files.tolist(), totals.tolist(), strict=True):
            self._by_name[doc] = (*self._name_parts(definitions.get(doc, ()), named.get(doc)), *self._said_parts(doc))
            for _, value, _ in self._path_parts(file):
                total += value
            for _, value, _ in self._by_name[doc]:
                total += value
            scored.append((total, doc))
        return scored if self._within is None else self._placed(scored, definitions, self._within)

    def _placed(
        self, scored: list[tuple[float, int]], definitions: Mapping[int, Sequence[Definition]], within: Weights
    ) -> list[tuple[float, int]]:
        """The same scores in every file, given to its candidates in the order of what they say themselves."""
        documents = [doc for _, doc in scored]
        signals = within.lexical * self._signals.lexical[documents] + within.dense * self._signals.alone[documents]
        groups: dict[int, list[tuple[float, int, float]]] = {}
        files = self._view.doc_files[documents].tolist()
        for (total, doc), file, signal in zip(scored, files, signals.tolist(), strict=True):
            groups.setdefault(file, []).append((total, doc, signal))
        placed = []
        for group in groups.values():
            if len(group) == 1:
                placed.append(group[0][:2])
                continue
            told = [signal + self._told(doc, definitions.get(doc, ()), within) for _, doc, signal in group]
            best_first = sorted(zip(told, group, strict=True), key=lambda item: (-item[0], item[1][1]))
            totals = sorted((total for total, _, _ in group), reverse=True)
            for (_, (own, doc, _)), total in zip(best_first, totals, strict=True):
                self._moved[doc] = total - own
                placed.append((own + self._moved[doc], doc))
        return placed

    def _told(self, doc: int, found: Sequence[Definition], within: Weights) -> float:
        """What names and words say of a chunk itself."""
        told = within.function * function_share(found)
        for name, value, _ in self._by_name[doc]:
            told += value * within.defines / self._weights.defines if name == "defines" else value
        return told

    def add_rerank(self, scored: Iterable[tuple[float, int]], shares: Mapping[int, float]) -> list[tuple[float, int]]:
        """The same candidates with what a second look adds to some of them."""
        self._reranked = shares
        return [(score + shares.get(doc, 0.0), doc) for score, doc in scored]

    def explain(self, doc: int) -> list[Part]:
        """The parts of a scored candidate, in the order in which they were added."""
        signals = self._signal_parts(np.array([doc]), self._view.doc_files[[doc]])
        parts = [(name, float(values[0]), "") for name, values in signals]
        moved = [("in_file", self._moved[doc], "")] if doc in self._moved else []
        again = [("rerank", self._reranked[doc], "")] if doc in self._reranked else []
        return [*parts, *self.named(doc), *moved, *again]

    def named(self, doc: int) -> list[Part]:
        """Those of the parts that come from names, paths and what is said word for word."""
        return [*self._path_parts(int(self._view.doc_files[doc])), *self._by_name[doc]]

    def of_file(self, file: int) -> float:
        """What a file brings to the score of each of its documents."""
        total = self._weights.file_lexical * float(self._signals.file_lexical[file])
        total += self._weights.size * float(self._sizes[file])
        for _, value, _ in self._path_parts(file):
            total += value
        return total

    def role(self, doc: int) -> str:
        return self._path(int(self._view.doc_files[doc])).role

    def _signal_parts(
        self, docs: npt.NDArray[np.int64], files: npt.NDArray[np.int64]
    ) -> list[tuple[str, npt.NDArray[np.float64]]]:
        weights, signals = self._weights, self._signals
        return [
            ("lexical", weights.lexical * signals.lexical[docs]),
            ("file_lexical", weights.file_lexical * signals.file_lexical[files]),
            ("dense", weights.dense * signals.dense[docs]),
            ("size", weights.size * self._sizes[files]),
            ("code", weights.code * signals.code[docs]),
        ]

    def _path(self, file: int) -> PathFeatures:
        known = self._paths.get(file)
        if known is None:
            known = self._paths[file] = self._matcher.path(self._view.paths[file])
        return known

    def _path_parts(self, file: int) -> tuple[Part, ...]:
        known = self._by_path.get(file)
        if known is None:
            weights, path = self._weights, self._path(file)
            parts: list[Part] = [
                ("stem", weights.stem * path.stem, ""),
                ("stem_query", weights.stem_query * path.stem_query, ""),
                ("path", weights.path * path.exact, ""),
                ("role", 0.0 if path.called_for else self._roles.get(path.role, 0.0), path.role),
                ("header", weights.header * path.header, ""),
            ]
            known = self._by_path[file] = tuple(part for part in parts if part[1])
        return known

    def _said_parts(self, doc: int) -> tuple[Part, ...]:
        return (("verbatim", table.VERBATIM * self._said[doc], ""),) if doc in self._said else ()

    def _name_parts(self, definitions: Sequence[Definition], named: NameHit | None) -> tuple[Part, ...]:
        weights = self._weights
        parts: list[Part] = []
        if definitions:
            found = self._matcher.definitions(definitions)
            if found.covers:
                parts.append(("defines", weights.defines * found.covers, found.name))
            if found.exact:
                parts.append(("defines_exactly", weights.defines_exactly, found.name))
        if weights.function:
            share = function_share(definitions)
            if share:
                parts.append(("function", weights.function * share, ""))
        if named is not None and named.how != "exact":
            worth = table.MISSPELT if named.name in self._misspelt else weights.defines_exactly
            parts.append((f"name_{named.how}", worth * named.closeness, named.name))
        if self._profile is not BALANCED and any(kind in FUNCTION_KINDS for _, _, kind in definitions):
            parts.append(("profile_function", self._profile.function / BALANCED.function - 1.0, self._profile.name))
        return tuple(parts)


def saturate(
    view: SnapshotView, scorer: Scorer, scored: Iterable[tuple[float, int]], taken: dict[int, int]
) -> Iterator[Ranked]:
    """In order: what a file as a whole speaks for counts once, and less for each further hit in it.

    `taken` counts by file what stands above already, and is carried on. Only what is asked for is put in order.
    """
    heap = [(-score, doc, 0, score) for score, doc in scored]
    heapq.heapify(heap)
    while heap:
        _, doc, seen, raw = heapq.heappop(heap)
        file = int(view.doc_files[doc])
        before = taken.get(file, 0)
        repeat = -abs(scorer.of_file(file)) * (1.0 - table.SATURATION**before)
        if before >= limits.MAX_RESULTS_PER_FILE:
            continue
        if before == seen:
            taken[file] = before + 1
            yield Ranked(doc, raw, repeat)
        else:
            heapq.heappush(heap, (-(raw + repeat), doc, before, raw))


def contributions(scorer: Scorer, ranked: Ranked) -> tuple[Contribution, ...]:
    """Every share of a result's score; they add up to it."""
    parts = [Contribution(name, value, detail) for name, value, detail in scorer.explain(ranked.doc_id) if value]
    if ranked.repeat:
        parts.append(Contribution("repeat", ranked.repeat, "another result of this file stands above"))
    return tuple(parts)
