"""From changed files to a published snapshot: the writer's pipeline, and compaction.

The only room that publishes. Takes a root, a configuration and a store; gives a `SyncReport`. The way through it:
`glance` (nothing changed, or little?) → `look` (what changed) → `run` (lease, publish) → `write` and `work` (index the
changed files).
"""
