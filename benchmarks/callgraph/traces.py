"""Our edges of a project against those that its own test suite ran (tracer.py).

Recall: the share of edges that ran which we have, from sources to sources and from tests to sources. The share of our
edges that were observed, among those whose caller ran, is a proxy of precision: an edge may be right and not have run.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from everdex.graph.model import FileGraph, Role, Status
from fixtures.callgraph.python.harness import MemoryWorld, resolve

Place = tuple[str, int, str]
Edge = tuple[Place, Place]
_FUNCTIONS = ("function", "method")


@dataclass(frozen=True)
class Score:
    ran: int
    found: int
    claimed: int
    observed: int

    def __str__(self) -> str:
        recall = self.found / self.ran if self.ran else 0.0
        share = self.observed / self.claimed if self.claimed else 0.0
        return f"recall {recall:.3f} ({self.found}/{self.ran})  observed {share:.3f} ({self.observed}/{self.claimed})"


def ran(trace: Path) -> set[Edge]:
    return {
        ((row[0], row[1], row[2]), (row[3], row[4], row[5]))
        for row in json.loads(trace.read_text())
        if "<" not in row[0] + row[3]
    }


def read_tree(root: Path, parts: Iterable[str]) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    for part in parts:
        for directory, _, names in os.walk(root / part):
            for name in names:
                if name.endswith(".py"):
                    path = Path(directory, name)
                    files[path.relative_to(root).as_posix()] = path.read_bytes()
    return files


def claimed(graphs: dict[str, FileGraph], ambiguous: bool) -> set[Edge]:
    wanted = (Status.RESOLVED, Status.AMBIGUOUS) if ambiguous else (Status.RESOLVED,)
    places = {(path, node.key): _place(path, node) for path, graph in graphs.items() for node in graph.nodes}
    return {
        (places[path, graph.nodes[site.source].key], places[target.path, target.key])
        for path, graph in graphs.items()
        for site in graph.sites
        if site.role is Role.CALL and site.status in wanted
        for target in site.targets
        if target.path
    }


def placed(truth: set[Edge], graphs: dict[str, FileGraph]) -> set[Edge]:
    """Edges that ran, by where their ends are defined: code that was given another name at run time is still the
    function that is written there."""
    written: dict[tuple[str, int], set[Place]] = {}
    for path, graph in graphs.items():
        for node in graph.nodes:
            if node.kind in _FUNCTIONS:
                written.setdefault((path, node.start_line), set()).add(_place(path, node))

    def named(place: Place) -> Place:
        there = written.get(place[:2], set())
        return next(iter(there)) if len(there) == 1 and place[2].isidentifier() else place

    return {(named(caller), named(callee)) for caller, callee in truth}


def _place(path: str, node: object) -> Place:
    kind, name, line = node.kind, node.name, node.start_line  # type: ignore[attr-defined]
    if kind == "module":
        return path, 1, "<module>"
    return path, line, "<lambda>" if kind == "lambda" else name


def score(truth: set[Edge], ours: set[Edge], source: str, target: str) -> Score:
    def chosen(edges: set[Edge]) -> set[Edge]:
        return {edge for edge in edges if edge[0][0].startswith(source) and edge[1][0].startswith(target)}

    truth, ours = chosen(truth), chosen(ours)
    callers = {edge[0] for edge in truth}
    callable_ = {edge for edge in ours if edge[0] in callers}
    return Score(len(truth), len(truth & ours), len(callable_), len(callable_ & truth))


def main() -> None:
    for argument in sys.argv[1:]:
        root, _, trace = argument.partition("=")
        world = MemoryWorld(read_tree(Path(root), ("src", "tests")))
        graphs = resolve(world)
        truth = placed(ran(Path(trace)), graphs)
        known = {_place(path, node) for path, graph in graphs.items() for node in graph.nodes}
        lost = {edge for edge in truth if edge[0] not in known or edge[1] not in known}
        print(Path(root).name, "edges that ran", len(truth), "with an unknown end", len(lost))
        for ambiguous in (False, True):
            ours = claimed(graphs, ambiguous)
            label = "with ambiguous" if ambiguous else "resolved only"
            print(f"  {label:15} src→src   {score(truth, ours, 'src/', 'src/')}")
            print(f"  {label:15} tests→src {score(truth, ours, 'tests/', 'src/')}")
        if os.environ.get("MISSES"):
            ours = claimed(graphs, True)
            for edge in sorted(truth - ours):
                if edge[0][0].startswith("src") and edge[1][0].startswith("src"):
                    print("    missed", *edge)
        if os.environ.get("EXTRA"):
            ours = claimed(graphs, False)
            callers = {edge[0] for edge in truth}
            for edge in sorted(ours - truth):
                if edge[0] in callers and edge[0][0].startswith("src") and edge[1][0].startswith("src"):
                    print("    extra", *edge)


if __name__ == "__main__":
    main()
