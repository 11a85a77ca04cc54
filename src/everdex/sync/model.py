"""What a sync is asked for and what it reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec

from everdex import machine
from everdex.changes.model import ChangeSet
from everdex.config import IndexConfig
from everdex.discover.model import Discovery
from everdex.roots import Root
from everdex.segment.files import FileLine
from everdex.snapshot.manifest import DegradedError, Manifest
from everdex.snapshot.publish import StagedSegment

Progress = Callable[[str, int, int], None]  # phase, done, total


def silent(phase: str, done: int, total: int) -> None:
    """A progress callback for callers that have no screen."""


class SyncOptions(msgspec.Struct, frozen=True):
    allow_degraded: bool = False
    always_rehash: bool = False
    rebuild: bool = False  # index every file again, whatever is indexed
    large: bool = False  # more at once than is indexed unasked
    auto_compact: bool = True
    workers: int = msgspec.field(default_factory=machine.workers)
    progress: Progress = silent


class WorkSettings(msgspec.Struct, frozen=True):
    """What a worker process needs to turn files into records."""

    root: Root
    config: IndexConfig
    embed_fingerprint: str
    cache_path: Path


class Indexed(msgspec.Struct, frozen=True):
    """What became of the files that were to be indexed."""

    staged: tuple[StagedSegment, ...] = ()
    errors: tuple[DegradedError, ...] = ()
    vanished: tuple[str, ...] = ()
    reused: int = 0  # files whose records another worktree had

    @property
    def lines(self) -> tuple[FileLine, ...]:
        return tuple(line for staged in self.staged for line in staged.lines)


class Detected(msgspec.Struct, frozen=True):
    """The state of the tree against one snapshot."""

    discovery: Discovery
    changes: ChangeSet
    base: Manifest | None


class SyncReport(msgspec.Struct, frozen=True):
    manifest: Manifest
    published: bool
    added: int = 0
    modified: int = 0
    deleted: int = 0
    renamed: int = 0
    touched: int = 0
    unchanged: int = 0
    reused: int = 0  # of those added and modified: copied from another worktree's index
    compacted: bool = False
    timings_ms: dict[str, float] = msgspec.field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    proof: bytes = b""  # of a glance that sufficed; see sync/glance.py
