"""Where git keeps what belongs to a worktree, read from its own small files: no process is started.

Whatever stands in them was written by the repository: a path from here says where to look, never whom to trust.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import Final

from everdex import limits
from everdex.roots import Root

_MOST_WORKTREES: Final = 256


def git_places(root: Root) -> tuple[bytes, bytes]:
    """The worktree's own git directory and the one it shares; OSError when that cannot be told."""
    own = os.path.join(os.fsencode(root.path), b".git")
    if not stat.S_ISDIR(os.lstat(own).st_mode):
        pointer = read_small(own)
        if not pointer.startswith(b"gitdir: "):
            raise OSError(f"{os.fsdecode(own)} is no pointer to a git directory")
        own = os.path.join(os.fsencode(root.path), pointer[len(b"gitdir: ") :].rstrip(b"\r\n"))
    shared = os.path.join(own, b"commondir")
    if not os.path.lexists(shared):
        return own, own
    return own, os.path.normpath(os.path.join(own, read_small(shared).rstrip(b"\r\n")))


def worktree_roots(shared: bytes) -> Iterator[bytes]:
    """The roots of all worktrees that a git directory says it has; the first may be none, if it is bare."""
    yield os.path.dirname(shared)
    listed = os.path.join(shared, b"worktrees")
    try:
        names = sorted(os.listdir(listed))
    except OSError:
        return
    for name in names[:_MOST_WORKTREES]:
        try:
            pointer = read_small(os.path.join(listed, name, b"gitdir")).rstrip(b"\r\n")
        except OSError:
            continue
        yield os.path.dirname(os.path.normpath(os.path.join(listed, name, pointer)))


def read_small(path: bytes) -> bytes:
    """The beginning of a regular file; OSError for anything else, and no link is followed."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{os.fsdecode(path)} is not a regular file")
        return stream.read(limits.MAX_CONFIG_BYTES)
