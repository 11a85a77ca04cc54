"""SnapshotView: the one way to read a snapshot. It pins a manifest once and applies the tombstones once."""

from everdex.view.snapshot_view import Document, SnapshotView, open_kept_view, open_view

__all__ = ["Document", "SnapshotView", "open_kept_view", "open_view"]
