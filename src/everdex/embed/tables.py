"""Model files on disk: safetensors mapped read-only, tokenizers loaded, words cut into pieces once.

Model files may come from anywhere, so nothing in them is trusted: a wrong, short or foreign file ends in
`EmbedderUnavailable` naming it, and tensors never reach outside their file.
"""

from __future__ import annotations

import errno
import hashlib
import json
import mmap
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from everdex.errors import EmbedderUnavailable
from everdex.numeric import np, npt

_MAX_HEADER_BYTES: Final = 1 << 20
_MAX_CACHED_WORDS: Final = 200_000
_DTYPES: Final = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I8": "i1", "U8": "u1", "I32": "<i4", "I64": "<i8"}

Tensors = dict[str, npt.NDArray[Any]]


def map_file(path: Path) -> mmap.mmap:
    """The whole file, mapped; an unreadable or empty one is unavailable."""
    try:
        with open(path, "rb") as stream:
            return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        no_memory = isinstance(error, OSError) and error.errno == errno.ENOMEM
        hint = "free some memory, or raise the limit (`ulimit -v`)" if no_memory else None
        raise EmbedderUnavailable(f"model file {path} cannot be read: {error}", hint=hint) from error


def check_sha256(path: Path, content: mmap.mmap, expected: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        raise EmbedderUnavailable(f"model file {path} is not the pinned one: SHA-256 {found}, expected {expected}")


def read_tensors(path: Path, content: mmap.mmap) -> Tensors:
    """Every tensor of a safetensors file as a view of the mapping."""
    if len(content) < 8:
        raise EmbedderUnavailable(f"model file {path} is truncated")
    header_size = int.from_bytes(content[:8], "little")
    if header_size > min(_MAX_HEADER_BYTES, len(content) - 8):
        raise EmbedderUnavailable(f"model file {path} is not a safetensors file")
    try:
        header = json.loads(content[8 : 8 + header_size])
        return {
            name: _tensor(content, 8 + header_size, entry) for name, entry in header.items() if name != "__metadata__"
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError) as error:
        raise EmbedderUnavailable(f"model file {path} is damaged or truncated: {error}") from error


def _tensor(content: mmap.mmap, base: int, entry: dict[str, Any]) -> npt.NDArray[Any]:
    if entry["dtype"] not in _DTYPES:
        raise ValueError(f"unsupported dtype {entry['dtype']!r}")
    dtype = np.dtype(_DTYPES[entry["dtype"]])
    start, stop = entry["data_offsets"]
    shape = [int(size) for size in entry["shape"]]
    count = 1
    for size in shape:
        if size < 0:
            raise ValueError("negative shape")
        count *= size
    if not 0 <= start <= stop <= len(content) - base or stop - start != count * dtype.itemsize:
        raise ValueError("a tensor lies outside the file")
    return np.frombuffer(content, dtype=dtype, count=count, offset=base + start).reshape(shape)


class PieceTokenizer:
    """Cuts single words into piece ids with the model's own tokenizer, remembering what it has cut."""

    def __init__(self, path: Path, prefix: str, dropped: frozenset[int], n_pieces: int) -> None:
        self._path = path
        self._prefix = prefix
        self._dropped = dropped
        self._n_pieces = n_pieces
        self._tokenizer: Any = None
        self._known: dict[str, list[int]] = {}

    def pieces(self, words: Sequence[str]) -> list[list[int]]:
        known = self._known
        missing = [word for word in words if word not in known]
        if len(known) + len(missing) > _MAX_CACHED_WORDS:
            # Not cleared: another thread may be reading it.
            self._known = known = {}
            missing = list(words)
        if missing:
            for word, ids in zip(missing, self._cut(missing), strict=True):
                known[word] = [piece for piece in ids if piece not in self._dropped]
                if any(piece >= self._n_pieces for piece in known[word]):
                    raise EmbedderUnavailable(f"tokenizer {self._path} knows pieces that the model's table lacks")
        return [known[word] for word in words]

    def _cut(self, words: list[str]) -> list[list[int]]:
        try:
            encodings = self._loaded().encode_batch([self._prefix + word for word in words], add_special_tokens=False)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # where the library panics it raises what is no Exception
            raise EmbedderUnavailable(f"tokenizer {self._path} cannot be used: {error}") from error
        return [encoding.ids for encoding in encodings]

    def _loaded(self) -> Any:
        if self._tokenizer is None:
            from tokenizers import Tokenizer  # a tenth of a second that a cached word never pays

            tokenizer = Tokenizer.from_file(str(self._path))
            tokenizer.no_padding()
            tokenizer.no_truncation()
            self._tokenizer = tokenizer
        return self._tokenizer


def sum_pieces(
    pieces: Sequence[Sequence[int]],
    table: npt.NDArray[Any],
    mapping: npt.NDArray[np.int64] | None,
    weights: npt.NDArray[np.float64] | None,
) -> npt.NDArray[np.float32]:
    """One row per word: its pieces' rows added first to last, so that a word's bits depend on itself only."""
    total = np.zeros((len(pieces), table.shape[1]), dtype=np.float64)
    lengths = np.array([len(piece) for piece in pieces], dtype=np.int64)
    for position in range(int(lengths.max(initial=0))):
        rows = np.flatnonzero(lengths > position)
        ids = np.array([pieces[row][position] for row in rows.tolist()], dtype=np.int64)
        vectors = table[ids if mapping is None else mapping[ids]].astype(np.float64)
        total[rows] += vectors if weights is None else vectors * weights[ids][:, None]
    return total.astype(np.float32)
