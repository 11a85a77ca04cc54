"""Fit the ranking weights on the development set and say honestly what they are worth.

For each fold of repositories the weights are fitted on the other folds by coordinate ascent on NDCG@10 and scored
on the fold that was held out; the mean of those scores is the figure to quote. The weights in
src/everdex/search/weights.py are the rounded means over the folds. Ablations take one feature away at a time.

Usage: fit.py --corpora DIR --annotations DIR [--home DIR] [--folds 8] [--rounds 3] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from msgspec.structs import fields, replace

from everdex.embed import open_embedder
from everdex.numeric import np, npt
from everdex.search import weights as table
from everdex.search.engine import Engine
from everdex.search.features import NameMatcher
from everdex.search.profiles import BALANCED
from everdex.search.query import Intent, parse_query
from everdex.search.rank import Scorer
from everdex.search.weights import Weights
from everdex.service import Index, Reading

ROLES = ("test", "example", "doc", "config", "generated", "vendored")
PLAIN = [item.name for item in fields(Weights) if item.name != "roles"]
FEATURES = [*PLAIN, *(f"role_{role}" for role in ROLES)]
PLACE = {name: index for index, name in enumerate(FEATURES)}
DISCOUNT = 1 / np.log2(np.arange(10) + 2)
STEPS = (0.05, 0.15, 0.4)


@dataclass(frozen=True)
class Case:
    """One query: the features of its candidates and which labels each of them satisfies."""

    repo: str
    category: str
    symbol: bool
    files: npt.NDArray[np.int64]
    features: npt.NDArray[np.float64]
    labels: npt.NDArray[np.bool_]


def ones() -> Weights:
    return Weights(**dict.fromkeys(PLAIN, 1.0), roles=tuple((role, 1.0) for role in ROLES))  # type: ignore[arg-type]


def vector(weights: Weights) -> npt.NDArray[np.float64]:
    values = np.zeros(len(FEATURES))
    for name in PLAIN:
        values[PLACE[name]] = getattr(weights, name)
    for role, value in weights.roles:
        values[PLACE[f"role_{role}"]] = value
    return values


def cases_of(repo: str, root: Path, queries: list[dict[str, Any]]) -> list[Case]:
    index = Index.open(root, force_root=True)
    index.sync()
    found = []
    with index.view(Reading(sync=False)) as (view, _):
        embedder = open_embedder(index.config.index.embedder, index.root.path)
        engine = Engine(view, embedder, index.config.query)
        for entry in queries:
            query = parse_query(entry["query"])
            symbol = query.intent is Intent.SYMBOL
            signals = engine._source.compute(query, embedder, lexical=True, dense_if_needed=symbol)
            matcher = NameMatcher(query)
            named = engine._named(query, matcher, None)
            candidates = sorted(engine._candidates(signals, named, None, 10))
            scorer = Scorer(view, signals, engine._source.file_sizes, matcher, ones(), BALANCED)
            scorer.score(candidates, named)
            features = np.zeros((len(candidates), len(FEATURES)))
            labels = [label(raw) for raw in entry["relevant"] + entry.get("secondary", [])]
            hits = np.zeros((len(candidates), len(labels)), dtype=np.bool_)
            for row, doc in enumerate(candidates):
                for name, value, detail in scorer.explain(doc):
                    key = f"role_{detail}" if name == "role" else name
                    if key in PLACE:
                        features[row, PLACE[key]] += value
                chunk = view.document(doc).row
                for column, (path, first, last) in enumerate(labels):
                    inside = first is None or not (chunk.end_line < first or chunk.start_line > last)
                    hits[row, column] = same_path(chunk.path_key, path) and inside
            files = view.doc_files[candidates]
            found.append(Case(repo, entry.get("category", "?"), symbol, files, features, hits))
    return found


def label(raw: Any) -> tuple[str, int | None, int]:
    return (raw, None, 0) if isinstance(raw, str) else (raw["path"], raw.get("start_line"), raw.get("end_line", 0))


def same_path(a: str, b: str) -> bool:
    return a == b or a.endswith("/" + b) or b.endswith("/" + a)


def ndcg(case: Case, natural: npt.NDArray[np.float64], symbol: npt.NDArray[np.float64]) -> float:
    scores = case.features @ (symbol if case.symbol else natural)
    order = np.argsort(-scores, kind="stable")
    _, first = np.unique(case.files[order], return_index=True)  # one result a file, as saturation mostly has it
    top = order[np.sort(first)[:10]]
    gains = np.zeros(10)
    for column in range(case.labels.shape[1]):
        ranks = np.flatnonzero(case.labels[top, column])
        if len(ranks):
            gains[ranks[0]] = 1
    ideal = DISCOUNT[: min(10, case.labels.shape[1])].sum()
    return float((gains * DISCOUNT).sum() / ideal)


def mean(cases: list[Case], natural: npt.NDArray[np.float64], symbol: npt.NDArray[np.float64]) -> float:
    by_repo: dict[str, list[float]] = {}
    for case in cases:
        by_repo.setdefault(case.repo, []).append(ndcg(case, natural, symbol))
    return float(np.mean([np.mean(values) for values in by_repo.values()]))


def ascend(cases: list[Case], start: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]], rounds: int) -> Any:
    """Move one weight at a time as long as that helps by more than noise."""
    weights = (start[0].copy(), start[1].copy())
    best = mean(cases, *weights)
    order = [(which, place) for which in (0, 1) for place in range(len(FEATURES))]
    shuffle = random.Random(0)
    for _ in range(rounds):
        shuffle.shuffle(order)
        improved = False
        for which, place in order:
            current = kept = weights[which][place]
            for value in sorted({current + sign * step for sign in (-1, 1) for step in STEPS} | {0.0}):
                weights[which][place] = value
                reached = mean(cases, *weights)
                if reached > best + 3e-4:
                    best, kept, improved = reached, value, True
            weights[which][place] = kept
        if not improved:
            break
    return weights


def start_weights() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Plain guesses, so that what is held out has not been seen through the shipped weights."""
    guess = replace(
        ones(), lexical=0.5, file_lexical=0.5, dense=0.5, size=0.0, stem=0.2, stem_query=0.5,
        defines=0.4, defines_exactly=0.3, path=1.0, header=0.0,
        roles=tuple((role, -0.3) for role in ROLES),
    )  # fmt: skip
    lone = replace(guess, lexical=1.0, dense=0.1, stem=0.5, stem_query=0.0, defines_exactly=0.5)
    return vector(guess), vector(lone)


def cross_validate(cases: list[Case], folds: int, rounds: int) -> tuple[float, Any]:
    repos = sorted({case.repo for case in cases})
    random.Random(1).shuffle(repos)
    total, fitted = 0.0, []
    for fold in range(folds):
        held = set(repos[fold::folds])
        weights = ascend([case for case in cases if case.repo not in held], start_weights(), rounds)
        score = mean([case for case in cases if case.repo in held], *weights)
        print(f"fold {fold + 1}/{folds}: held out {', '.join(sorted(held))}: {score:.4f}", flush=True)
        total += score * len(held)
        fitted.append(weights)
    return total / len(repos), tuple(np.mean([pair[which] for pair in fitted], axis=0) for which in (0, 1))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--annotations", type=Path, required=True, help="directory with repos.json and annotations/")
    parser.add_argument("--home", type=Path, default=Path("/tmp/everdex-fit"))
    parser.add_argument("--folds", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    os.environ["EVERDEX_HOME"] = str(args.home)
    cases = []
    for entry in json.loads((args.annotations / "repos.json").read_text()):
        root = args.corpora / entry["name"]
        if not root.is_dir():
            print(f"missing: {root}", file=sys.stderr)
            continue
        queries = json.loads((args.annotations / "annotations" / f"{entry['name']}.json").read_text())
        cases += cases_of(entry["name"], root, queries)
    shipped = vector(table.NATURAL), vector(table.SYMBOL)
    report: dict[str, Any] = {"queries": len(cases), "shipped_fitted": mean(cases, *shipped)}
    print(f"shipped weights on everything (fitted there): {report['shipped_fitted']:.4f}")
    report["ablations"] = {}
    for name in FEATURES:
        without = shipped[0].copy(), shipped[1].copy()
        without[0][PLACE[name]] = without[1][PLACE[name]] = 0.0
        report["ablations"][name] = mean(cases, *without) - report["shipped_fitted"]
        print(f"  without {name:16} {report['ablations'][name]:+.4f}")
    report["held_out"], averaged = cross_validate(cases, args.folds, args.rounds)
    print(f"held-out mean over {args.folds} folds: {report['held_out']:.4f}")
    for which, kind in enumerate(("natural", "symbol")):
        report[kind] = {name: round(float(averaged[which][PLACE[name]]), 3) for name in FEATURES}
        print(kind, {name: value for name, value in report[kind].items() if value})
    if args.out:
        args.out.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
