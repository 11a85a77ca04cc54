"""Reranking inside a search: asked for or not, explained, bounded, and never skipped in silence."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from everdex import config
from everdex.config import QueryConfig
from everdex.errors import QueryError, RerankUnavailable
from everdex.numeric import np, npt
from everdex.search import weights
from everdex.search.engine import Engine
from everdex.search.model import Mode, SearchRequest
from everdex.service.index import Index
from everdex.view import SnapshotView, open_view
from support.commands import everdex
from support.stores import synced
from support.trees import tree

FILES: dict[str, str | bytes] = {
    f"topic_{number}.py": f"def cookie_reader_{number}(value):\n    return sign(value, {number})\n"
    for number in range(70)
}
WITHOUT_EXTRA = "import sys\nsys.modules['onnxruntime'] = None\n"
QUESTION = "where is a cookie value read"


class Favouring:
    """A made-up reranker that finds the documents holding `word` near, all others far."""

    def __init__(self, word: str, cache_problem: str | None = None) -> None:
        self.word = word
        self.cache_problem = cache_problem
        self.asked: list[Sequence[str]] = []

    def rerank(self, query: str, documents: Sequence[str]) -> npt.NDArray[np.float32]:
        self.asked.append(documents)
        return np.array([0.9 if self.word in text.split() else 0.1 for text in documents], dtype=np.float32)


@pytest.fixture
def view(tmp_path: Path) -> Iterator[SnapshotView]:
    with open_view(synced(tmp_path / "tree", FILES).store) as opened:
        yield opened


def _engine(view: SnapshotView, reranker: Favouring, *, configured: bool = False) -> Engine:
    return Engine(view, None, QueryConfig(rerank=configured), lambda: reranker)  # type: ignore[arg-type,return-value]


def test_what_the_reranker_favours_comes_first_and_the_shares_add_up(view: SnapshotView) -> None:
    """The nearest of the best gets the whole weight as `rerank`, and every score is the sum of its shares."""
    plain = _engine(view, Favouring("7")).search(SearchRequest(QUESTION, k=50)).hits
    favoured = plain[30].row.path_key
    reranker = Favouring(favoured.removeprefix("topic_").removesuffix(".py"))
    hits = _engine(view, reranker).search(SearchRequest(QUESTION, rerank=True)).hits
    assert hits[0].row.path_key == favoured
    shares = {share.feature: share.value for share in hits[0].contributions}
    assert shares["rerank"] == pytest.approx(max(weights.RERANK.values()))
    for hit in hits:
        assert sum(share.value for share in hit.contributions) == pytest.approx(hit.score, abs=1e-9)


def test_only_the_best_fifty_are_read_again(view: SnapshotView) -> None:
    """However many candidates there are, the model reads at most fifty, path and name first."""
    reranker = Favouring("7")
    _engine(view, reranker).search(SearchRequest(QUESTION, k=60, rerank=True))
    assert [len(documents) for documents in reranker.asked] == [50]
    assert all(text.startswith("topic ") and "cookie reader" in text for text in reranker.asked[0])


@pytest.mark.parametrize(
    ("configured", "asked", "runs"),
    [(False, None, False), (True, None, True), (True, False, False), (False, True, True)],
)
def test_the_request_overrides_the_configuration(
    view: SnapshotView, configured: bool, asked: bool | None, runs: bool
) -> None:
    """[query] rerank decides unless the request does; without either nothing is opened."""
    reranker = Favouring("7")
    _engine(view, reranker, configured=configured).search(SearchRequest(QUESTION, rerank=asked))
    assert bool(reranker.asked) == runs


def test_a_lone_name_is_left_in_its_order(view: SnapshotView) -> None:
    """A symbol is found by its letters: a second look was measured to hurt, so it is not taken."""
    reranker = Favouring("7")
    engine = _engine(view, reranker)
    asked = engine.search(SearchRequest("cookie_reader_12", rerank=True))
    assert asked.hits == engine.search(SearchRequest("cookie_reader_12")).hits
    assert reranker.asked == []


def test_a_cache_that_cannot_be_kept_is_reported(view: SnapshotView) -> None:
    """The answer is right but slow, and says why."""
    outcome = _engine(view, Favouring("7", "no room")).search(SearchRequest(QUESTION, rerank=True))
    assert outcome.warnings == ("no room",)


@pytest.mark.parametrize("mode", [Mode.REGEX, Mode.LITERAL])
def test_lines_are_not_reranked(view: SnapshotView, mode: Mode) -> None:
    """Asking for it with regex or literal is refused; a configured default does not stop them."""
    engine = _engine(view, Favouring("7"), configured=True)
    with pytest.raises(QueryError, match="--rerank"):
        engine.search(SearchRequest("cookie", mode, rerank=True))
    assert engine.search(SearchRequest("cookie", mode)).matches


@pytest.mark.parametrize("question", [QUESTION, "cookie_reader_12"])
def test_asking_without_the_extra_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str
) -> None:
    """Through the service, by flag or by configuration, a missing extra is never skipped in silence."""
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    root = synced(tmp_path / "tree", FILES).path
    with pytest.raises(RerankUnavailable, match="onnxruntime"):
        Index.open(root).search(SearchRequest(question, rerank=True))
    (root / ".everdex.toml").write_text("[query]\nrerank = true\n")
    with pytest.raises(RerankUnavailable):
        Index.open(root).search(SearchRequest(question))
    assert Index.open(root).search(SearchRequest(question, rerank=False)).body["results"]


def test_the_command_line_says_what_to_install(tmp_path: Path) -> None:
    """`--rerank` without the extra exits 70 with its code and the way out; `--no-rerank` overrides the file."""
    root = tree(tmp_path / "tree", {**FILES, ".everdex.toml": "[query]\nrerank = true\n"})
    # Also where the extra is installed, this process shall not find it.
    shadow = {"PYTHONPATH": str(tree(tmp_path / "shadow", {"sitecustomize.py": WITHOUT_EXTRA}))}
    for flags in (("--rerank",), ()):
        done = everdex("search", *flags, "--json", QUESTION, root, env=shadow)
        assert done.code == 70
        assert done.json["error"]["code"] == "rerank_unavailable"
        assert "everdex[rerank]" in done.json["error"]["hint"]
    assert everdex("search", "--no-rerank", QUESTION, root, env=shadow).code == 0


def test_reranking_belongs_to_the_query_fingerprint() -> None:
    """Turning it on changes answers, never the index."""
    assert config.query_fingerprint(QueryConfig(rerank=True)) != config.query_fingerprint(QueryConfig())
