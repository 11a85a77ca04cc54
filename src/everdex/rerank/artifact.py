"""The converted model on disk: made once per EVERDEX_HOME, checked at every start, remade when it is damaged.

One process converts while the others wait for its lock. The model's name carries its weights' hash and the recipe's
number, so another release or another recipe is another file; readers see a whole file or none.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from everdex.durable import PRIVATE, make_directory, remove_leftovers, replace_atomically, storage_errors
from everdex.rerank import graph
from everdex.rerank.weights import WEIGHTS_SHA256, read_weights
from everdex.snapshot.guard import hold_guard

# Change the number with anything in graph.py that changes the bytes.
# 1: int8 words and products, seven bits of weights, one text at a time
NAME: Final = f"minilm-l6-v2-{WEIGHTS_SHA256[:12]}-int8-v1.onnx"
# Converting takes seconds. A holder stuck for longer loses the lock; both would write the same bytes.
_WAIT_MS: Final = 180_000
_TTL_MS: Final = 120_000


@dataclass(frozen=True, slots=True)
class Converted:
    content: bytes
    sha256: str


def converted(models: Path, package: Path) -> Converted:
    """The int8 model in directory `models`, made from the package's weights when it is missing or damaged."""
    path = models / NAME
    found = _read(path)
    if found is not None:
        return found
    make_directory(models, PRIVATE)
    with hold_guard(models / f"{NAME}.lock", PRIVATE, wait_ms=_WAIT_MS, ttl_ms=_TTL_MS):
        found = _read(path)  # whoever held the lock before us has most likely made it
        return found if found is not None else _convert(path, package)


def _convert(path: Path, package: Path) -> Converted:
    remove_leftovers(path.parent)
    content = graph.build(read_weights(package))
    made = Converted(content, hashlib.sha256(content).hexdigest())
    replace_atomically(path, content, PRIVATE)
    replace_atomically(_sidecar(path), f"{made.sha256}\n".encode(), PRIVATE)
    return made


def _read(path: Path) -> Converted | None:
    """What lies on disk, or None unless it is exactly what its checksum says."""
    try:
        with storage_errors(path):
            expected, content = _sidecar(path).read_bytes(), path.read_bytes()
    except FileNotFoundError:
        return None
    found = hashlib.sha256(content).hexdigest()
    return Converted(content, found) if expected == f"{found}\n".encode() else None


def _sidecar(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")
