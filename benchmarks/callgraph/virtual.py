"""Whether what we call resolved is whole: calls of members against all that their receivers' types may run.

    TYPESCRIPT=…/node_modules/typescript node typescript_virtual.cjs CHECKOUT TOLD
    python benchmarks/callgraph/virtual.py CHECKOUT TOLD [--show VERDICT]…

Of each call of a member of which a body is in the tree: our site there is *whole* (resolved to every body that the type
of the receiver, or a class below it, has), *incomplete* (resolved, and one is missing), *literals* (resolved, and only
those of object literals are missing, which have to be of the type where they stand), *ambiguous*, *external*,
*unresolved*, or there is *no site*. *wrong* counts resolved sites that also have a target which is neither a body
nor the declaration. By how the receiver is known: `this`; *stated* by a type that is written; *made* by an
expression, whose value may be known better than its type, so that there *incomplete* is no reproach.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path

from servers import TOGETHER, Checkout, read, table

from everdex.graph.model import Role, Site, Status, Target

VERDICTS = ("whole", "incomplete", "literals", "ambiguous", "external", "unresolved", "no site", "wrong")
HOW = ("this", "stated", "made")
Lines = set[tuple[str, int]]


def lines_of(checkout: Checkout, target: Target) -> Lines:
    node = checkout.nodes.get(target)
    return {(target.path, line) for line in range(node.start_line, node.name_line + 1)} if node else set()


def judge(checkout: Checkout, site: Site | None, bodies: Lines, literals: Lines, declared: Lines) -> tuple[str, ...]:
    """The verdict on a site, and whether it leads anywhere else as well."""
    if site is None:
        return ("no site",)
    if site.status is not Status.RESOLVED:
        return (site.status.name.lower(),)
    ours = [lines_of(checkout, target) for target in site.targets]
    found = {line for each in ours for line in each}
    missing, of_literals = bodies - found, literals - found
    verdict = "incomplete" if missing else "literals" if of_literals else "whole"
    astray = any(not each & (bodies | literals | declared) for each in ours)
    return (verdict, "wrong") if astray else (verdict,)


def compare(checkout: Checkout, told: Path, shown: list[str]) -> dict[str, Counter[str]]:
    sites: dict[tuple[str, int, int], Site] = {}
    for path, graph in checkout.graphs.items():
        for site in graph.sites:
            if site.role is Role.CALL:
                sites.setdefault((path, site.line, checkout.column(path, site.line, site.column)), site)
    counts = {how: Counter[str]() for how in HOW}
    for path, line, column, how, *places in json.loads(told.read_text()):
        bodies, literals, declared = ({(at, row) for at, row in each} for each in places)
        site = sites.get((path, line, column))
        verdicts = judge(checkout, site, bodies, literals, declared)
        counts[how].update(verdicts)
        if set(verdicts) & set(shown):
            ours = [f"{target.path}::{target.key}" for target in site.targets] if site else []
            text, reason = (site.text, site.reason) if site else ("", "")
            found = {each for target in site.targets for each in lines_of(checkout, target)} if site else set()
            lacks = sorted((bodies | literals) - found)
            print(f"{how} {verdicts}: {path}:{line}:{column} {text} {reason!r}\n    ours {len(ours)}: {ours[:4]}\n"
                  f"    lacks {len(lacks)} of {len(bodies)}+{len(literals)}: {lacks[:4]}")  # fmt: skip
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("told", type=Path)
    parser.add_argument("--show", action="append", default=[], choices=VERDICTS)
    arguments = parser.parse_args()
    checkout = read(arguments.checkout, TOGETHER["typescript"])
    found = compare(checkout, arguments.told, arguments.show)
    print(table([(f"{arguments.checkout.name}, {how}", found[how]) for how in HOW], VERDICTS))


if __name__ == "__main__":
    main()
