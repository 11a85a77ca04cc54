"""SnapshotView: the one blessed way to read a snapshot. Pins once, applies tombstones once."""

from everdex.view.snapshot_view import Document, SnapshotView, open_kept_view, open_view

__all__ = ["Document", "SnapshotView", "open_kept_view", "open_view"]
