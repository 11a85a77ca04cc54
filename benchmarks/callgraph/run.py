"""The call graph's figures: fixtures' precision and recall, and edges that ran in projects' test suites; peers beside.

    python benchmarks/callgraph/run.py fixtures
    python benchmarks/callgraph/run.py programs
    python benchmarks/callgraph/run.py traces --environment VENV PROJECT=TRACE.json ...

A trace is made by running a project's tests with the plugin in tracer.py; VENV has pyrefly, jedi and PyCG;
`PYRIGHT_LANGSERVER_PROGRAM` is where pyright's server is, if not on the path.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import peers
import programs
import traces

from fixtures.callgraph.python.harness import (
    HERE,
    MemoryWorld,
    calls_by_line,
    cases,
    edges,
    expected_by_line,
    noted,
    resolve,
)


def fixtures() -> None:
    """Precision and recall of (site, target) pairs inside the root, over every case."""
    right = wanted = given = sites = count = 0
    for case in cases():
        graphs = resolve(MemoryWorld(case.files))
        count += 1
        for path, data in case.files.items():
            found, expected = calls_by_line(graphs, path), expected_by_line(data)
            for line in {*found, *expected}:
                ours, theirs = found.get(line, []), expected.get(line, [])
                sites += len(theirs)
                for place in range(max(len(ours), len(theirs))):
                    left = _names(ours[place]) if place < len(ours) else set()
                    truth = _names(theirs[place]) if place < len(theirs) else set()
                    right += len(left & truth)
                    given += len(left)
                    wanted += len(truth)
    precision, recall = right / given, right / wanted
    print(f"{count} cases, {sites} sites, {wanted} expected targets")
    print(f"precision {precision:.3f}  recall {recall:.3f}  F1 {2 * precision * recall / (precision + recall):.3f}")


def ran() -> None:
    """Precision and recall of edges over programs that are run for it; those whose notes are not what ran are named."""
    right = given = wanted = count = exact = 0
    for case in cases(HERE / "ran"):
        direct, through = programs.ran(case.files)
        if direct != noted(case, "ran"):
            print(f"{case.name}: its notes are not what ran")
        truth = direct | noted(case, "known")
        found = edges(resolve(MemoryWorld(case.files))) - (through - truth)
        count += 1
        exact += found == truth
        right += len(found & truth)
        given += len(found)
        wanted += len(truth)
    precision, recall = right / given, right / wanted
    print(f"{count} programs, {exact} exact, {wanted} edges")
    print(f"precision {precision:.3f}  recall {recall:.3f}  F1 {2 * precision * recall / (precision + recall):.3f}")


def _names(item: str) -> set[str]:
    if item == "?" or item.startswith(("ext ", "~")):
        return set()
    return {name.strip() for name in item.split(",")}


def traced(environment: Path | None, arguments: list[str]) -> None:
    for argument in arguments:
        name, _, trace = argument.partition("=")
        root = Path(name)
        graphs = resolve(MemoryWorld(traces.read_tree(root, ("src", "tests"))))
        truth = traces.placed(traces.ran(Path(trace)), graphs)
        claims: dict[str, set[traces.Edge] | str] = {
            "everdex": traces.claimed(graphs, False),
            "everdex, ambiguous too": traces.claimed(graphs, True),
        }
        if environment is not None:
            known = peers.Known(graphs)
            claims["pyrefly"] = peers.pyrefly(root, environment, known)
            claims["pyright"] = peers.pyright(root, environment, graphs, known)
            claims["PyCG"] = peers.pycg(root, environment, known)
            claims["jedi"] = peers.jedi(root, environment, graphs, known)
        print(f"{root.name}: {len(truth)} edges ran")
        for tool, claimed in claims.items():
            if isinstance(claimed, str):
                print(f"  {tool:24} {claimed}")
                continue
            for source in ("src/", "tests/"):
                print(f"  {tool:24} {source[:-1]:>5}→src  {traces.score(truth, claimed, source, 'src/')}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("fixtures", "programs", "traces"))
    parser.add_argument("projects", nargs="*")
    parser.add_argument("--environment", type=Path)
    chosen = parser.parse_intermixed_args()
    if chosen.what == "fixtures":
        fixtures()
    elif chosen.what == "programs":
        ran()
    else:
        traced(chosen.environment, chosen.projects)


if __name__ == "__main__":
    main()
