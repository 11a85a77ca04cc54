"""The calls in compiled classes of Kotlin (or Scala) against our call sites of their lines.

    kotlinc … -d CLASSES && python benchmarks/callgraph/bytecode_calls.py kotlin CHECKOUT CLASSES [--show VERDICT]…

`javap` says which method each instruction of a line invokes, and at which line that method begins. A call is judged by
our sites of the same line and name, as in compiled.py. Left out are what has no lines (abstract and generated methods),
accessors and other methods for which no name is called on the line, and bodies of inline functions, whose lines are
another file's.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections import Counter
from pathlib import Path

from compiled import OUTSIDE, report
from servers import Checkout, read

from everdex.graph.model import Role, Site, Status

Method = tuple[str, str, str]  # class, name, descriptor
SOURCE = re.compile(r'SourceFile: "(.+)"')
CLASS = re.compile(r"^(?:.*\s)?(?:class|interface) ([\w.$]+)")
INVOKE = re.compile(r"\s+(\d+): invoke\w+ .*// (?:Interface)?Method (?:([\w/$]+)\.)?\"?([\w$<>-]+)\"?:(\S+)")
LINE = re.compile(r"\s+line (\d+): (\d+)")


class Classes:
    """What javap says of a directory of classes."""

    def __init__(self, directory: Path) -> None:
        self.first: dict[Method, tuple[str, str, int]] = {}  # package, file and line of each method
        self.names: set[str] = set()
        self.calls: set[tuple[str, str, int, Method]] = set()
        files = sorted(str(path) for path in directory.rglob("*.class"))
        for path in files:
            told = subprocess.run(["javap", "-c", "-l", "-p", "-v", path], capture_output=True, text=True, check=True)
            self._read(told.stdout)

    def _read(self, text: str) -> None:
        source, name = SOURCE.search(text), re.search(r"this_class: #\d+\s+// (\S+)", text)
        if source is None or name is None:
            return
        package = name[1].rpartition("/")[0]
        self.names.add(name[1])
        for part in text.split("\n\n"):
            named = re.search(r"^  (?:.* )?([\w$<>.-]+)\(.*\).*;\n    descriptor: (\S+)", part, re.MULTILINE)
            if named is None:
                continue
            last = named[1].rpartition(".")[2]
            own = "<init>" if last == name[1].rpartition("/")[2] or "." in named[1] else last
            rows = sorted((int(at), int(line)) for line, at in LINE.findall(part))
            if not rows:
                continue
            self.first[name[1], own, named[2]] = (package, source[1], min(line for _, line in rows))
            for at, owner, called, descriptor in INVOKE.findall(part):
                line = max((row for row in rows if row[0] <= int(at)), default=(0, 0))[1]
                self.calls.add((package, source[1], line, (owner or name[1], called, descriptor)))


def verdict(checkout: Checkout, sites: list[Site], home: tuple[str, int]) -> str:
    status = min((site.status for site in sites), key=list(Status).index)
    if home[0] == OUTSIDE:
        return {Status.RESOLVED: "wrong", Status.AMBIGUOUS: "possible", Status.EXTERNAL: "right"}.get(
            status, "unresolved"
        )
    nodes = [checkout.nodes[target] for site in sites for target in site.targets if target in checkout.nodes]
    paths = [target.path for site in sites for target in site.targets if target in checkout.nodes]
    hit = any(path == home[0] and node.start_line <= home[1] <= node.end_line
              for path, node in zip(paths, nodes, strict=True))  # fmt: skip
    if status is Status.RESOLVED:
        return "right" if hit else "wrong"
    if status is Status.AMBIGUOUS:
        return "possible" if hit else "without"
    return "external" if status is Status.EXTERNAL else "unresolved"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=("kotlin", "scala"))
    parser.add_argument("checkout", type=Path)
    parser.add_argument("classes", type=Path)
    parser.add_argument("--show", action="append", default=[], help="the calls of a verdict")
    given = parser.parse_args()
    checkout, classes = read(given.checkout.resolve(), (given.language,)), Classes(given.classes)
    by_name: dict[str, list[str]] = {}
    for path in checkout.graphs:
        by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def path_of(package: str, name: str) -> str:
        found = [path for path in by_name.get(name, ())
                 if b"package " + package.replace("/", ".").encode() in checkout.sources[path]]  # fmt: skip
        return found[0] if len(found) == 1 else ""

    sites: dict[tuple[str, int, str], list[Site]] = {}
    for path, graph in checkout.graphs.items():
        for site in graph.sites:
            if site.role is Role.CALL:
                last = re.split(r"[.: ]", site.text)[-1]
                sites.setdefault((path, site.line, last), []).append(site)
    counts = {True: Counter[str](), False: Counter[str]()}
    for package, file, line, method in sorted(classes.calls):
        path, (owner, called, _) = path_of(package, file), method
        if not path:
            continue
        name = owner.rpartition("/")[2].rpartition("$")[2] if called == "<init>" else called.removesuffix("$default")
        found = sites.get((path, line, name), [])
        plain = (owner, called.removesuffix("$default"), "")
        known = classes.first.get(method) or next(
            (at for each, at in classes.first.items() if each[:2] == plain[:2]), None
        )
        home = (path_of(*known[:2]), known[2]) if known else (OUTSIDE, 0)
        ours = owner in classes.names
        if not found or not home[0] or (home[0] == OUTSIDE and ours):
            continue
        said = verdict(checkout, found, home)
        counts[home[0] != OUTSIDE][said] += 1
        if said in given.show:
            targets = [f"{target.path}::{target.key}" for site in found for target in site.targets[:4]]
            print(f"{said}: {path}:{line} {name} told {home} ours {targets} {found[0].reason}")
    report(given.checkout.name, counts)


if __name__ == "__main__":
    main()
