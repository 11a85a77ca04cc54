"""vectors.i8: one int8 row a chunk and the factor that makes its dot product a cosine.

int8 rows are a quarter of f32 on disk and, converted block by block inside the cache, faster to scan
than f32 from memory (docs/adr/0005-int8-vectors.md).
"""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path

from everdex import versions
from everdex.errors import Corrupt
from everdex.numeric import np

_MAGIC = b"EVDXVEC\n"
_HEADER = struct.Struct("<8sIIII40x")
_BLOCK_ROWS = 4096


def quantize_query(vector: np.ndarray) -> np.ndarray:
    """A unit vector as whole numbers small enough that every dot product is exact in float32.

    Sums of products then stay below 2**24, so BLAS gives the same bits in whatever order it adds:
    a row's score cannot depend on which segment or block it lies in.
    """
    largest = float(np.abs(vector).max(initial=0.0))
    if largest == 0.0:
        return np.zeros_like(vector, dtype=np.float32)
    levels = (2**24 - 1) // (127 * len(vector))
    return np.rint(vector * (levels / largest)).astype(np.float32)


class VectorsWriter:
    """Appends rows to a new vectors.i8; factors are kept in memory and written last."""

    def __init__(self, path: Path, dim: int) -> None:
        self._stream = open(path, "wb")  # noqa: SIM115 - closed by close()
        self._dim = dim
        self._factors: list[np.ndarray] = []
        self._rows = 0
        self._stream.write(_HEADER.pack(_MAGIC, 0, 0, dim, 0))

    def add(self, vectors: np.ndarray, factors: np.ndarray) -> None:
        self._stream.write(np.ascontiguousarray(vectors, dtype=np.int8).tobytes())
        self._factors.append(np.asarray(factors, dtype="<f4"))
        self._rows += len(factors)

    def close(self) -> None:
        # Factors start on a multiple of four so that they can be used in place.
        self._stream.write(b"\0" * (-(self._rows * self._dim) % 4))
        for factors in self._factors:
            self._stream.write(factors.tobytes())
        self._stream.seek(0)
        version = versions.ARTIFACTS["chunk_row"].writable
        self._stream.write(_HEADER.pack(_MAGIC, version, self._rows, self._dim, 0))
        self._stream.close()

    def abandon(self) -> None:
        # Closing flushes what is buffered, which a full disk refuses again.
        with suppress(OSError):
            self._stream.close()


class VectorsReader:
    """Maps a sealed vectors.i8; cosine scans touch every row once."""

    def __init__(self, path: Path) -> None:
        try:
            size = path.stat().st_size
            with open(path, "rb") as stream:
                header = stream.read(_HEADER.size)
        except FileNotFoundError as error:
            raise Corrupt(f"{path} is missing") from error
        if len(header) < _HEADER.size or not header.startswith(_MAGIC):
            raise Corrupt(f"{path} is not a vectors file")
        _, version, rows, dim, _ = _HEADER.unpack(header)
        versions.check_readable("chunk_row", version, str(path))
        body = rows * dim
        padded = body + (-body % 4)
        if size != _HEADER.size + padded + rows * 4:
            raise Corrupt(f"{path} has {size} bytes; its header says {_HEADER.size + padded + rows * 4}")
        self.rows = rows
        self.dim = dim
        if body:
            whole = np.memmap(path, dtype=np.uint8, mode="r")
            self.vectors = whole[_HEADER.size : _HEADER.size + body].view(np.int8).reshape(rows, dim)
            self.factors = whole[_HEADER.size + padded :].view("<f4")
        else:
            self.vectors = np.zeros((rows, dim), np.int8)
            self.factors = np.zeros(rows, np.float32)

    def cosines(self, query: np.ndarray, out: np.ndarray) -> None:
        """Cosine of every row with a query from `quantize_query` (up to that query's scale), into `out`."""
        for start in range(0, self.rows, _BLOCK_ROWS):
            block = self.vectors[start : start + _BLOCK_ROWS].astype(np.float32)
            np.matmul(block, query, out=out[start : start + len(block)])
        out *= self.factors
