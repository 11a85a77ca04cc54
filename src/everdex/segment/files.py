"""files.jsonl and tombstones.jsonl: one JSON object a line, strict on the way in.

files.jsonl is what change detection compares the tree with; there is no other list of what is indexed.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from everdex.changes.model import IndexedFile
from everdex.discover.model import FileStat
from everdex.errors import Corrupt
from everdex.identity.merkle import file_leaf


class FileLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A line of files.jsonl."""

    path_key: str
    content_hash: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    observed_ns: int
    leaf: str
    rows: int
    skip: str | None
    language: str = ""  # where it is not the one that the name says

    def indexed_file(self) -> IndexedFile:
        stat = FileStat(self.size, self.mtime_ns, self.ctime_ns, self.inode)
        return IndexedFile(self.path_key, self.content_hash, stat, self.observed_ns, self.skip, self.language)


class TombstoneLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A line of tombstones.jsonl: older rows of this path are dead."""

    path_key: str
    reason: Literal["delete", "replace", "rename_from"]


def file_line(file: IndexedFile, rows: int) -> FileLine:
    return FileLine(
        file.path_key, file.content_hash, file.stat.size, file.stat.mtime_ns, file.stat.ctime_ns,
        file.stat.inode, file.observed_ns, file_leaf(file.path_key, file.content_hash).hex(), rows, file.skip,
        file.language,
    )  # fmt: skip


def encode_lines(lines: Iterable[FileLine | TombstoneLine]) -> bytes:
    return msgspec.json.Encoder().encode_lines(lines)


def read_file_lines(path: Path) -> list[FileLine]:
    return _read(path, _FILE_DECODER)


def read_tombstones(path: Path) -> list[TombstoneLine]:
    return _read(path, _TOMBSTONE_DECODER)


_Line = TypeVar("_Line", FileLine, TombstoneLine)
_FILE_DECODER = msgspec.json.Decoder(FileLine)
_TOMBSTONE_DECODER = msgspec.json.Decoder(TombstoneLine)


def _read(path: Path, decoder: msgspec.json.Decoder[_Line]) -> list[_Line]:
    try:
        return decoder.decode_lines(path.read_bytes())
    except FileNotFoundError as error:
        raise Corrupt(f"{path} is missing") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Corrupt(f"{path} is damaged: {error}") from error
