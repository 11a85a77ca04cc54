"""BM25F: the formula, and that a row's score depends on the live rows and on nothing else."""

from __future__ import annotations

import itertools
import math
import random
from pathlib import Path

import pytest

from everdex.numeric import np, npt
from everdex.parse.model import Chunk, ParsedFile, ParseStatus
from everdex.search.bm25 import Bm25, Bm25Settings
from everdex.segment.lexical_read import LexicalReader
from everdex.segment.lexical_write import write_lexical
from everdex.terms.bags import BagExtractor
from everdex.terms.model import Field

SETTINGS = Bm25Settings(field_weights=(1.0, 3.0, 2.0, 4.0, 2.0), file_length_share=0.6)
QUERY = ["alpha", "beta", "gamma", "absent", "alpha"]


def index_of(path: Path, names_and_texts: list[tuple[str, str]]) -> LexicalReader:
    files = []
    for name, text in names_and_texts:
        data = text.encode()
        chunk = Chunk(0, "text", 0, len(data), 1, 1, "text", "", (), None, ())
        files.append((name, data, ParsedFile("text", ParseStatus.WINDOWS, (chunk,), (), ((0, len(data) // 3),))))
    batch = BagExtractor().extract(files).terms
    write_lexical(path, [(0, batch)], batch.n_docs)
    return LexicalReader(path)


def scorer_of(
    readers: list[LexicalReader], bases: list[int], live: npt.NDArray[np.bool_], settings: Bm25Settings = SETTINGS
) -> Bm25:
    """Documents are the live rows in order, three to a file."""
    doc_rows = np.flatnonzero(live)
    doc_files = np.arange(len(doc_rows)) // 3
    return Bm25(readers, bases, doc_rows, doc_files, -(-len(doc_rows) // 3), settings)


def rows(count: int) -> list[tuple[str, str]]:
    chosen = random.Random(5)
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
    texts = [chosen.choices(words, weights=[1, 2, 3, 9, 9, 9], k=chosen.randint(3, 60)) for _ in range(count)]
    return [(f"{chosen.choice(words)}/{number}.txt", " ".join(text)) for number, text in enumerate(texts)]


def test_the_score_is_bm25f(tmp_path: Path) -> None:
    """Scores of documents and files are those of the formula, worked out by hand over live rows."""
    reader = index_of(tmp_path / "a", rows(30))
    live = np.ones(30, dtype=np.bool_)
    live[[3, 4]] = False
    settings = Bm25Settings(SETTINGS.field_weights, file_length_share=0.4, length_share=0.5, k1=1.1)
    by_doc, by_file = scorer_of([reader], [0], live, settings).scores(["alpha"])
    [found] = reader.lookup(["alpha"])
    by_field = {field: dict(zip(docs.tolist(), tfs.tolist(), strict=True)) for field, (docs, tfs) in found.items()}
    alive = np.flatnonzero(live).tolist()
    counts, lengths = [0.0] * 10, [0.0] * 10
    having = {row for docs in by_field.values() for row in docs if live[row]}
    idf = math.log(1 + (28 - len(having) + 0.5) / (len(having) + 0.5))
    for doc, row in enumerate(alive):
        frequency = 0.0
        for field, docs in by_field.items():
            average = sum(int(reader.lengths[other, field]) for other in alive) / 28
            relative = 0.5 + 0.5 * int(reader.lengths[row, field]) / average
            frequency += settings.field_weights[field] * docs.get(row, 0) / relative
            counts[doc // 3] += settings.field_weights[field] * docs.get(row, 0)
        lengths[doc // 3] += int(reader.lengths[row].sum())
        assert by_doc[doc] == pytest.approx(idf * frequency / (1.1 + frequency), rel=1e-12)
    files_having = sum(1 for count in counts if count)
    file_idf = math.log(1 + (10 - files_having + 0.5) / (files_having + 0.5))
    for file, count in enumerate(counts):
        frequency = count / (0.6 + 0.4 * (lengths[file] + 1) / (sum(lengths) / 10 + 1))
        assert by_file[file] == pytest.approx(file_idf * frequency / (1.1 + frequency), rel=1e-12)


@pytest.mark.parametrize("segments", [3, 64])
def test_scores_do_not_depend_on_the_segments(tmp_path: Path, segments: int) -> None:
    """The same live rows in one segment or many, shuffled, with dead rows between, score the same bits."""
    live_rows = rows(200)
    whole, _ = scorer_of([index_of(tmp_path / "whole", live_rows)], [0], np.ones(200, dtype=np.bool_)).scores(QUERY)
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
    scorer = scorer_of(readers, bounds[:-1], np.array([alive for _, alive in everything]))
    names = [name for (name, _), alive in everything if alive]
    for _ in range(2):  # from disk, then from memory
        spread, _ = scorer.scores(QUERY)
        assert spread.tolist() == [expected[name] for name in names]
    assert max(expected.values()) > 0


def test_who_has_a_term_is_known(tmp_path: Path) -> None:
    """Documents with a term, and whether some files have it, in whatever field it stands."""
    reader = index_of(tmp_path / "a", rows(60))
    scorer = scorer_of([reader], [0], np.ones(60, dtype=np.bool_))
    by_doc, by_file = scorer.scores(["alpha"])
    assert scorer.documents_with("alpha").tolist() == np.flatnonzero(by_doc).tolist()
    for file in range(20):
        assert scorer.is_in_any(np.array([file]), "alpha") == (by_file[file] > 0)
    assert not scorer.is_in_any(np.arange(20), "absent")


def test_a_weight_of_zero_silences_a_field(tmp_path: Path) -> None:
    """A term that stands only in a field without weight scores nothing."""
    reader = index_of(tmp_path / "a", [("alpha.txt", "beta " * 9), ("other.txt", "alpha " * 9)])
    weights = [0.0] * len(Field)
    weights[Field.PATH] = 1.0
    scorer = scorer_of([reader], [0], np.ones(2, dtype=np.bool_), Bm25Settings(tuple(weights), 0.6))
    scored, _ = scorer.scores(["alpha"])
    assert scored[0] > 0
    assert scored[1] == 0


def test_nothing_live_scores_nothing(tmp_path: Path) -> None:
    """A snapshot without rows, or with dead ones only, gives nothing and no NaN."""
    assert [scores.tolist() for scores in scorer_of([], [], np.zeros(0, dtype=np.bool_)).scores(QUERY)] == [[], []]
    reader = index_of(tmp_path / "a", rows(4))
    dead = scorer_of([reader], [0], np.zeros(4, dtype=np.bool_))
    assert [scores.tolist() for scores in dead.scores(QUERY)] == [[], []]


def test_forgetting_terms_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for hardly anything the scores are the same."""
    reader = index_of(tmp_path / "a", rows(50))
    live = np.ones(50, dtype=np.bool_)
    expected = [scores.tolist() for scores in scorer_of([reader], [0], live).scores(QUERY)]
    monkeypatch.setattr("everdex.search.bm25._MAX_CACHED", 10)
    scorer = scorer_of([reader], [0], live)
    for _ in range(3):
        assert [scores.tolist() for scores in scorer.scores(QUERY)] == expected
        assert scorer.cached <= 10
