"""Which files of a store's canvas are damaged: pictures and pages by the checksums they carry, the latest by its own.

Reads bytes only; nothing is drawn or decoded.
"""

from __future__ import annotations

import hashlib
import os
import struct
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from everdex.canvas.explorer.seal import is_whole
from everdex.durable import decode_json
from everdex.errors import Busy
from everdex.snapshot.guard import hold_guard
from everdex.snapshot.lease import guard_path
from everdex.snapshot.store import Store

_SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"
_CHUNK: Final = struct.Struct(">I4s")


def damaged_pictures(store: Store) -> list[str]:
    """Names below canvas/, sorted."""
    found = _damaged(store)
    if found:
        # A picture and what is said of it are replaced one after the other: between both they contradict each other.
        with suppress(Busy), hold_guard(guard_path(store), store.permissions):
            found = _damaged(store)
    return found


def _damaged(store: Store) -> list[str]:
    broken = {path for path in _below(store.canvas) if not _fits(path)}
    meta = store.canvas / "graph_meta.json"
    if meta.is_file():
        latest = _latest(meta.read_bytes())
        if latest is None:
            broken.add(meta)
        else:
            broken |= {path for path in _pictures_of(store, latest) if not _is(path, latest.get("sha256"))}
    return sorted(path.relative_to(store.canvas).as_posix() for path in broken)


def _below(directory: Path) -> list[Path]:
    return [Path(parent, name) for parent, _, names in os.walk(directory) for name in names]


def _fits(path: Path) -> bool:
    """Whether a file is what its name says it is; one that was collected just now did no harm."""
    try:
        if path.suffix == ".png":
            return _whole(path.read_bytes())
        page = path.name.startswith("explorer") and path.suffix == ".html"
        return not page or is_whole(path.read_bytes())
    except FileNotFoundError:
        return True


def _whole(data: bytes) -> bool:
    """Whether a PNG file is all there and every chunk is as it was written."""
    place = len(_SIGNATURE)
    if not data.startswith(_SIGNATURE):
        return False
    while place + 12 <= len(data):
        length: int
        kind: bytes
        length, kind = _CHUNK.unpack_from(data, place)
        body = data[place + 4 : place + 8 + length]
        check = data[place + 8 + length : place + 12 + length]
        if zlib.crc32(body).to_bytes(4) != check:
            return False
        place += 12 + length
        if kind == b"IEND":
            return place == len(data)
    return False


def _latest(raw: bytes) -> dict[str, Any] | None:
    try:
        document = decode_json(raw)
    except msgspec.DecodeError:
        return None
    found = document.get("architecture") if isinstance(document, dict) else None
    return found if isinstance(found, dict) else None


def _pictures_of(store: Store, latest: dict[str, Any]) -> list[Path]:
    names = (latest.get("latest_png"), latest.get("digest_png"))
    return [store.canvas / Path(name).name for name in names if isinstance(name, str)]


def _is(path: Path, sha256: object) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    except FileNotFoundError:
        return False
