"""Fit the ranking weights on the development set and say honestly what they are worth.

For each fold of repositories the weights are fitted on the other folds by coordinate ascent on NDCG@10 and scored on
the fold that was held out; the mean of those scores is the figure to quote. With `--docstrings` that set counts too,
for the given share, folded in the same way: where files are asked for and where functions are want different
weights. The weights in src/everdex/search/weights.py are the rounded means over the folds. Ablations take one feature
away at a time.

Usage: fit.py --corpora DIR --annotations DIR [--docstrings DIR --share .3] [--folds 8] [--rounds 3] [--out FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from msgspec.structs import replace

from benchmarks.search.cases import FEATURES, OF_FILE, PLACE, ROLES, Cases, Pair, gather, ones, vector
from benchmarks.search.corpora import development_set, docstring_set
from everdex.numeric import np, npt
from everdex.search import weights as table

STEPS = (0.05, 0.15, 0.4)
LEAST_GAIN = 3e-4

Parts = Sequence[tuple[Cases, float]]  # cases and how much their mean counts


class State:
    """How a set scores under weights changed one at a time; what a change does not touch is not scored again."""

    def __init__(self, cases: Cases, share: float, weights: Pair) -> None:
        self._cases, self._share = cases, share
        self._kinds = [cases.lone == bool(which) for which in (0, 1)]
        self._of_kind = [cases.where(kind) for kind in self._kinds]
        self._scores = [kind.scores(weights) for kind in self._of_kind]
        self._found = cases.ndcg(*cases.scores(weights))
        self.value = share * cases.mean(self._found)

    def after(self, which: int, place: int, by: float) -> State:
        kind = self._of_kind[which]
        column = kind.features[:, place]
        if not column.any():
            return self
        new = object.__new__(State)
        new._cases, new._share, new._kinds, new._of_kind = self._cases, self._share, self._kinds, self._of_kind
        scores, of_file = self._scores[which]
        new._scores = list(self._scores)
        new._scores[which] = scores + by * column, of_file + by * column if OF_FILE[place] else of_file
        new._found = self._found.copy()
        new._found[self._kinds[which]] = kind.ndcg(*new._scores[which])
        new.value = self._share * self._cases.mean(new._found)
        return new


def ascend(parts: Parts, start: Pair, rounds: int) -> Pair:
    """Move one weight at a time as long as that helps by more than noise."""
    weights = (start[0].copy(), start[1].copy())
    states = [State(cases, share, weights) for cases, share in parts]
    best = sum(state.value for state in states)
    order = [(which, place) for which in (0, 1) for place in range(len(FEATURES))]
    shuffle = random.Random(0)
    for _ in range(rounds):
        shuffle.shuffle(order)
        improved = False
        for which, place in order:
            current = kept = weights[which][place]
            before = states
            for value in sorted({current + sign * step for sign in (-1, 1) for step in STEPS} | {0.0}):
                tried = [state.after(which, place, value - current) for state in before]
                reached = sum(state.value for state in tried)
                if reached > best + LEAST_GAIN:
                    best, kept, states, improved = reached, value, tried, True
            weights[which][place] = kept
        if not improved:
            break
    return weights


def reach(cases: Cases, weights: Pair) -> float:
    return cases.mean(cases.ndcg(*cases.scores(weights)))


def start_weights() -> Pair:
    """Plain guesses, so that what is held out has not been seen through the shipped weights."""
    guess = replace(
        ones(), lexical=0.5, file_lexical=0.5, dense=0.5, size=0.0, stem=0.2, stem_query=0.5,
        defines=0.4, defines_exactly=0.3, path=1.0, header=0.0,
        roles=tuple((role, -0.3) for role in ROLES),
    )  # fmt: skip
    lone = replace(guess, lexical=1.0, dense=0.1, stem=0.5, stem_query=0.0, defines_exactly=0.5)
    return vector(guess), vector(lone)


def folds_of(cases: Cases, folds: int) -> list[npt.NDArray[np.bool_]]:
    """Which queries each fold holds out."""
    repos = sorted(set(cases.repos.tolist()))
    random.Random(1).shuffle(repos)
    return [np.isin(cases.repos, repos[fold::folds]) for fold in range(folds)]


def cross_validate(parts: Parts, folds: int, rounds: int) -> tuple[list[float], Pair]:
    """The held-out mean of each part, and the weights averaged over the folds."""
    held = [folds_of(cases, folds) for cases, _ in parts]
    found = [np.zeros(len(cases.repos)) for cases, _ in parts]
    fitted = []
    for fold in range(folds):
        rest = [(cases.where(~out[fold]), share) for (cases, share), out in zip(parts, held, strict=True)]
        weights = ascend(rest, start_weights(), rounds)
        fitted.append(weights)
        for (cases, _), out, scores in zip(parts, held, found, strict=True):
            aside = cases.where(out[fold])
            scores[out[fold]] = aside.ndcg(*aside.scores(weights))
        shown = ", ".join(f"{scores[out[fold]].mean():.4f}" for scores, out in zip(found, held, strict=True))
        print(f"fold {fold + 1}/{folds}: {shown}", flush=True)
    means = []
    for (cases, _), scores in zip(parts, found, strict=True):
        means.append(cases.mean(scores))
    return means, (np.mean([pair[0] for pair in fitted], axis=0), np.mean([pair[1] for pair in fitted], axis=0))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--annotations", type=Path, required=True, help="directory with repos.json and annotations/")
    parser.add_argument("--docstrings", type=Path, help="folder made by docstrings.py")
    parser.add_argument("--share", type=float, default=0.3, help="how much the docstring set counts beside the other")
    parser.add_argument("--home", type=Path, default=Path("/tmp/everdex-fit"))
    parser.add_argument("--folds", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    os.environ["EVERDEX_HOME"] = str(args.home)
    sets = [(development_set(args.annotations, args.corpora, frozenset()), 1.0)]
    if args.docstrings:
        sets.append((docstring_set(args.docstrings, frozenset()), args.share))
    for (_, missing), _ in sets:
        for sentence in missing:
            print(f"missing: {sentence}", file=sys.stderr)
    parts = [(gather(found, start_weights()), share) for (found, _), share in sets]
    shipped = vector(table.NATURAL), vector(table.SYMBOL)
    reached = [reach(cases, shipped) for cases, _ in parts]
    report: dict[str, Any] = {"queries": [len(cases.repos) for cases, _ in parts], "shipped": reached}
    print(f"shipped weights on everything: {', '.join(f'{value:.4f}' for value in reached)}", flush=True)
    report["ablations"] = {}
    for name in FEATURES:
        without = shipped[0].copy(), shipped[1].copy()
        without[0][PLACE[name]] = without[1][PLACE[name]] = 0.0
        lost = [reach(cases, without) - value for (cases, _), value in zip(parts, reached, strict=True)]
        report["ablations"][name] = lost
        print(f"  without {name:16} {', '.join(f'{value:+.4f}' for value in lost)}", flush=True)
    report["held_out"], averaged = cross_validate(parts, args.folds, args.rounds)
    print(f"held-out means over {args.folds} folds: {', '.join(f'{value:.4f}' for value in report['held_out'])}")
    for which, kind in enumerate(("natural", "symbol")):
        report[kind] = {name: round(float(averaged[which][PLACE[name]]), 3) for name in FEATURES}
        print(kind, {name: value for name, value in report[kind].items() if value})
    if args.out:
        args.out.write_text(json.dumps(report, indent=1) + "\n")


if __name__ == "__main__":
    main()
