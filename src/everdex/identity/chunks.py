"""Chunk identity: STORE's content and row ids, IDENTITY's chunkId and chunkUid.

`chunk_id` and `row_id` name content and place; `chunkId` names a span; `chunkUid` ("cu:v1") survives a
span moving inside its file as long as the 64 bytes around it stay. `spanHash` alone finds a span again
when its neighbours were edited. Context windows never leave the file and are never padded.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence

import msgspec
import xxhash

from everdex import versions
from everdex.parse.model import Chunk, ParsedFile

UID_ALGO_VERSION = "v1"
_CONTEXT_BYTES = 64


class ChunkIdentity(msgspec.Struct, frozen=True):
    """Every name of one chunk."""

    chunk_hash: bytes  # SHA-256 of the payload as embedded
    chunk_id: bytes
    row_id: bytes
    range_id: str  # IDENTITY's chunkId
    uid: str  # IDENTITY's chunkUid
    span_hash: str
    pre_hash: str
    post_hash: str
    collision_of: str | None


def payload(chunk: Chunk, data: bytes) -> bytes:
    """What is embedded, before splitting into words: the names around the chunk, then its text."""
    return "\n".join(chunk.breadcrumb).encode() + b"\0" + data[chunk.start_byte : chunk.end_byte]


def chunk_id_of(chunk_hash: bytes, kind: str) -> bytes:
    return hashlib.sha256(chunk_hash + versions.CHUNKER_VERSION.encode() + kind.encode()).digest()


def row_id_of(path_key: str, chunk_id: bytes, ordinal: int) -> bytes:
    return hashlib.sha256(path_key.encode() + chunk_id.hex().encode() + struct.pack("<I", ordinal)).digest()


def range_id_of(path_key: str, chunk: Chunk, name: str) -> str:
    parts = (path_key, chunk.segment_id, str(chunk.start_byte), str(chunk.end_byte), chunk.kind, name)
    return "chunk_" + hashlib.sha1("\0".join(parts).encode(), usedforsecurity=False).hexdigest()


def uid_of(path_key: str, segment_id: str, span_hash: str, pre_hash: str, post_hash: str) -> str:
    raw = "\0".join((path_key, segment_id, span_hash, pre_hash, post_hash))
    return "cu:v1:xxh64:" + xxhash.xxh64_hexdigest(raw.encode())


def identify(path_key: str, data: bytes, parsed: ParsedFile) -> tuple[ChunkIdentity, ...]:
    """Identities of a file's chunks, in their order, with collisions told apart."""
    identities = [_identity(path_key, data, chunk, _name(parsed, chunk)) for chunk in parsed.chunks]
    return tuple(_disambiguate(parsed, identities))


def _name(parsed: ParsedFile, chunk: Chunk) -> str:
    return parsed.symbols[chunk.symbol].qualified_name if chunk.symbol is not None else ""


def _identity(path_key: str, data: bytes, chunk: Chunk, name: str) -> ChunkIdentity:
    start, end = chunk.start_byte, chunk.end_byte
    chunk_hash = hashlib.sha256(payload(chunk, data)).digest()
    chunk_id = chunk_id_of(chunk_hash, chunk.kind)
    span_hash = xxhash.xxh64_hexdigest(data[start:end])
    pre_hash = xxhash.xxh64_hexdigest(data[max(0, start - _CONTEXT_BYTES) : start])
    post_hash = xxhash.xxh64_hexdigest(data[end : end + _CONTEXT_BYTES])
    return ChunkIdentity(
        chunk_hash=chunk_hash,
        chunk_id=chunk_id,
        row_id=row_id_of(path_key, chunk_id, chunk.ordinal),
        range_id=range_id_of(path_key, chunk, name),
        uid=uid_of(path_key, chunk.segment_id, span_hash, pre_hash, post_hash),
        span_hash=span_hash,
        pre_hash=pre_hash,
        post_hash=post_hash,
        collision_of=None,
    )


def _disambiguate(parsed: ParsedFile, identities: Sequence[ChunkIdentity]) -> list[ChunkIdentity]:
    """Same uid in one file and segment: the first by place keeps it, the others get `:c1`, `:c2`, …"""
    result = list(identities)
    holders: dict[str, list[int]] = {}
    for index, identity in enumerate(identities):
        holders.setdefault(identity.uid, []).append(index)
    for uid, indices in holders.items():
        if len(indices) == 1:
            continue
        indices.sort(key=lambda i: _collision_order(parsed, i))
        for number, index in enumerate(indices[1:], start=1):
            old = identities[index]
            result[index] = ChunkIdentity(
                old.chunk_hash, old.chunk_id, old.row_id, old.range_id, f"{uid}:c{number}",
                old.span_hash, old.pre_hash, old.post_hash, uid,
            )  # fmt: skip
    return result


def _collision_order(parsed: ParsedFile, index: int) -> tuple[int, int, str, str, int]:
    chunk = parsed.chunks[index]
    return (chunk.start_byte, chunk.end_byte, chunk.kind, _name(parsed, chunk), chunk.ordinal)
