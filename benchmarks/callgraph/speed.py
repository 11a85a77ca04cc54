"""What the graph costs: the stages from nothing, one edit, one question. CPU of one process, so that load matters less.

    python benchmarks/callgraph/speed.py stages TREE ...
    python benchmarks/callgraph/speed.py edits TREE PATH::NAME ...
    python benchmarks/callgraph/speed.py drawn TREE [--draw 60] [--seed 5] [--under DIRECTORY]
    python benchmarks/callgraph/speed.py callers TREE [--draw 400] [--seed 5] [PATH::NAME ...]

A tree is copied and indexed in a temporary place. An edit adds a statement to the body of a Python function, a method
to a class, or a function to the end of a file (`PATH` alone). Drawn edits begin the body of a random function with an
assignment or with a call that its file has elsewhere, one after the other.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import re
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from everdex.durable import make_directory
from everdex.facts import facts_of
from everdex.graph.definitions.atlas import CONTAINERS, Atlas
from everdex.graph.definitions.naming import find
from everdex.graph.making.build import Built, build
from everdex.graph.making.world import Bench
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.graph.stored.kept_facts import KeptFacts
from everdex.parse import trees_of
from everdex.search.names import SymbolNames
from everdex.service import opening, relations
from everdex.service.index import Index, Reading
from everdex.service.relations import Question
from everdex.sync.model import SyncOptions
from everdex.view import SnapshotView, open_view

_REPEATS = 5


def stages(trees: list[Path]) -> None:
    """Parsing, facts, offers and resolution of every file that has a resolver, and their ratio to parsing."""
    print("| tree | files | MB | parse s | facts s | offers s | resolution s | facts + offers + resolution ÷ parse |")
    print("|---|---|---|---|---|---|---|---|")
    for tree in trees:
        with _indexed(tree) as index, open_view(index.store()) as view:
            spent: dict[str, float] = defaultdict(float)
            known = Resolvers()
            languages = zip(view.paths, view.file_languages, strict=True)
            paths = [path for path, language in languages if known.knows(language)]
            sources = {path: view.source(path) for path in paths}
            with _timed(spent, "parse"):
                for path in paths:
                    trees_of(path, sources[path])
            facts = KeptFacts(view)
            with _timed(spent, "parse and facts"):
                for path in paths:
                    facts.of(path)
            facts.flush()
            facts.close()
            with _watched(spent, "offers"), _watched(spent, "resolve"):
                _build(view, None)
        parse, offers, resolution = spent["parse"], spent["offers"], spent["resolve"]
        extraction = spent["parse and facts"] - parse
        size = sum(map(len, sources.values())) / 1e6
        print(
            f"| {tree.name} | {len(paths):,} | {size:.1f} | {parse:.1f} | {extraction:.1f} | {offers:.1f} "
            f"| {resolution:.1f} | {(extraction + offers + resolution) / parse:.1f} |"
        )


def edits(tree: Path, places: list[str]) -> None:
    """The build after one edit, from the graph before it; everything it needs is read and decoded anew."""
    print("| edit | files resolved | CPU ms | clean build has the same bytes |")
    print("|---|---|---|---|")
    with _indexed(tree) as index:
        with open_view(index.store()) as view:
            before = Graph(_build(view, None).data, "before")
            changes = [_edit(Atlas(view, before), place) for place in places]
        for path, said, data in changes:
            file = index.root.path / path
            old = file.read_bytes()
            file.write_bytes(data)
            index.sync(SyncOptions())
            with open_view(index.store()) as view:
                times: dict[str, float] = defaultdict(float)
                for number in range(_REPEATS):
                    with _timed(times, str(number)):
                        built = _build(view, before)
                spent = min(times.values()) + _extraction(view, path)
                same = built.data == _build(view, None).data
            file.write_bytes(old)
            print(f"| {said} | {built.resolved} | {spent * 1000:.0f} | {'yes' if same else 'NO'} |", flush=True)


def drawn(tree: Path, draw: int, seed: int, under: str) -> None:
    """Statements put into bodies drawn at random: each build from the graph before it, the last against a clean one."""
    chosen = random.Random(seed)
    rows: dict[str, list[tuple[float, int, str]]] = defaultdict(list)
    with _indexed(tree) as index:
        with open_view(index.store()) as view:
            before = Graph(_build(view, None).data, "before")
            bodies = [
                (path, key)
                for path, language in zip(view.paths, view.file_languages, strict=True)
                if language == "python" and path.startswith(under)
                for key in _bodies(view.source(path))
            ]
        for number, (path, key) in enumerate(chosen.sample(bodies, draw)):
            file = index.root.path / path
            line, indent, calls = _bodies(file.read_bytes())[key]
            kind = ("a constant", "a call")[number % 2 if calls else 0]
            added = f"added_by_the_benchmark = {number}" if kind == "a constant" else f"{chosen.choice(calls)}()"
            lines = file.read_text().splitlines(keepends=True)
            lines.insert(line - 1, f"{' ' * indent}{added}\n")
            file.write_text("".join(lines))
            index.sync(SyncOptions())
            with open_view(index.store()) as view:
                times: dict[str, float] = defaultdict(float)
                for repeat in range(_REPEATS - 2):
                    with _timed(times, str(repeat)):
                        built = _build(view, before)
                spent = min(times.values()) + _extraction(view, path)
            before = Graph(built.data, "before")
            rows[kind].append((spent * 1000, built.resolved, f"{path}::{key}: {added}"))
        with open_view(index.store()) as view:
            same = _build(view, None).data == built.data
    print("| a body begins with | edits | p50 ms | p90 | largest | within 150 ms | files resolved, p90 | most |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, found in rows.items():
        costs, files = sorted(row[0] for row in found), sorted(row[1] for row in found)
        half, most = len(found) // 2, len(found) * 9 // 10
        print(f"| {kind} | {len(found)} | {costs[half]:.0f} | {costs[most]:.0f} | {costs[-1]:.0f} "
              f"| {sum(each <= 150 for each in costs)} | {files[most]} | {files[-1]} |")  # fmt: skip
    print(f"a clean build of the last has the same bytes: {'yes' if same else 'NO'}; the five dearest:")
    for took, resolved, what in sorted((row for found in rows.values() for row in found), reverse=True)[:5]:
        print(f"- {took:.0f} ms, {resolved} files: {what}")


def callers(tree: Path, named: list[str], draw: int, seed: int) -> None:
    """`callers` with everything around it, for the first time and warm."""
    with _indexed(tree) as index, index.view(Reading(sync=False), SyncOptions()) as (view, freshness):
        opened, names = opening.open_for(view, SyncOptions()), SymbolNames(view)

        def ask(symbol: str) -> tuple[float, dict[str, Any]]:
            started = time.process_time()
            answer = relations.answer(index, opened, names, Question("callers", symbol), freshness)
            return (time.process_time() - started) * 1000, answer.body

        drawn = []
        chosen = random.Random(seed)
        files = range(len(opened.atlas.graph.files))
        while len(drawn) < draw:
            inside = [item for item in opened.atlas.definitions(chosen.choice(files)) if not item.is_file]
            if not inside:
                continue
            item = chosen.choice(inside)
            first, body = ask(f"{item.path}::{item.node.key}")
            if body["symbol"] is not None and body["total"]:
                drawn.append((first, min(ask(f"{item.path}::{item.node.key}")[0] for _ in range(_REPEATS))))
        print("| | p50 ms | p90 | p99 | largest |")
        print("|---|---|---|---|---|")
        for said, column in (("first", 0), ("warm", 1)):
            sorted_ = sorted(row[column] for row in drawn)
            marks = [sorted_[int(draw * share)] for share in (0.5, 0.9, 0.99)] + [sorted_[-1]]
            print(f"| {draw} drawn symbols that have callers, {said} | {' | '.join(f'{mark:.1f}' for mark in marks)} |")
        print()
        print("| symbol | callers | sites | first ms | warm ms |")
        print("|---|---|---|---|---|")
        for symbol in named:
            first, body = ask(symbol)
            warm = min(ask(symbol)[0] for _ in range(_REPEATS))
            sites = sum(body["counts"].values())
            print(f"| {symbol} | {body['total']:,} | {sites:,} | {first:.1f} | {warm:.1f} |")


# -- parts -------------------------------------------------------------------------------------


@contextmanager
def _indexed(tree: Path) -> Iterator[Index]:
    with tempfile.TemporaryDirectory(prefix="everdex-speed-") as place:
        os.environ["EVERDEX_HOME"] = f"{place}/home"
        shutil.copytree(tree, f"{place}/tree", symlinks=True, ignore=shutil.ignore_patterns(".git"))
        index = Index.open(f"{place}/tree", force_root=True)
        index.sync(SyncOptions())
        make_directory(index.store().graphs, index.store().permissions)  # or no facts would be kept
        yield index


def _extraction(view: SnapshotView, path: str) -> float:
    """The CPU of parsing a file and taking its facts, which only the first of several builds does."""
    source, times = view.source(path), defaultdict[str, float](float)
    for repeat in range(_REPEATS):
        with _timed(times, str(repeat)):
            facts_of(path, trees_of(path, source), source)
    return min(times.values())


def _build(view: SnapshotView, base: Graph | None) -> Built:
    return build(view, Resolvers(), base, workers=1, progress=lambda *_: None)


@contextmanager
def _timed(spent: dict[str, float], what: str) -> Iterator[None]:
    started = time.process_time()
    yield
    spent[what] += time.process_time() - started


@contextmanager
def _watched(spent: dict[str, float], method: str) -> Iterator[None]:
    """Count the CPU of a method of the bench."""
    inner = getattr(Bench, method)

    def watched(self: Bench, *arguments: Any) -> Any:
        with _timed(spent, method):
            return inner(self, *arguments)

    setattr(Bench, method, watched)
    yield
    setattr(Bench, method, inner)


def _edit(atlas: Atlas, place: str) -> tuple[str, str, bytes]:
    """Path, what is done to it, and its bytes after that."""
    path, _, _ = place.partition("::")
    source = atlas.view.source(path)
    if "::" not in place:
        return path, f"a new function in `{path}`", source + b"\n\ndef added_by_the_benchmark():\n    return 1\n"
    (found,) = find(atlas, place)
    lines = source.splitlines(keepends=True)
    last = lines[found.node.end_line - 1]
    indent = last[: len(last) - len(last.lstrip())]
    if found.node.kind in CONTAINERS:
        said, added = "a new method of", b"\n    def added_by_the_benchmark(self):\n        return self\n"
    else:
        said, added = "a statement more in", indent + b"added_by_the_benchmark = 1\n"
    lines.insert(found.node.end_line, added)
    return path, f"{said} `{place}`", b"".join(lines)


def _bodies(source: bytes) -> dict[str, tuple[int, int, list[str]]]:
    """Of each function of a file by its name: the line and column where its body begins, and the calls of the file."""
    try:
        module = ast.parse(source)
    except SyntaxError:
        return {}  # there are such among tests
    named = {ast.unparse(each.func) for each in ast.walk(module) if isinstance(each, ast.Call)}
    calls = sorted(each for each in named if re.fullmatch(r"[\w.]+", each) and not each.startswith("super"))
    found: dict[str, tuple[int, int, list[str]]] = {}
    waiting: list[tuple[str, ast.AST]] = [("", module)]
    while waiting:
        prefix, around = waiting.pop()
        for each in ast.iter_child_nodes(around):
            if isinstance(each, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                waiting.append((f"{prefix}{each.name}.", each))
            if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef):
                first = each.body[ast.get_docstring(each) is not None and len(each.body) > 1]
                if first.lineno > each.lineno and not isinstance(first, ast.Expr | ast.FunctionDef | ast.ClassDef):
                    found.setdefault(f"{prefix}{each.name}", (first.lineno, first.col_offset, calls))
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("stages", "edits", "drawn", "callers"))
    parser.add_argument("tree", type=Path)
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--draw", type=int)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--under", default="")
    chosen = parser.parse_intermixed_args()
    if chosen.what == "stages":
        stages([chosen.tree, *map(Path, chosen.rest)])
    elif chosen.what == "edits":
        edits(chosen.tree, chosen.rest)
    elif chosen.what == "drawn":
        drawn(chosen.tree, chosen.draw or 60, chosen.seed, chosen.under)
    else:
        callers(chosen.tree, chosen.rest, chosen.draw or 400, chosen.seed)


if __name__ == "__main__":
    main()
