"""Which files of which segments are live in a snapshot: the one place where tombstones are applied.

A file is live in a segment when no newer segment holds its path and no later tombstone removes it (IDX.MUST.001). Every
reader of a snapshot starts from a `LiveMap`.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

import msgspec

from everdex.changes.model import IndexedFile
from everdex.errors import Corrupt
from everdex.segment.files import FileLine, TombstoneLine, read_file_lines, read_tombstones
from everdex.segment.model import FILES_NAME
from everdex.snapshot.manifest import Manifest


class LiveFile(msgspec.Struct, frozen=True, gc=False):
    """A live file: where its rows are."""

    segment: int  # index into LiveMap.segments
    file_no: int  # in that segment's rows.db; -1 for a file skipped by its content
    first_row: int
    line: FileLine


class LiveMap(msgspec.Struct, frozen=True):
    files: dict[str, LiveFile]
    segments: tuple[str, ...]  # segment ids, in manifest order
    live_rows: tuple[int, ...]
    live_files: tuple[int, ...]

    def indexed(self) -> dict[str, IndexedFile]:
        """What change detection compares the tree with."""
        return {path_key: live.line.indexed_file() for path_key, live in self.files.items()}


EMPTY = LiveMap({}, (), (), ())


def _lines(path: Path) -> tuple[FileLine, ...]:
    """The files of a segment. It never changes, so a process that looks again need not read it again."""
    try:
        seen = os.stat(path)
    except FileNotFoundError as error:
        raise Corrupt(f"{path} is missing") from error
    return _lines_at(path, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)


# The stat is in the key, so that a segment which did change (damaged, repaired) is read as it is now.
@lru_cache(maxsize=32)
def _lines_at(path: Path, inode: int, size: int, mtime_ns: int, ctime_ns: int) -> tuple[FileLine, ...]:
    return tuple(read_file_lines(path))


def still_buried(
    store_path: Path, manifest: Manifest, live: LiveMap, dropped: frozenset[str]
) -> dict[str, TombstoneLine]:
    """The tombstones that are needed when these segments are dropped: of dead paths that another segment holds.

    Of a path that is live no older row can answer anyway: the newest segment that holds it counts.
    """
    stays = [segment for segment in manifest.segments if segment.segment_id not in dropped]
    held = {line.path_key for segment in stays for line in _lines(store_path / segment.path / FILES_NAME)}
    buried: dict[str, TombstoneLine] = {}
    for reference in sorted(manifest.tombstones, key=lambda item: item.seq):
        buried.update((line.path_key, line) for line in read_tombstones(store_path / reference.path))
    return {path_key: line for path_key, line in buried.items() if path_key in held and path_key not in live.files}


def live_map(store_path: Path, manifest: Manifest) -> LiveMap:
    """Apply tombstones and newer segments to every file of a snapshot."""
    buried: dict[str, int] = {}
    for reference in sorted(manifest.tombstones, key=lambda item: item.seq):
        for tombstone in read_tombstones(store_path / reference.path):
            buried[tombstone.path_key] = reference.seq
    files: dict[str, LiveFile] = {}
    live_rows = [0] * len(manifest.segments)
    live_files = [0] * len(manifest.segments)
    newest_first = sorted(range(len(manifest.segments)), key=lambda i: -manifest.segments[i].seq)
    for index in newest_first:
        reference_segment = manifest.segments[index]
        seq = reference_segment.seq
        first_row = file_no = alive = alive_rows = 0
        for line in _lines(store_path / reference_segment.path / FILES_NAME):
            path_key, rows, stored = line.path_key, line.rows, line.skip is None
            if path_key not in files and buried.get(path_key, 0) <= seq:
                files[path_key] = LiveFile(index, file_no if stored else -1, first_row, line)
                alive += 1
                alive_rows += rows
            first_row += rows
            file_no += stored
        live_files[index], live_rows[index] = alive, alive_rows
    return LiveMap(
        files,
        tuple(reference.segment_id for reference in manifest.segments),
        tuple(live_rows),
        tuple(live_files),
    )
