"""What differs between the tree and the published snapshot: `Discovery` + indexed files in, `ChangeSet` out.

The file system is the truth, stat is a hint, git only adds suspicion; nothing here writes.
"""
