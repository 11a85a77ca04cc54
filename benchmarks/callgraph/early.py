"""Questions about definitions drawn at random, asked before the graph is finished and after: how many are answered
early, from how many files, at what cost, and whether both answers are the same.

    EVERDEX_HOME=… python benchmarks/callgraph/early.py REPOSITORY [--draw 100] [--seed 1]
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from typing import Any

from everdex.graph import begun, naming, resolvers
from everdex.graph.artifact import Graph
from everdex.graph.atlas import CONTAINERS, VARIABLES, Atlas, Definition
from everdex.graph.build import build
from everdex.graph.declarations import written_out
from everdex.graph.keep import open_graph
from everdex.graph.resolvers import Resolvers
from everdex.search.names import SymbolNames
from everdex.service.answers import Freshness
from everdex.service.begun import METHODS
from everdex.service.index import Index
from everdex.service.relations import Open, Question, answer
from everdex.view import open_view

_FRESH = Freshness("fresh", 0, "")


def _silent(phase: str, done: int, total: int) -> None:
    pass


def _comparable(body: dict[str, Any]) -> dict[str, Any]:
    """Without what is counted over all files."""
    could_add = {**body.get("could_add", {}), "unnamed": None, "elsewhere": None}
    return {**body, "could_add": could_add, "coverage": None}


def _kind(item: Definition) -> str:
    return "class" if item.node.kind in CONTAINERS else "variable" if item.node.kind in VARIABLES else "function"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repository")
    parser.add_argument("--draw", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    index, known = Index.open_to_read(given.repository), Resolvers(resolvers.MODULES)
    said: Counter[tuple[str, str, str]] = Counter()
    cost: dict[str, list[float]] = {"early": [], "waits": []}
    files: list[int] = []
    with open_view(index.store()) as view:
        names = SymbolNames(view)
        finished = Open(Atlas(view, open_graph(view, known, workers=2, progress=_silent).graph))
        waiting = Graph(build(view, known, None, workers=2, progress=_silent, only=()).data, "waiting")
        atlas = finished.atlas
        every = [
            item for file, path in enumerate(atlas.graph.paths) if atlas.roles[path] == "source"
            for item in atlas.definitions(file)[1:]
            if len(written_out(atlas, naming.find(atlas, f"{path}::{item.node.key}"))) == 1
        ]  # fmt: skip
        for item in random.Random(given.seed).sample(every, min(given.draw, len(every))):
            asked = f"{item.path}::{item.node.key}"
            for method in METHODS:
                question = Question(method, symbol=asked)

                def from_some(some: Atlas, question: Question = question) -> Any:
                    return answer(index, Open(some), names, question, _FRESH)

                began = time.process_time()
                with begun.begun(view, known, waiting, _silent) as some:
                    early = begun.answered(view, some, asked, method, from_some)
                    resolved = some.resolved
                taken = time.process_time() - began
                cost["waits" if early is None else "early"].append(taken)
                if early is None:
                    said[_kind(item), method, "waits"] += 1
                    continue
                files.append(resolved)
                late = answer(index, finished, names, question, _FRESH)
                same = _comparable(early.body) == _comparable(late.body)
                said[_kind(item), method, "same" if same else "differs"] += 1
                if not same:
                    print("differs:", method, asked)
    for (kind, method, how), count in sorted(said.items()):
        print(f"{kind:9} {method:8} {how:8} {count}")
    for name, each in (("early, CPU s", cost["early"]), ("waits, CPU s", cost["waits"]), ("early, files", files)):
        ranked = sorted(each)
        if ranked:
            shown = [ranked[len(ranked) // 2], ranked[len(ranked) * 9 // 10], ranked[-1]]
            print(name, "p50, p90, largest:", *(round(value, 2) for value in shown))


if __name__ == "__main__":
    main()
