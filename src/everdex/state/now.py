"""What differs now from the base, and the new bytes: from the working tree, or from another snapshot.

Contents are read on demand, below the root only, and each is hashed from the very bytes that were read.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Protocol

import msgspec

from everdex import limits
from everdex.changes import content_skip, read_stable
from everdex.changes.model import ChangeSet, ReadError
from everdex.discover.beneath import read_beneath
from everdex.discover.model import Candidate
from everdex.roots import Root
from everdex.view import SnapshotView

_REMEMBERED = 64


class Content(msgspec.Struct, frozen=True):
    content_hash: str
    data: bytes


class Now(Protocol):
    """`changed` has every path whose content may differ from the base's: its size, or None when it is gone."""

    @property
    def changed(self) -> Mapping[str, int | None]: ...

    def content(self, path: str) -> Content | None:
        """Of a changed path that is there; None when it cannot be read, or is not text."""


class Unchanged:
    """The tree is as the base has it."""

    changed: Mapping[str, int | None] = {}

    def content(self, path: str) -> Content | None:
        return None


def read_file(root: Root, key: str) -> bytes | None:
    """The bytes of a regular file below the root, as far as a file may be large; None when there is none."""
    try:
        descriptor = read_beneath(root.path, key)
    except OSError:
        return None
    with open(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        return stream.read(limits.MAX_FILE_SIZE_BYTES + 1)


class FilesNow:
    """Some files only, read at once: for who cannot wait for a look at the whole tree."""

    def __init__(self, root: Root, base: Mapping[str, str], keys: Iterable[str]) -> None:
        self._contents: dict[str, Content] = {}
        changed: dict[str, int | None] = {}
        for key in keys:
            data = read_file(root, key)
            if data is None:
                changed |= {key: None} if key in base else {}
                continue
            content = Content(hashlib.sha256(data).hexdigest(), data)
            if base.get(key) != content.content_hash and key in base:
                changed[key] = len(data)
                self._contents[key] = content
        self.changed: Mapping[str, int | None] = changed

    def content(self, path: str) -> Content | None:
        found = self._contents.get(path)
        return found if found is not None and content_skip(found.data) is None else None


class TreeNow:
    """The working tree, as a look at it found it."""

    def __init__(self, root: Root, changes: ChangeSet) -> None:
        self._root = root
        self._candidates: dict[str, Candidate] = {item.path_key: item for item in changes.to_index}
        gone = (*changes.delete, *(old for old, _ in changes.rename))
        self.changed: Mapping[str, int | None] = {
            **dict.fromkeys(gone), **{key: item.stat.size for key, item in self._candidates.items()},
        }  # fmt: skip
        self.content = lru_cache(maxsize=_REMEMBERED)(self._read)

    def _read(self, path: str) -> Content | None:
        candidate = self._candidates.get(path)
        try:
            source = read_stable(self._root, candidate) if candidate is not None else None
        except ReadError:
            return None
        if source is None or content_skip(source.data) is not None:
            return None
        return Content(source.content_hash, source.data)


class SnapshotNow:
    """A later snapshot than the base."""

    def __init__(self, base: Mapping[str, str], view: SnapshotView) -> None:
        self._view = view
        self._hashes = {line.path_key: line.content_hash for line in view.file_lines()}
        sizes = {line.path_key: line.size for line in view.file_lines()}
        changed = {path: sizes[path] for path, known in self._hashes.items() if base.get(path) != known}
        self.changed: Mapping[str, int | None] = {**dict.fromkeys(base.keys() - self._hashes.keys()), **changed}

    def content(self, path: str) -> Content | None:
        try:
            return Content(self._hashes[path], self._view.source(path))
        except KeyError:  # skipped for its content: there is no text of it
            return None
