"""Contents of the snapshot that a graph was made from, while that snapshot is retained.

Needed only when the graph is behind the index and the interface of an old content was never worked out. The caller
holds the readers' lock, so nothing that is found can be deleted meanwhile.
"""

from __future__ import annotations

from typing import Final

from everdex.errors import Corrupt, Incompatible
from everdex.snapshot import active
from everdex.snapshot import manifest as manifests
from everdex.snapshot.store import Store
from everdex.view import SnapshotView

_MOST: Final = 32  # manifests that are looked at: the graph's is among the newest, or gone


class OlderContents:
    """Opens the snapshot when it is first needed; for one thread."""

    def __init__(self, store: Store, digest: str) -> None:
        self._store = store
        self._digest = digest
        self._opened = False
        self._view: SnapshotView | None = None
        self._hashes: dict[str, str] = {}

    def read(self, path: str, content_hash: str) -> bytes | None:
        """The bytes of a file with this content; None when no snapshot is left that has them."""
        if not self._opened:
            self._opened = True
            self._view = self._find()
            if self._view is not None:
                self._hashes = {line.path_key: line.content_hash for line in self._view.file_lines()}
        if self._view is None or self._hashes.get(path) != content_hash:
            return None
        return self._view.source(path)

    def close(self) -> None:
        if self._view is not None:
            self._view.close()
            self._view = None

    def _find(self) -> SnapshotView | None:
        for _, path in active.published(self._store)[:_MOST]:
            try:
                manifest = manifests.read(path)
                if manifest.digest == self._digest:
                    return SnapshotView(self._store, manifest, ())
            except (Corrupt, Incompatible, FileNotFoundError):
                continue  # what is damaged has no say here; `health` reports it
        return None
