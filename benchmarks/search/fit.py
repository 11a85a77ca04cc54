"""Fit the ranking weights on the development set and the docstring set, and say honestly what they are worth.

Each kind of question has weights of its own. For each fold of repositories they are fitted on the other folds by
coordinate ascent on NDCG@10 and scored on the fold that was held out; the mean of those scores is the figure to quote.
Subjects are fitted on the development set and on what of the docstring set names a subject; sentences about what code
does on the rest of the docstring set, and on the development set's subjects, so that they stay fit for questions about
files. The weights in src/everdex/search/weights.py are the rounded means over the folds. Ablations take one feature
away at a time.

Usage: fit.py --corpora DIR --annotations DIR --docstrings DIR [--folds 8] [--rounds 3] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from msgspec.structs import replace

from benchmarks.search.cases import FEATURES, KINDS, OF_FILE, OF_KIND, PLACE, ROLES, Cases, Vector, gather, ones, vector
from benchmarks.search.corpora import development_set, docstring_set
from everdex.numeric import np, npt

STEPS = (0.05, 0.15, 0.4)
LEAST_GAIN = 3e-4
SETS = ("development", "docstring")
# Which questions the weights of a kind are fitted on, and how much their mean counts.
FITTED_ON = {
    "natural": (("development", "natural", 1.0), ("docstring", "natural", 0.1)),
    "action": (("docstring", "action", 1.0), ("development", "natural", 0.3)),
    "symbol": (("development", "symbol", 1.0),),
}
ORDERS = 4  # ascents in so many orders are averaged: each alone climbs to another place
# Subjects and lone names are found by any chunk of a file: whether it is functions, how much code, is noise. What a
# file is for weighs as for subjects: the docstring set has hardly a file that is not source.
PURPOSE = [name for name in FEATURES if name == "header" or name.startswith("role_")]
ONLY_OF = {"function": ("action",), "code": ("action",), **dict.fromkeys(PURPOSE, ("natural", "symbol"))}

Parts = Sequence[tuple[Cases, float]]  # cases and how much their mean counts
Weights = Mapping[str, Vector]  # by kind


class State:
    """How some cases score under weights changed one at a time; what a change does not touch is not scored again."""

    def __init__(self, cases: Cases, share: float, weights: Vector) -> None:
        self._cases, self._share = cases, share
        self._touched: dict[int, tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_], Cases]] = {}
        self._scores = cases.scores(weights)
        self._found = cases.ndcg(*self._scores)
        self.value = share * cases.mean(self._found)

    def after(self, place: int, by: float) -> State:
        if place not in self._touched:
            queries = self._cases.varied(place)
            self._touched[place] = queries, queries[self._cases.owners], self._cases.where(queries)
        queries, rows, cases = self._touched[place]
        if not queries.any():
            return self
        column = by * self._cases.features[:, place]
        new = object.__new__(State)
        new._cases, new._share, new._touched = self._cases, self._share, self._touched
        scores, of_file = self._scores
        new._scores = scores + column, of_file + column if OF_FILE[place] else of_file
        new._found = self._found.copy()
        new._found[queries] = cases.ndcg(new._scores[0][rows], new._scores[1][rows])
        new.value = self._share * self._cases.mean(new._found)
        return new


def ascend(parts: Parts, start: Vector, places: Sequence[int], rounds: int, seed: int) -> Vector:
    """Move one weight of those in some places at a time as long as that helps by more than noise."""
    weights = start.copy()
    states = [State(cases, share, weights) for cases, share in parts]
    best = sum(state.value for state in states)
    order = list(places)
    shuffle = random.Random(seed)
    for _ in range(rounds):
        shuffle.shuffle(order)
        improved = False
        for place in order:
            current = kept = weights[place]
            before = states
            for value in sorted({current + sign * step for sign in (-1, 1) for step in STEPS} | {0.0}):
                tried = [state.after(place, value - current) for state in before]
                reached = sum(state.value for state in tried)
                if reached > best + LEAST_GAIN:
                    best, kept, states, improved = reached, value, tried, True
            weights[place] = kept
        if not improved:
            break
    return weights


def scores(cases: Cases, weights: Weights) -> Vector:
    """NDCG@10 of every query under the weights of its kind."""
    found = np.zeros(len(cases.repos))
    for kind in KINDS:
        chosen = cases.kinds == kind
        some = cases.where(chosen)
        found[chosen] = some.ndcg(*some.scores(weights[kind]))
    return found


def start_weights() -> Weights:
    """Plain guesses, so that what is held out has not been seen through the shipped weights."""
    guess = replace(
        ones(), lexical=0.5, file_lexical=0.5, dense=0.5, size=0.0, stem=0.2, stem_query=0.5,
        defines=0.4, defines_exactly=0.3, function=0.0, code=0.0, path=1.0, header=0.0,
        roles=tuple((role, -0.3) for role in ROLES),
    )  # fmt: skip
    lone = replace(guess, lexical=1.0, dense=0.1, stem=0.5, stem_query=0.0, defines_exactly=0.5)
    return {"natural": vector(guess), "action": vector(guess), "symbol": vector(lone)}


def folds_of(cases: Cases, folds: int) -> list[npt.NDArray[np.bool_]]:
    """Which queries each fold holds out."""
    repos = sorted(set(cases.repos.tolist()))
    random.Random(1).shuffle(repos)
    return [np.isin(cases.repos, repos[fold::folds]) for fold in range(folds)]


def fit(sets: Mapping[str, Cases], rounds: int) -> Weights:
    """Weights of every kind."""
    fitted: dict[str, Vector] = {}
    for kind, parts in FITTED_ON.items():
        counted = [(sets[name].where(sets[name].kinds == asked), share) for name, asked, share in parts]
        places = [place for place, name in enumerate(FEATURES) if kind in ONLY_OF.get(name, KINDS)]
        start = start_weights()[kind]
        if kind == "action":
            start = np.where(np.isin(FEATURES, PURPOSE), fitted["natural"], start)
        fitted[kind] = np.mean([ascend(counted, start, places, rounds, seed) for seed in range(ORDERS)], axis=0)
    return fitted


def cross_validate(sets: Mapping[str, Cases], folds: int, rounds: int) -> tuple[dict[str, Vector], Weights]:
    """Every query's held-out score, and the weights averaged over the folds."""
    held = {name: folds_of(cases, folds) for name, cases in sets.items()}
    found = {name: np.zeros(len(cases.repos)) for name, cases in sets.items()}
    fitted = []
    for fold in range(folds):
        weights = fit({name: cases.where(~held[name][fold]) for name, cases in sets.items()}, rounds)
        fitted.append(weights)
        for name, cases in sets.items():
            out = held[name][fold]
            found[name][out] = scores(cases.where(out), weights)
        shown = ", ".join(f"{found[name][held[name][fold]].mean():.4f}" for name in sets)
        print(f"fold {fold + 1}/{folds}: {shown}", flush=True)
    return found, {kind: np.mean([weights[kind] for weights in fitted], axis=0) for kind in KINDS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--annotations", type=Path, required=True, help="directory with repos.json and annotations/")
    parser.add_argument("--docstrings", type=Path, required=True, help="folder made by docstrings.py")
    parser.add_argument("--home", type=Path, default=Path("/tmp/everdex-fit"))
    parser.add_argument("--folds", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    os.environ["EVERDEX_HOME"] = str(args.home)
    read = (
        development_set(args.annotations, args.corpora, frozenset()), docstring_set(args.docstrings, frozenset())
    )  # fmt: skip
    for _, missing in read:
        for sentence in missing:
            print(f"missing: {sentence}", file=sys.stderr)
    sets = {name: gather(found, start_weights()) for name, (found, _) in zip(SETS, read, strict=True)}
    shipped = {kind: vector(OF_KIND[kind]) for kind in KINDS}

    def reach(weights: Weights) -> list[float]:
        return [cases.mean(scores(cases, weights)) for cases in sets.values()]

    reached = reach(shipped)
    report: dict[str, Any] = {"queries": [len(cases.repos) for cases in sets.values()], "shipped": reached}
    print(f"shipped weights on everything: {', '.join(f'{value:.4f}' for value in reached)}", flush=True)
    report["ablations"] = {}
    for name in FEATURES:
        only = np.array([feature != name for feature in FEATURES])
        without = reach({kind: weights * only for kind, weights in shipped.items()})
        lost = report["ablations"][name] = [less - value for less, value in zip(without, reached, strict=True)]
        print(f"  without {name:16} {', '.join(f'{value:+.4f}' for value in lost)}", flush=True)
    found, averaged = cross_validate(sets, args.folds, args.rounds)
    report["held_out"] = [cases.mean(found[name]) for name, cases in sets.items()]
    print(f"held-out means over {args.folds} folds: {', '.join(f'{value:.4f}' for value in report['held_out'])}")
    print(f"  these weights on everything: {', '.join(f'{value:.4f}' for value in reach(averaged))}")
    for kind in KINDS:
        by_set = [found[name][cases.kinds == kind] for name, cases in sets.items()]
        print(f"  {kind}: " + ", ".join(f"{some.mean():.4f} of {len(some)}" for some in by_set if len(some)))
        report[kind] = {name: round(float(averaged[kind][PLACE[name]]), 3) for name in FEATURES}
        print("   ", {name: value for name, value in report[kind].items() if value})
    if args.out:
        args.out.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
