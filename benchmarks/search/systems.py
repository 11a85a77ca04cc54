"""The systems under test, each behind the same two calls: index a folder, answer a query.

Every one runs alone in a worker process (worker.py), so imports are made inside the classes: a system not
installed must not keep the others from running. Paths in the hits are relative to the indexed folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from benchmarks.measure import tree_bytes

WINDOW_LINES = 50
MAX_TEXT_BYTES = 1_000_000
WORD = re.compile(r"\w+")
STOP_WORDS = frozenset(
    {"a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "from", "has", "have", "how", "if"}
    | {"in", "is", "it", "not", "of", "on", "or", "the", "to", "was", "what", "when", "where", "which", "who"}
    | {"why", "with"}
)


@dataclass(frozen=True, slots=True)
class Hit:
    path: str
    start_line: int
    end_line: int
    score: float


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """What an index says of itself; zero where the system has no such thing."""

    files: int
    chunks: int
    disk_bytes: int


class System(Protocol):
    def index(self, root: Path) -> IndexFacts: ...

    def search(self, query: str, k: int) -> list[Hit]: ...


class Semble:
    """semble with local vectors. alpha=None lets it choose the weight of its vectors; 0.0 leaves them out."""

    def __init__(self, scratch: Path, model: Path, alpha: float | None = None) -> None:
        os.environ["SEMBLE_MODEL_NAME"] = str(model)
        # Its cache and its usage statistics: a benchmark must not find an index of an earlier run.
        os.environ["SEMBLE_CACHE_LOCATION"] = str(scratch / "semble")
        os.environ["HF_HUB_OFFLINE"] = "1"
        import semble

        self._package = semble
        self._scratch = scratch
        self._alpha = alpha
        self._index: Any = None

    def index(self, root: Path) -> IndexFacts:
        self._index = self._package.SembleIndex.from_path(root)
        saved = self._scratch / "semble-index"
        self._index.save(saved)
        stats = self._index.stats
        return IndexFacts(files=stats.indexed_files, chunks=stats.total_chunks, disk_bytes=tree_bytes(saved))

    def search(self, query: str, k: int) -> list[Hit]:
        return [
            Hit(found.chunk.file_path, found.chunk.start_line, found.chunk.end_line, float(found.score))
            for found in self._index.search(query, top_k=k, alpha=self._alpha)
        ]


class PlainBm25:
    """BM25 over lower-cased words of fixed line windows: no splitting, no stemming, no ranking. The floor."""

    def __init__(self, scratch: Path, model: Path) -> None:
        import bm25s

        self._package = bm25s
        self._scratch = scratch
        self._windows: list[tuple[str, int, int]] = []
        self._retriever: Any = None

    def index(self, root: Path) -> IndexFacts:
        texts, files = [], 0
        for path in text_files(root):
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            files += 1
            for first in range(0, len(lines), WINDOW_LINES):
                window = lines[first : first + WINDOW_LINES]
                self._windows.append((str(path.relative_to(root)), first + 1, first + len(window)))
                texts.append([word.lower() for word in WORD.findall("\n".join(window))])
        self._retriever = self._package.BM25()
        self._retriever.index(texts, show_progress=False)
        saved = self._scratch / "bm25s"
        self._retriever.save(saved)
        return IndexFacts(files=files, chunks=len(texts), disk_bytes=tree_bytes(saved))

    def search(self, query: str, k: int) -> list[Hit]:
        words = [word.lower() for word in WORD.findall(query)]
        found, scores = self._retriever.retrieve([words], k=min(k, len(self._windows)), show_progress=False)
        ranked = zip(found[0], scores[0], strict=True)
        hits = []
        for row, score in ranked:
            if score > 0:
                path, first, last = self._windows[row]
                hits.append(Hit(path, first, last, float(score)))
        return hits


class Ripgrep:
    """What a person does with rg: look for the query's words, files with the most different ones first.

    A hit is the window of the file with most matches. Kinder than searching for the whole phrase.
    """

    OPTIONS = (
        *("--only-matching", "--line-number", "--null", "--no-heading"),
        *("--color=never", "--ignore-case", "--fixed-strings"),
    )

    def __init__(self, scratch: Path, model: Path) -> None:
        found = shutil.which("rg")
        if found is None:
            raise ModuleNotFoundError("rg is not on PATH")
        self._command = found
        self._root = Path()

    def index(self, root: Path) -> IndexFacts:
        self._root = root
        return IndexFacts(files=0, chunks=0, disk_bytes=0)

    def search(self, query: str, k: int) -> list[Hit]:
        words = {word for word in WORD.findall(query.lower()) if word not in STOP_WORDS}
        if not words:
            return []
        patterns = [part for word in sorted(words) for part in ("-e", word)]
        run = subprocess.run(
            [self._command, *self.OPTIONS, *patterns, "."],
            cwd=self._root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            check=False,
        )
        if run.returncode not in (0, 1, 2):
            raise RuntimeError(f"rg ended with exit code {run.returncode}")
        lines: dict[str, list[int]] = defaultdict(list)
        matched: dict[str, Counter[str]] = defaultdict(Counter)
        for row in run.stdout.decode("utf-8", "replace").splitlines():
            path, separator, rest = row.partition("\0")
            number, colon, word = rest.partition(":")
            if separator and colon and number.isdigit():
                lines[path].append(int(number))
                matched[path][word.lower()] += 1
        order = sorted(matched, key=lambda path: (-len(matched[path]), -matched[path].total(), path))
        return [Hit(path.removeprefix("./"), *densest(lines[path]), float(len(matched[path]))) for path in order[:k]]


def densest(numbers: list[int]) -> tuple[int, int]:
    """The first window of WINDOW_LINES lines that holds the most of these line numbers."""
    numbers = sorted(numbers)
    best, first, start = 0, 0, numbers[0]
    for last, number in enumerate(numbers):
        while numbers[first] <= number - WINDOW_LINES:
            first += 1
        if last - first + 1 > best:
            best, start = last - first + 1, numbers[first]
    return start, start + WINDOW_LINES - 1


def text_files(root: Path) -> list[Path]:
    """Regular files without a NUL byte in their first block, in a fixed order, .git left out."""
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != ".git")
        for name in sorted(names):
            path = Path(folder, name)
            if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_TEXT_BYTES:
                continue
            with path.open("rb") as file:
                if b"\0" not in file.read(8192):
                    found.append(path)
    return found


def everdex(scratch: Path, model: Path) -> System:
    from benchmarks.everdex_adapter import SearchSystem

    return SearchSystem(scratch, mode="hybrid")


def everdex_lexical(scratch: Path, model: Path) -> System:
    from benchmarks.everdex_adapter import SearchSystem

    return SearchSystem(scratch, mode="lexical")


def semble_lexical(scratch: Path, model: Path) -> System:
    return Semble(scratch, model, alpha=0.0)


SYSTEMS: dict[str, Callable[[Path, Path], System]] = {
    "everdex": everdex,
    "everdex-lexical": everdex_lexical,
    "semble": Semble,
    "semble-lexical": semble_lexical,
    "bm25": PlainBm25,
    "rg": Ripgrep,
}
