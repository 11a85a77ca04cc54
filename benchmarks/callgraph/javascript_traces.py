"""Our edges of a JavaScript or TypeScript project against those that its own test suite ran (tracer.cjs).

    python benchmarks/callgraph/javascript_traces.py CHECKOUT WORK [--run COMMAND] [--peer] [--misses] [--extra]

COMMAND is run by a shell in a copy of CHECKOUT whose functions say who called them; without it, what ran before is read
from WORK again. What the tests need is installed beforehand, `npm install --prefix WORK/packages …`; TypeScript, which
tracer.cjs reads the files with, is installed there when it is missing.

An edge goes from a function, module or class body to a function, as in traces.py: nothing but builtins between them.
Recall is the share of edges that ran which we have. Of our edges those count whose caller was entered and whose target
has a body of its own; the share of them that ran is a lower bound of precision. `--peer` asks TypeScript's checker for
its edges of the same tree (typescript_calls.cjs), with what was installed for the tests beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from servers import TOGETHER, Checkout, read

from everdex.graph.model import Role, Status, Target

TRACER = Path(__file__).with_name("tracer.cjs")
CHECKER = Path(__file__).with_name("typescript_calls.cjs")
TESTS = frozenset(("test", "tests", "__tests__", "spec", "specs", "testing", "test-helpers", "examples"))
BODIES = {"function": ("function", "method", "lambda", "constructor"), "class": ("class",), "module": ("module",)}
Edge = tuple[Target, Target]


@dataclass(frozen=True)
class Ran:
    """What was seen: every edge, with whether each of its calls went through a builtin; and whoever was entered."""

    edges: dict[Edge, bool]
    entered: frozenset[Target]
    bodies: frozenset[Target]
    unknown: int  # functions that are no definitions of ours

    def direct(self) -> set[Edge]:
        return {edge for edge, through in self.edges.items() if not through}


def run(checkout: Path, work: Path, command: str) -> None:
    tree, packages, traces = work / "tree", work / "packages", work / "traces"
    for directory in (tree, traces):
        shutil.rmtree(directory, ignore_errors=True)
    typescript = packages / "node_modules" / "typescript"
    if not typescript.exists():
        subprocess.run(["npm", "install", "--prefix", packages, "--no-save", "typescript@5"], check=True)
    shutil.copytree(checkout, tree, symlinks=True, ignore=shutil.ignore_patterns("node_modules", ".git"))
    environment = {**os.environ, "TYPESCRIPT": str(typescript)}
    subprocess.run(["node", TRACER, tree, work / "functions.json"], check=True, env=environment)
    shutil.copytree(packages / "node_modules", tree / "node_modules", symlinks=True, copy_function=os.link)
    traces.mkdir()
    environment |= {"EVERDEX_TRACE_OUT": str(traces.resolve()), "NODE_OPTIONS": f"--require {TRACER.resolve()}"}
    with (work / "output.txt").open("wb") as output:
        done = subprocess.run(command, shell=True, cwd=tree, env=environment, stdout=output, stderr=output, check=False)
    print(f"{command}: {done.returncode}; what it said is in {work / 'output.txt'}")


def placed(checkout: Checkout, row: Sequence[Any]) -> Target | None:
    """The definition of ours that ends where a body does, and begins nearest to it."""
    path, kind, start, end = row
    if path not in checkout.graphs:
        return None
    if kind == "module":
        return Target(path, "")
    fitting = [node for node in checkout.graphs[path].nodes if node.end_byte == end and node.kind in BODIES[kind]]
    nearest = min(fitting, key=lambda node: abs(node.start_byte - start), default=None)
    return Target(path, nearest.key) if nearest else None


def lines(work: Path) -> Iterator[tuple[list[str], list[str]]]:
    """Of every process that ran: where which function begins, and which edges it saw."""
    for path in sorted((work / "traces").glob("*.txt")):
        rows = path.read_text().splitlines()
        yield [row[2:] for row in rows if row[0] == "D"], [row[2:] for row in rows if row[0] == "E"]


def ran(checkout: Checkout, work: Path) -> Ran:
    functions = [placed(checkout, row[:4]) for row in json.loads((work / "functions.json").read_text())]
    edges: dict[Edge, bool] = {}
    entered: set[int] = set()
    for learned, seen in lines(work):
        places: dict[str, int] = {}
        for row in learned:
            place, _, number = row.rpartition(" ")
            places[place] = int(number)
        entered.update(places.values())
        for row in seen:
            callee, _, rest = row.partition(" ")
            place, _, through = rest.rpartition(" ")
            source, target = functions[places[place]] if place in places else None, functions[int(callee)]
            if source is not None and target is not None:
                edges[source, target] = edges.get((source, target), True) and through == "1"
    callers = frozenset(target for number in entered if (target := functions[number]) is not None)
    bodies = frozenset(target for target in functions if target is not None)
    return Ran(edges, callers, bodies, sum(functions[number] is None for number in entered))


def claimed(checkout: Checkout, bodies: frozenset[Target], statuses: tuple[Status, ...]) -> set[Edge]:
    return {
        (Target(path, graph.nodes[site.source].key), target)
        for path, graph in checkout.graphs.items()
        for site in graph.sites
        if site.role is Role.CALL and site.status in statuses
        for target in site.targets
        if target in bodies and checkout.nodes[target].kind in BODIES["function"]
    }


def checked(checkout: Checkout, work: Path) -> set[Edge]:
    """The edges of TypeScript's checker."""
    tree, out = work.resolve() / "checked", work.resolve() / "checked.json"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(checkout.root, tree, symlinks=True, ignore=shutil.ignore_patterns("node_modules", ".git"))
    (tree / "node_modules").symlink_to(work.resolve() / "packages" / "node_modules")
    environment = {**os.environ, "TYPESCRIPT": str(work.resolve() / "packages" / "node_modules" / "typescript")}
    subprocess.run(["node", "--max-old-space-size=4096", CHECKER, tree, out], check=True, env=environment)
    edges = [(placed(checkout, row[:4]), placed(checkout, row[4:])) for row in json.loads(out.read_text())]
    return {(source, target) for source, target in edges if source is not None and target is not None}


def is_test(path: str) -> bool:
    parts = PurePosixPath(path)
    return not TESTS.isdisjoint(parts.parts[:-1]) or parts.stem.endswith((".test", ".spec"))


def between(edges: set[Edge], tests: bool) -> set[Edge]:
    return {edge for edge in edges if is_test(edge[0].path) is tests and not is_test(edge[1].path)}


def share(part: set[Edge], whole: set[Edge]) -> str:
    return f"{len(part) / len(whole):.3f} ({len(part)}/{len(whole)})" if whole else "–"


def place(checkout: Checkout, target: Target) -> str:
    return f"{target.path}:{checkout.nodes[target].start_line}::{target.key}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--run", metavar="COMMAND", help="the tests, for a shell")
    parser.add_argument("--misses", action="store_true", help="edges between sources that ran and are not ours")
    parser.add_argument("--extra", action="store_true", help="edges between sources that are ours and did not run")
    parser.add_argument("--peer", action="store_true", help="TypeScript's checker beside us")
    given = parser.parse_args()
    if given.run:
        run(given.checkout.resolve(), given.work.resolve(), given.run)
    checkout = read(given.checkout.resolve(), TOGETHER["typescript"])
    seen = ran(checkout, given.work)
    sure = claimed(checkout, seen.bodies, (Status.RESOLVED,))
    possible = claimed(checkout, seen.bodies, (Status.RESOLVED, Status.AMBIGUOUS))
    print(f"{given.checkout.name}: {len(seen.edges)} edges ran, {len(seen.entered)} entered, {seen.unknown} unknown")
    said = {"everdex": sure} | ({"TypeScript": checked(checkout, given.work)} if given.peer else {})
    print("| | edges | recall | direct ones | observed |\n| --- | --- | --- | --- | --- |")
    for tests in (False, True):
        truth, direct = between(set(seen.edges), tests), between(seen.direct(), tests)
        label = f"{'tests' if tests else 'sources'} → sources"
        for who, edges in said.items():
            live = {edge for edge in between(edges, tests) if edge[0] in seen.entered}
            print(f"| {who} | {label} | {share(truth & edges, truth)} | {share(direct & edges, direct)} "
                  f"| {share(live & truth, live)} |")  # fmt: skip
        print(f"| with ambiguous | {label} | {share(truth & possible, truth)} | {share(direct & possible, direct)} | |")
    truth = between(set(seen.edges), False)
    live = {edge for edge in between(sure, False) if edge[0] in seen.entered}
    for word, edges in [("missed", truth - sure)] * given.misses + [("extra", live - truth)] * given.extra:
        for line in sorted(
            f"{word}{' (ambiguous)' * ((source, target) in possible - sure)} "
            f"{place(checkout, source)} → {place(checkout, target)}"
            for source, target in edges
        ):
            print(line)


if __name__ == "__main__":
    main()
