"""files.jsonl and tombstones.jsonl: what is written is read back, and nothing is believed of a damaged list."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.changes.model import IndexedFile
from everdex.discover.model import FileStat
from everdex.errors import Corrupt
from everdex.segment.files import TombstoneLine, encode_lines, file_line, read_file_lines, read_tombstones

_FILE = IndexedFile("bin/run", "ab" * 32, FileStat(5, 1, 2, 3), 9, None, "python")


def test_lines_are_read_back(tmp_path: Path) -> None:
    """With the language that a first line says and no name does."""
    path = tmp_path / "files.jsonl"
    path.write_bytes(encode_lines([file_line(_FILE, 4)]))
    (line,) = read_file_lines(path)
    assert line.indexed_file() == _FILE
    assert line.rows == 4


def test_a_list_that_is_missing_or_damaged_is_corrupt(tmp_path: Path) -> None:
    """Not an empty list; nor is a field passed over that this everdex does not know."""
    files, tombstones = encode_lines([file_line(_FILE, 4)]), encode_lines([TombstoneLine("a.py", "delete")])
    for read, good in ((read_file_lines, files), (read_tombstones, tombstones)):
        path = tmp_path / "list.jsonl"
        path.unlink(missing_ok=True)
        wrongs = (None, good[:-3], b"\xff" + good, good.replace(b"{", b'{"new":1,', 1), good + b"{}\n")
        for wrong in wrongs:
            if wrong is not None:
                path.write_bytes(wrong)
            with pytest.raises(Corrupt, match=r"list\.jsonl"):
                read(path)
