"""The default embedder: the 256-dimension table inside the PyPI package `wordllama`, read from its files.

The package is found but never imported (its own loader fails offline and pulls in far more). Both files are
held to pinned hashes, so the identity is a constant and a different release cannot slip in.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from everdex.embed.tables import PieceTokenizer, check_sha256, map_file, read_tensors, sum_pieces
from everdex.errors import EmbedderUnavailable
from everdex.numeric import np, npt

WEIGHTS: Final = "weights/l2_supercat_256.safetensors"
WEIGHTS_SHA256: Final = "64b47a2dc493cb8e85944076601189739852d7b64e0e1eedcb1937a251cd9fd5"
TOKENIZER: Final = "tokenizers/l2_supercat_tokenizer_config.json"
TOKENIZER_SHA256: Final = "93248f2a9ec36c7b35f700a033d5f36228aae48db61aee31007fa49062cdeb68"
_SHAPE: Final = (32_000, 256)
_MARK: Final = "\u2581"  # the tokenizer puts it before every word


def package_directory() -> Path:
    """Where the package's data files are installed."""
    spec = importlib.util.find_spec("wordllama")
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not places:
        raise EmbedderUnavailable("the package wordllama, which carries the embedding table, is not installed")
    return Path(places[0])


class WordLlama:
    """Sums the table's rows over LLaMA word pieces; the tokenizer itself marks each word's beginning."""

    def __init__(self, identity: str, directory: Path) -> None:
        weights, tokenizer = directory / WEIGHTS, directory / TOKENIZER
        content = map_file(weights)
        _verify(weights, WEIGHTS_SHA256, *_stamp(weights))
        _verify(tokenizer, TOKENIZER_SHA256, *_stamp(tokenizer))
        table = read_tensors(weights, content).get("embedding.weight")
        if table is None or table.shape != _SHAPE:
            raise EmbedderUnavailable(f"model file {weights} has no 32,000 × 256 embedding table")
        self._identity = identity
        self._table = table  # stays float16 and mapped: only the rows that are asked for are converted
        # Ids 0 to 2 are <unk>, <s> and </s>: no word means them.
        self._tokenizer = PieceTokenizer(tokenizer, "", frozenset({0, 1, 2}), _SHAPE[0], mark=_MARK)

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def dim(self) -> int:
        return _SHAPE[1]

    def word_vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        return sum_pieces(self._tokenizer.pieces(words), self._table)


def open_wordllama(identity: str) -> WordLlama:
    """One a process, as long as the package's files stay: indexing and searching share what it has loaded."""
    directory = package_directory()
    return _opened(identity, directory, _stamp(directory / WEIGHTS), _stamp(directory / TOKENIZER))


@lru_cache(maxsize=1)
def _opened(
    identity: str, directory: Path, weights_stamp: tuple[int, int], tokenizer_stamp: tuple[int, int]
) -> WordLlama:
    return WordLlama(identity, directory)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise EmbedderUnavailable(f"model file {path} cannot be read: {error}") from error
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=16)
def _verify(path: Path, expected: str, mtime_ns: int, size: int) -> None:
    """Hash once per (path, mtime, size); a failure is raised and so never remembered."""
    check_sha256(path, map_file(path), expected)
