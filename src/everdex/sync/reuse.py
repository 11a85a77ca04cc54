"""Files that another worktree of the repository has indexed as they are here: their records are copied.

A file's record depends on its path and bytes only (`work.py`), so a copy is what indexing would make. The bytes are
read and hashed here: nothing is taken on a neighbour's word but what it made of the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from everdex.changes import read_stable
from everdex.changes.model import ReadFailed, UnstableRead
from everdex.discover.model import Candidate
from everdex.errors import EverdexError
from everdex.roots import Root
from everdex.segment.files import FileLine, file_line
from everdex.segment.read import SegmentReader
from everdex.segment.write import Live, SegmentsWriter
from everdex.snapshot import active, integrity
from everdex.snapshot.guard import hold_shared
from everdex.snapshot.live import live_map
from everdex.snapshot.neighbours import neighbours
from everdex.snapshot.store import Store

# Fewer files, or bytes in them, are indexed sooner than looked for.
_WORTH_FILES: Final = 32
_WORTH_BYTES: Final = 1 << 20


def copy_equal(
    root: Root, store: Store, writer: SegmentsWriter, todo: Sequence[Candidate], max_bytes: int
) -> tuple[Candidate, ...]:
    """Write what neighbours have of these files; the others are left to be indexed."""
    rest = tuple(todo)
    if len(rest) < _WORTH_FILES and sum(candidate.stat.size for candidate in rest) < _WORTH_BYTES:
        return rest
    for other in neighbours(store):
        with hold_shared(other.readers_lock, other.permissions):
            equal = _equal(root, other, rest, max_bytes)
            for segment, lines in equal.items():
                _copy(writer, segment, lines)
        copied = {line.path_key for lines in equal.values() for line, _, _ in lines}
        rest = tuple(candidate for candidate in rest if candidate.path_key not in copied)
    return rest


def _equal(root: Root, other: Store, todo: Sequence[Candidate], max_bytes: int) -> dict[Path, list[Live]]:
    """The files that are equal in a neighbour, by segment; none when its snapshot is not what it was sealed as."""
    found: dict[Path, list[Live]] = {}
    try:
        manifest = active.pin(other).manifest
        live = live_map(other.path, manifest)
        for candidate in todo:
            file = live.files.get(candidate.path_key)
            line = None if file is None else _line_of(root, candidate, file.line, max_bytes)
            if file is not None and line is not None:
                segment = other.path / manifest.segments[file.segment].path
                found.setdefault(segment, []).append((line, file.file_no, file.first_row))
        if found:
            integrity.verify(other, manifest, full=True)
    except EverdexError:
        return {}  # who works there is told; here the files are indexed
    return found


def _copy(writer: SegmentsWriter, segment: Path, lines: list[Live]) -> None:
    reader = SegmentReader(segment)
    try:
        writer.copy(reader, sorted(lines, key=lambda each: each[2]))
    finally:
        reader.close()


def _line_of(root: Root, candidate: Candidate, line: FileLine, max_bytes: int) -> FileLine | None:
    """The line of a file here that is equal to one there; None when it is not, or cannot be read."""
    if line.size != candidate.stat.size or line.skip is not None:
        return None
    try:
        source = read_stable(root, candidate, max_bytes=max_bytes)
    except (UnstableRead, ReadFailed):
        return None  # it is told by whoever indexes it
    if source is None or source.content_hash != line.content_hash:
        return None
    seen = msgspec.structs.replace(line.indexed_file(), stat=source.stat, observed_ns=source.observed_ns)
    return file_line(seen, line.rows)
