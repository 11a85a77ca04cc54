"""Keeps the benchmarks out of the training data: by name, and by any twelve words in a row of their code.

Names cover the development set's repositories, what is forked from or generated out of them, and the packages of the
docstring set. The second filter catches vendored copies: a pair whose code shares twelve consecutive word tokens
with a benchmark's file is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import xxhash

from everdex.terms import split
from training.archives import Archive

WINDOW: Final = 12
_MAX_FILE_BYTES: Final = 1_000_000
_MULTIPLIER: Final = 0x9E3779B97F4A7C15

_NAMES: Final = re.compile(
    # the development set's repositories and what carries their name or their code
    r"(^|[-_/.])(flask|fastapi|click|express|gin|gin-gonic|chi|go-chi|gson|monolog|sinatra|rack|serde|zod|trpc|ktor|"
    r"vapor|plug|phoenix|dapper|fmt|fmtlib|libuv|nvm|aeson|lazy\.?nvim|zls)($|[-_/.])"
    r"|^(libuv1|fmtlib|uvloop|quart|typer|asyncclick|starlette-fastapi|werkzeug-fork|pyuv|luv|lua-luv)$"
    # the docstring set's packages
    r"|^(celery|dask|distributed|networkx|nltk|rich|scrapy|textual|werkzeug)$|^(celery|dask|rich|scrapy|textual)[-_]",
    re.IGNORECASE,
)


def is_excluded(archive: Archive) -> bool:
    """Whether the package is a benchmark's repository, one that builds on its code, or one of its packages."""
    return _NAMES.search(archive.name) is not None


class TokenHashes(dict[str, int]):
    """token -> 64-bit hash, remembered."""

    def __missing__(self, token: str) -> int:
        if len(self) > 500_000:
            self.clear()
        value = self[token] = xxhash.xxh64_intdigest(token.encode("utf-8", "surrogatepass"))
        return value


def window_hashes(tokens: Sequence[str], hashes: TokenHashes) -> npt.NDArray[np.uint64]:
    """One hash for each run of twelve tokens; empty for shorter text."""
    if len(tokens) < WINDOW:
        return np.zeros(0, dtype=np.uint64)
    values = np.fromiter(map(hashes.__getitem__, tokens), np.uint64, len(tokens))
    total = np.zeros(len(tokens) - WINDOW + 1, dtype=np.uint64)
    for place in range(WINDOW):
        total = total * np.uint64(_MULTIPLIER) + values[place : len(values) - WINDOW + 1 + place]
    return total


class BenchmarkCode:
    """Every run of twelve tokens in the benchmarks' files."""

    def __init__(self, known: npt.NDArray[np.uint64]) -> None:
        self._known = known
        self._hashes = TokenHashes()

    @property
    def count(self) -> int:
        return len(self._known)

    def touched(self, tokens: Sequence[str]) -> npt.NDArray[np.bool_]:
        """For each token, whether a shared run of twelve starts there."""
        found = np.zeros(len(tokens), dtype=np.bool_)
        windows = window_hashes(tokens, self._hashes)
        if len(windows) and len(self._known):
            places = np.minimum(np.searchsorted(self._known, windows), len(self._known) - 1)
            found[: len(windows)] = self._known[places] == windows
        return found

    def save(self, path: Path) -> None:
        np.save(path, self._known)


def read_benchmarks(directories: Iterable[Path]) -> BenchmarkCode:
    """Collect the runs of every file below the directories."""
    hashes = TokenHashes()
    found = [np.zeros(0, dtype=np.uint64)]
    for directory in directories:
        for file in sorted(directory.rglob("*")):
            if ".git" not in file.parts and file.is_file() and file.stat().st_size <= _MAX_FILE_BYTES:
                text = split.fold(file.read_bytes().decode("utf-8", "replace"))
                found.append(np.unique(window_hashes(split.tokens(text), hashes)))
    return BenchmarkCode(np.unique(np.concatenate(found)))
