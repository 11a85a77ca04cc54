"""The default embedder: a table of our own, trained on permissively licensed code and shipped inside the package.

One safetensors file with the table in eight bits, a scale for each row, a scalar for each piece of a question, and
the vocabulary. It is held to a pinned SHA-256 and mapped, so the identity is a constant and a damaged, shortened or
foreign file is refused by name. How it was made: docs/model-card.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from everdex.embed.pieces import WordPieces
from everdex.embed.tables import check_sha256, map_file, read_tensors, sum_pieces
from everdex.errors import EmbedderUnavailable
from everdex.numeric import np, npt

NAME: Final = "everdex-code-4.safetensors"
SHA256: Final = "c527d7d81431a57de99bf8f5a8d191ce2421bb4dc4a10235c665fc61b3747db9"
_SHAPE: Final = (32_000, 288)


def model_path() -> Path:
    return Path(__file__).parent / "data" / NAME


class Bundled:
    """Sums the table's rows over a word's pieces; in a question each piece counts by its own scalar."""

    def __init__(self, identity: str, path: Path) -> None:
        content = map_file(path)
        check_sha256(path, content, SHA256)
        tensors = read_tensors(path, content)
        try:
            self._table = tensors["table"]  # stays mapped: only the rows that are asked for are converted
            self._scales = tensors["scales"].astype(np.float64)
            asking = tensors["asking"].astype(np.float64)
            vocabulary = tensors["vocabulary"].tobytes().decode("utf-8").split("\n")
        except (KeyError, UnicodeDecodeError) as error:
            raise EmbedderUnavailable(f"model file {path} has no whole model: {error}") from error
        sizes = {len(self._scales), len(asking), len(vocabulary)}
        if self._table.shape != _SHAPE or sizes != {_SHAPE[0]}:
            raise EmbedderUnavailable(f"model file {path} has no {_SHAPE[0]:,} × {_SHAPE[1]} table")
        self._identity = identity
        self._asked = self._scales * asking
        self._pieces = WordPieces(vocabulary)

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def dim(self) -> int:
        return _SHAPE[1]

    def word_vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        return self._sums(words, self._scales)

    def question_vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        return self._sums(words, self._asked)

    def _sums(self, words: Sequence[str], factors: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        return sum_pieces(self._pieces.cut(words), self._table, None, factors)


def open_bundled(identity: str) -> Bundled:
    """One a process, as long as the file stays: indexing and searching share what it has loaded."""
    path = model_path()
    try:
        found = path.stat()
    except OSError as error:
        raise EmbedderUnavailable(f"model file {path} cannot be read: {error.strerror}") from error
    return _opened(identity, path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=1)
def _opened(identity: str, path: Path, mtime_ns: int, size: int) -> Bundled:
    return Bundled(identity, path)
