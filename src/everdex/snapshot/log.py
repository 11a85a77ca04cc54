"""logs/sync.log.jsonl: what the writer did, as metadata only, rotated by size.

No file content, query or path is ever written here.
"""

from __future__ import annotations

import os

from everdex import clock, limits
from everdex.durable import encode_json, storage_errors
from everdex.snapshot.store import Store


def append(store: Store, event: str, **fields: str | int | float | bool | None) -> None:
    """Add one line; rotate first when the file is full."""
    path = store.logs / "sync.log.jsonl"
    with storage_errors(path):
        if path.exists() and path.stat().st_size >= limits.LOG_MAX_BYTES:
            for number in range(limits.LOG_KEEP - 1, 0, -1):
                older = path.with_name(f"{path.name}.{number}")
                if older.exists():
                    os.replace(older, path.with_name(f"{path.name}.{number + 1}"))
            os.replace(path, path.with_name(f"{path.name}.1"))
        line = encode_json({"at": clock.rfc3339(), "event": event, "pid": os.getpid(), **fields})
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, store.permissions.file)
        with open(handle, "ab") as stream:
            stream.write(line)
