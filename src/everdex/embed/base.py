"""What an embedder is: a static table that gives every word a vector.

Static bag models are additive, so one vector per distinct word is all that composing needs. A word's vector
must depend on the word alone, never on its neighbours in a call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from everdex.numeric import np, npt


class Embedder(Protocol):
    @property
    def identity(self) -> str:
        """Kind, revision and content hash: part of `config_fingerprint`."""
        ...

    @property
    def dim(self) -> int: ...

    def word_vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """n × dim: the sum of each word's piece vectors; a word without known pieces gives zeros."""
        ...

    def question_vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        """The same for the words of a question, which a model may weigh in another way."""
        ...
