"""Labelled corpora: which folder to index, which queries to ask, which places are right.

Reads the development set's layout (repos.json + annotations/NAME.json, and the repositories unpacked at their
pins in a folder that the user gives) and the docstring set that docstrings.py makes. What is missing is
named, never silently left out.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Label:
    """A right place: a file, or lines of it."""

    path: str
    start_line: int | None
    end_line: int | None


@dataclass(frozen=True, slots=True)
class Query:
    text: str
    category: str
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Corpus:
    name: str
    language: str
    root: Path
    queries: tuple[Query, ...]


def development_set(annotations: Path, corpora: Path, only: frozenset[str]) -> tuple[list[Corpus], list[str]]:
    """The corpora whose folders exist, and a sentence for each one that is missing."""
    found, missing = [], []
    for entry in json.loads((annotations / "repos.json").read_text()):
        name = entry["name"]
        if only and name not in only:
            continue
        root = corpora / name / (entry.get("benchmark_root") or "")
        if not root.is_dir():
            missing.append(f"{name}: no folder {root} (pin {entry['repo']} at {entry['revision']})")
            continue
        rows = json.loads((annotations / "annotations" / f"{name}.json").read_text())
        queries = tuple(
            Query(
                row["query"],
                row.get("category", "?"),
                tuple(_label(raw) for raw in row["relevant"] + row.get("secondary", [])),
            )
            for row in rows
        )
        found.append(Corpus(name, entry["language"], root, queries))
    return found, missing


def docstring_set(folder: Path, only: frozenset[str]) -> tuple[list[Corpus], list[str]]:
    """The set that docstrings.py wrote into this folder."""
    if not (folder / "queries.json").exists():
        return [], [f"docstrings: no {folder / 'queries.json'}; make it with benchmarks/search/docstrings.py"]
    found = []
    for name, rows in json.loads((folder / "queries.json").read_text()).items():
        if only and name not in only:
            continue
        queries = tuple(Query(row["query"], "docstring", (_label(row["relevant"]),)) for row in rows)
        found.append(Corpus(name, "python", folder / "trees" / name, queries))
    return found, []


def stage(corpus: Corpus, scratch: Path) -> Path:
    """Copies a corpus to a folder that is a git work tree of its own.

    Inside another repository a system would take that repository's root and ignore rules for the corpus's.
    """
    target = scratch / corpus.name
    shutil.copytree(corpus.root, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    subprocess.run(["git", "init", "--quiet", str(target)], check=True)
    return target


def _label(raw: str | dict[str, str | int]) -> Label:
    if isinstance(raw, str):
        return Label(raw, None, None)
    first, last = raw.get("start_line"), raw.get("end_line")
    return Label(str(raw["path"]), None if first is None else int(first), None if last is None else int(last))
