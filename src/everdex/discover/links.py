"""Where a symlink really leads, counted hop by hop.

Answers with a path below the root or the reason why not; it never opens anything. The store may index a
symlink only when its target is a file inside the root.
"""

from __future__ import annotations

import errno
import os
import stat

import msgspec

from everdex import limits
from everdex.discover.model import SkipReason


class Target(msgspec.Struct, frozen=True):
    """The real place of a symlink's target, relative to the root."""

    path: bytes
    is_directory: bool


def resolve(root: bytes, path: bytes) -> Target | SkipReason:
    """Follow the symlink at `path` (relative to `root`, which is a realpath)."""
    current, pending, hops, mode = root, path.split(b"/")[::-1], 0, stat.S_IFDIR
    while pending:
        component = pending.pop()
        if component in (b"", b"."):
            continue
        if component == b"..":
            if not stat.S_ISDIR(mode):
                return SkipReason.SYMLINK_BROKEN if _is_below(root, current) else SkipReason.OUT_OF_ROOT
            current = os.path.dirname(current)
            continue
        following = os.path.join(current, component)
        try:
            mode = os.lstat(following).st_mode
        except OSError as error:
            return _unreachable(root, following, error)
        if not stat.S_ISLNK(mode):
            current = following
            continue
        hops += 1
        if hops > limits.MAX_SYMLINK_HOPS:
            return SkipReason.SYMLINK_LOOP
        try:
            target = os.readlink(following)
        except OSError as error:
            return _unreachable(root, following, error)
        mode = stat.S_IFDIR  # what a target is relative to
        if target.startswith(b"/"):
            current = b"/"
        pending.extend(target.split(b"/")[::-1])
    if not _is_below(root, current):
        # The root itself is a directory like any other target inside.
        return SkipReason.SYMLINK_DIRECTORY if current == root else SkipReason.OUT_OF_ROOT
    return Target(current[len(root) :].lstrip(b"/"), stat.S_ISDIR(mode))


def _is_below(root: bytes, path: bytes) -> bool:
    return path.startswith(root.rstrip(b"/") + b"/") and path != root


def _unreachable(root: bytes, path: bytes, error: OSError) -> SkipReason:
    # What exists outside the root differs between machines and must not decide the reason.
    if not _is_below(root, path):
        return SkipReason.OUT_OF_ROOT
    if error.errno == errno.EACCES:
        return SkipReason.UNREADABLE
    return SkipReason.SYMLINK_BROKEN
