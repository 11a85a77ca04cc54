"""Cosines between a question and the best documents, with every document's vector computed once.

Vectors are kept by the hash of exactly the text they were computed from, in one file for all stores of
EVERDEX_HOME; a warm and a cold cache give the same numbers. What the cosines mean for an order is search's affair.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Final, Protocol

from everdex.embed.cache import EmbeddingCache
from everdex.embed.quantize import row_cosines
from everdex.numeric import np, npt
from everdex.rerank.artifact import converted
from everdex.rerank.graph import DIM, MAX_PIECES
from everdex.rerank.minilm import MiniLm
from everdex.rerank.weights import package_directory, read_tokenizer
from everdex.segment.model import ChunkRow
from everdex.terms.split import parts, tokens

VECTORS_NAME: Final = "minilm-l6-v2-vectors.db"


class Encoder(Protocol):
    """What gives texts their directions; a text's own must not depend on the others of a call."""

    identity: str

    def directions(self, texts: Sequence[str]) -> npt.NDArray[np.int8]: ...


class Reranker:
    """Gives documents their nearness to a question."""

    def __init__(self, model: Encoder, cache_path: Path) -> None:
        self._model = model
        self._cache_path = cache_path
        self.cache_problem: str | None = None  # why vectors are not kept: slow, never wrong

    def rerank(self, query: str, documents: Sequence[str]) -> npt.NDArray[np.float32]:
        """The cosine of each document with the query."""
        rows = self._rows(documents)
        asked = self._model.directions([query])
        return row_cosines(np.broadcast_to(asked, rows.shape), rows)

    def _rows(self, documents: Sequence[str]) -> npt.NDArray[np.int8]:
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in documents]
        with EmbeddingCache(self._cache_path, self._model.identity, DIM) as cache:
            found, rows = cache.get_many(keys)
            missing = {keys[place]: place for place in np.flatnonzero(~found).tolist()}
            if missing:
                fresh = self._model.directions([documents[place] for place in missing.values()])
                cache.put_many(list(missing), fresh)
                known = dict(zip(missing, fresh, strict=True))
                for place in np.flatnonzero(~found).tolist():
                    rows[place] = known[keys[place]]
            self.cache_problem = cache.disabled_reason
        return rows


def document_text(row: ChunkRow) -> str:
    """What the model reads of a chunk: words of its path and of its names, then of its text, identifiers split."""
    named = _words(row.path_key, " ".join(row.breadcrumb))
    return " ".join(islice(chain(named, _words(row.text)), MAX_PIECES))


def _words(*texts: str) -> Iterator[str]:
    return (part for text in texts for token in tokens(text) for part in parts(token))


def open_from(models: Path) -> Reranker:
    """The reranker whose converted model and vectors lie in directory `models`."""
    package = package_directory()
    tokenizer = read_tokenizer(package)
    model = MiniLm(converted(models, package), tokenizer)
    return Reranker(model, models / VECTORS_NAME)
