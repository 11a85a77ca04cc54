"""What was not asked again after a small edit, asked all the same: is it still what was kept?

    PYTHONPATH=tests python -m equivalence.oracle --edits 1000 --seed 1 tests/fixtures/callgraph/javascript/*/

Each directory is a tree, of which at most `--files` are taken. After each edit the graph is made from that of the tree
before, by resolvers that begin and at times by some that stay, then the one before from that of the edited tree, and
both are compared with clean builds, to the byte. A tree that came out of one edit is sometimes edited once more. The
last line says how many edits of each kind there were.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from equivalence.memory import made, view_of
from equivalence.splices import Tree
from equivalence.touches import Toucher
from everdex.graph.resolvers import Resolvers
from everdex.graph.stored.artifact import Graph

MEMORY: Final = "/dev/shm" if Path("/dev/shm").is_dir() else None
_MOST_EDITS: Final = 6  # one after the other, before the tree is what it was at first


@dataclass(frozen=True)
class Stale:
    """A way to a graph that a clean build does not make."""

    way: str
    edit: str
    number: int  # of the edit
    files: tuple[str, ...]  # of which something else is said
    before: Mapping[str, bytes]
    after: Mapping[str, bytes]

    def __str__(self) -> str:
        changed = [path for path in {*self.before, *self.after} if self.before.get(path) != self.after.get(path)]
        return f"{self.number} {self.edit} of {', '.join(sorted(changed))}, {self.way}: {', '.join(self.files)}"


@dataclass
class Oracle:
    """Edits trees, and compares."""

    kept: Path  # where facts are remembered
    only: frozenset[str] = frozenset()  # edits; all of them where there are none
    edits: Counter[str] = field(default_factory=Counter)
    spared: int = 0  # files that were not resolved again
    _known: Resolvers = field(default_factory=Resolvers)
    _stays: Resolvers = field(default_factory=lambda: Resolvers(stay=True))

    def run(self, first: Tree, edits: int, seed: str) -> Iterator[Stale]:
        """What is wrong after some edits of a tree."""
        clean = self._graph(first)
        tree, graph, chance, since = first, clean, random.Random(seed), 0
        for number in range(edits):
            editor = Toucher(chance.randrange(1 << 40), tree, sorted(first.items()))
            edit = editor.touch(self.only)
            if editor.tree == tree or not editor.tree:
                continue
            self.edits[edit] += 1
            after = self._graph(editor.tree)
            yield from self._compared(edit, number, (tree, graph), (editor.tree, after), chance.random() < 0.25)
            since += 1
            if chance.random() < 0.5 and since < _MOST_EDITS:
                tree, graph = editor.tree, after
            else:
                tree, graph, since = first, clean, 0

    def _graph(self, tree: Mapping[str, bytes]) -> Graph:
        return Graph(made(view_of(tree, self.kept), Resolvers(self._known.modules), None).data, "clean")

    def _compared(
        self, edit: str, number: int, before: tuple[Tree, Graph], after: tuple[Tree, Graph], staying: bool
    ) -> Iterator[Stale]:
        for name, one, other in (("there", before, after), ("back", after, before)):
            for way, resolvers in ((name, self._known), *([(f"{name}, staying", self._stays)] if staying else [])):
                built = made(view_of(other[0], self.kept), resolvers, one[1])
                self.spared += len(built.files) - built.resolved
                if failed := tuple(entry.path for entry in built.files if entry.failed):
                    yield Stale(f"{way}: failed", edit, number, failed, one[0], other[0])
                if built.data != other[1].data:
                    found = different(Graph(built.data, "edited"), other[1])
                    yield Stale(way, edit, number, found, one[0], other[0])
            self._stays.rest()


def different(edited: Graph, clean: Graph) -> tuple[str, ...]:
    """Files of which two graphs say something else, or (after `?`) only note other keys."""
    numbers = range(len(clean.paths))
    mine, theirs = edited.tables["reads"].of(numbers), clean.tables["reads"].of(numbers)
    said = [n for n in numbers if (edited.files[n], edited.blob(n)) != (clean.files[n], clean.blob(n))]
    noted = [
        n for n in numbers
        if n not in said and (edited.parts(n) != clean.parts(n) or mine[n].tolist() != theirs[n].tolist())
    ]  # fmt: skip
    return (*(clean.paths[n] for n in said), *(f"?{clean.paths[n]}" for n in noted))


def tree_in(directory: Path, files: int, chance: random.Random) -> Tree:
    """Files of a directory, at most so many that stand beside each other."""
    found = [path for path in sorted(directory.rglob("*")) if path.is_file() and ".git" not in path.parts]
    start = chance.randrange(max(1, len(found) - files + 1))
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in found[start : start + files]}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("trees", nargs="+", type=Path)
    parser.add_argument("--edits", type=int, default=100, help="of each tree")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=30, help="of each tree, at most")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no other tree after so long")
    parser.add_argument("--only", default="", help="these edits alone, with commas between them")
    parser.add_argument("--keep", type=Path, help="where trees before and after a stale edge are written")
    chosen = parser.parse_args(arguments)
    began, wrong = time.monotonic(), 0
    with tempfile.TemporaryDirectory(dir=MEMORY) as kept:
        oracle = Oracle(Path(kept), frozenset(filter(None, chosen.only.split(","))))
        for directory in chosen.trees:
            if time.monotonic() - began > chosen.seconds:
                break
            seed = f"{chosen.seed} {directory.name}"
            for stale in oracle.run(tree_in(directory, chosen.files, random.Random(seed)), chosen.edits, seed):
                wrong += 1
                print(f"{directory}: {stale}", flush=True)
                if chosen.keep is not None:
                    for name, tree in (("before", stale.before), ("after", stale.after)):
                        for path, data in tree.items():
                            place = chosen.keep / str(wrong) / name / path
                            place.parent.mkdir(parents=True, exist_ok=True)
                            place.write_bytes(data)
    total = sum(oracle.edits.values())
    print(f"{total} edits, {wrong} ways to a stale graph; {oracle.spared} times a file was not resolved again")
    print(", ".join(f"{name} {count}" for name, count in oracle.edits.most_common()))
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
