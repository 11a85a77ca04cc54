"""Any local model2vec directory: `model.safetensors`, `tokenizer.json` and `config.json`, never a download.

Older models hold one row per piece; newer ones may share rows through `mapping` and weigh pieces through
`weights`. The directory is the user's or the repository's choice, so its identity is the hash of its files.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from everdex.embed.tables import PieceTokenizer, Tensors, map_file, read_tensors, sum_pieces
from everdex.errors import EmbedderUnavailable
from everdex.numeric import np, npt

_TABLE_NAMES: Final = ("embeddings", "embedding.weight")  # model2vec's own layout, sentence-transformers'
_MAX_DIM: Final = 4_096
_MAX_GROWTH: Final = 256  # how much longer a word may become before it is cut


class Model2Vec:
    """Sums table rows over the model's own word pieces."""

    def __init__(self, identity: str, directory: Path) -> None:
        path = directory / "model.safetensors"
        tensors = read_tensors(path, map_file(path))
        table = next((tensors[name] for name in _TABLE_NAMES if name in tensors), None)
        if table is None or table.ndim != 2 or not 1 <= table.shape[1] <= _MAX_DIM or not len(table):
            raise EmbedderUnavailable(f"model file {path} has no two-dimensional table named embeddings")
        mapping, weights = _mapping(path, tensors, len(table)), _weights(path, tensors)
        n_pieces = min(len(array) for array in (table if mapping is None else mapping, weights) if array is not None)
        tokenizer = directory / "tokenizer.json"
        prefix, unknown = _tokenizer_facts(tokenizer)
        self._identity = identity
        self._table, self._mapping, self._weights = table, mapping, weights
        self._tokenizer = PieceTokenizer(tokenizer, prefix, unknown, n_pieces)

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def dim(self) -> int:
        return int(self._table.shape[1])

    def word_vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        vectors = sum_pieces(self._tokenizer.pieces(words), self._table, self._mapping, self._weights)
        # A table may hold NaN or infinity; one such row would poison every chunk that has the word.
        return np.nan_to_num(vectors, nan=0.0, posinf=0.0, neginf=0.0)

    def question_vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        return self.word_vectors(words)


def _mapping(path: Path, tensors: Tensors, n_rows: int) -> npt.NDArray[np.int64] | None:
    if "mapping" not in tensors:
        return None
    mapping = tensors["mapping"].astype(np.int64)
    if mapping.ndim != 1 or not len(mapping) or mapping.min() < 0 or mapping.max() >= n_rows:
        raise EmbedderUnavailable(f"model file {path} maps pieces to rows that do not exist")
    return mapping


def _weights(path: Path, tensors: Tensors) -> npt.NDArray[np.float64] | None:
    if "weights" not in tensors:
        return None
    weights = tensors["weights"].astype(np.float64)
    if weights.ndim != 1 or not len(weights):
        raise EmbedderUnavailable(f"model file {path} has weights that are not one number per piece")
    return weights


def _tokenizer_facts(path: Path) -> tuple[str, frozenset[int]]:
    """(what to put before a word, ids of the unknown piece)."""
    try:
        document = json.loads(map_file(path)[:])
        model = document["model"]
        unknown = _unknown_ids(model)
        if _growth(document.get("normalizer") or {}) > _MAX_GROWTH:
            raise ValueError("its normalizer makes words too long")
        steps = document.get("pre_tokenizer") or {}
        needs_space = any(
            step.get("type") == "ByteLevel" and not step.get("add_prefix_space", True)
            for step in [steps, *steps.get("pretokenizers", ())]
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise EmbedderUnavailable(f"tokenizer {path} is damaged: {error}") from error
    # Byte-level models write a word inside a sentence with its space; alone it would be another piece.
    return (" " if needs_space else ""), unknown


def _growth(step: dict[str, Any]) -> int:
    """At most how many times as long text is after a normalizer's replacements."""
    if step.get("type") == "Sequence":
        return math.prod(map(_growth, step["normalizers"]))
    return 1 + len(step.get("content", ""))


def _unknown_ids(model: dict[str, Any]) -> frozenset[int]:
    if isinstance(model.get("unk_id"), int):
        return frozenset({model["unk_id"]})
    vocabulary, token = model["vocab"], model.get("unk_token")
    if isinstance(vocabulary, dict) and isinstance(vocabulary.get(token), int):
        return frozenset({vocabulary[token]})
    return frozenset()
