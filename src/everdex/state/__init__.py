"""May this file be changed: how current and how certain what is known of it is, and what to do when it is not.

    base view (file rows, content hashes) ─┐
    graph (who depends on whom, as resolved)├─► states.py ─► FileState per file, with reasons and witnesses
    now (what differs: tree, or snapshot) ─┘        │
    interfaces by content (graph/kept_interfaces) ──┘
    FileState + what the file itself shows (gate.py) ─► GateResult: allow, warn or block, why, what to do
    graph of one snapshot (rename.py) ─► RenamePlan: certain edits, and apart from them doubts
    RenamePlan ─► plans.py: kept by its id ─► rewriting.py: written into the tree, file by file, or taken back
    RefreshScope (scopes.py) ─► jobs.py: RefreshJob records in jobs.db ─► run by whoever has the index open

The base is what the asker knows: the active snapshot, or an older one. A file is dirty when its own content is another
now; stale when the interface of a file it depends on is another than the one it was resolved against; pending when that
cannot be told yet. Nothing in this room writes to the store but `jobs.py` and `plans.py`, and these only their own
records; only `rewriting.py` writes to the tree.
"""
