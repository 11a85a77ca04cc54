"""vectors.i8: exact products, the path joined at query time, and nothing believed of a damaged file."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.errors import Corrupt, Incompatible
from everdex.numeric import np, npt
from everdex.segment.vectors import VectorsReader, VectorsWriter, join_vectors, quantize_query

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


def test_cosines_are_those_of_the_stored_rows(tmp_path: Path) -> None:
    """Text and path cosines agree with plain float64 arithmetic."""
    reader = written(tmp_path / "v", [(30, 4), (7, 2)])
    query = quantize_query(np.random.default_rng(5).normal(size=DIM).astype(np.float32))
    out = np.zeros(reader.rows, dtype=np.float32)
    reader.row_cosines(query, out)
    texts = np.concatenate([random_rows(30, 0), random_rows(7, 1)])
    paths = np.concatenate([random_rows(4, 100), random_rows(2, 101)])
    assert np.allclose(out, unit(texts) @ query, rtol=1e-5)
    assert np.allclose(reader.path_cosines(query), unit(paths) @ query, rtol=1e-5)


def test_a_row_scores_the_same_bits_wherever_it_lies(tmp_path: Path) -> None:
    """One file of all rows and one file a row give identical float32 products."""
    rows, paths = random_rows(5_000, 1), random_rows(1, 2)
    query = quantize_query(np.random.default_rng(3).normal(size=DIM).astype(np.float32))
    together = written_rows(tmp_path / "all", rows, paths, query)
    for index in (0, 1, 4_095, 4_096, 4_999):
        alone = written_rows(tmp_path / str(index), rows[index : index + 1], paths, query)
        assert alone[0].tobytes() == together[index].tobytes()


def written_rows(
    path: Path, rows: npt.NDArray[np.int8], paths: npt.NDArray[np.int8], query: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    writer = VectorsWriter(path, DIM)
    writer.add(join_vectors(rows, paths, np.zeros(len(rows), dtype=np.int64)))
    writer.close()
    out = np.zeros(len(rows), dtype=np.float32)
    VectorsReader(path).row_cosines(query, out)
    return out


def test_joint_lengths_are_those_of_the_summed_vectors(tmp_path: Path) -> None:
    """The stored overlap gives the length of text + share × path for any share."""
    row_files = np.array([0, 0, 1])
    rows, paths = random_rows(3, 7), random_rows(2, 8)
    rows[1] = 0
    writer = VectorsWriter(tmp_path / "v", DIM)
    writer.add(join_vectors(rows, paths, row_files))
    writer.close()
    for share in (0.0, 0.5, 2.0):
        expected = np.linalg.norm(unit(rows) + share * unit(paths)[row_files], axis=1)
        assert np.allclose(VectorsReader(tmp_path / "v").lengths(row_files, share), expected, atol=1e-6)


def test_taking_rows_keeps_them_bit_for_bit(tmp_path: Path) -> None:
    """What compaction copies is what was stored."""
    reader = written(tmp_path / "v", [(20, 3)])
    taken = reader.take(np.array([5, 3, 19]), np.array([2, 0]))
    assert taken.rows.tobytes() == random_rows(20, 0)[[5, 3, 19]].tobytes()
    assert taken.paths.tobytes() == random_rows(3, 100)[[2, 0]].tobytes()


def test_an_empty_segment_can_be_read(tmp_path: Path) -> None:
    """No rows, no files, no dimension: still a file."""
    reader = written(tmp_path / "v", [])
    assert (reader.rows, reader.files) == (0, 0)


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
