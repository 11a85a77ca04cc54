"""Cosines of a view: those of the stored vectors, bit for bit the same wherever the vectors lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.embed import open_embedder
from everdex.embed.compose import query_vector
from everdex.numeric import np, npt
from everdex.search import dense
from everdex.search.query import parse_query
from everdex.search.signals import SignalSource
from everdex.segment.vectors import quantize_query
from everdex.terms.words import words_of
from everdex.upkeep.housekeeping import compact_now
from everdex.view import open_view
from support.stores import Workspace, synced

QUESTION = "open the session cookie"
SHARE = 0.7
LONG = "".join(
    f"def {name}_cookie():\n" + "".join(f"    {name}_{line} = open({line})\n" for line in range(40)) + "\n\n"
    for name in ("session", "parse", "window")
)


@pytest.fixture
def layered(tmp_path: Path) -> Workspace:
    """Several segments: files replaced, deleted and added out of order, one of them empty."""
    names = ("session", "cookie", "store", "reader", "empty", "opens")
    made = synced(tmp_path / "tree", {f"{name}.py": f"def {name}_one():\n    return '{name}'\n" for name in names[:4]})
    made.write({"long.py": LONG})
    for number, name in enumerate(reversed(names)):
        text = "" if name == "empty" else f"def {name}_two():\n    '''Open a {name} cookie {number}.'''\n"
        made.write({f"{name}.py": text, f"deep/{name}/o_{name}.py": f"class {name.title()}:\n    open = {number}\n"})
        made.sync(auto_compact=False)
    made.remove("reader.py", "deep/cookie/o_cookie.py")
    made.sync(auto_compact=False)
    return made


def cosines(made: Workspace) -> npt.NDArray[np.float64]:
    with open_view(made.store) as view:
        found = dense.DenseScorer(view).cosines(open_embedder(made.config.index.embedder, made.path), QUESTION, SHARE)
    assert found is not None
    return found[0]


@pytest.mark.parametrize(("large", "share"), [(1, 0.0), (1, 0.5), (1, 0.9), (1, 1.0), (10_000, 0.0)])
def test_it_does_not_matter_which_segments_are_copied(
    layered: Workspace, monkeypatch: pytest.MonkeyPatch, large: int, share: float
) -> None:
    """Scanned in place, copied together, or compacted into one segment: the same bits."""
    expected = cosines(layered)
    monkeypatch.setattr(dense, "_LARGE", large)
    monkeypatch.setattr(dense, "_LIVE_SHARE", share)
    assert cosines(layered).tobytes() == expected.tobytes()
    compact_now(layered.store, force=True)
    assert cosines(layered).tobytes() == expected.tobytes()


def test_a_cosine_is_that_of_text_plus_half_the_path_plus_a_share_of_the_mean(layered: Workspace) -> None:
    """Worked out from the stored rows, document by document."""
    embedder = open_embedder(layered.config.index.embedder, layered.path)
    query = quantize_query(query_vector(embedder, words_of(QUESTION))).astype(np.float64)
    found = cosines(layered)
    with open_view(layered.store) as view:
        segments, numbers = view.file_places
        texts: dict[int, list[npt.NDArray[np.float64]]] = {}
        for doc, file in enumerate(view.doc_files.tolist()):
            row = int(view.doc_rows[doc]) - view.bases[segments[file]]
            stored = view.segments[segments[file]].vectors.vectors[row]
            texts.setdefault(file, []).append(_unit(stored.astype(np.float64)))
        assert max(map(len, texts.values())) > 1
        for doc in range(view.doc_count):
            file = int(view.doc_files[doc])
            reader = view.segments[segments[file]].vectors
            text = texts[file][doc - int(view.file_offsets[file])]
            path = reader.vectors[reader.rows + int(numbers[file])].astype(np.float64)
            joint = text + 0.5 * _unit(path) + SHARE * np.mean(texts[file], axis=0)
            assert found[doc] == pytest.approx(float(_unit(joint) @ _unit(query)), abs=1e-6)
        assert view.doc_count > 5


@pytest.mark.parametrize(("question", "fitted"), [("session cookie handling", 2.0), (QUESTION, 1.0)])
def test_a_subject_counts_its_file_for_more_than_what_code_does(
    layered: Workspace, question: str, fitted: float
) -> None:
    """The mean's share is that of the kind of question times the configured one, whatever was asked before."""
    embedder = open_embedder(layered.config.index.embedder, layered.path)
    with open_view(layered.store) as view:
        source = SignalSource(view, 0.7)
        source.compute(parse_query("how the reader opens"), embedder, lexical=False)
        source.compute(parse_query("open a window"), embedder, lexical=False)
        found = source.compute(parse_query(question), embedder, lexical=False)
        expected = dense.DenseScorer(view).cosines(embedder, question, 0.7 * fitted)
        assert expected is not None
        joint, alone = expected
        assert found.best_cosine == joint.max()
        assert found.dense.tolist() == (np.maximum(joint, 0.0) / joint.max()).tolist()
        assert found.alone.tolist() == (np.maximum(alone, 0.0) / alone.max()).tolist()


def _unit(vector: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
