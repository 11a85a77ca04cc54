"""vectors.i8: one int8 row for each chunk's text and one for each file's path, with what joins them.

A chunk's vector is its text's unit vector plus a share of its path's; the two are stored apart, so that a
renamed file keeps its text vectors and the share is a matter of the query. int8 rows are a quarter of f32 on
disk and, converted block by block inside the cache, faster to scan than f32 from memory
(docs/adr/0005-int8-vectors.md).
"""

from __future__ import annotations

import struct
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from everdex import versions
from everdex.embed.quantize import cosine_factors, row_cosines
from everdex.errors import Corrupt
from everdex.numeric import np, npt

_MAGIC = b"EVDXVEC\n"
_HEADER = struct.Struct("<8sIIII40x")
_BLOCK_ROWS = 2048


@dataclass(frozen=True, slots=True)
class VectorBatch:
    """Vectors of some files: rows of their chunks, one row a file, and numbers that make products cosines."""

    rows: npt.NDArray[np.int8]
    row_factors: npt.NDArray[np.float32]  # 1 / length of each row, 0 for a row of zeros
    overlaps: npt.NDArray[np.float32]  # cosine of each row with its file's path
    paths: npt.NDArray[np.int8]
    path_factors: npt.NDArray[np.float32]


def join_vectors(
    rows: npt.NDArray[np.int8], paths: npt.NDArray[np.int8], row_files: npt.NDArray[np.int64]
) -> VectorBatch:
    """Everything stored for some files: `row_files` gives each row's place in `paths`."""
    return VectorBatch(
        rows, cosine_factors(rows), row_cosines(rows, paths[row_files]), paths, cosine_factors(paths)
    )


def quantize_query(vector: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """A unit vector as whole numbers small enough that every dot product is exact in float32.

    Sums of products then stay below 2**24, so BLAS gives the same bits in whatever order it adds:
    a row's score cannot depend on which segment or block it lies in.
    """
    largest = float(np.abs(vector).max(initial=0.0))
    if largest == 0.0:
        return np.zeros_like(vector, dtype=np.float32)
    levels = (2**24 - 1) // (127 * len(vector))
    whole: npt.NDArray[np.float32] = np.rint(vector * (levels / largest)).astype(np.float32)
    return whole


class VectorsWriter:
    """Appends rows to a new vectors.i8; everything but the rows is kept in memory and written last."""

    def __init__(self, path: Path, dim: int) -> None:
        self._stream = open(path, "wb")  # noqa: SIM115 - closed by close() or abandon()
        self._dim = dim
        self._kept: list[VectorBatch] = []
        self._rows = self._files = 0
        self._stream.write(_HEADER.pack(_MAGIC, 0, 0, dim, 0))

    def add(self, batch: VectorBatch) -> None:
        self._stream.write(np.ascontiguousarray(batch.rows, dtype=np.int8).tobytes())
        self._rows += len(batch.row_factors)
        self._files += len(batch.path_factors)
        empty = np.zeros((0, self._dim), dtype=np.int8)
        self._kept.append(VectorBatch(empty, batch.row_factors, batch.overlaps, batch.paths, batch.path_factors))

    def close(self) -> None:
        for batch in self._kept:
            self._stream.write(np.ascontiguousarray(batch.paths, dtype=np.int8).tobytes())
        # The factors start on a multiple of four so that they can be used in place.
        self._stream.write(b"\0" * (-((self._rows + self._files) * self._dim) % 4))
        for name in ("row_factors", "overlaps", "path_factors"):
            for batch in self._kept:
                self._stream.write(np.asarray(getattr(batch, name), dtype="<f4").tobytes())
        self._stream.seek(0)
        version = versions.ARTIFACTS["chunk_row"].writable
        self._stream.write(_HEADER.pack(_MAGIC, version, self._rows, self._dim, self._files))
        self._stream.close()

    def abandon(self) -> None:
        # Closing flushes what is buffered, which a full disk refuses again.
        with suppress(OSError):
            self._stream.close()


class VectorsReader:
    """Maps a sealed vectors.i8; a scan touches every row once."""

    def __init__(self, path: Path) -> None:
        try:
            size = path.stat().st_size
            with open(path, "rb") as stream:
                header = stream.read(_HEADER.size)
        except FileNotFoundError as error:
            raise Corrupt(f"{path} is missing") from error
        if len(header) < _HEADER.size or not header.startswith(_MAGIC):
            raise Corrupt(f"{path} is not a vectors file")
        _, version, rows, dim, files = _HEADER.unpack(header)
        versions.check_readable("chunk_row", version, str(path))
        body = (rows + files) * dim
        padded = body + (-body % 4)
        expected = _HEADER.size + padded + (2 * rows + files) * 4
        if size != expected:
            raise Corrupt(f"{path} has {size} bytes; its header says {expected}")
        self.rows, self.files, self.dim = rows, files, dim
        # As a plain array: every slice of a memmap costs microseconds, and a query makes hundreds of them.
        whole = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
        both = whole[_HEADER.size : _HEADER.size + body].view(np.int8).reshape(rows + files, dim)
        numbers = whole[_HEADER.size + padded :].view("<f4")
        self._batch = VectorBatch(
            both[:rows], numbers[:rows], numbers[rows : 2 * rows], both[rows:], numbers[2 * rows :]
        )

    @property
    def row_vectors(self) -> npt.NDArray[np.int8]:
        return self._batch.rows

    def row_cosines(self, query: npt.NDArray[np.float32], out: npt.NDArray[np.float32]) -> None:
        """Cosine of every chunk's text with a query from `quantize_query`, up to that query's length."""
        _products(self._batch.rows, query, out)
        out *= self._batch.row_factors

    def path_cosines(self, query: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """The same for every file's path, by file_no."""
        out = np.zeros(self.files, dtype=np.float32)
        _products(self._batch.paths, query, out)
        out *= self._batch.path_factors
        return out

    def lengths(self, row_files: npt.NDArray[np.int64], path_share: float) -> npt.NDArray[np.float64]:
        """Length of each chunk's joint vector: text + `path_share` × path, both of length one (or zero)."""
        has_text = (self._batch.row_factors > 0).astype(np.float64)
        has_path = (self._batch.path_factors > 0).astype(np.float64)[row_files]
        overlap = self._batch.overlaps.astype(np.float64)
        squared = has_text + path_share**2 * has_path + 2 * path_share * overlap
        return np.sqrt(np.maximum(squared, 0.0))

    def take(self, rows: npt.NDArray[np.int64], files: npt.NDArray[np.int64]) -> VectorBatch:
        """Vectors of some rows and files, for copying into another segment."""
        batch = self._batch
        return VectorBatch(
            batch.rows[rows], batch.row_factors[rows], batch.overlaps[rows], batch.paths[files],
            batch.path_factors[files],
        )  # fmt: skip


def _products(
    rows: npt.NDArray[np.int8], query: npt.NDArray[np.float32], out: npt.NDArray[np.float32]
) -> None:
    # One buffer for all blocks: a fresh one each time would cost as much in page faults as the arithmetic.
    buffer = np.empty((min(_BLOCK_ROWS, len(rows)), rows.shape[1]), dtype=np.float32)
    for start in range(0, len(rows), _BLOCK_ROWS):
        block = buffer[: min(_BLOCK_ROWS, len(rows) - start)]
        np.copyto(block, rows[start : start + len(block)], casting="unsafe")
        np.matmul(block, query, out=out[start : start + len(block)])
