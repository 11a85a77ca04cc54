"""Our call sites of a JavaScript project against the calls that its own tests made (tracer.cjs).

    python benchmarks/callgraph/javascript_traces.py CHECKOUT TRACES [--show]

A call that ran goes from a line to a function. It is found when a site of that line has the function among its targets:
resolved, or ambiguous with it. What is not found has a site that says external, unresolved or another target, or none.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from servers import TOGETHER, Checkout, read, table

from everdex.graph.model import Role, Site, Status

FOUND = ("resolved", "ambiguous", "another target", "external", "unresolved", "no site")
TESTS = ("test", "__tests__", "tests", "spec", "examples", "test-helpers")


def ran(traces: Path) -> set[tuple[str, int, str, int]]:
    return {tuple(row) for path in sorted(traces.glob("*.json")) for row in json.loads(path.read_text())}


def part(path: str) -> str:
    return "tests" if path.partition("/")[0] in TESTS else "sources"


def leads(checkout: Checkout, site: Site, path: str, line: int) -> bool:
    nodes = [checkout.nodes.get(target) for target in site.targets if target.path == path]
    return any(node is not None and line in (node.start_line, node.name_line) for node in nodes)


def verdict(checkout: Checkout, sites: list[Site], path: str, line: int) -> str:
    hit = {site.status for site in sites if leads(checkout, site, path, line)}
    if hit:
        return "resolved" if Status.RESOLVED in hit else "ambiguous"
    said = {site.status for site in sites}
    order = ((Status.UNRESOLVED, "unresolved"), (Status.EXTERNAL, "external"), (Status.RESOLVED, "another target"))
    return next((word for status, word in order if status in said), "another target" if said else "no site")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("traces", type=Path)
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    checkout = read(given.checkout.resolve(), TOGETHER["typescript"])
    sites: dict[tuple[str, int], list[Site]] = {}
    for path, graph in checkout.graphs.items():
        for site in graph.sites:
            if site.role is Role.CALL:
                sites.setdefault((path, site.line), []).append(site)
    counts: dict[str, Counter[str]] = {}
    for path, line, callee, begins in sorted(ran(given.traces)):
        if path not in checkout.graphs or callee not in checkout.graphs:
            continue
        word = verdict(checkout, sites.get((path, line), []), callee, begins)
        counts.setdefault(f"{part(path)} → {part(callee)}", Counter())[word] += 1
        if given.show and word not in ("resolved", "ambiguous"):
            text = checkout.sources[path].split(b"\n")[line - 1].decode("utf-8", "replace").strip()
            print(f"{word}: {path}:{line} {text[:100]} → {callee}:{begins}")
    print(table(sorted(counts.items()), FOUND))


if __name__ == "__main__":
    main()
