"""How our references of TypeScript symbols compare with those of TypeScript's own language service.

    cd /somewhere && npm install typescript@5
    python benchmarks/callgraph/typescript_references.py CHECKOUT --node-modules /somewhere [--members]
        [--symbols 50] [--seed 1]

Symbols are drawn at random from the graph's functions, methods, classes, interfaces, types and constants of source
files, or from the members of such. A reference is a line of a file. What the checkout does not contain (its
node_modules) neither side knows.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

KINDS = ("function", "method", "class", "interface", "type", "constant", "variable", "enum")
MEMBERS = ("property", "field", "member", "method")
ENDINGS = (".ts", ".tsx")


def everdex(root: Path, *words: str) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "everdex", *words, str(root)], capture_output=True, check=True
    )
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--node-modules", type=Path, required=True)
    parser.add_argument("--symbols", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--members", action="store_true", help="draw members of interfaces, types, classes and objects")
    parser.add_argument("--show", action="store_true")
    given = parser.parse_args()
    root = given.checkout.resolve()
    files = [item["path"] for item in everdex(root, "files", "--json")["files"]]
    code = [path for path in files if path.endswith(ENDINGS)]
    kinds = MEMBERS if given.members else KINDS
    nodes = [
        node for node in everdex(root, "graph", "export", "--format", "json")["nodes"]
        if node["kind"] in kinds and node["path"].endswith(ENDINGS) and "test" not in node["path"]
        and "<" not in node["qualified_name"]
    ]  # fmt: skip
    drawn = random.Random(given.seed).sample(nodes, given.symbols)
    answers = [everdex(root, "refs", "--no-sync", "--json", "-k", "2000", node["id"]) for node in drawn]
    places = []
    for answer in answers:
        symbol = answer["symbol"]
        line = (root / symbol["path"]).read_bytes().split(b"\n")[symbol["name_line"] - 1]
        column = len(line[: symbol["name_column"]].decode().encode("utf-16-le")) // 2
        places.append((symbol["path"], symbol["name_line"], column))
    asked = json.dumps({"root": str(root), "files": code, "places": places})
    script = Path(__file__).with_name("typescript_references.cjs")
    told = subprocess.run(
        ["node", str(script)], input=asked.encode(), capture_output=True, check=True, cwd=given.node_modules
    )
    report(answers, json.loads(told.stdout), given.show)


def report(answers: list[Any], told: list[list[tuple[str, int]]], show: bool) -> None:
    ours_total = theirs_total = both = resolved = resolved_right = 0
    for answer, theirs_list in zip(answers, told, strict=True):
        home = (answer["symbol"]["path"], answer["symbol"]["name_line"])
        sites = [site for site in answer["references"] if site["role"] != "override"]
        ours = {(site["path"], site["line"]) for site in sites} - {home}
        sure = {(site["path"], site["line"]) for site in sites if site["certainty"] == "resolved"} - {home}
        theirs = {(path, line) for path, line in theirs_list if not path.startswith("..")} - {home}
        ours_total += len(ours)
        theirs_total += len(theirs)
        both += len(ours & theirs)
        resolved += len(sure)
        resolved_right += len(sure & theirs)
        if show and ours != theirs:
            name = answer["symbol"]["qualified_name"]
            missing, more = sorted(theirs - ours)[:4], sorted(ours - theirs)[:4]
            print(f"{name} ({answer['symbol']['kind']}): missing {missing}, more {more}")
    print(
        f"{len(answers)} symbols: recall {both / max(1, theirs_total):.3f} ({both} of {theirs_total} lines), precision "
        f"{both / max(1, ours_total):.3f}, of resolved ones {resolved_right / max(1, resolved):.3f} ({resolved})"
    )


if __name__ == "__main__":
    main()
