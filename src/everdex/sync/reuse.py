"""Files that another worktree of the repository has indexed as they are here: their records are copied.

A file's record depends on its path and bytes only (`work.py`), so a copy is what indexing would make. The bytes are
read and hashed here: nothing is taken on a neighbour's word but what it made of the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from everdex.changes import read_stable
from everdex.changes.model import ReadFailed, UnstableRead
from everdex.discover.model import Candidate
from everdex.errors import EverdexError
from everdex.roots import Root
from everdex.segment.files import FileLine, file_line
from everdex.segment.read import SegmentReader
from everdex.segment.write import SegmentWriter
from everdex.snapshot import active, integrity
from everdex.snapshot.guard import hold_shared
from everdex.snapshot.live import LiveFile, live_map
from everdex.snapshot.neighbours import neighbours
from everdex.snapshot.retention import readers_lock
from everdex.snapshot.store import Store

# Fewer files, or bytes in them, are indexed sooner than looked for.
_WORTH_FILES: Final = 32
_WORTH_BYTES: Final = 1 << 20


def copy_equal(
    root: Root, store: Store, writer: SegmentWriter, todo: Sequence[Candidate], max_bytes: int
) -> tuple[Candidate, ...]:
    """Write what neighbours have of these files; the others are left to be indexed."""
    rest = tuple(todo)
    if len(rest) < _WORTH_FILES and sum(candidate.stat.size for candidate in rest) < _WORTH_BYTES:
        return rest
    for other in neighbours(store):
        try:
            rest = _copied(root, other, writer, rest, max_bytes)
        except _Unusable:
            continue
    return rest


class _Unusable(Exception):
    """A neighbour whose snapshot cannot be read, or is not what it was sealed as."""


def _copied(
    root: Root, other: Store, writer: SegmentWriter, todo: tuple[Candidate, ...], max_bytes: int
) -> tuple[Candidate, ...]:
    with hold_shared(readers_lock(other), other.permissions):
        try:
            manifest = active.pin(other).manifest
            live = live_map(other.path, manifest)
            equal = {
                candidate.path_key: line
                for candidate in todo
                if (file := live.files.get(candidate.path_key)) is not None
                and (line := _line_of(root, candidate, file, max_bytes)) is not None
            }
            if equal:
                integrity.verify(other, manifest, full=True)
        except EverdexError as error:
            raise _Unusable from error
        for number, reference in enumerate(manifest.segments):
            chosen = [live.files[path_key] for path_key in equal if live.files[path_key].segment == number]
            if chosen:
                chosen.sort(key=lambda file: file.first_row)
                reader = SegmentReader(other.path / reference.path)
                try:
                    lines = [(equal[file.line.path_key], file.file_no, file.first_row) for file in chosen]
                    writer.copy(reader, lines)
                finally:
                    reader.close()
    return tuple(candidate for candidate in todo if candidate.path_key not in equal)


def _line_of(root: Root, candidate: Candidate, file: LiveFile, max_bytes: int) -> FileLine | None:
    """The line of a file here that is equal to one there; None when it is not, or cannot be read."""
    line = file.line
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
