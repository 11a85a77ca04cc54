"""A deterministic embedder for tests: words become vectors by hashing, without model files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from everdex.numeric import np, npt

DIM: Final = 32


class FakeEmbedder:
    """Equal words agree, different words are almost surely nearly orthogonal."""

    def __init__(self, identity: str) -> None:
        self._identity = identity

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def dim(self) -> int:
        return DIM

    def word_vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        digests = b"".join(hashlib.sha256(word.encode("utf-8", "surrogatepass")).digest() for word in words)
        centred = np.frombuffer(digests, dtype=np.uint8).astype(np.float32) - np.float32(127.5)
        return centred.reshape(len(words), DIM) / np.float32(128)

    def question_vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        return self.word_vectors(words)
