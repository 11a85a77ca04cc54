"""Definitions against universal-ctags: which of its tags have a definition of ours, and the other way round.

    python benchmarks/symbols/run.py REPOSITORY ... [--show LANGUAGE/KIND]

Both name a definition by file, line (one more or less: where a declaration of several lines is put differs) and last
name. Not compared: imports and packages, which are no definitions, what ctags makes a name up for, and Rust's `impl`,
which is a part of its type here. `--show` prints lines of one kind that only ctags has.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

_NOT_COMPARED = {
    "alias", "anonMember", "heredoc", "implementation", "namespace", "package", "packageName", "unknown",
}  # fmt: skip
_MADE_UP = re.compile(r"^(__anon|Anonymous|<)")

Tag = tuple[str, int]  # name, line


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--show", default="")
    chosen = parser.parse_args()
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    missed: dict[str, Counter[str]] = defaultdict(Counter)
    spent = [0.0, 0.0]
    for repository in chosen.repositories:
        began = time.monotonic()
        ours, languages = _ours(repository)
        between = time.monotonic()
        theirs = _theirs(repository)
        spent[0] += between - began
        spent[1] += time.monotonic() - between
        for path, mine in ours.items():
            row, other = counts[languages[path]], theirs.get(path, {})
            found = [tag for tag in other if _near(tag, mine)]
            row[0] += len(other)
            row[1] += len(found)
            row[2] += len(mine)
            row[3] += sum(_near(tag, other) for tag in mine)
            for tag in other.keys() - set(found):
                missed[languages[path]][other[tag]] += 1
                if chosen.show == f"{languages[path]}/{other[tag]}":
                    print(f"{repository.name}/{path}:{tag[1]}: {tag[0]}")
    print("| language | tags of ctags | of them here | definitions here | of them in ctags | what only ctags has |")
    print("|---|---:|---:|---:|---:|---|")
    for language, (tags, found, mine, known) in sorted(counts.items()):
        kinds = ", ".join(f"{kind} {number}" for kind, number in missed[language].most_common(4))
        print(f"| {language} | {tags:,} | {_share(found, tags)} | {mine:,} | {_share(known, mine)} | {kinds} |")
    print(f"\nindex, graph and export {spent[0]:.0f} s, ctags {spent[1]:.1f} s")
    return 0


def _ours(repository: Path) -> tuple[dict[str, dict[Tag, str]], dict[str, str]]:
    with tempfile.TemporaryDirectory() as home:
        command = [sys.executable, "-m", "everdex", "graph", "export", str(repository), "--format", "ctags"]
        out = subprocess.run(
            command, capture_output=True, text=True, check=True, env={"EVERDEX_HOME": home, "PATH": "/usr/bin:/bin"}
        ).stdout
    tags: dict[str, dict[Tag, str]] = defaultdict(dict)
    languages = {}
    for line in out.splitlines():
        if line.startswith("!"):
            continue
        name, path, _, *fields = line.split("\t")
        said = dict(field.split(":", 1) for field in fields)
        languages[path] = said["language"]
        if not _MADE_UP.match(name):
            tags[path][_last(name), int(said["line"])] = said["kind"]
    return tags, languages


def _theirs(repository: Path) -> dict[str, dict[Tag, str]]:
    command = ["ctags", "-R", "--output-format=json", "--fields=+nKl", "-f", "-", "."]
    run = subprocess.run(command, cwd=repository, capture_output=True, check=True)
    tags: dict[str, dict[Tag, str]] = defaultdict(dict)
    for said in _documents(run.stdout):
        if said["_type"] == "tag" and said["kind"] not in _NOT_COMPARED and not _MADE_UP.match(said["name"].strip()):
            tags[said["path"].removeprefix("./")][_last(said["name"]), said["line"]] = said["kind"]
    return tags


def _last(name: str) -> str:
    """Without what it belongs to, template arguments and the blank in C++'s operators."""
    bare = name.replace("operator ", "operator").partition("<")[0] or name
    return re.split(r"[.:]", bare.rstrip(".:="))[-1] or name


def _documents(data: bytes) -> Iterator[dict[str, str]]:
    for line in data.splitlines():
        yield json.loads(line.decode("utf-8", "replace"))


def _near(tag: Tag, tags: dict[Tag, str]) -> bool:
    return any((tag[0], tag[1] + away) in tags for away in (0, 1, -1))


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.3f}" if whole else "–"


if __name__ == "__main__":
    sys.exit(main())
