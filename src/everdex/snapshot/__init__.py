"""Snapshots of a store: manifests, the writer's lease, publishing, retention and integrity.

One writer at a time, fenced by an epoch; readers pin a published manifest and are never blocked.
"""
