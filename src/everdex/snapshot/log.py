"""logs/*.log.jsonl: what the writer (sync) and the daemon did, as metadata only, rotated by size.

No file content, query or path is ever written here.
"""

from __future__ import annotations

import os

from everdex import clock, limits
from everdex.durable import encode_json, open_lasting, storage_errors
from everdex.errors import StorageFailure
from everdex.snapshot.store import Store


def append(store: Store, event: str, *, name: str = "sync", **fields: str | int | float | bool | None) -> None:
    """Add one line; rotate first when the file is full. A log that cannot be written stops nobody."""
    try:
        _append(store, name, {"at": clock.rfc3339(), "event": event, "pid": os.getpid(), **fields})
    except (StorageFailure, FileNotFoundError):
        return  # publishing must not depend on its own report; another process may rotate it, or remove the store


def _append(store: Store, name: str, line: dict[str, str | int | float | bool | None]) -> None:
    path = store.logs / f"{name}.log.jsonl"
    with storage_errors(path):
        if path.exists() and path.stat().st_size >= limits.LOG_MAX_BYTES:
            for number in range(limits.LOG_KEEP - 1, 0, -1):
                older = path.with_name(f"{path.name}.{number}")
                if older.exists():
                    os.replace(older, path.with_name(f"{path.name}.{number + 1}"))
            os.replace(path, path.with_name(f"{path.name}.1"))
        with open(open_lasting(path, os.O_WRONLY | os.O_APPEND, store.permissions), "ab") as stream:
            stream.write(encode_json(line))
