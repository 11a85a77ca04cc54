"""Writing segments: what is not completed lets go of its files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from everdex.errors import StorageFailure
from everdex.segment.read import SegmentReader
from everdex.segment.write import SegmentsWriter
from everdex.snapshot import active
from everdex.snapshot.live import live_map
from support.stores import synced


def _open_below(directory: Path) -> list[str]:
    found = []
    for name in os.listdir("/proc/self/fd"):
        try:
            found.append(os.readlink(f"/proc/self/fd/{name}"))
        except FileNotFoundError:
            continue  # the listing's own
    return [path for path in found if path.startswith(f"{directory}/")]


def test_a_segment_that_fails_lets_go_of_its_files(tmp_path: Path) -> None:
    """A full disk gets its space back when they are removed, though whoever wrote them is still there."""
    made = synced(tmp_path / "tree", {"a.py": "def f():\n    pass\n"})
    manifest = active.pin(made.store).manifest
    (live,) = live_map(made.store.path, manifest).files.values()
    segment = SegmentReader(made.store.path / manifest.segments[0].path)
    directory = tmp_path / "staging"
    directory.mkdir()
    writer = SegmentsWriter(directory, "seg", segment.vectors.dim)

    def fails() -> None:
        with writer:
            writer.copy(segment, [(live.line, live.file_no, live.first_row)])
            assert _open_below(directory)
            raise StorageFailure("the disk is full")

    with pytest.raises(StorageFailure):
        fails()
    assert not _open_below(directory)
    segment.close()
