"""Breaks real files at one drawn place each and counts what becomes of the definitions outside of it.

    python benchmarks/broken/run.py DIRECTORY… [--files 60] [--seed 1] [--only python,go] [--show lost] [--keep FOLDER]

A file that is read without an error is broken in each of nine ways, at a place that is drawn from its tokens. A
definition is outside when the place is not between its first and its last byte: each of these should be where it was,
below the same names.

    lost       no definition of that name begins at that line any more
    moved      it is there, in another container
    invented   a definition that the whole file has not, on a line that was not touched
    silent     something of this, and the file does not count as partial

Of what is around the place (`around`) a class that is broken in one of its methods should be there as well. Nothing is
timed.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tree_sitter import Node

from everdex.config import IndexConfig
from everdex.languages import language_of
from everdex.parse import ParsedFile, ParseStatus, parse_file, trees_of

LANGUAGES = (
    "python", "javascript", "typescript", "go", "rust", "java", "csharp", "c", "cpp", "ruby", "php", "kotlin", "swift",
    "scala", "lua", "bash",
)  # fmt: skip
WAYS = ("closer", "opener", "insert", "half", "colon", "string", "conflict", "cut", "word")
_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")
_MAX_BYTES = 60_000
_QUIET = ("comment", "string", "char", "heredoc", "template", "text", "regex", "literal")
Place = tuple[int, str]  # line, name


@dataclass
class Count:
    files: int = 0
    outside: int = 0
    lost: int = 0
    moved: int = 0
    invented: int = 0
    around: int = 0
    around_lost: int = 0
    silent: int = 0
    hit: int = 0  # files that lost anything
    examples: list[str] = field(default_factory=list)

    def add(self, other: Count) -> None:
        for name in ("files", "outside", "lost", "moved", "invented", "around", "around_lost", "silent", "hit"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.examples += other.examples


def leaves(root: Node) -> list[Node]:
    """The tokens of a tree, without those of comments and texts."""
    found: list[Node] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_named and any(part in node.type for part in _QUIET):
            continue
        if node.child_count:
            waiting += node.children
        elif node.end_byte > node.start_byte:
            found.append(node)
    return sorted(found, key=lambda node: node.start_byte)


def broken(way: str, data: bytes, tokens: list[Node], rng: random.Random) -> tuple[bytes, int, int] | None:
    """The broken file, where it was broken, and by how many lines what follows is shifted."""
    texts = {node: data[node.start_byte : node.end_byte].decode() for node in tokens}
    if way in ("closer", "opener", "colon"):
        among = {"closer": _CLOSERS, "opener": _OPENERS, "colon": frozenset(":{;")}[way]
        fit = [node for node in tokens if texts[node] in among]
        if not fit:
            return None
        node = rng.choice(fit)
        return data[: node.start_byte] + data[node.end_byte :], node.start_byte, 0
    node = rng.choice(tokens)
    at = node.start_byte
    if way == "insert":
        return data[:at] + b"(" + data[at:], at, 0
    if way == "string":
        return data[:at] + b'"' + data[at:], at, 0
    if way == "word":
        return data[:at] + b"foo " + data[at:], at, 0
    line = data.rfind(b"\n", 0, at) + 1
    end = data.find(b"\n", at)
    end = len(data) if end < 0 else end
    if way == "half":
        text = data[line:end]
        middle = len(text) - len(text.lstrip()) + max(1, len(text.strip()) // 2)
        return data[: line + middle] + data[end:], line + middle, 0
    if way == "conflict":
        mark = b"<<<<<<< HEAD\n" + data[line:end] + b"\n=======\n" + data[line:end] + b"\n>>>>>>> other\n"
        return data[:line] + mark + data[min(end + 1, len(data)) :], at, 4
    return data[:at], at, 0


def placed(parsed: ParsedFile) -> dict[Place, list[tuple[int, int, str]]]:
    """Definitions by the line that names them and their name: the first byte, the last, the names around."""
    found: dict[Place, list[tuple[int, int, str]]] = {}
    for symbol in parsed.symbols:
        place = (symbol.name_line, symbol.name)
        found.setdefault(place, []).append((symbol.start_byte, symbol.end_byte, symbol.qualified_name))
    return found


def measure(
    path: Path, way: str, data: bytes, whole: ParsedFile, tokens: list[Node], rng: random.Random, keep: Path | None
) -> Count | None:
    made = broken(way, data, tokens, rng)
    if made is None:
        return None
    text, at, by = made
    try:
        text.decode()
    except UnicodeDecodeError:
        return None
    read = parse_file(str(path), text, IndexConfig())
    here = placed(read)
    count = Count(files=1)
    touched = data.count(b"\n", 0, at) + 1
    before = placed(whole)
    expected: set[Place] = set()
    for (line, name), several in before.items():
        for start, end, qualified in several:
            new = (line + (by if line > touched else 1 if by and line == touched else 0), name)
            expected.add(new)
            if way == "cut" and end > at:
                continue
            around = start <= at <= end
            now = [names for _, _, names in here.get(new, ())]
            if around:
                count.around += 1
                if qualified not in now:
                    count.around_lost += 1
                    count.examples.append(f"around {way} {path}:{touched} {qualified} of line {line} is {now}")
                continue
            count.outside += 1
            if not now:
                count.lost += 1
                count.examples.append(f"lost {way} {path}:{touched} {qualified} of line {line}")
            elif qualified not in now:
                count.moved += 1
                count.examples.append(f"moved {way} {path}:{touched} {qualified} of line {line} is {now[0]}")
    last = touched + (by or 0)
    for place in here:
        if place not in expected and not touched <= place[0] <= last:
            count.invented += 1
            count.examples.append(f"invented {way} {path}:{touched} {place[1]} of line {place[0]}")
    if count.lost or count.moved or count.invented:
        count.hit = 1
        if keep is not None:
            (keep / f"{way}-{touched}-{path.name}").write_bytes(text)
        if read.status is ParseStatus.PARSED:
            count.silent = 1
            count.examples.append(f"silent {way} {path}:{touched}")
    return count


def files_of(directories: list[Path], languages: list[str]) -> dict[str, list[Path]]:
    found: dict[str, list[Path]] = {language: [] for language in languages}
    for directory in directories:
        for path in sorted(directory.rglob("*")):
            language = language_of(path.name)
            if language in found and path.is_file() and 400 < path.stat().st_size <= _MAX_BYTES:
                found[language].append(path)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--files", type=int, default=60, help="of each language")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(LANGUAGES))
    parser.add_argument("--show", default="", help="print examples that begin with this word")
    parser.add_argument("--keep", type=Path, help="a folder for the broken files of which something is lost")
    options = parser.parse_args()
    languages = options.only.split(",")
    print("| language | files | outside | lost | moved | invented | files hit | silent | around lost |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    ways: dict[str, Count] = {way: Count() for way in WAYS}
    for language, paths in files_of(options.directories, languages).items():
        rng = random.Random(f"{options.seed} {language}")
        rng.shuffle(paths)
        total, taken = Count(), 0
        for path in paths:
            if taken == options.files:
                break
            data = path.read_bytes()
            if not data.isascii() or b"\r" in data:
                continue
            whole = parse_file(str(path), data, IndexConfig())
            trees = trees_of(str(path), data)
            if whole.status is not ParseStatus.PARSED or len(whole.symbols) < 4 or not trees:
                continue
            taken += 1
            tokens = leaves(trees[0][1])
            for way in WAYS:
                count = measure(path, way, data, whole, tokens, rng, options.keep)
                if count is not None:
                    total.add(count)
                    ways[way].add(count)
        print(
            f"| {language} | {total.files} | {total.outside} | {total.lost} | {total.moved} | {total.invented} | "
            f"{total.hit} | {total.silent} | {total.around_lost} of {total.around} |", flush=True,
        )  # fmt: skip
        for example in total.examples:
            if options.show and example.startswith(options.show):
                print("   ", example)
    print()
    kinds = Counter({way: count.lost for way, count in ways.items()})
    for way, _ in kinds.most_common():
        count = ways[way]
        print(f"{way}: {count.lost} lost, {count.moved} moved, {count.invented} invented of {count.outside}; "
              f"{count.hit} of {count.files} files")  # fmt: skip


if __name__ == "__main__":
    main()
