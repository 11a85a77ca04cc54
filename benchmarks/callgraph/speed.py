"""What the graph costs: the stages from nothing, one edit, one question. CPU of one process, so that load matters less.

    python benchmarks/callgraph/speed.py stages TREE ...
    python benchmarks/callgraph/speed.py edits TREE PATH::NAME ...
    python benchmarks/callgraph/speed.py callers TREE [--draw 400] [--seed 5] [PATH::NAME ...]

A tree is copied and indexed in a temporary place. An edit adds a statement to the body of a Python function, a method
to a class, or a function to the end of a file (`PATH` alone).
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from everdex import relations
from everdex.durable import make_directory
from everdex.graph import resolvers
from everdex.graph.artifact import Graph
from everdex.graph.atlas import CONTAINERS, Atlas
from everdex.graph.build import Built, build
from everdex.graph.kept_facts import KeptFacts
from everdex.graph.naming import find
from everdex.graph.resolvers import Resolvers
from everdex.graph.world import Bench
from everdex.parse import trees_of
from everdex.relations import Question
from everdex.search.names import SymbolNames
from everdex.service import Index, Reading
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
            known = Resolvers(resolvers.MODULES)
            languages = zip(view.paths, view.file_languages, strict=True)
            paths = [path for path, language in languages if known.of(language) is not None]
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
                spent = min(times.values())
                same = built.data == _build(view, None).data
            file.write_bytes(old)
            print(f"| {said} | {built.resolved} | {spent * 1000:.0f} | {'yes' if same else 'NO'} |", flush=True)


def callers(tree: Path, named: list[str], draw: int, seed: int) -> None:
    """`callers` with everything around it, for the first time and warm."""
    with _indexed(tree) as index, index.view(Reading(sync=False), SyncOptions()) as (view, freshness):
        opened, names = relations.open_for(view, SyncOptions()), SymbolNames(view)

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


def _build(view: SnapshotView, base: Graph | None) -> Built:
    return build(view, Resolvers(resolvers.MODULES), base, workers=1, progress=lambda *_: None)


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


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=("stages", "edits", "callers"))
    parser.add_argument("tree", type=Path)
    parser.add_argument("rest", nargs="*")
    parser.add_argument("--draw", type=int, default=400)
    parser.add_argument("--seed", type=int, default=5)
    chosen = parser.parse_intermixed_args()
    if chosen.what == "stages":
        stages([chosen.tree, *map(Path, chosen.rest)])
    elif chosen.what == "edits":
        edits(chosen.tree, chosen.rest)
    else:
        callers(chosen.tree, chosen.rest, chosen.draw, chosen.seed)


if __name__ == "__main__":
    main()
