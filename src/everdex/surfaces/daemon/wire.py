"""Frames on the daemon's socket: a 4-byte big-endian length, then that many bytes. Imports nothing but `os`.

A frame is JSON, or, for a client that asked for its answer rendered, a 2, the exit code and parts in the order in
which they are printed: 1 for stdout, 2 for stderr or 3 for a file that is to be written, a length, and that many bytes.
A length over the limit is refused before anything is allocated for it.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Protocol

    class Stream(Protocol):
        """The part of a socket that frames need."""

        def recv(self, size: int, /) -> bytes: ...


PROTOCOLS = (1,)
STDOUT, STDERR, FILE = 1, 2, 3
_IN_PARTS = b"\2"  # daemons of other versions began with 0 or 1, and meant something else by what follows
MAX_REQUEST = 1_048_576
MAX_RESPONSE = 10_485_760
GREETING_S = 5.0  # a daemon that does not greet within is stopped or stuck
_BLOCK = 65_536
_SOL_SOCKET, _SO_PEERCRED = 1, 17
_MAX_ADDRESS = 107  # bytes the kernel takes for a socket's name


class FrameTooLarge(Exception):
    """The announced length is over the limit; nothing of the frame was read."""


class Hangup(Exception):
    """The other side closed before a frame was complete."""


def at(path: str, use: Callable[[str], object]) -> None:
    """`connect` or `bind` at this path, however long: where the kernel takes no such name, by way of its directory."""
    if len(os.fsencode(path)) <= _MAX_ADDRESS:
        use(path)
        return
    directory, name = os.path.split(path)
    handle = os.open(directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        use(f"/proc/self/fd/{handle}/{name}")
    finally:
        os.close(handle)


def frame(payload: bytes) -> bytes:
    return len(payload).to_bytes(4, "big") + payload


def read_length(stream: Stream, limit: int) -> int:
    length = int.from_bytes(read_exactly(stream, 4), "big")
    if length > limit:
        raise FrameTooLarge(f"a frame of {length:,} bytes; at most {limit:,} are allowed")
    return length


def read_exactly(stream: Stream, count: int) -> bytes:
    """`count` bytes; grows with what arrives, not with what was announced."""
    pieces = []
    while count:
        piece = stream.recv(count if count < _BLOCK else _BLOCK)
        if not piece:
            raise Hangup
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)


def rendered(code: int, parts: Iterable[tuple[int, bytes]]) -> bytes:
    """The payload of a rendered answer."""
    packed = (bytes((kind,)) + len(data).to_bytes(4, "big") + data for kind, data in parts)
    return _IN_PARTS + bytes((code,)) + b"".join(packed)


def split_rendered(payload: bytes) -> tuple[int, list[tuple[int, bytes]]] | None:
    """Exit code and parts; None for any other payload."""
    if payload[:1] != _IN_PARTS:
        return None
    parts, begin = [], 2
    while begin < len(payload):
        end = begin + 5 + int.from_bytes(payload[begin + 1 : begin + 5], "big")
        parts.append((payload[begin], payload[begin + 5 : end]))
        begin = end
    return payload[1], parts


def peer_uid(credentials: bytes) -> int:
    """The user id in SO_PEERCRED's struct: pid, uid, gid."""
    return int.from_bytes(credentials[4:8], "little" if _LITTLE else "big")


def peer_pid(credentials: bytes) -> int:
    """The process that listens."""
    return int.from_bytes(credentials[:4], "little" if _LITTLE else "big")


_LITTLE = memoryview(b"\1\0").cast("H")[0] == 1
PEER_CREDENTIALS = (_SOL_SOCKET, _SO_PEERCRED, 12)  # arguments of getsockopt
