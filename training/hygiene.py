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

from training.archives import Archive

WINDOW: Final = 12
_MAX_FILE_BYTES: Final = 1_000_000
_MULTIPLIER: Final = 0x9E3779B97F4A7C15
_SIEVE_BITS: Final = 25
# One character a byte, so that a match is an offset; bytes of a longer sequence are taken to belong to a word.
_TOKEN: Final = re.compile(r"[0-9a-z_\x80-\xff]+")

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


def tokens_of(data: bytes) -> list[str]:
    """Words of a file in lower case, whatever its encoding."""
    return _TOKEN.findall(data.decode("latin-1").lower())


def token_starts(data: bytes) -> list[int]:
    """The byte offset of each of `tokens_of`."""
    return [match.start() for match in _TOKEN.finditer(data.decode("latin-1").lower())]


class TokenHashes(dict[str, int]):
    """token -> 64-bit hash, remembered."""

    def __missing__(self, token: str) -> int:
        if len(self) > 500_000:
            self.clear()
        value = self[token] = xxhash.xxh64_intdigest(token.encode("latin-1", "replace"))
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
        # Nearly nothing is shared: one look into a table this size spares most searches.
        self._sieve = np.zeros(1 << _SIEVE_BITS, dtype=np.bool_)
        self._sieve[known >> np.uint64(64 - _SIEVE_BITS)] = True

    @property
    def count(self) -> int:
        return len(self._known)

    def shared(self, data: bytes) -> list[int]:
        """Byte offsets where a run of twelve tokens starts that a benchmark has too, ascending."""
        windows = window_hashes(tokens_of(data), self._hashes)
        maybe = np.flatnonzero(self._sieve[windows >> np.uint64(64 - _SIEVE_BITS)])
        if not len(maybe):
            return []
        wanted = windows[maybe]
        places = np.minimum(np.searchsorted(self._known, wanted), len(self._known) - 1)
        found = maybe[self._known[places] == wanted].tolist()
        if not found:
            return []
        starts = token_starts(data)
        return [starts[place] for place in found]

    def save(self, path: Path) -> None:
        np.save(path, self._known)


def read_benchmarks(directories: Iterable[Path]) -> BenchmarkCode:
    """Collect the runs of every file below the directories."""
    hashes = TokenHashes()
    found = [np.zeros(0, dtype=np.uint64)]
    for directory in directories:
        for file in sorted(directory.rglob("*")):
            if ".git" not in file.parts and file.is_file() and file.stat().st_size <= _MAX_FILE_BYTES:
                found.append(np.unique(window_hashes(tokens_of(file.read_bytes()), hashes)))
    return BenchmarkCode(np.unique(np.concatenate(found)))
