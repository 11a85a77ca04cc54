"""vectors.i8: one int8 row for each chunk's text and one for each file's path, with what is needed to join them.

A chunk's vector is its text's unit vector plus a share of its path's and a share of the mean of its file's texts. Text
and path are stored apart, so that a renamed file keeps its text vectors. The mean is computed from the texts; only each
text's cosine with it is stored. So the shares can be chosen by each query. int8 rows take a quarter of f32's room and
are several times faster to scan (docs/adr/0005-int8-vectors.md). What is live is not known here.
"""

from __future__ import annotations

import struct
from contextlib import suppress
from pathlib import Path

import msgspec
import simsimd

from everdex import versions
from everdex.embed.quantize import cosine_factors, row_cosines
from everdex.errors import Corrupt
from everdex.numeric import np, npt

_MAGIC = b"EVDXVEC\n"
_HEADER = struct.Struct("<8sIIII40x")
_LEVELS = 127
_KEPT = ("row_factors", "overlaps", "coherence", "paths", "path_factors")

Places = npt.NDArray[np.int64]


class VectorBatch(msgspec.Struct, frozen=True):
    """Vectors of some files: rows of their chunks, one row a file, and numbers that make products cosines."""

    rows: npt.NDArray[np.int8]
    row_factors: npt.NDArray[np.float32]  # 1 / length of each row, 0 for a row of zeros
    overlaps: npt.NDArray[np.float32]  # cosine of each row with its file's path
    coherence: npt.NDArray[np.float32]  # product of each row's direction with the mean of its file's directions
    paths: npt.NDArray[np.int8]
    path_factors: npt.NDArray[np.float32]


def join_vectors(
    rows: npt.NDArray[np.int8], paths: npt.NDArray[np.int8], row_files: npt.NDArray[np.int64]
) -> VectorBatch:
    """Everything stored for some files: `row_files` gives each row's place in `paths`, and never falls."""
    factors = cosine_factors(rows)
    return VectorBatch(
        rows, factors, row_cosines(rows, paths[row_files]), _coherence(rows, factors, row_files), paths,
        cosine_factors(paths),
    )  # fmt: skip


def _coherence(
    rows: npt.NDArray[np.int8], factors: npt.NDArray[np.float32], row_files: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    """Row by row and file by file, so that a file has the same numbers in whatever batch it is."""
    if not rows.size:
        return np.zeros(len(rows), dtype=np.float32)
    directions = rows * factors[:, np.newaxis]
    starts = np.flatnonzero(np.diff(row_files, prepend=-1))
    counts = np.diff(starts, append=len(rows))
    means = np.add.reduceat(directions, starts, axis=0) / counts[:, np.newaxis].astype(np.float32)
    directions *= np.repeat(means, counts, axis=0)
    near: npt.NDArray[np.float32] = directions.sum(axis=1, dtype=np.float64).astype(np.float32)
    return near


def quantize_query(vector: npt.NDArray[np.float32]) -> npt.NDArray[np.int8]:
    """A vector's direction as whole numbers small enough that every dot product with a row is exact in float32."""
    largest = float(np.abs(vector).max(initial=0.0))
    if largest == 0.0:
        return np.zeros_like(vector, dtype=np.int8)
    levels = min((2**24 - 1) // (_LEVELS * len(vector)), _LEVELS)
    whole: npt.NDArray[np.int8] = np.rint(vector * (levels / largest)).astype(np.int8)
    return whole


def products(query: npt.NDArray[np.int8], rows: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """The dot product of every row with a query from `quantize_query`: whole numbers, so exact.

    A row's product cannot depend on which segment or block it lies in, nor on the machine: eight-bit instructions
    where there are some.
    """
    if not len(rows):
        return np.zeros(0, dtype=np.float32)
    exact: npt.NDArray[np.float32] = np.asarray(simsimd.cdist(query[np.newaxis], rows, "dot"))[0].astype(np.float32)
    return exact


def file_means(values: npt.NDArray[np.floating], row_files: Places, files: int) -> npt.NDArray[np.float64]:
    """The mean over the rows of each file; rows stand in an order of their own, whatever segments they lie in."""
    counts = np.bincount(row_files, minlength=files)
    means: npt.NDArray[np.float64] = np.bincount(row_files, values, files) / np.maximum(counts, 1)
    return means


def joint_lengths(
    row_factors: npt.NDArray[np.float32],
    overlaps: npt.NDArray[np.float32],
    coherence: npt.NDArray[np.float32],
    path_factors: npt.NDArray[np.float32],
    row_files: Places,
    shares: tuple[float, float],
) -> npt.NDArray[np.float64]:
    """Length of each chunk's joint vector: text + share × path (both of length one or zero) + share × file's mean."""
    path, mean = shares
    files = len(path_factors)
    # |mean|² is the mean of the rows' products with it, and its product with the path that of theirs.
    of_file = path**2 * (path_factors > 0) + mean**2 * file_means(coherence, row_files, files)
    of_file += 2 * path * mean * file_means(overlaps, row_files, files)
    squared = (row_factors > 0) + 2 * path * overlaps.astype(np.float64) + 2 * mean * coherence.astype(np.float64)
    return np.sqrt(np.maximum(squared + of_file[row_files], 0.0))


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
        self._kept.append(VectorBatch(empty, *(getattr(batch, name) for name in _KEPT)))

    def close(self) -> None:
        for batch in self._kept:
            self._stream.write(np.ascontiguousarray(batch.paths, dtype=np.int8).tobytes())
        # The factors start on a multiple of four so that they can be used in place.
        self._stream.write(b"\0" * (-((self._rows + self._files) * self._dim) % 4))
        for name in ("row_factors", "overlaps", "coherence", "path_factors"):
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
    """Maps a sealed vectors.i8."""

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
        expected = _HEADER.size + padded + (3 * rows + files) * 4
        if size != expected:
            raise Corrupt(f"{path} has {size} bytes; its header says {expected}")
        self.rows, self.dim = rows, dim
        # As a plain array: every slice of a memmap costs microseconds, and a query makes hundreds of them.
        whole = np.asarray(np.memmap(path, dtype=np.uint8, mode="r"))
        both = whole[_HEADER.size : _HEADER.size + body].view(np.int8).reshape(rows + files, dim)
        numbers = whole[_HEADER.size + padded :].view("<f4")
        self.vectors: npt.NDArray[np.int8] = both  # first every chunk's text, then every file's path
        self.row_vectors: npt.NDArray[np.int8] = both[:rows]
        self.row_factors: npt.NDArray[np.float32] = numbers[:rows]
        self.overlaps: npt.NDArray[np.float32] = numbers[rows : 2 * rows]
        self.coherence: npt.NDArray[np.float32] = numbers[2 * rows : 3 * rows]
        self.path_factors: npt.NDArray[np.float32] = numbers[3 * rows :]

    def take(self, rows: npt.NDArray[np.int64], files: npt.NDArray[np.int64]) -> VectorBatch:
        """Vectors of some rows and files, for copying into another segment."""
        return VectorBatch(
            self.row_vectors[rows], self.row_factors[rows], self.overlaps[rows], self.coherence[rows],
            self.vectors[self.rows + files], self.path_factors[files],
        )  # fmt: skip
