"""File systems that keep times in whole seconds, or every other one: a second edit within it is seen all the same."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from everdex.changes.detect import is_settled
from everdex.sync import glance
from support.stores import workspace

_S = 1_000_000_000


@pytest.mark.parametrize(
    ("mtime", "ctime", "age", "settled"),
    [
        (7 * _S + 1, 7 * _S + 1, 30_000_000, True),  # as most file systems stamp
        (7 * _S + 1, 7 * _S + 1, 10_000_000, False),
        (7 * _S, 7 * _S + 1, 30_000_000, True),  # an old time given to a file by `touch -d`
        (7 * _S, 7 * _S, 1_990_000_000, False),  # FAT keeps every other second
        (7 * _S, 7 * _S, 2_030_000_000, True),
        (9 * _S, 7 * _S, 1_000_000_000, False),  # from the future
        (3 * _S + 1, 7 * _S + 1, 10_000_000, False),  # an old time given to what was written just now
    ],
)
def test_times_are_trusted_when_the_next_write_would_have_others(
    mtime: int, ctime: int, age: int, settled: bool
) -> None:
    """Two ticks of a clock, or two seconds where all that a file system kept are whole ones."""
    assert is_settled(mtime, ctime, ctime + age) is settled


@pytest.fixture
def coarse(tmp_path: Path) -> Iterator[Path]:
    """A disk that keeps whole seconds, as ext3 does."""
    image, place = tmp_path / "image", tmp_path / "disk"
    place.mkdir()
    with open(image, "wb") as stream:
        stream.truncate(16 << 20)
    if subprocess.run(["mkfs.ext4", "-q", "-I", "128", image], capture_output=True, check=False).returncode:
        pytest.skip("no mkfs.ext4 here")
    if subprocess.run(["mount", "-o", "loop", image, place], capture_output=True, check=False).returncode:
        pytest.skip("mounting needs privileges")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.parametrize("git", [False, True])
def test_an_edit_within_the_second_is_seen(coarse: Path, git: bool) -> None:
    """Of the same size, looked at between two writes: the second is indexed; so is a file made beside another."""
    made = workspace(coarse / "tree", {"main.py": "x = 1000\n", "sub/b.py": "y = 1\n"}, git=git)
    made.settle()
    assert os.stat(made.path / "main.py").st_ctime_ns % _S == 0
    for number in range(4):
        for value in (2_000 + number, 3_000 + number):
            (made.path / "main.py").write_text(f"x = {value}\n")
            made.sync()
            time.sleep(0.03)
            made.sync()
            assert made.texts()["main.py"] == f"x = {value}\n"
            made.write({f"sub/new{value}.py": "z = 1\n"})
            made.sync()
            assert f"sub/new{value}.py" in made.texts()
    time.sleep(2.1)
    made.sync()
    assert glance.stands(made.root, made.config, made.store, made.base()) is not None
