"""vectors.i8: exact products, the path joined at query time, and nothing believed of a damaged file."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.errors import Corrupt, Incompatible
from everdex.numeric import np, npt
from everdex.segment.vectors import (
    VectorsReader,
    VectorsWriter,
    join_vectors,
    joint_lengths,
    products,
    quantize_query,
)

DIM = 12


def random_rows(count: int, seed: int) -> npt.NDArray[np.int8]:
    return np.random.default_rng(seed).integers(-127, 128, size=(count, DIM)).astype(np.int8)


def written(path: Path, pieces: list[tuple[int, int]]) -> VectorsReader:
    """A file made of batches of (rows, files)."""
    writer = VectorsWriter(path, DIM)
    for seed, (rows, files) in enumerate(pieces):
        row_files = np.sort(np.random.default_rng(seed).integers(0, files, size=rows))
        writer.add(join_vectors(random_rows(rows, seed), random_rows(files, seed + 100), row_files))
    writer.close()
    return VectorsReader(path)


def unit(rows: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
    wide = rows.astype(np.float64)
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    return np.asarray(wide / np.where(length > 0, length, 1.0))


def whole_products(query: npt.NDArray[np.int8], rows: npt.NDArray[np.int8]) -> list[float]:
    return [float(number) for number in (rows.astype(np.int64) @ query.astype(np.int64)).tolist()]


def test_factors_make_products_cosines(tmp_path: Path) -> None:
    """Text and path cosines agree with plain float64 arithmetic."""
    reader = written(tmp_path / "v", [(30, 4), (7, 2)])
    query = quantize_query(np.random.default_rng(5).normal(size=DIM).astype(np.float32))
    factors = np.concatenate([reader.row_factors, reader.path_factors])
    texts = np.concatenate([random_rows(30, 0), random_rows(7, 1)])
    paths = np.concatenate([random_rows(4, 100), random_rows(2, 101)])
    expected = np.concatenate([unit(texts), unit(paths)]) @ query
    assert np.allclose(products(query, reader.vectors) * factors, expected, rtol=1e-5)


@pytest.mark.parametrize("dim", [1, 2, 3, 5, 31, 64, 100, 256, 1_000])
def test_products_are_exact(dim: int) -> None:
    """Whatever the dimension and however large the numbers, every product is the whole number that it is."""
    generator = np.random.default_rng(dim)
    rows = generator.integers(-127, 128, size=(3_000, dim)).astype(np.int8)
    rows[0], rows[1] = 127, -127
    for vector in (generator.normal(size=dim), np.ones(dim), -np.ones(dim), np.eye(dim)[0]):
        query = quantize_query(vector.astype(np.float32))
        assert products(query, rows).tolist() == whole_products(query, rows)


def test_a_row_scores_the_same_bits_wherever_it_lies() -> None:
    """Alone, in a slice or among all rows, read-only or not, a row has one product."""
    rows = random_rows(5_000, 1)
    rows.flags.writeable = False
    query = quantize_query(np.random.default_rng(3).normal(size=DIM).astype(np.float32))
    together = products(query, rows)
    for start, stop in ((0, 1), (1, 2), (17, 4_096), (4_999, 5_000), (10, 10)):
        assert products(query, rows[start:stop]).tobytes() == together[start:stop].tobytes()


def test_joint_lengths_are_those_of_the_summed_vectors(tmp_path: Path) -> None:
    """The stored numbers give the length of text + share × path + share × mean for any shares."""
    row_files = np.array([0, 0, 1])
    rows, paths = random_rows(3, 7), random_rows(2, 8)
    rows[1] = 0
    writer = VectorsWriter(tmp_path / "v", DIM)
    writer.add(join_vectors(rows, paths, row_files))
    writer.close()
    reader = VectorsReader(tmp_path / "v")
    means = np.array([unit(rows)[row_files == file].mean(axis=0) for file in (0, 1)])
    for share, of_mean in ((0.0, 0.0), (0.5, 0.0), (2.0, 0.5), (0.5, 1.5)):
        expected = np.linalg.norm(unit(rows) + share * unit(paths)[row_files] + of_mean * means[row_files], axis=1)
        found = joint_lengths(
            reader.row_factors, reader.overlaps, reader.coherence, reader.path_factors, row_files, (share, of_mean)
        )
        assert np.allclose(found, expected, atol=1e-6)


def test_taking_rows_keeps_them_bit_for_bit(tmp_path: Path) -> None:
    """What compaction copies is what was stored."""
    reader = written(tmp_path / "v", [(20, 3)])
    taken = reader.take(np.array([5, 3, 19]), np.array([2, 0]))
    assert taken.rows.tobytes() == random_rows(20, 0)[[5, 3, 19]].tobytes()
    assert taken.paths.tobytes() == random_rows(3, 100)[[2, 0]].tobytes()


def test_an_empty_segment_can_be_read(tmp_path: Path) -> None:
    """No rows, no files, no dimension: still a file."""
    reader = written(tmp_path / "v", [])
    assert (reader.rows, len(reader.path_factors)) == (0, 0)


@pytest.mark.parametrize("keep", [0, 10, 63, 64, 200])
def test_a_truncated_file_is_corrupt(tmp_path: Path, keep: int) -> None:
    """A short file is refused by name."""
    written(tmp_path / "v", [(20, 3)])
    (tmp_path / "v").write_bytes((tmp_path / "v").read_bytes()[:keep])
    with pytest.raises(Corrupt, match="v"):
        VectorsReader(tmp_path / "v")


def test_a_newer_file_is_incompatible(tmp_path: Path) -> None:
    """A later version is refused, not half-read."""
    written(tmp_path / "v", [(2, 1)])
    data = bytearray((tmp_path / "v").read_bytes())
    data[8] = 99
    (tmp_path / "v").write_bytes(data)
    with pytest.raises(Incompatible, match="99"):
        VectorsReader(tmp_path / "v")


def test_a_foreign_or_longer_file_is_corrupt(tmp_path: Path) -> None:
    """Another magic, and bytes that the header does not know of."""
    written(tmp_path / "v", [(20, 3)])
    content = (tmp_path / "v").read_bytes()
    for wrong in (b"X" + content[1:], content + b"\0" * 4):
        (tmp_path / "v").write_bytes(wrong)
        with pytest.raises(Corrupt, match="v"):
            VectorsReader(tmp_path / "v")
