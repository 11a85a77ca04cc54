"""Eight bits a number: directions as int8 rows, and the factors that turn dot products into cosines."""

from __future__ import annotations

from typing import Final

from everdex.numeric import np, npt

_LEVELS: Final = 127


def quantize(matrix: npt.NDArray[np.float32]) -> npt.NDArray[np.int8]:
    """Each row's direction, its largest number scaled to ±127; a row of zeros, or one too small, stays zeros."""
    largest = np.abs(matrix).max(axis=1, initial=0.0)
    scales = (largest / np.float32(_LEVELS)).astype(np.float32)
    divisors = np.where(scales > 0, scales, np.float32(1))
    rows = np.clip(np.rint(matrix / divisors[:, None]), -_LEVELS, _LEVELS)
    rows[scales == 0] = 0
    return rows.astype(np.int8)


def cosine_factors(rows: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """1 / ‖row‖ of the stored integers; 0 for a row of zeros, so that it is near to nothing."""
    squares = _dot(rows, rows)
    norms = np.sqrt(squares.astype(np.float64))
    return np.where(squares > 0, 1.0 / np.where(squares > 0, norms, 1.0), 0.0).astype(np.float32)


def row_cosines(first: npt.NDArray[np.int8], second: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """The cosine of each row of one matrix with the same row of the other; 0 where either is zeros."""
    lengths = np.sqrt((_dot(first, first) * _dot(second, second)).astype(np.float64))
    return np.where(lengths > 0, _dot(first, second) / np.where(lengths > 0, lengths, 1.0), 0.0).astype(np.float32)


def _dot(first: npt.NDArray[np.int8], second: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    products: npt.NDArray[np.int64] = np.einsum(
        "ij,ij->i", first.astype(np.int32), second.astype(np.int32), dtype=np.int64
    )
    return products
