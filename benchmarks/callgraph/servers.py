"""How our call sites and references compare with what the languages' own tools say of them.

    python benchmarks/callgraph/servers.py LANGUAGE CHECKOUT… [--sites 400] [--definitions 60] [--seed 1] [--show]

Go is asked of gopls, Rust of rust-analyzer, C and C++ of clangd, PHP of intelephense, TypeScript and JavaScript of
typescript-language-server (with typescript@5 beside it), Java of javac (JavacCalls.java).
`--checker` asks TypeScript's checker instead, which TYPESCRIPT names (`…/node_modules/typescript`): quick enough for
all sites of a tree (`--sites 1000000 --definitions 0`).
A server is found on PATH or named by e.g. GOPLS_PROGRAM; one that is missing is said to be and skipped. Call sites and
definitions are drawn by a hash of their places, so that two versions of the graph are asked about the same ones; a
place counts as the same when file and line of the definition do.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from lsp import Place, Server, Unavailable

from everdex.graph.javascript.project import is_project_file
from everdex.graph.model import FileGraph, Node, Role, Site, Status, Target
from everdex.graph.resolvers import Resolvers
from everdex.languages import language_in
from support.names import MemoryWorld

SERVERS = {
    "go": "gopls", "rust": "rust-analyzer", "c": "clangd", "cpp": "clangd", "php": "intelephense",
    "typescript": "typescript-language-server",
}  # fmt: skip
TOGETHER = {"c": ("c", "cpp"), "cpp": ("c", "cpp"), "typescript": ("typescript", "tsx", "javascript")}
PROJECT = ("go.mod", "Cargo.toml")
HIDDEN = frozenset((".git", "node_modules", "vendor", "target"))
CALLED = ("function", "method", "constructor", "macro")
VALUES = frozenset(("field", "variable", "constant", "property"))
CONSTRUCTORS = ("__construct", "init", "initialize", "constructor")
SCRIPTS = (".ts", ".tsx", ".js", ".mjs", ".cjs", ".mts", ".cts", ".jsx")
C_FILES = (".h", ".hpp", ".c", ".cc", ".cpp", ".cxx")
NAME = re.compile(r"[\w$#~]+")
MAX_FILE = 1_000_000
JUDGED = (
    "right", "wrong resolved", "wrong external", "ambiguous with it", "ambiguous without", "unresolved", "unsaid",
)  # fmt: skip


class Teller(Protocol):
    """Who knows where names lead."""

    def definitions(self, path: str, line: int, column: int) -> list[Place]: ...

    def references(self, path: str, line: int, column: int) -> list[Place]: ...

    def close(self) -> None: ...


class Javac:
    """The compiler's own answers, all of a tree at once; it knows calls and no other references."""

    def __init__(self, root: Path) -> None:
        if shutil.which("java") is None:
            raise Unavailable("java")
        script = Path(__file__).with_name("JavacCalls.java")
        done = subprocess.run(["java", str(script), str(root)], capture_output=True, check=True, text=True)
        self._leads: dict[Place, Place] = {}
        self._from: dict[tuple[str, int], list[Place]] = {}
        for line in done.stdout.splitlines():
            here, there = ((front, int(row), int(column)) for front, row, column in
                           (side.rsplit(" ", 2) for side in line.split(" -> ")))  # fmt: skip
            self._leads[here] = ("" if there[0] == "-" else there[0], there[1], there[1])
            self._from.setdefault(there[:2], []).append((here[0], here[1], here[1]))

    def definitions(self, path: str, line: int, column: int) -> list[Place]:
        found = self._leads.get((path, line, column))
        return [found] if found else []

    def references(self, path: str, line: int, column: int) -> list[Place]:
        return self._from.get((path, line), [])

    def close(self) -> None:
        """Nothing runs."""


class Checker:
    """TypeScript's checker, all called names of a tree at once (typescript_sites.cjs); it knows no references here."""

    def __init__(self, root: Path, work: Path) -> None:
        if shutil.which("node") is None or "TYPESCRIPT" not in os.environ:
            raise Unavailable("node, or what TYPESCRIPT names,")
        script, out = Path(__file__).with_name("typescript_sites.cjs"), work / "told.json"
        subprocess.run(["node", "--max-old-space-size=4096", script, root, out], check=True)
        rows = json.loads(out.read_text())
        self._leads = {(path, line, column): [(to, at, at) for to, at in told] for path, line, column, told in rows}

    def definitions(self, path: str, line: int, column: int) -> list[Place]:
        return self._leads.get((path, line, column), [])

    def references(self, path: str, line: int, column: int) -> list[Place]:
        return []

    def close(self) -> None:
        """Nothing runs."""


@dataclass(frozen=True)
class Checkout:
    """Our graph of a tree, whole."""

    root: Path
    sources: dict[str, bytes]
    graphs: dict[str, FileGraph]
    nodes: dict[Target, Node]
    replaced: dict[Target, set[Target]]  # what a definition overrides

    def column(self, path: str, line: int, column: int) -> int:
        """In UTF-16 units, as servers count."""
        text = self.sources[path].split(b"\n")[line - 1][:column]
        return len(text.decode("utf-8", "replace").encode("utf-16-le")) // 2


def read(root: Path, languages: Sequence[str]) -> Checkout:
    sources = {}
    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if HIDDEN & set(inside.parts) or not path.is_file() or path.stat().st_size >= MAX_FILE:
            continue
        data = path.read_bytes().decode("utf-8", "replace").encode()  # as an index has it
        if language_in(inside.as_posix(), data) in languages or path.name in PROJECT or is_project_file(path.name):
            sources[inside.as_posix()] = data
    resolver = Resolvers().of(languages[0])
    assert resolver is not None
    world = MemoryWorld(sources, resolver)
    resolution = resolver.open(world)
    graphs = {path: resolution.resolve(path) for path in world.paths if world.facts(path)}
    nodes = {Target(path, node.key): node for path, graph in graphs.items() for node in graph.nodes}
    replaced: dict[Target, set[Target]] = {}
    for path, graph in graphs.items():
        for site in graph.sites:
            if site.role is Role.OVERRIDE:
                replaced.setdefault(Target(path, graph.nodes[site.source].key), set()).update(site.targets)
    return Checkout(root, sources, graphs, nodes, replaced)


def same(checkout: Checkout, target: Target, place: Place) -> bool:
    """Whether a target is what stands at a place: the definition, what constructs it, or the declaration of it."""
    node, (path, first, last) = checkout.nodes.get(target), place
    if node is None or path not in checkout.graphs:
        return False
    if target.path == path and node.start_line <= first <= node.name_line:
        return True
    within = [other for other in checkout.graphs[path].nodes[1:] if first <= other.name_line <= last]
    line = min((other.name_line for other in within), default=0)
    for other in within:
        if other.name_line != line:
            continue  # some servers answer with the whole definition, and its comment
        longer, shorter = sorted((node.qualified_name, other.qualified_name), key=len, reverse=True)
        front, _, tail = longer.rpartition(".")
        constructs = front == shorter and tail in (*CONSTRUCTORS, shorter.rpartition(".")[2])
        if target.path == path and (node is other or constructs):
            return True
        if node.name in CONSTRUCTORS and other.kind == "class":
            return True  # inherited: some servers name the type that is constructed
        if path.endswith(SCRIPTS) and node.name == other.name:
            if target.path == path and node.qualified_name == other.qualified_name:
                return True  # a signature of what is overloaded, where we name the one that has the body
            if Target(path, other.key) in checkout.replaced.get(target, ()) or path.endswith(".d.ts"):
                return True  # what implements it, or what the declaration is about
        if node.name == other.name and target.path.endswith(C_FILES):
            pair = (target, node), (Target(path, other.key), other)
            declared = any(is_declaration(checkout, *each) for each in pair)
            tails = node.key.partition("~")[0].split("."), other.key.partition("~")[0].split(".")
            if declared and tails[0][-2:] == tails[1][-2:]:
                return True  # C: a declaration and the definition
    return False


def is_definition(checkout: Checkout, name: str, place: Place) -> bool:
    """Not so in C: what the preprocessor put together, and the first use of what clangd finds declared nowhere."""
    path, first, last = place
    if path not in checkout.graphs or path.endswith(SCRIPTS):
        return True  # what a module exports as a whole has the name that its importers give it
    lines = checkout.sources[path].split(b"\n")[first - 1 : last]
    used = any(
        site.line == first == last and site.role is Role.CALL and named(checkout, path, site) == name
        for site in checkout.graphs[path].sites
    )  # fmt: skip
    return any(name.encode() in line for line in lines) and not used


def is_import(checkout: Checkout, place: Place) -> bool:
    """TypeScript's service leads to the import where it cannot follow it."""
    graph = checkout.graphs.get(place[0])
    return graph is not None and place[0].endswith(SCRIPTS) and any(
        site.role is Role.IMPORT and site.line == place[1] for site in graph.sites
    )  # fmt: skip


def is_local(checkout: Checkout, name: str, place: Place) -> bool:
    """A parameter or a local variable: its line has the name, and no definition of that name."""
    path, line, last = place
    if not path.endswith(SCRIPTS) or path not in checkout.graphs or line != last:
        return False
    text = checkout.sources[path].split(b"\n")[line - 1].decode("utf-8", "replace")
    defined = {node.name for node in checkout.graphs[path].nodes if node.name_line == line}
    return name in re.findall(r"[\w$]+", text) and name not in defined


def judge(checkout: Checkout, name: str, site: Site, told: list[Place]) -> str:
    inside = [place for place in told if place[0] and not is_import(checkout, place)]
    if inside and all(is_local(checkout, name, place) for place in inside):
        return "unsaid"
    if not told or (not inside and site.targets and site.targets[0].path and told[0][0]):
        return "unsaid"
    kinds = {node.kind for path, first, last in inside if path in checkout.graphs
             for node in checkout.graphs[path].nodes if first == last == node.name_line}  # fmt: skip
    kinds = kinds - {"lambda"} or kinds  # one that stands behind the name, handed to something
    if inside and not kinds and inside[0][0].endswith(SCRIPTS):
        return "unsaid"  # a parameter, or what a pattern takes out of something: no definition
    if kinds and kinds <= VALUES:
        # A function in a field or a variable, which nobody can name; or a field that is constructed.
        return "right" if site.status is Status.UNRESOLVED else "unsaid"
    if site.status is Status.UNRESOLVED:
        return "unresolved"
    if site.status is Status.EXTERNAL:
        return "wrong external" if inside else "right"
    hit = any(same(checkout, target, place) for target in site.targets for place in inside)
    if site.status is Status.RESOLVED:
        return "right" if hit else "wrong resolved"
    return "ambiguous with it" if hit else "ambiguous without"


def drawn(seed: int, *place: str | int) -> bytes:
    return hashlib.sha256(repr((seed, place)).encode()).digest()


def compare_sites(checkout: Checkout, teller: Teller, count: int, seed: int, show: bool) -> Counter[str]:
    every = [
        (path, site) for path, graph in checkout.graphs.items() for site in graph.sites
        if site.role is Role.CALL and site.end_column > site.column + 1 and site.end_line == site.line
        and NAME.fullmatch(named(checkout, path, site))  # of `make()()` the second begins where the first does
    ]  # fmt: skip
    counts: Counter[str] = Counter()
    every.sort(key=lambda item: drawn(seed, item[0], item[1].line, item[1].column))
    for path, site in every[:count]:
        name = named(checkout, path, site)
        told = [place for place in teller.definitions(path, site.line, checkout.column(path, site.line, site.column))
                if is_definition(checkout, name, place)]  # fmt: skip
        verdict = judge(checkout, name, site, told)
        counts[verdict] += 1
        if show and verdict != "right":
            inside = [place for place in told if place[0]]
            ours = [f"{target.path}::{target.key}" for target in site.targets[:4]]
            print(f"{verdict}: {path}:{site.line}:{site.column} {site.text} {site.reason!r} ours {ours} told {inside}")
    return counts


def compare_references(checkout: Checkout, teller: Teller, count: int, seed: int, show: bool) -> Counter[str]:
    """Of drawn definitions: lines that the other names and we do not, and whether «no callers» is said in vain."""
    every = [
        (target, node) for target, node in checkout.nodes.items()
        if node.kind in CALLED and "<" not in node.key and not is_declaration(checkout, target, node)
    ]  # fmt: skip
    by_target: dict[Target, set[tuple[str, int]]] = {}
    sure: dict[Target, set[tuple[str, int]]] = {}
    loose: Counter[str] = Counter()
    for path, graph in checkout.graphs.items():
        for site in graph.sites:
            if site.role is Role.OVERRIDE:
                continue
            if site.status is not Status.RESOLVED:
                loose[named(checkout, path, site)] += 1
            for target in site.targets:
                by_target.setdefault(target, set()).add((path, site.line))
                if site.status is Status.RESOLVED:
                    sure.setdefault(target, set()).add((path, site.line))
    counts: Counter[str] = Counter()
    every.sort(key=lambda item: drawn(seed, item[0].path, item[1].name_line, item[1].name_column))
    for target, node in every[:count]:
        column = checkout.column(target.path, node.name_line, node.name_column)
        told = teller.references(target.path, node.name_line, column)
        theirs = {place[:2] for place in told if place[0] in checkout.graphs} - {(target.path, node.name_line)}
        ours, resolved = by_target.get(target, set()), sure.get(target, set())
        counts["definitions"] += 1
        counts["their lines"] += len(theirs)
        counts["found"] += len(theirs & ours)
        counts["resolved"] += len(resolved)
        counts["resolved and theirs"] += len(resolved & theirs)
        above = any(by_target.get(each) for each in checkout.replaced.get(target, ()))  # counted as «overridden»
        in_vain = bool(theirs) and not ours and not loose[node.name] and not above
        counts["false nobody"] += in_vain
        if show and (theirs - ours or resolved - theirs):
            word = "NOBODY " if in_vain else ""
            print(f"{word}{target.path}::{target.key}: missing {sorted(theirs - ours)[:5]}, more "
                  f"{sorted(resolved - theirs)[:5]} of {len(theirs)}")  # fmt: skip
    return counts


def is_declaration(checkout: Checkout, target: Target, node: Node) -> bool:
    """Of C, without a body: whoever asks for it is led to the one with a body."""
    text = checkout.sources[target.path][node.start_byte : node.end_byte]
    return target.path.endswith(C_FILES) and node.kind != "macro" and b"{" not in text


def named(checkout: Checkout, path: str, site: Site) -> str:
    line = checkout.sources[path].split(b"\n")[site.line - 1]
    return line[site.column : site.end_column].decode("utf-8", "replace")


def table(rows: Iterable[tuple[str, Counter[str]]], names: Sequence[str]) -> str:
    lines = [f"| checkout | {' | '.join(names)} |", "| --- " * (len(names) + 1) + "|"]
    lines += [f"| {name} | {' | '.join(str(counts[each]) for each in names)} |" for name, counts in rows]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("language", choices=(*SERVERS, "java"))
    parser.add_argument("checkouts", type=Path, nargs="+")
    parser.add_argument("--sites", type=int, default=400)
    parser.add_argument("--definitions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--checker", action="store_true", help="TypeScript's checker in place of its server")
    given = parser.parse_args()
    of_sites, of_references = [], []
    for root in (path.resolve() for path in given.checkouts):
        checkout = read(root, TOGETHER.get(given.language, (given.language,)))
        with tempfile.TemporaryDirectory() as work:
            try:
                teller: Teller
                if given.checker:
                    teller = Checker(root, Path(work))
                elif given.language == "java":
                    teller = Javac(root)
                else:
                    teller = Server(SERVERS[given.language], root, Path(work))
            except Unavailable as missing:
                print(f"skipped: {missing} is not installed")
                return
            try:
                if isinstance(teller, Server):
                    teller.wait_until_ready(next(path for path in checkout.graphs if path.endswith(ENDINGS)))
                of_sites.append((root.name, compare_sites(checkout, teller, given.sites, given.seed, given.show)))
                counts = compare_references(checkout, teller, given.definitions, given.seed, given.show)
                of_references.append((root.name, counts))
            finally:
                teller.close()
    print(table(of_sites, JUDGED))
    print()
    print(table(of_references, (
        "definitions", "their lines", "found", "resolved", "resolved and theirs", "false nobody",
    )))  # fmt: skip


ENDINGS = (".go", ".rs", ".c", ".cc", ".cpp", ".php", ".ts", ".tsx", ".js")

if __name__ == "__main__":
    main()
