"""Remembers hashes of files whose stat changed while their content did not, so that they are hashed only once.

An entry counts only when its hash is the one that the published snapshot has for that path: at worst a file is hashed
again, never taken for unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from everdex.changes.model import IndexedFile
from everdex.discover.model import FileStat
from everdex.durable import replace_atomically
from everdex.errors import StorageFailure
from everdex.snapshot.live import LiveFile
from everdex.snapshot.store import Store

# path_key -> content hash, size, mtime_ns, ctime_ns, inode, observed_ns
_Entries = dict[str, tuple[str, int, int, int, int, int]]


def _path(store: Store) -> Path:
    return store.cache / "touched.json"


def apply(store: Store, indexed: dict[str, IndexedFile]) -> dict[str, IndexedFile]:
    """Indexed files with the newest stat under which their bytes were seen."""
    try:
        entries = msgspec.json.decode(_path(store).read_bytes(), type=_Entries)
    except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
        return indexed
    for path_key, (content_hash, size, mtime_ns, ctime_ns, inode, observed_ns) in entries.items():
        file = indexed.get(path_key)
        if file is not None and file.content_hash == content_hash:
            stat = FileStat(size, mtime_ns, ctime_ns, inode)
            indexed[path_key] = msgspec.structs.replace(file, stat=stat, observed_ns=observed_ns)
    return indexed


def remember(store: Store, live: Mapping[str, LiveFile], seen: Mapping[str, FileStat], observed_ns: int) -> None:
    """Record the stat of touched files; earlier entries that still hold are kept."""
    try:
        entries = msgspec.json.decode(_path(store).read_bytes(), type=_Entries)
    except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
        entries = {}
    kept = {
        path_key: entry
        for path_key, entry in entries.items()
        if path_key in live and live[path_key].line.content_hash == entry[0]
    }
    for path_key, stat in seen.items():
        content_hash = live[path_key].line.content_hash
        kept[path_key] = (content_hash, stat.size, stat.mtime_ns, stat.ctime_ns, stat.inode, observed_ns)
    try:
        replace_atomically(_path(store), msgspec.json.encode(kept), store.permissions)
    except StorageFailure:
        return  # only a saving: the next sync hashes these files again
