"""What change detection takes and gives. What exists once a file is a struct, as in discovery's model."""

from __future__ import annotations

from typing import ClassVar, Final

import msgspec

from everdex.discover.model import Candidate, FileStat


class IndexedFile(msgspec.Struct, frozen=True, gc=False):
    """One file as the published snapshot knows it (a line of a segment's files.jsonl)."""

    path_key: str
    content_hash: str  # SHA-256 hex of the whole file
    stat: FileStat
    observed_ns: int  # wall clock when the stat was taken: tells whether the stat was racily clean
    skip: str | None  # a SkipReason found only by reading (binary, encoding, too_many_chunks), else None
    language: str = ""  # where it is not the one that the name says


class SourceFile(msgspec.Struct, frozen=True):
    """The bytes of a file, read stably: stat before and after the read agree."""

    path_key: str
    data: bytes
    content_hash: str
    stat: FileStat
    observed_ns: int


class GitState(msgspec.Struct, frozen=True):
    """What git says of the working tree; all empty when there is no git."""

    head_sha: str | None
    dirty: bool
    untracked_included: bool


class ChangeSet(msgspec.Struct, frozen=True):
    """Confirmed differences. A renamed file is in `rename` only, not in add or delete."""

    add: tuple[Candidate, ...]
    modify: tuple[Candidate, ...]
    delete: tuple[str, ...]
    rename: tuple[tuple[str, Candidate], ...]  # (old path_key, new candidate), same content hash
    touched: tuple[str, ...] = ()  # stat differs, content does not
    unchanged: int = 0

    @property
    def empty(self) -> bool:
        return not (self.add or self.modify or self.delete or self.rename)

    @property
    def to_index(self) -> tuple[Candidate, ...]:
        """Every candidate that must be read, parsed and stored."""
        return (*self.add, *self.modify, *(new for _, new in self.rename))

    @property
    def dirty_count(self) -> int:
        """How many files differ from what is indexed."""
        return len(self.to_index) + len(self.delete)


NO_CHANGES: Final = ChangeSet((), (), (), ())


class ReadError(Exception):
    """A candidate that could not be read; control flow between rooms, which sync turns into a degraded error."""

    code: ClassVar[str]

    def __init__(self, path_key: str, detail: str) -> None:
        super().__init__(f"{path_key}: {detail}")
        self.path_key = path_key
        self.detail = detail


class UnstableRead(ReadError):
    """The file kept changing while it was read."""

    code = "stable_read_failed"


class ReadFailed(ReadError):
    """The file cannot be opened or read, or is no longer a regular file below the root."""

    code = "read_failed"
