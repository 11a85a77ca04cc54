"""BM25F: the formula, and that a row's score depends on the live rows and on nothing else."""

from __future__ import annotations

import itertools
import math
import random
from pathlib import Path

import pytest

from everdex.numeric import np
from everdex.parse.model import Chunk, ParsedFile, ParseStatus
from everdex.search.bm25 import Bm25
from everdex.segment.lexical_read import LexicalReader
from everdex.segment.lexical_write import write_lexical
from everdex.terms.bags import BagExtractor
from everdex.terms.model import Field

WEIGHTS = (1.0, 3.0, 1.5, 0.8, 2.0)
QUERY = [("alpha", 1.0), ("beta", 0.7), ("gamma", 1.0), ("absent", 1.0), ("alpha", 0.1)]


def index_of(path: Path, names_and_texts: list[tuple[str, str]]) -> LexicalReader:
    files = []
    for name, text in names_and_texts:
        data = text.encode()
        chunk = Chunk(0, "text", 0, len(data), 1, 1, "text", "", (), None, ())
        files.append((name, data, ParsedFile("text", ParseStatus.WINDOWS, (chunk,), (), ((0, len(data) // 3),))))
    batch = BagExtractor().extract(files).terms
    write_lexical(path, [(0, batch)], batch.n_docs)
    return LexicalReader(path)


def rows(count: int) -> list[tuple[str, str]]:
    chosen = random.Random(5)
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    texts = [chosen.choices(words, weights=[1, 2, 3, 9, 9, 9], k=chosen.randint(3, 60)) for _ in range(count)]
    return [(f"{chosen.choice(words)}/{number}.txt", " ".join(text)) for number, text in enumerate(texts)]


def test_the_score_is_bm25f(tmp_path: Path) -> None:
    """Scores are those of the formula, worked out by hand over live rows."""
    reader = index_of(tmp_path / "a", rows(30))
    live = np.ones(30, dtype=np.bool_)
    live[[3, 4]] = False
    scored = Bm25([reader], [0], live).scores([("alpha", 2.0)], WEIGHTS, 1.1, (0.5,) * 5)
    [found] = reader.lookup(["alpha"])
    by_field = {field: dict(zip(docs.tolist(), tfs.tolist(), strict=True)) for field, (docs, tfs) in found.items()}
    having = {doc for docs in by_field.values() for doc in docs if live[doc]}
    idf = math.log(1 + (28 - len(having) + 0.5) / (len(having) + 0.5))
    for doc in range(30):
        frequency = 0.0
        for field, docs in by_field.items():
            average = sum(int(reader.lengths[row, field]) for row in range(30) if live[row]) / 28
            relative = 0.5 + 0.5 * int(reader.lengths[doc, field]) / average
            frequency += WEIGHTS[field] * docs.get(doc, 0) / relative
        expected = 2.0 * idf * frequency / (1.1 + frequency) if live[doc] else 0.0
        assert scored[doc] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("segments", [3, 64])
def test_scores_do_not_depend_on_the_segments(tmp_path: Path, segments: int) -> None:
    """The same live rows in one segment or many, shuffled, with dead rows between, score the same bits."""
    live_rows = rows(200)
    whole = Bm25([index_of(tmp_path / "whole", live_rows)], [0], np.ones(200, dtype=np.bool_)).scores(QUERY, WEIGHTS)
    expected = {name: score for (name, _), score in zip(live_rows, whole.tolist(), strict=True)}
    chosen = random.Random(segments)
    everything = [(row, True) for row in live_rows]
    everything += [((f"dead/{n}.txt", "alpha beta " * n), False) for n in range(1, 90)]
    chosen.shuffle(everything)
    bounds = [0, *sorted(chosen.sample(range(1, len(everything)), segments - 1)), len(everything)]
    readers = [
        index_of(tmp_path / str(number), [row for row, _ in everything[start:stop]])
        for number, (start, stop) in enumerate(itertools.pairwise(bounds))
    ]
    live = np.array([alive for _, alive in everything])
    scorer = Bm25(readers, bounds[:-1], live)
    for _ in range(2):  # from disk, then from memory
        spread = scorer.scores(QUERY, WEIGHTS).tolist()
        for ((name, _), alive), score in zip(everything, spread, strict=True):
            assert score == (expected[name] if alive else 0.0)
    assert max(expected.values()) > 0


def test_a_weight_of_zero_silences_a_field(tmp_path: Path) -> None:
    """A term that stands only in a field without weight scores nothing."""
    reader = index_of(tmp_path / "a", [("alpha.txt", "beta " * 9), ("other.txt", "alpha " * 9)])
    weights = [0.0] * len(Field)
    weights[Field.PATH] = 1.0
    scored = Bm25([reader], [0], np.ones(2, dtype=np.bool_)).scores([("alpha", 1.0)], weights)
    assert scored[0] > 0
    assert scored[1] == 0


def test_nothing_live_scores_nothing(tmp_path: Path) -> None:
    """A snapshot without rows, or with dead ones only, gives zeros and no NaN."""
    assert Bm25([], [], np.zeros(0, dtype=np.bool_)).scores(QUERY, WEIGHTS).tolist() == []
    reader = index_of(tmp_path / "a", rows(4))
    assert Bm25([reader], [0], np.zeros(4, dtype=np.bool_)).scores(QUERY, WEIGHTS).tolist() == [0.0] * 4


def test_forgetting_merged_postings_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for hardly any postings the scores are the same."""
    reader = index_of(tmp_path / "a", rows(50))
    live = np.ones(50, dtype=np.bool_)
    expected = Bm25([reader], [0], live).scores(QUERY, WEIGHTS).tolist()
    monkeypatch.setattr("everdex.search.bm25._MAX_CACHED_POSTINGS", 10)
    scorer = Bm25([reader], [0], live)
    for _ in range(3):
        assert scorer.scores(QUERY, WEIGHTS).tolist() == expected
        assert scorer.cached_postings <= 10
