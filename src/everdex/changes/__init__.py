"""What differs between the tree and the published snapshot: `Discovery` + indexed files in, `ChangeSet` out.

The file system is the truth, stat is a hint, git only adds suspicion; nothing here writes.
"""

from everdex.changes.detect import detect
from everdex.changes.git_state import GitStateHandle, git_state, git_suspects, start_git_state
from everdex.changes.stable_read import content_skip, read_stable

__all__ = [
    "GitStateHandle",
    "content_skip",
    "detect",
    "git_state",
    "git_suspects",
    "read_stable",
    "start_git_state",
]
