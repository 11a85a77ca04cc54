"""Our call sites of a Ruby, PHP, Lua or Bash project against what its own tests called (tracers/).

    python benchmarks/callgraph/dynamic_traces.py LANGUAGE CHECKOUT WORK [--run COMMAND] [--show CATEGORY]…

COMMAND is run by a shell in a copy of CHECKOUT, with the language's tracer in every process; without it, what ran
before is read from WORK again. The interpreters and what the tests need are installed beforehand.

A tracer appends to a file of its process's in EVERDEX_TRACE_OUT, once or more often, a line for each call between two
functions below EVERDEX_TRACE_ROOT:

    +|caller's file|line of the call|callee's file|a line of it|name it was called by|direct, or what called it|

The line of a callee is where its definition begins, of Bash one inside it. A call is judged by our call sites on its
line (or, where none there has the name, in the same function): *right* when one is resolved to the callee, *above* when
to what the callee overrides, *possible* when it is among an ambiguous one's candidates; else by the site of its name:
*wrong* (resolved to something else), *without* (ambiguous, not with it), *external*, *unresolved*, or *no site*. Calls
that a builtin made (`map(&:name)`, `pcall(f)`, a metamethod) have no site of their own and are only counted. *Observed*
is the share of our resolved edges with a caller that was entered, and with a target that can be seen, that ran.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from javascript_traces import is_test as is_test_of_scripts
from servers import Checkout, read

from everdex.graph.model import Node, Role, Site, Status, Target
from everdex.languages import language_in

TRACERS = Path(__file__).with_name("tracers")
# How a process is made to load its tracer; {} is the tracer's path.
LOADED = {
    "ruby": ("tracer.rb", {"RUBYOPT": "-r{}"}),
    "php": ("tracer.php", {"PHP_INI_SCAN_DIR": ":{out}"}),
    "lua": ("tracer.lua", {"LUA_INIT": "@{}"}),
    "bash": ("tracer.sh", {"BASH_ENV": "{}"}),
}
ROW = re.compile(r"\++\|([^|]*)\|(\d*)\|([^|]*)\|(\d+)\|([^|]*)\|([^|]*)\|")
CALLABLE = ("function", "method", "constructor", "lambda")
CONSTRUCTED = re.compile(rb"\bnew\s+[\w\\]*$")
# Definitions that no tracer sees: Ruby's accessors and aliases.
UNSEEN = re.compile(rb"\s*(?:attr_|alias|define_method|def_delegator)")
CATEGORIES = ("right", "above", "possible", "wrong", "without", "external", "unresolved", "no site")


@dataclass(frozen=True)
class Call:
    path: str
    line: int
    callee: Target
    name: str
    way: str


@dataclass(frozen=True)
class Ran:
    calls: frozenset[Call]
    entered: frozenset[Target]
    edges: frozenset[tuple[Target, Target]]
    unknown: int  # callees that are no definitions of ours


def run(language: str, checkout: Path, work: Path, command: str) -> None:
    tree, out = work / "tree", work / "traces"
    for directory in (tree, out):
        shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(checkout, tree, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    out.mkdir()
    tracer, wanted = LOADED[language]
    path = (TRACERS / tracer).resolve()
    (out / "tracer.ini").write_text(f"auto_prepend_file={path}\n")
    environment = {**os.environ, "EVERDEX_TRACE_ROOT": str(tree.resolve()), "EVERDEX_TRACE_OUT": str(out.resolve())}
    environment |= {name: value.format(path, out=out.resolve()) for name, value in wanted.items()}
    with (work / "output.txt").open("wb") as output:
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd=tree, env=environment, stdout=output, stderr=output, check=False
        )
    print(f"{command}: {done.returncode}; what it said is in {work / 'output.txt'}")


class Places:
    """Which definition of ours is at a line of a file."""

    def __init__(self, checkout: Checkout, root: str) -> None:
        self.checkout, self._root = checkout, root
        self._by_name: dict[str, list[str]] = {}
        for path in checkout.graphs:
            self._by_name.setdefault(PurePosixPath(path).name, []).append(path)

    def path(self, written: str) -> str | None:
        inside = os.path.normpath(written)
        if inside.startswith(f"{self._root}/"):
            inside = inside[len(self._root) + 1 :]
        elif inside.startswith("/"):
            return None
        if inside in self.checkout.graphs:
            return inside
        # Bash writes a file as it was named where the process stood then.
        ending = [path for path in self._by_name.get(PurePosixPath(inside).name, ()) if path.endswith(f"/{inside}")]
        return ending[0] if len(ending) == 1 and not written.startswith("/") else None

    def around(self, path: str, line: int) -> Target:
        """The innermost function around a line, or the file."""
        innermost = max(self._around(path, line), key=lambda node: node.start_line, default=None)
        return Target(path, innermost.key if innermost else "")

    def defined(self, path: str, line: int, name: str) -> Target | None:
        """The function that begins at a line; of Bash, the one of the name, at best around the line."""
        last, fitting = name.rpartition("::")[2], self._around(path, line)
        if language_in(path, self.checkout.sources[path]) == "bash":
            named = [node for node in self._nodes(path) if node.name == last]  # what `eval` defines is not among them
            fitting = [node for node in named if node in fitting] or named
        best = max(fitting, key=lambda node: (node.start_line, node.name == last), default=None)
        return Target(path, best.key) if best else None

    def _around(self, path: str, line: int) -> list[Node]:
        return [node for node in self._nodes(path) if node.start_line <= line <= node.end_line]

    def _nodes(self, path: str) -> list[Node]:
        return [node for node in self.checkout.graphs[path].nodes if node.kind in CALLABLE]


def rows(work: Path) -> Iterator[tuple[str, ...]]:
    seen = set()
    for path in sorted((work / "traces").glob("*.txt")):
        with path.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                found = ROW.match(line)
                if found and found.groups() not in seen:
                    seen.add(found.groups())
                    yield found.groups()


def ran(checkout: Checkout, work: Path) -> Ran:
    places = Places(checkout, str((work / "tree").resolve()))
    calls, entered, edges, unknown = set(), set(), set(), set()
    for caller, call_line, callee, line, name, way in rows(work):
        if name in ("", "main", "source") and caller.endswith(("sh", "bash")):
            continue
        target_path = places.path(callee)
        target = places.defined(target_path, int(line), name) if target_path else None
        if target is None:
            unknown.add((callee, line))
            continue
        entered.add(target)
        path = places.path(caller)
        if path is None or not call_line or int(call_line) > checkout.sources[path].count(b"\n") + 1:
            continue  # beyond its end stands code that was made while it ran
        calls.add(Call(path, int(call_line), target, name, way))
        source = places.around(path, int(call_line))
        entered.add(source)
        edges.add((source, target))
    return Ran(frozenset(calls), frozenset(entered), frozenset(edges), len(unknown))


class Judge:
    """What our graph says of a call that ran."""

    def __init__(self, checkout: Checkout) -> None:
        self._checkout = checkout
        self._places = Places(checkout, "/")
        self._lines: dict[tuple[str, int], list[Site]] = {}
        self._functions: dict[Target, list[Site]] = {}
        for path, graph in checkout.graphs.items():
            for site in graph.sites:
                if site.role is Role.CALL:
                    self._lines.setdefault((path, site.line), []).append(site)
                    self._functions.setdefault(self._places.around(path, site.line), []).append(site)

    def category(self, call: Call) -> str:
        here = self._lines.get((call.path, call.line), [])
        source = self._places.around(call.path, call.line)
        for sites in (here, self._functions.get(source, [])):
            meant = [site for site in sites if self._is_named(call, site, source)]
            for category in self._found(call, meant or (sites if sites is here else [])):
                return category
            if meant:
                by_status = {
                    Status.RESOLVED: "wrong", Status.AMBIGUOUS: "without", Status.EXTERNAL: "external",
                    Status.UNRESOLVED: "unresolved",
                }  # fmt: skip
                return min((by_status[site.status] for site in meant), key=CATEGORIES.index)
        return "no site"

    def said(self, call: Call) -> str:
        """What we say at its line."""
        here = self._lines.get((call.path, call.line), [])
        source = self._places.around(call.path, call.line)
        return "; ".join(
            f"{site.text} {site.reason or ' '.join(target.key for target in site.targets)}"
            for site in here if self._is_named(call, site, source)
        )  # fmt: skip

    def _found(self, call: Call, sites: list[Site]) -> Iterator[str]:
        meant = {call.callee} | {
            target for site in sites for target in site.targets
            if target in self._checkout.nodes and self._is_alias(target, call.name)
        }  # fmt: skip
        if any(meant & set(site.targets) for site in sites if site.status is Status.RESOLVED):
            yield "right"
        for _ in range(8):
            meant |= {above for each in meant for above in self._checkout.replaced.get(each, ())}
        if any(meant & set(site.targets) for site in sites if site.status is Status.RESOLVED):
            yield "above"
        if any(meant & set(site.targets) for site in sites if site.status is Status.AMBIGUOUS):
            yield "possible"

    def _is_alias(self, target: Target, name: str) -> bool:
        """Ruby runs the method that an alias stands for."""
        node = self._checkout.nodes[target]
        return node.name == name and is_unseen(self._checkout, target)

    def _is_named(self, call: Call, site: Site, source: Target) -> bool:
        last = site.text.rpartition(".")[2]
        if call.name == "__construct":
            before = self._checkout.sources[call.path].split(b"\n")[site.line - 1][: site.column]
            return last == call.name or CONSTRUCTED.search(before) is not None
        inside = self._checkout.nodes[source].name == call.name
        named = last in (call.name, call.name.removesuffix("=")) or site.text == call.name
        return named or last == call.way or (last == "super" and inside)


def is_test(path: str) -> bool:
    stem = PurePosixPath(path).stem
    return is_test_of_scripts(path) or stem.endswith(("_test", "_spec", "Test")) or stem.startswith("test_")


def is_unseen(checkout: Checkout, target: Target) -> bool:
    line = checkout.nodes[target].name_line
    return UNSEEN.match(checkout.sources[target.path].split(b"\n")[line - 1]) is not None


def is_direct(call: Call) -> bool:
    return call.way == "direct" or call.name in ("initialize", "__construct")


def claimed(checkout: Checkout) -> set[tuple[Target, Target]]:
    found = set()
    places = Places(checkout, "/")
    for path, graph in checkout.graphs.items():
        for site in graph.sites:
            if site.role is Role.CALL and site.status is Status.RESOLVED:
                for target in site.targets:
                    node = checkout.nodes.get(target)
                    if node is None or node.kind not in CALLABLE:
                        continue
                    if not is_unseen(checkout, target):
                        found.add((places.around(path, site.line), target))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=sorted(LOADED))
    parser.add_argument("checkout", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--run", metavar="COMMAND", help="the tests, for a shell")
    parser.add_argument("--show", action="append", default=[], help="calls of a category, or `extra`: edges not seen")
    given = parser.parse_args()
    if given.run:
        run(given.language, given.checkout.resolve(), given.work.resolve(), given.run)
    checkout = read(given.checkout.resolve(), (given.language,))
    seen, judge, ours = ran(checkout, given.work), Judge(checkout), claimed(checkout)
    print(f"{given.checkout.name}: {len(seen.calls)} calls ran, {len(seen.entered)} entered, {seen.unknown} unknown")
    print(f"| calls | direct | {' | '.join(CATEGORIES)} | observed | by builtins |")
    print(f"|{' --- |' * (len(CATEGORIES) + 4)}")
    for tests in (False, True):
        calls = [call for call in seen.calls if is_test(call.path) is tests and not is_test(call.callee.path)]
        judged = {call: judge.category(call) for call in calls if is_direct(call)}
        count = Counter(judged.values())
        live = {
            edge for edge in ours
            if edge[0] in seen.entered and is_test(edge[0].path) is tests and not is_test(edge[1].path)
        }  # fmt: skip
        whole = max(len(judged), 1)
        shares = " | ".join(f"{count[each] / whole:.3f} ({count[each]})" for each in CATEGORIES)
        observed = f"{len(live & seen.edges) / len(live):.3f} (of {len(live)})" if live else "–"
        label = f"{'tests' if tests else 'sources'} → sources"
        print(f"| {label} | {len(judged)} | {shares} | {observed} | {len(calls) - len(judged)} |")
        for call, category in sorted(judged.items(), key=lambda item: (item[0].path, item[0].line, item[0].name)):
            if category in given.show:
                print(f"  {category}: {call.path}:{call.line} {call.name} → {call.callee.path}::{call.callee.key} "
                      f"[{judge.said(call)}]")  # fmt: skip
        for source, target in sorted(live - seen.edges) if "extra" in given.show else ():
            print(f"  extra: {source.path}::{source.key} → {target.path}::{target.key}")


if __name__ == "__main__":
    main()
