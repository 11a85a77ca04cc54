"""All call sites of a checkout against where the language's own compiler says that they lead.

    java JavacCalls.java CHECKOUT > TRUTH     go run GoCalls.go CHECKOUT > TRUTH
    python clang_calls.py … > TRUTH           python rustdoc_calls.py … > TRUTH
    python benchmarks/callgraph/compiled.py LANGUAGE CHECKOUT TRUTH [--show VERDICT]…

A line of TRUTH is `path line column [name] -> path line [column or trait]`, the second path '-' for what is not in the
tree. Of each call that the compiler knows, our site at its place is *right*, *implements* (resolved to what implements
the trait's method that rustc names), *possible* (ambiguous, with it), *wrong* (resolved to something else), *without*
(ambiguous, not with it), *external* (taken for a library's), *unresolved*, or there is *no site*. Calls that lead out
of the tree are judged by themselves: there *right* is external, *possible* ambiguous.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path

from servers import TOGETHER, Checkout, read, same

from everdex.graph.model import Role, Site, Status, Target

VERDICTS = ("right", "implements", "possible", "wrong", "without", "external", "unresolved", "no site")
At = tuple[str, int, int]
Told = set[tuple[str, int, str]]
OUTSIDE = "-"
SPACE = "%20"  # in a path


def truth(checkout: Checkout, told: Path) -> dict[At, Told]:
    lines = {path: data.split(b"\n") for path, data in checkout.sources.items()}
    rows: dict[At, Told] = {}
    for row in told.read_text("utf-8").splitlines():
        here, there = (side.split(" ") for side in row.split(" -> "))
        here[0], there[0] = here[0].replace(SPACE, " "), there[0].replace(SPACE, " ")
        path, line, column = here[0], int(here[1]), int(here[2])
        if path not in lines:
            continue
        text = lines[path][line - 1]
        if path.endswith((".java", ".cs", ".scala")):  # which count in units of UTF-16
            before = text.decode("utf-8", "replace").encode("utf-16-le")[: 2 * column]
            column = len(before.decode("utf-16-le", "replace").encode())
        if len(here) > 3 and not re.match(rb"%s(?!\w)" % re.escape(here[3].encode()), text[column:]):
            continue  # a macro made it of something else
        target = lines[there[0]][int(there[1]) - 1] if there[0] in lines else b""
        if len(here) > 3 and target and here[3].encode() not in target:
            continue  # a macro declares it
        trait = there[2] if len(there) > 2 and there[2].isidentifier() else ""
        rows.setdefault((path, line, column), set()).add((there[0], int(there[1]), trait))
    return rows


def implements(checkout: Checkout, target: Target, trait: str) -> bool:
    """Whether a method stands in an `impl` of a trait that is not in the tree."""
    node = checkout.nodes[target]
    lines = checkout.sources[target.path].split(b"\n")[: node.name_line - 1]
    text = b"\n".join(lines).decode("utf-8", "replace")
    found = list(re.finditer(r"^[ \t]*(?:unsafe )?impl\b([^{]*)\bfor\b", text, re.MULTILINE))
    return bool(found) and re.search(rf"\b{trait}\b", found[-1][1]) is not None


def verdict(checkout: Checkout, sites: list[Site], told: Told) -> str:
    if not sites:
        return "no site"
    status = min((site.status for site in sites), key=list(Status).index)
    targets = [target for site in sites for target in site.targets]
    traits = [trait for path, _, trait in told if path == OUTSIDE and trait]
    if status is Status.RESOLVED and traits and all(implements(checkout, each, traits[0]) for each in targets):
        return "implements"
    if is_outside(told):
        by_status = {Status.RESOLVED: "wrong", Status.AMBIGUOUS: "possible", Status.EXTERNAL: "right"}
        return by_status.get(status, "unresolved")
    hit = any(same(checkout, target, (path, line, line)) for target in targets for path, line, _ in told)
    above = {each for target in targets for each in checkout.replaced.get(target, ())}
    through = any(same(checkout, each, (path, line, line)) for each in above for path, line, _ in told)
    if through and not hit and all(target.path.endswith(".rs") for target in targets):
        return "implements" if status is Status.RESOLVED else "possible"
    if status is Status.RESOLVED:
        return "right" if hit else "wrong"
    if status is Status.AMBIGUOUS:
        return "possible" if hit else "without"
    return "external" if status is Status.EXTERNAL else "unresolved"


def is_outside(told: Told) -> bool:
    return any(path == OUTSIDE for path, *_ in told)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=("java", "go", "c", "cpp", "rust", "csharp", "scala", "swift"))
    parser.add_argument("checkout", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--show", action="append", default=[], help="the calls of a verdict")
    given = parser.parse_args()
    checkout = read(given.checkout.resolve(), TOGETHER.get(given.language, (given.language,)))
    sites: dict[At, list[Site]] = {}
    for path, graph in checkout.graphs.items():
        for site in graph.sites:
            if site.role is Role.CALL:
                sites.setdefault((path, site.line, site.column), []).append(site)
    counts = {True: Counter[str](), False: Counter[str]()}
    for at, told in sorted(truth(checkout, given.truth).items()):
        found = sites.get(at, [])
        said = verdict(checkout, found, told)
        counts[not is_outside(told)][said] += 1
        if said in given.show:
            ours = [f"{target.path}::{target.key}" for site in found for target in site.targets[:4]]
            reason = found[0].reason if found else ""
            print(f"{said}: {at[0]}:{at[1]}:{at[2]} told {sorted(told)} ours {ours} {reason}")
    report(given.checkout.name, counts)


def report(name: str, counts: dict[bool, Counter[str]]) -> None:
    """The verdicts as a table: of calls that lead to the tree, and of those that lead out of it."""
    print(f"| {name} | calls | {' | '.join(VERDICTS)} |")
    for inside, label in ((True, "to the tree"), (False, "out of it")):
        row = " | ".join(str(counts[inside][each]) for each in VERDICTS)
        print(f"| {label} | {counts[inside].total()} | {row} |")


if __name__ == "__main__":
    main()
