"""Cosines of a view: those of the stored vectors, bit for bit the same wherever the vectors lie."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everdex.embed import open_embedder
from everdex.embed.compose import query_vector
from everdex.numeric import np, npt
from everdex.search import dense
from everdex.segment.vectors import quantize_query
from everdex.terms.words import words_of
from everdex.upkeep.housekeeping import compact_now
from everdex.view import open_view
from support.stores import Workspace, synced

QUESTION = "open the session cookie"


@pytest.fixture
def layered(tmp_path: Path) -> Workspace:
    """Several segments: files replaced, deleted and added out of order, one of them empty."""
    names = ("session", "cookie", "store", "reader", "empty", "opens")
    made = synced(tmp_path / "tree", {f"{name}.py": f"def {name}_one():\n    return '{name}'\n" for name in names[:4]})
    for number, name in enumerate(reversed(names)):
        text = "" if name == "empty" else f"def {name}_two():\n    '''Open a {name} cookie {number}.'''\n"
        made.write({f"{name}.py": text, f"deep/{name}/o_{name}.py": f"class {name.title()}:\n    open = {number}\n"})
        made.sync(auto_compact=False)
    made.remove("reader.py", "deep/cookie/o_cookie.py")
    made.sync(auto_compact=False)
    return made


def cosines(made: Workspace) -> npt.NDArray[np.float64]:
    with open_view(made.store) as view:
        found = dense.DenseScorer(view).cosines(open_embedder(made.config.index.embedder, made.path), QUESTION)
    assert found is not None
    return found


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


def test_a_cosine_is_that_of_text_plus_half_the_path_plus_half_the_files_mean(layered: Workspace) -> None:
    """Worked out from the stored rows, document by document."""
    body = "".join(f"class Session{number}:\n" + "    cookie = open()\n" * 60 for number in range(9))
    layered.write({"many.py": body})
    layered.sync(auto_compact=False)
    embedder = open_embedder(layered.config.index.embedder, layered.path)
    query = quantize_query(query_vector(embedder, words_of(QUESTION)))
    found = cosines(layered)
    with open_view(layered.store) as view:
        segments, numbers = view.file_places

        def text_of(doc: int) -> npt.NDArray[np.float64]:
            segment = int(segments[view.doc_files[doc]])
            return _unit(view.segments[segment].vectors.vectors[int(view.doc_rows[doc]) - view.bases[segment]])

        for doc in range(view.doc_count):
            file = int(view.doc_files[doc])
            reader = view.segments[segments[file]].vectors
            mean = np.sum([text_of(other) for other in np.flatnonzero(view.doc_files == file).tolist()], axis=0)
            joint = text_of(doc) + 0.5 * _unit(reader.vectors[reader.rows + int(numbers[file])]) + 0.5 * _unit(mean)
            assert found[doc] == pytest.approx(float(_unit(joint) @ _unit(query)), abs=1e-4)
        assert {0, 1} < set(np.diff(view.file_offsets).tolist())


def _unit(vector: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    wide = vector.astype(np.float64)
    length = float(np.linalg.norm(wide))
    return wide / length if length else wide
