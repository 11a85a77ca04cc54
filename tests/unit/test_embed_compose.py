"""Quantising and composing: exact, independent of batches, and never NaN."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from everdex import embed
from everdex.embed import compose
from everdex.embed.quantize import cosine_factors, quantize
from everdex.numeric import np, npt
from everdex.terms.model import WordBags
from everdex.terms.words import words_of

FAKE = embed.open_embedder("fake", Path("/"))
assert FAKE is not None


class Awkward:
    """An embedder whose sums would round differently in every order if they were not exact."""

    identity = "awkward"
    dim = 3

    def word_vectors(self, words: Sequence[str]) -> npt.NDArray[np.float32]:
        rows = [[len(word) / 3, 99.0 / (1 + len(word) ** 9), -(10.0 ** (1 - len(word)))] for word in words]
        return np.array(rows, dtype=np.float32).reshape(len(words), 3)

    question_vectors = word_vectors


def bag(*items: dict[str, int]) -> WordBags:
    vocabulary = sorted({word for item in items for word in item})
    offsets = np.cumsum([0, *map(len, items)]).astype(np.int64)
    pairs = [(vocabulary.index(word), item[word]) for item in items for word in sorted(item)]
    ids = np.array([number for number, _ in pairs], dtype=np.uint32)
    return WordBags(vocabulary, offsets, ids, np.array([count for _, count in pairs], dtype=np.uint32))


def test_quantised_rows_stay_within_half_a_step() -> None:
    """Every number keeps its share of the largest within half a step, the largest one exactly on the end."""
    matrix = np.random.default_rng(1).normal(size=(20, 16)).astype(np.float32)
    rows = quantize(matrix)
    steps = np.abs(matrix).max(axis=1, keepdims=True) / 127
    assert (np.abs(rows * steps - matrix) <= steps * 0.5001).all()
    assert (np.abs(rows).max(axis=1) == 127).all()


def test_a_zero_row_stays_zero() -> None:
    """A row of zeros, or of numbers too small for float32 to scale, has factor 0 and no NaN."""
    matrix = np.zeros((2, 4), dtype=np.float32)
    matrix[1] = 1e-45
    with np.errstate(divide="raise", invalid="raise"):
        rows = quantize(matrix)
    assert not rows.any()
    assert cosine_factors(rows).tolist() == [0.0, 0.0]


def test_factors_make_cosines() -> None:
    """Dot product times factor is the cosine with the stored row."""
    rows = quantize(np.random.default_rng(2).normal(size=(5, 8)).astype(np.float32))
    cosines = (rows.astype(np.float64) @ rows.T.astype(np.float64)) * np.outer(
        cosine_factors(rows), cosine_factors(rows)
    )
    assert np.allclose(np.diag(cosines), 1.0)
    assert np.abs(cosines).max() < 1.0 + 1e-6


word = st.text(alphabet="abcdefgh", min_size=1, max_size=12)
items = st.lists(st.dictionaries(word, st.integers(1, 300), max_size=8), min_size=1, max_size=6)


@given(items)
def test_a_vector_does_not_depend_on_its_batch(given_items: list[dict[str, int]]) -> None:
    """Embedding items one by one or together gives the same bits."""
    together = compose.embed(Awkward(), bag(*given_items))
    for index, item in enumerate(given_items):
        assert compose.embed(Awkward(), bag(item))[0].tobytes() == together[index].tobytes()
    chosen = np.array([len(given_items) - 1, 0], dtype=np.int64)
    some = compose.embed(Awkward(), bag(*given_items), chosen)
    assert some.tobytes() == together[chosen].tobytes()


@given(st.dictionaries(word, st.integers(1, 300), min_size=2, max_size=30), st.randoms())
def test_a_sum_does_not_depend_on_the_order_of_words(counts: dict[str, int], random: object) -> None:
    """Word vectors add up to the same bits in any order."""
    straight = bag(counts)
    mixed = np.arange(len(counts))
    random.shuffle(mixed)  # type: ignore[attr-defined]
    shuffled = WordBags(straight.vocabulary, straight.offsets, straight.ids[mixed], straight.counts[mixed])
    assert compose.bag_sums(Awkward(), straight).tobytes() == compose.bag_sums(Awkward(), shuffled).tobytes()


def test_an_unknown_query_is_near_to_nothing() -> None:
    """A query without words gives the zero vector, not NaN."""
    assert compose.query_vector(FAKE, words_of("!!")).tolist() == [0.0] * FAKE.dim
