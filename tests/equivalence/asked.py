"""What an edit asks: of a tree edited in typical ways, how many functions of other files are resolved again, in vain.

    PYTHONPATH=tests python -m equivalence.asked DIRECTORY [--kinds drop_parameter,add_base] [--each 3] [--seed 1]
        [--check] [--keys]

Each edit is made in memory on the tree as it is, at a place that the seed draws from the hundred names of its kind that
are written most often, and the graph is made from that of the unedited tree by resolvers that begin. *In vain* means
the same sites and the same keys, *alike* the same sites. With `--check` each graph is compared with a clean build, with
`--keys` the keys are counted that ask. CPU of one process.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from equivalence.memory import made, view_of
from equivalence.typical import KINDS, Tree, Typical
from everdex.facts import facts_of
from everdex.graph.making import world
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph
from everdex.graph.stored.part_table import PartTable, table_of
from everdex.graph.stored.postings import key32
from everdex.languages import language_in
from everdex.parse import trees_of

MEMORY: Final = "/dev/shm" if Path("/dev/shm").is_dir() else None
_ENDINGS: Final = (".py", ".pyi", ".ts", ".tsx", ".js", ".jsx", ".mts", ".mjs", ".cjs", ".json")


@dataclass
class Asked:
    """What one build asked."""

    files: int = 0  # other files of which something was resolved again
    functions: int = 0  # parts of other files that were
    alike: int = 0  # of these, those with the same sites
    in_vain: int = 0  # of these, those that also looked at the same keys
    keys: Counter[int] = field(default_factory=Counter)  # that had changed, by how many functions in vain


def told(before: world.Before, resolved: world.Resolved, found: Asked) -> None:
    """Count the parts of a file that were resolved again although its text is what it was."""
    graph, table = resolved.graph, resolved.table
    if not before.same or table is None or graph.parts is None:
        return
    kept = before.kept(table, lambda: None)
    now = table_of(graph.parts, table)
    asked = [number for number, part in enumerate(graph.parts.all) if part.kept < 0]
    found.files += bool(asked)
    for part in asked:
        sites = [site for site, of in zip(kept.sites, kept.of_sites, strict=True) if of == part]
        after = [site for site, of in zip(graph.sites, graph.parts.of_sites, strict=True) if of == part]
        found.functions += 1
        if sites != after:
            continue
        found.alike += 1
        keys = _keys(table, part)
        if keys == _keys(now, part):
            found.in_vain += 1
            found.keys.update(keys & set(before.changed.tolist()))


def _keys(table: PartTable, part: int) -> set[int]:
    column = (table.looked[:, part >> 3] >> (7 - (part & 7))) & 1
    both = [*table.others.tolist(), *table.own.tolist()]
    return {key for key, bit in zip(both, column.tolist(), strict=True) if bit}


def tree_of(directory: Path, without: str) -> Tree:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.suffix in _ENDINGS and not {".git", "node_modules"} & set(path.parts)
        and not (without and without in path.relative_to(directory).as_posix())
    }  # fmt: skip


class Asking:
    """Builds, and counts what they ask."""

    def __init__(self, tree: Tree, kept: Path) -> None:
        self._tree = tree
        self._kept = kept
        self._known = Resolvers()
        self._clean = Graph(made(view_of(tree, kept), self._known, None).data, "clean")

    def of(self, tree: Tree) -> tuple[Asked, float, Graph]:
        found, resolve = Asked(), world.Bench.resolve

        def counted(bench: world.Bench, path: str, before: world.Before | None, *rest: Any) -> world.Resolved:
            resolved = resolve(bench, path, before, *rest)
            between = time.process_time()
            if before is not None:
                told(before, resolved, found)
            nonlocal spent
            spent += between - time.process_time()
            return resolved

        view, spent = view_of(tree, self._kept), 0.0
        world.Bench.resolve = counted  # type: ignore[method-assign]
        try:
            began = time.process_time()
            built = made(view, Resolvers(self._known.modules), self._clean)
            spent += time.process_time() - began
        finally:
            world.Bench.resolve = resolve  # type: ignore[method-assign]
        return found, spent, Graph(built.data, "edited")


    def offered(self, tree: Tree) -> dict[int, str]:
        """The keys of the edited files, as they were and are."""
        paths = [path for path in {*tree, *self._tree} if tree.get(path) != self._tree.get(path)]
        found: dict[int, str] = {}
        for each in (tree, self._tree):
            for path in paths:
                language = language_in(path, each[path]) if path in each else None
                if language:
                    facts = facts_of(path, trees_of(path, each[path]), each[path])
                    offers = self._known.of(language).begin().offers(path, facts, each[path])
                    found.update((key32(key), key) for key in offers)
        return found


def rows(tree: Tree, kinds: list[str], each: int, seed: int) -> Iterator[tuple[str, str, Tree]]:
    for kind in kinds:
        typical = Typical(tree, random.Random(f"{seed} {kind}"))
        for _ in range(each):
            found = typical.edited(kind)
            if found is not None:
                yield kind, *found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--each", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without", default="", help="files whose path has this are left out")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--keys", action="store_true")
    chosen = parser.parse_args()
    tree, wrong = tree_of(chosen.directory, chosen.without), 0
    total = Counter[str]()
    with tempfile.TemporaryDirectory(dir=MEMORY) as kept:
        asking = Asking(tree, Path(kept))
        print(f"{len(tree)} files; the graph has {len(asking._clean.data):,} bytes", flush=True)
        print("| edit | files | functions | alike | in vain | CPU, s |\n|---|---|---|---|---|---|")
        for kind, said, edited in rows(tree, chosen.kinds.split(","), chosen.each, chosen.seed):
            found, seconds, graph = asking.of(edited)
            print(f"| {kind}: {said} | {found.files} | {found.functions} | {found.alike} | {found.in_vain} "
                  f"| {seconds:.2f} |", flush=True)  # fmt: skip
            total.update(files=found.files, functions=found.functions, alike=found.alike, in_vain=found.in_vain)
            total["ms"] += round(seconds * 1000)
            total["edits"] += 1
            if chosen.keys:
                named = asking.offered(edited)
                print(*(f"  {count} {named.get(key, key)}" for key, count in found.keys.most_common(8)), sep="\n")
            if chosen.check and graph.data != made(view_of(edited, Path(kept)), Resolvers(), None).data:
                wrong += 1
                print("STALE", flush=True)
    print(dict(total), f"{wrong} stale" if chosen.check else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
