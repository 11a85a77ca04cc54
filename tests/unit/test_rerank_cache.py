"""The reranker around its model: documents are encoded once, whatever is wrong with the cache is no harm."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from everdex.embed.quantize import quantize
from everdex.numeric import np, npt
from everdex.rerank.reranker import Reranker

DOCUMENTS = ("alpha", "beta", "alpha", "gamma")


class Counting:
    """A made-up model that remembers what it was asked."""

    def __init__(self, identity: str = "counting") -> None:
        self.identity = identity
        self.asked: list[str] = []

    def directions(self, texts: Sequence[str]) -> npt.NDArray[np.int8]:
        self.asked.extend(texts)
        raw = b"".join(hashlib.shake_128((self.identity + text).encode()).digest(384) for text in texts)
        return quantize(np.frombuffer(raw, dtype=np.uint8).astype(np.float32).reshape(-1, 384) - 127.5)


def test_every_document_is_encoded_once(tmp_path: Path) -> None:
    """A second question, and another process, encode only the question; the cosines are the same to the bit."""
    model = Counting()
    first = Reranker(model, tmp_path / "v.db").rerank("q", DOCUMENTS)
    assert sorted(model.asked) == ["alpha", "beta", "gamma", "q"]
    again = Counting()
    second = Reranker(again, tmp_path / "v.db").rerank("q", DOCUMENTS)
    assert again.asked == ["q"]
    assert np.array_equal(first, second)


def test_cosines_are_one_for_the_question_itself_and_equal_for_equal_texts(tmp_path: Path) -> None:
    """The answer has one cosine per document, in the order given."""
    cosines = Reranker(Counting(), tmp_path / "v.db").rerank("beta", DOCUMENTS)
    assert cosines.shape == (4,)
    assert cosines[1] == pytest.approx(1.0)
    assert cosines[0] == cosines[2]
    assert abs(cosines[0]) < 0.5
    assert Reranker(Counting(), tmp_path / "v.db").rerank("beta", ()).shape == (0,)


def test_another_model_has_its_own_vectors(tmp_path: Path) -> None:
    """Vectors of one model are never taken for another's."""
    Reranker(Counting("one"), tmp_path / "v.db").rerank("q", DOCUMENTS)
    other = Counting("two")
    Reranker(other, tmp_path / "v.db").rerank("q", DOCUMENTS)
    assert "alpha" in other.asked


@pytest.mark.parametrize("harm", ["garbage", "directory"])
def test_a_broken_cache_costs_time_only(tmp_path: Path, harm: str) -> None:
    """A damaged file is replaced, an unusable one reported; the cosines stay what they are."""
    expected = Reranker(Counting(), tmp_path / "good.db").rerank("q", DOCUMENTS)
    path = tmp_path / "v.db"
    if harm == "garbage":
        path.write_bytes(os.urandom(4096))
    else:
        path.mkdir()
    reranker = Reranker(Counting(), path)
    assert np.array_equal(reranker.rerank("q", DOCUMENTS), expected)
    assert (reranker.cache_problem is None) == (harm == "garbage")
