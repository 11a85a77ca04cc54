"""Snapshots of a store: manifests, the writer's lease, publishing, retention and integrity.

One writer at a time, fenced by an epoch: a writer that lost its lease cannot publish any more. Readers pin a published
manifest and never wait for a writer.
"""
