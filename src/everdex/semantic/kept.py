"""What was imported, on disk: one file a context, written whole, renamed into place and never changed.

`semantic/<context id>.facts` in the store. Its header lists what is kept of which content of which file. Which
documents count for a snapshot is decided by the contents it has and by nothing else: what is kept of other bytes is as
if it were not there. Every byte is checked when a file is opened; a damaged one says nothing, and is told.
"""

from __future__ import annotations

import mmap
import os
import re
import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import msgspec
import xxhash

from everdex import versions
from everdex.durable import make_directory, remove_leftovers, replace_atomically
from everdex.errors import Corrupt, Incompatible, UsageError
from everdex.semantic.model import Context, Document
from everdex.snapshot.store import Store
from everdex.view import SnapshotView

SUFFIX: Final = ".facts"
_MAGIC: Final = b"EVDXSEM\n"
_HEAD: Final = struct.Struct("<16s8sII")  # xxh3-128 of all that follows, magic, schema version, bytes of the header
_CHECKSUM: Final = 16
_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_LEVEL: Final = 6
_Kind = TypeVar("_Kind")
_ENCODER: Final = msgspec.msgpack.Encoder(order="deterministic")  # sets, too: the same facts are the same bytes


class Entry(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One document of the file, as far as can be said without reading it."""

    path: str
    content: bytes  # SHA-256 of the bytes it is about
    digest: bytes  # xxh3-128 of its stored form
    offset: int  # behind the header
    size: int
    occurrences: int


Package = tuple[str, str]  # manager and name


class _Header(msgspec.Struct, frozen=True, array_like=True):
    context: Context
    packages: frozenset[Package]  # of which something is defined here
    entries: tuple[Entry, ...]  # by path


class Stored(msgspec.Struct, frozen=True):
    """A document in its stored form."""

    path: str
    content: bytes
    data: bytes
    occurrences: int


def stored(path: str, content: bytes, document: Document) -> Stored:
    return Stored(path, content, zlib.compress(msgspec.msgpack.encode(document), _LEVEL), len(document.starts))


class ContextFacts:
    """What is kept of one context."""

    def __init__(self, path: Path) -> None:
        """`Corrupt` or `Incompatible` when it cannot be believed; `FileNotFoundError` when there is none."""
        self.path = path
        try:
            with open(path, "rb") as stream:
                self._data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:  # an empty file cannot be mapped
            raise Corrupt(f"{path} is empty") from error
        except FileNotFoundError:
            raise
        except OSError as error:
            raise Corrupt(f"{path} cannot be opened: {error.strerror}") from error
        if len(self._data) < _HEAD.size:
            raise Corrupt(f"{path} is cut short")
        checksum, magic, version, size = _HEAD.unpack_from(self._data)
        with memoryview(self._data) as whole:
            if xxhash.xxh3_128_digest(whole[_CHECKSUM:]) != checksum or magic != _MAGIC:
                raise Corrupt(f"{path} fails its checksum")
        versions.check_readable("semantic", version, str(path))
        self._base = _HEAD.size + size
        header = _decoded(self._data[_HEAD.size : self._base], _Header, path)
        self.context = header.context
        self.packages = header.packages
        self.entries = header.entries

    def raw(self, entry: Entry) -> bytes:
        """A document's stored form."""
        start = self._base + entry.offset
        return self._data[start : start + entry.size]

    def document(self, entry: Entry) -> Document:
        return _decoded(self.raw(entry), Document, self.path)


def _decoded(data: bytes, kind: type[_Kind], path: Path) -> _Kind:
    try:
        return msgspec.msgpack.decode(zlib.decompress(data), type=kind)
    except (zlib.error, msgspec.DecodeError) as error:  # whole, and not what it should be
        raise Corrupt(f"{path} cannot be read: {error}") from error


def facts_path(store: Store, context_id: str) -> Path:
    """Where the facts of a context are kept; an id that names no file is refused."""
    if not _ID.fullmatch(context_id):
        raise UsageError(f"{context_id[:200]!r} is no id of a context", hint="`everdex contexts` lists them")
    return store.semantic / f"{context_id}{SUFFIX}"


def write(store: Store, context: Context, packages: frozenset[Package], documents: Iterable[Stored]) -> None:
    """Replace all that is kept of a context."""
    entries, pieces, offset = [], [], 0
    for item in sorted(documents, key=lambda item: item.path):
        digest = xxhash.xxh3_128_digest(item.data)
        entries.append(Entry(item.path, item.content, digest, offset, len(item.data), item.occurrences))
        pieces.append(item.data)
        offset += len(item.data)
    header = zlib.compress(_ENCODER.encode(_Header(context, packages, tuple(entries))), _LEVEL)
    version = versions.ARTIFACTS["semantic"].writable
    body = b"".join((_HEAD.pack(b"", _MAGIC, version, len(header))[_CHECKSUM:], header, *pieces))
    path = facts_path(store, context.id)
    make_directory(store.semantic, store.permissions)
    remove_leftovers(store.semantic)
    replace_atomically(path, xxhash.xxh3_128_digest(body) + body, store.permissions)


def stamp(store: Store) -> tuple[tuple[str, int, int], ...]:
    """What changes whenever anything is imported or removed; empty when nothing is kept. Opens nothing."""
    kept = []
    with suppress(FileNotFoundError), os.scandir(store.semantic) as found:
        for item in found:
            if item.name.endswith(SUFFIX):
                with suppress(FileNotFoundError):  # removed just now, and only that one
                    status = item.stat()
                    kept.append((item.name, status.st_ino, status.st_mtime_ns))
    return tuple(sorted(kept))


def read_all(store: Store) -> tuple[list[ContextFacts], list[str]]:
    """All that can be read, by context id; and what is damaged."""
    found, damaged = [], []
    for name, *_ in stamp(store):
        try:
            found.append(ContextFacts(store.semantic / name))
        except FileNotFoundError:
            continue  # removed just now
        except (Corrupt, Incompatible) as error:
            damaged.append(f"semantic facts are not used: {error}")
    return found, damaged


def damaged_facts(store: Store) -> list[str]:
    """The files that cannot be believed; names below semantic/."""
    damaged = []
    for name, *_ in stamp(store):
        try:
            ContextFacts(store.semantic / name)
        except FileNotFoundError:
            continue  # removed just now
        except Incompatible:
            continue  # whole, and another everdex's
        except Corrupt:
            damaged.append(name)
    return damaged


@dataclass(frozen=True, slots=True)
class Semantic:
    """What is kept about the contents of one snapshot."""

    chosen: Mapping[str, tuple[ContextFacts, Entry]]  # path key -> who says it
    fingerprint: str  # of all of it; '' when there is nothing
    packages: frozenset[Package] = frozenset()  # that some of it defines something of: they are not outside
    warnings: tuple[str, ...] = ()

    def document(self, path: str) -> Document:
        facts, entry = self.chosen[path]
        return facts.document(entry)


def facts_of(view: SnapshotView) -> Semantic:
    """Of each file the facts about the very bytes that the snapshot has, by the context that was refreshed last."""
    contexts, damaged = read_all(view.store)
    if not contexts:
        return Semantic({}, "", warnings=tuple(damaged))
    chosen: dict[str, tuple[ContextFacts, Entry]] = {}
    packages: set[Package] = set()
    for facts in sorted(contexts, key=lambda item: (item.context.refreshed_at or 0.0, item.context.id)):
        if facts.context.enabled:
            chosen |= {entry.path: (facts, entry) for entry in current(view, facts)}
            packages |= facts.packages
    digest = xxhash.xxh3_128(f"{versions.JOIN_VERSION} {sorted(packages)!r}".encode())
    for path in sorted(chosen):
        digest.update(path.encode() + b"\0" + chosen[path][1].digest)
    fingerprint = digest.hexdigest()[:12] if chosen else ""
    return Semantic(chosen, fingerprint, frozenset(packages), tuple(damaged))


def current(view: SnapshotView, facts: ContextFacts) -> Sequence[Entry]:
    """The documents of a context that are about bytes which the snapshot has."""
    lines = ((entry, view.file_line(entry.path)) for entry in facts.entries)
    return [entry for entry, line in lines if line is not None and line.content_hash == entry.content.hex()]
