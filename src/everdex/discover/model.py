"""What discovery hands to change detection.

What exists once a file is a msgspec struct: every look at a tree makes thousands, and a frozen dataclass takes ten
times as long to make.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

import msgspec


class SkipReason(StrEnum):
    """Every way a path can be out; each is deterministic and documented in docs/contracts.md."""

    IGNORED = "ignored"  # .gitignore, .everdexignore or [index] exclude
    UNTRACKED = "untracked"  # [index] untracked = false, or a shared store
    UNSUPPORTED_TYPE = "unsupported_type"  # no known extension, name, first line or include pattern
    TOO_LARGE = "too_large"
    BINARY = "binary"
    ENCODING = "encoding"  # not UTF-8
    TOO_MANY_CHUNKS = "too_many_chunks"
    UNREADABLE = "unreadable"  # permissions
    NOT_REGULAR = "not_regular"  # FIFO, socket, device
    PATH_NOT_UTF8 = "path_not_utf8"
    PATH_CONTROL = "path_control_character"
    PATH_TOO_LONG = "path_too_long"
    OUT_OF_ROOT = "out_of_root"
    SYMLINK_LOOP = "symlink_loop"
    SYMLINK_BROKEN = "symlink_broken"
    SYMLINK_DIRECTORY = "symlink_directory"
    SYMLINK_TO_INELIGIBLE = "symlink_to_ineligible"
    NESTED_REPOSITORY = "nested_repository"
    SUBMODULE = "submodule"
    RESERVED = "reserved"  # .git, the store itself


class FileStat(msgspec.Struct, frozen=True, gc=False):
    """The hint by which a file is taken as unchanged: all four must agree."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A path that is eligible as far as can be told without reading more than its first line."""

    path_key: str  # NFC, '/' separators, relative to the root
    disk_path: str  # what to open below the root: a realpath for symlinks, surrogateescape for odd bytes
    stat: FileStat
    is_script: bool = False  # nothing but its first line lets it in


class Known(Protocol):
    """Whatever remembers how a file looked."""

    @property
    def stat(self) -> FileStat: ...


class Skip(msgspec.Struct, frozen=True):
    path_key: str  # display form when the real path has no key (bad bytes are escaped)
    reason: SkipReason
    detail: str = ""


class Collision(msgspec.Struct, frozen=True):
    """Distinct files whose keys are equal after casefolding (or NFC)."""

    key: str
    paths: tuple[str, ...]


class Listed(msgspec.Struct, frozen=True):
    """What a listing of the tree was made of, as paths on disk."""

    paths: tuple[bytes, ...]  # nested repositories end in "/"
    entered: frozenset[bytes] | None = None  # directories that a walk has read; None: git listed
    closed: frozenset[bytes] = frozenset()  # and those that it could not


class Discovery(msgspec.Struct, frozen=True):
    files: tuple[Candidate, ...]  # sorted by path_key
    skipped: tuple[Skip, ...]  # sorted by path_key; ignored directories appear once, ending in '/'
    collisions: tuple[Collision, ...]
    ignore_fingerprint: str
    source: str  # "git" or "walk"
    warnings: tuple[str, ...] = ()
