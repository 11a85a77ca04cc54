"""The graph of one snapshot on disk: one immutable file, mapped, with its own checksum.

Files are numbered in path order and nothing in it depends on how it came about, so a graph made from an older one
has the same bytes as one made from nothing. A file that is damaged, cut short or of another snapshot is refused here.
"""

from __future__ import annotations

import mmap
import struct
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import msgspec
import xxhash

from everdex import versions
from everdex.durable import Pieces
from everdex.errors import Corrupt
from everdex.graph.stored.blobs import Blobs
from everdex.graph.stored.file_lists import FileLists
from everdex.graph.stored.offers import Offers
from everdex.graph.stored.postings import Postings
from everdex.numeric import np, npt

_MAGIC: Final = b"EVDXGRF\n"
_HEAD: Final = struct.Struct("<8sIIQ16s")  # magic, schema version, sections, file size, xxh3-128 of all that follows
_ENTRY: Final = struct.Struct("<IIQQ")  # section, bytes per element, offset, elements
_ALIGNMENT: Final = 8
TABLES: Final = ("reads", "targets", "overridden", "names", "ids", "defines")
_FIXED: Final = (
    "header", "blobs", "blob_ends", "parts", "part_ends", "offer_keys", "offer_files", "offer_contents",
    "asked_keys", "asked_files", "asked_counts",
)  # fmt: skip
_SECTIONS: Final = (*_FIXED, *(f"{table}_{part}" for table in TABLES for part in ("keys", "numbers", "lists")))


WAITS: Final = -1  # in place of a count: not all of a file is resolved


class FileEntry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What can be said of a file without decoding its blob."""

    path: str
    content: bytes  # SHA-256 of the file's bytes
    language: str
    offers: int  # hash of everything it offers
    interface: str
    partial: bool  # it has syntax errors
    failed: str  # '' or the kind of error its resolver raised
    calls: tuple[int, int, int, int]  # call sites: resolved, ambiguous, external, unresolved
    unnamed: int  # calls of a value without a name, or under a computed one, that may call anything; or WAITS
    externals: tuple[str, ...]  # packages outside the root that it takes something from; not the language's own
    semantic: int = 0  # sites of which an indexer says what they mean
    disagreeing: int = 0  # sites that read otherwise than an indexer says
    joined: bytes = b""  # hash of all that it was joined from; b"" when no indexer says anything of it
    looked: tuple[str, ...] = ()  # other files that were looked at for that

    @property
    def waits(self) -> bool:
        """Whether not all of it is resolved, as in a graph that is `unfinished`."""
        return self.unnamed == WAITS


class _Header(msgspec.Struct, frozen=True, array_like=True):
    digest: str
    resolvers: str
    files: tuple[FileEntry, ...]


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that makes a graph, in memory."""

    digest: str  # of the snapshot
    resolvers: str  # version of what resolved it
    files: tuple[FileEntry, ...]  # by path
    blobs: Blobs
    parts: Blobs
    offers: Offers
    asked: Offers  # how many sites of a file are not resolved, by `asked_key`
    tables: dict[str, Postings]


def pack(parts: Parts) -> Pieces:
    """The bytes of the file. What stays of another graph is not copied before it is written."""
    header = _Header(parts.digest, parts.resolvers, parts.files)
    small = np.dtype(np.uint16 if len(parts.files) <= 1 << 16 else np.uint32)
    sections: dict[str, tuple[int, Pieces]] = {
        "header": (1, (msgspec.msgpack.encode(header),)),
        "blobs": (1, parts.blobs.pieces),
        "blob_ends": _column(parts.blobs.ends, np.uint64),
        "parts": (1, parts.parts.pieces),
        "part_ends": _column(parts.parts.ends, np.uint64),
        "offer_keys": _column(parts.offers.keys, np.uint64),
        "offer_files": _column(parts.offers.files, small),
        "offer_contents": _column(parts.offers.contents, np.uint32),
        "asked_keys": _column(parts.asked.keys, np.uint64),
        "asked_files": _column(parts.asked.files, small),
        "asked_counts": _column(parts.asked.contents, np.uint32),
    }
    for name in TABLES:
        table = parts.tables[name]
        sections[f"{name}_keys"] = _column(table.keys, np.uint32)
        sections[f"{name}_numbers"] = _column(table.numbers, np.min_scalar_type(max(0, len(table.lists.ends) - 1)))
        sections[f"{name}_lists"] = _column(table.lists.data, np.uint8)
    offset = _HEAD.size + _ENTRY.size * len(_SECTIONS)
    entries: list[bytes] = []
    pieces: list[bytes | memoryview] = []
    for number, name in enumerate(_SECTIONS):
        width, section = sections[name]
        size, padding = sum(map(len, section)), -offset % _ALIGNMENT
        entries.append(_ENTRY.pack(number, width, offset + padding, size // width))
        pieces += [bytes(padding), *section]
        offset += padding + size
    checksum = xxhash.xxh3_128()
    for piece in (*entries, *pieces):
        checksum.update(piece)
    head = _HEAD.pack(_MAGIC, versions.ARTIFACTS["graph"].writable, len(_SECTIONS), offset, checksum.digest())
    return (head, *entries, *pieces)


def _column(array: npt.NDArray[Any], kind: npt.DTypeLike) -> tuple[int, tuple[memoryview]]:
    """The bytes of each element, and all of them."""
    column = np.ascontiguousarray(array, dtype=kind)
    return column.itemsize, (column.data.cast("B"),)


class Graph:
    """A snapshot's graph, checked and open for questions."""

    def __init__(self, data: bytes | mmap.mmap, where: str) -> None:
        self.data = data
        sections = _checked(data, where)
        header = _decoded(sections["header"], where)
        self.digest = header.digest
        self.resolvers = header.resolvers
        self.files = header.files
        self.paths = tuple(entry.path for entry in header.files)
        self.blobs = Blobs((sections["blobs"][1],), _array(sections["blob_ends"], np.uint64))
        self.part_blobs = Blobs((sections["parts"][1],), _array(sections["part_ends"], np.uint64))
        self.offers = _offers(sections, "offer_keys", "offer_files", "offer_contents")
        self.asked = _offers(sections, "asked_keys", "asked_files", "asked_counts")
        self.tables = {
            name: Postings(
                _array(sections[f"{name}_keys"], np.uint32),
                _numbers(sections[f"{name}_numbers"]),
                FileLists(_array(sections[f"{name}_lists"], np.uint8)),
            )
            for name in TABLES
        }

    @classmethod
    def open(cls, path: Path) -> Graph:
        """`Corrupt` when the file is not whole; `FileNotFoundError` when there is none."""
        with open(path, "rb") as stream:
            try:
                data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError as error:  # an empty file cannot be mapped
                raise Corrupt(f"{path} is empty") from error
        return cls(data, str(path))

    def number(self, path: str) -> int | None:
        """The number of a file; None when the graph does not have it."""
        place = bisect_left(self.paths, path)
        return place if place < len(self.paths) and self.paths[place] == path else None

    def blob(self, number: int) -> bytes:
        """The columns of a file."""
        return self.blobs.of(number)

    def is_unknown(self, number: int) -> bool:
        """Whether of a file that waits not even the definitions are known."""
        return not self.blobs.size(number)

    @cached_property
    def waiting(self) -> frozenset[str]:
        """The files that wait, or of which parts do: none of a finished graph."""
        return frozenset([entry.path for entry in self.files if entry.waits])

    @cached_property
    def untouched(self) -> frozenset[str]:
        """Those of them of which nothing is resolved; of some the definitions may be known."""
        resolved = set(self.paths).difference(self.paths[number] for number in self.part_blobs.empty())
        return self.waiting - resolved

    def parts(self, number: int) -> bytes:
        """What the parts of a file looked at; b"" when it was resolved whole."""
        return self.part_blobs.of(number)


def _checked(data: bytes | mmap.mmap, where: str) -> dict[str, tuple[int, memoryview]]:
    """The sections by name, once every byte of them is known to be as it was written."""
    if len(data) < _HEAD.size:
        raise Corrupt(f"{where} is cut short")
    magic, version, count, size, checksum = _HEAD.unpack_from(data)
    if magic != _MAGIC:
        raise Corrupt(f"{where} is not a graph")
    versions.check_readable("graph", version, where)
    view = memoryview(data)
    if size != len(data) or count != len(_SECTIONS) or xxhash.xxh3_128_digest(view[_HEAD.size :]) != checksum:
        raise Corrupt(f"{where} fails its checksum")
    sections = {}
    for index, name in enumerate(_SECTIONS):
        _, width, offset, elements = _ENTRY.unpack_from(data, _HEAD.size + index * _ENTRY.size)
        sections[name] = (width, view[offset : offset + width * elements])
    return sections


def _decoded(section: tuple[int, memoryview], where: str) -> _Header:
    try:
        return msgspec.msgpack.decode(section[1], type=_Header)
    except msgspec.DecodeError as error:
        raise Corrupt(f"{where} has an unreadable header: {error}") from error


def _offers(sections: dict[str, tuple[int, memoryview]], keys: str, files: str, contents: str) -> Offers:
    return Offers(
        _array(sections[keys], np.uint64), _numbers(sections[files]), _array(sections[contents], np.uint32)
    )


def _array(section: tuple[int, memoryview], dtype: Any) -> npt.NDArray[Any]:
    return np.frombuffer(section[1], dtype=dtype)


def _numbers(section: tuple[int, memoryview]) -> npt.NDArray[Any]:
    """Of as many bytes each as the section says."""
    return np.frombuffer(section[1], dtype=f"<u{section[0]}")
