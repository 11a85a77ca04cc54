"""Questions about definitions drawn at random, asked before the graph is finished and after: how many are answered
early, from how many files, at what cost; of those that leave something open, which were whole all the same and what the
others lacked. Whatever is answered without a reservation has to be what the finished graph says.

    EVERDEX_HOME=… python benchmarks/callgraph/early.py REPOSITORY [--functions 60] [--classes 60] [--variables 0]
        [--seed 1] [--cold 4]

REPOSITORY is indexed beforehand. Each question begins with all files waiting, and gets what the first question of a
process gets; but for every fourth (--cold), of which the cost is told, it is spared the work that an earlier one has
done.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import nullcontext, suppress
from itertools import islice, zip_longest
from typing import Any, NamedTuple, TypeVar

from everdex.graph.answers import begun
from everdex.graph.answers.ways import Way
from everdex.graph.definitions import naming
from everdex.graph.definitions.atlas import CONTAINERS, VARIABLES, Atlas, Definition
from everdex.graph.definitions.declarations import written_out
from everdex.graph.making.build import build
from everdex.graph.making.keep import open_graph
from everdex.graph.making.unfinished import Saving
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.memory import collector_held
from everdex.search.names import SymbolNames
from everdex.service.answers import Answer, Freshness
from everdex.service.begun import Asked, may_be_said
from everdex.service.index import Index
from everdex.service.opening import Open
from everdex.service.relations import Question, answer, asked_of
from everdex.view import open_view

_FRESH = Freshness("fresh", 0, "")
_ALL = 2_000
T = TypeVar("T")


class _Early(NamedTuple):
    found: Answer | None
    said: str  # whole, reserved, nobody, waits
    files: int
    seconds: float


def _silent(phase: str, done: int, total: int) -> None:
    pass


def _comparable(body: dict[str, Any]) -> dict[str, Any]:
    """Without what is counted over all files."""
    could_add = {**body.get("could_add", {}), "unnamed": None, "elsewhere": None}
    return {**body, "could_add": could_add, "coverage": None}


def _sites(body: dict[str, Any]) -> set[tuple[Any, ...]]:
    """The places that an answer lists."""
    uses = [*body.get("references", ()), *(site for item in body.get("callers", ()) for site in item["sites"])]
    return {(each["path"], each["line"], each["column"], each["role"]) for each in uses}


def _kind(item: Definition) -> str:
    return "class" if item.node.kind in CONTAINERS else "variable" if item.node.kind in VARIABLES else "function"


def _is_one(atlas: Atlas, item: Definition) -> bool:
    """Whether nothing else is called like that in its file."""
    return len(written_out(atlas, naming.find(atlas, f"{item.path}::{item.node.key}"))) == 1


def _compared(told: _Early, late: Answer, question: Asked, lacking: list[tuple[int, int]]) -> str:
    """What is to be said of an early answer, beside the finished one."""
    if told.found is None:
        is_used = may_be_said(question, {**late.body, "reservation": True})
        return "nobody yet" if told.said == "nobody" and is_used else told.said
    if told.said == "whole":
        same = _comparable(dict(told.found.body)) == _comparable(dict(late.body))
    else:
        now, then = _sites(dict(told.found.body)), _sites(dict(late.body))
        same = now <= then
        lacking.append((len(then - now), len(then)))
        if then - now:
            of = [way["way"] for way in told.found.body["reservation"]["ways"]]
            print("lacks:", question.method, question.symbol, len(then - now), "of", len(then), *of, flush=True)
    if not same:
        print("DIFFERS:", question.method, question.symbol, flush=True)
    return told.said if same else "DIFFERS"


def _timed(what: Callable[[], T]) -> tuple[T, float]:
    """The result, and the CPU seconds of this process and its children."""
    before = os.times()
    found = what()
    return found, sum(os.times()[:4]) - sum(before[:4])


def _ranked(values: list[float]) -> str:
    ranked = sorted(values)
    return ", ".join(f"{ranked[min(len(ranked) - 1, int(len(ranked) * at))]:.2f}" for at in (0.5, 0.9, 1)) or "none"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository")
    for kind, count in (("functions", 60), ("classes", 60), ("variables", 0), ("cold", 4)):
        parser.add_argument(f"--{kind}", type=int, default=count)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    index, known = Index.open_to_read(given.repository), Resolvers()
    said: Counter[tuple[str, str, str]] = Counter()
    lacking: defaultdict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    ways: Counter[tuple[str, str]] = Counter()
    cost: defaultdict[str, list[float]] = defaultdict(list)
    with open_view(index.store()) as view:
        names = SymbolNames(view)
        built, begin_s = _timed(lambda: build(view, known, None, workers=1, progress=_silent, only=()))
        waiting = Graph(built.data, "waiting")
        Saving(view.store, known).save(lambda: built.pieces)  # who makes the graph goes on from there
        opened, whole_s = _timed(lambda: open_graph(view, known, workers=1, progress=_silent))
        finished = Open(Atlas(view, opened.graph))
        print(f"{len(waiting.files):,} files; facts and offers {begin_s:.1f} s of CPU,",
              f"then all files {whole_s:.1f} s" if opened.made else "the graph was kept", flush=True)  # fmt: skip
        atlas = finished.atlas
        every = [
            item for file, path in enumerate(atlas.graph.paths) if atlas.roles[path] == "source"
            for item in atlas.definitions(file)[1:] if item.node.kind != "lambda"  # which has no name to ask by
        ]  # fmt: skip
        random.Random(given.seed).shuffle(every)
        wanted = (("function", given.functions), ("class", given.classes), ("variable", given.variables))
        drawn = [
            list(islice((item for item in every if _kind(item) == kind and _is_one(atlas, item)), count))
            for kind, count in wanted
        ]  # fmt: skip
        # Kinds in turn, so that whoever ends it before its end has drawn of each.
        chosen = [item for turn in zip_longest(*drawn) for item in turn if item is not None]

        def early(some: begun.Begun, question: Question) -> _Early:
            def from_some(atlas: Atlas, ways: tuple[Way, ...]) -> Answer:
                return answer(index, Open(atlas, ways=ways), names, question, _FRESH)

            began = time.process_time()
            found = begun.answered(view, some, question.symbol, question.method, from_some)
            taken = time.process_time() - began
            if found is None:
                return _Early(None, "waits", some.resolved, taken)
            if not may_be_said(asked_of(question), found.body):
                return _Early(None, "nobody", some.resolved, taken)
            return _Early(found, "reserved" if found.body.get("reservation") else "whole", some.resolved, taken)

        bench = begun.Workbench(view, known, waiting)

        def compare(item: Definition, is_cold: bool) -> None:
            asked = f"{item.path}::{item.node.key}"
            warm = nullcontext(begun.Begun(bench, waiting, _silent, begun.most_alone(waiting)))
            with begun.begun(view, known, waiting, _silent) if is_cold else warm as some:
                for method in ("callers", "refs"):  # the second needs no further files
                    question = Question(method, symbol=asked, limit=_ALL)
                    told = early(some, question)
                    if method == "callers":
                        how = "early" if told.found else "waits"
                        cost[f"{how}, files"].append(told.files)
                        if is_cold:
                            cost[f"{how}, CPU s"].append(told.seconds)
                            if opened.made:
                                cost[f"{how}, facts and offers with it, as a part of all"].append(
                                    (begin_s + told.seconds) / (begin_s + whole_s)
                                )
                    late = answer(index, finished, names, question, _FRESH)
                    how = _compared(told, late, asked_of(question), lacking[_kind(item), method])
                    said[_kind(item), method, how] += 1
                    if told.said == "reserved" and told.found is not None and method == "refs":
                        ways.update((_kind(item), way["way"]) for way in told.found.body["reservation"]["ways"])

        done = 0
        with suppress(KeyboardInterrupt), collector_held():
            for item in chosen:
                compare(item, is_cold=done % given.cold == 0)
                done += 1
        bench.close()
        print(f"{done} of {len(chosen)} definitions")
    for (kind, method, how), count in sorted(said.items()):
        print(f"{kind:9} {method:8} {how:8} {count}")
    for (kind, method), found in sorted(lacking.items()):
        lacks = [missing for missing, _ in found if missing]
        print(f"{kind:9} {method:8} with a reservation {len(found)}: whole {len(found) - len(lacks)}; the others lack",
              f"{sum(lacks)} of {sum(total for missing, total in found if missing)} places")  # fmt: skip
    for (kind, way), count in sorted(ways.items()):
        print(f"{kind:9} {way:8} {count}")
    for name, values in sorted(cost.items()):
        print(f"{name}: p50, p90, largest {_ranked(values)}")


if __name__ == "__main__":
    main()
