"""The file that everdex ships: the table in eight bits, the scalars, the vocabulary, and what they were made from.

A safetensors file, byte for byte the same for the same parameters. Each row of the table is scaled by its own largest
number, which costs nothing measurable.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from everdex.embed.quantize import quantize
from training.model import Parameters

_ALIGNMENT: Final = 64
_KINDS: Final = {"int8": "I8", "float32": "F32", "uint8": "U8"}


def pack(parameters: Parameters, vocabulary: list[str], made_from: dict[str, str], path: Path) -> str:
    """Write the file; its SHA-256."""
    largest = np.abs(parameters.table).max(axis=1, initial=0.0)
    tensors: dict[str, npt.NDArray[Any]] = {
        "table": quantize(parameters.table),
        "scales": (largest / np.float32(127)).astype(np.float32),
        "asking": parameters.asking.astype(np.float32),
        "vocabulary": np.frombuffer("\n".join(vocabulary).encode(), dtype=np.uint8),
    }
    header: dict[str, Any] = {"__metadata__": dict(sorted(made_from.items()))}
    offset = 0
    for name, tensor in tensors.items():
        header[name] = {
            "dtype": _KINDS[str(tensor.dtype)],
            "shape": list(tensor.shape),
            "data_offsets": [offset, offset + tensor.nbytes],
        }
        offset += tensor.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % _ALIGNMENT)
    content = len(text).to_bytes(8, "little") + text + b"".join(tensor.tobytes() for tensor in tensors.values())
    partial = path.with_suffix(".partial")
    partial.write_bytes(content)
    partial.rename(path)
    return hashlib.sha256(content).hexdigest()
