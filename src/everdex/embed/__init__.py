"""Embedding: which embedder a configuration means, and how to open it.

`identity_of` is on the way of every command, so it imports neither numpy nor a model; `open_embedder` loads.
"""

from __future__ import annotations

import hashlib
import stat
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from everdex.errors import ConfigError, EmbedderUnavailable

if TYPE_CHECKING:
    from everdex.embed.base import Embedder

_MODEL_FILES: Final = {"config.json": 1 << 20, "model.safetensors": 2 << 30, "tokenizer.json": 1 << 26}  # most bytes


def identity_of(spec: str, root: Path) -> str:
    """Kind, revision and content hash of the embedder that `spec` names, without loading it."""
    kind, _, location = spec.partition(":")
    if spec == "none":
        return "none"
    if spec == "fake":
        return "fake:1"
    if spec == "bundled":
        # The hash is pinned in bundled.py and checked on loading; a test holds the two together.
        return "bundled:everdex-code-4:c527d7d81431a57d"
    if kind == "model2vec" and location:
        return f"model2vec:{_directory_hash(_model_directory(location, root))}"
    raise ConfigError(f"embedder is {spec!r}; known are bundled, none, fake and model2vec:DIRECTORY")


def open_embedder(spec: str, root: Path) -> Embedder | None:
    """Load the embedder; None means lexical search only."""
    identity = identity_of(spec, root)
    if spec == "none":
        return None
    if spec == "fake":
        from everdex.embed.fake import FakeEmbedder

        return FakeEmbedder(identity)
    if spec == "bundled":
        from everdex.embed.bundled import open_bundled

        return open_bundled(identity)
    from everdex.embed.model2vec import Model2Vec

    return Model2Vec(identity, _model_directory(spec.partition(":")[2], root))


def _model_directory(location: str, root: Path) -> Path:
    """A relative location lies inside the root, links followed; only a user can name an absolute one."""
    directory = root / location
    if not Path(location).is_absolute():
        inside = root.resolve()
        for path in (directory / name for name in _MODEL_FILES):
            if not path.resolve().is_relative_to(inside):
                raise EmbedderUnavailable(f"model file {path} leads outside {root}")
    return directory


def _directory_hash(directory: Path) -> str:
    digest = hashlib.sha256()
    for name, most in _MODEL_FILES.items():
        path = directory / name
        try:
            found = path.stat()
            if not stat.S_ISREG(found.st_mode):  # opening a FIFO would wait for ever
                raise EmbedderUnavailable(f"model file {path} is not a regular file")
            if found.st_size > most:
                raise EmbedderUnavailable(f"model file {path} is larger than {most:,} bytes")
            digest.update(_file_hash(path, found.st_mtime_ns, found.st_ctime_ns, found.st_size))
        except OSError as error:
            raise EmbedderUnavailable(f"model file {path} cannot be read: {error.strerror}") from error
    return digest.hexdigest()


@lru_cache(maxsize=64)
def _file_hash(path: Path, mtime_ns: int, ctime_ns: int, size: int) -> bytes:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()
