"""Eight bits a number: symmetric rows with one scale each, and the factor that turns a dot product into a cosine."""

from __future__ import annotations

from typing import Final

from everdex.numeric import np, npt

_LEVELS: Final = 127


def quantize(matrix: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """(rows, scales) with matrix ≈ rows · scale; a row of zeros, or one too small to scale, has scale 0."""
    largest = np.abs(matrix).max(axis=1, initial=0.0)
    scales = (largest / np.float32(_LEVELS)).astype(np.float32)
    divisors = np.where(scales > 0, scales, np.float32(1))
    rows = np.clip(np.rint(matrix / divisors[:, None]), -_LEVELS, _LEVELS)
    rows[scales == 0] = 0
    return rows.astype(np.int8), scales


def dequantize(rows: npt.NDArray[np.int8], scales: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The numbers that quantised rows stand for, exactly."""
    return rows.astype(np.float64) * scales.astype(np.float64)[:, None]


def cosine_factors(rows: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    """1 / ‖row‖ of the stored integers; 0 for a row of zeros, so that it is near to nothing."""
    wide = rows.astype(np.int32)
    squares = np.einsum("ij,ij->i", wide, wide, dtype=np.int64)
    norms = np.sqrt(squares.astype(np.float64))
    return np.where(squares > 0, 1.0 / np.where(squares > 0, norms, 1.0), 0.0).astype(np.float32)
