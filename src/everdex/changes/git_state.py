"""What git says about the working tree: HEAD, dirty or not, and which paths changed between two commits.

Git only adds suspicion: no answer here makes a file count as unchanged. No program named in the repository's
own configuration is run, and everything is NUL-delimited bytes.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path
from typing import Final

from everdex import limits
from everdex.changes.git_places import git_places
from everdex.changes.model import GitState
from everdex.discover.beneath import read_beneath
from everdex.discover.git import GitFailed, GitProcess, run_git
from everdex.roots import Root

_OBJECT_ID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# Submodules are asked for their commit only: looking inside would run git there, under their configuration.
_STATUS: Final = (
    "status", "--porcelain=v2", "--branch", "-z", "-uno", "--no-ahead-behind", "--no-renames",
    "--ignore-submodules=dirty",
)  # fmt: skip


class GitStateHandle:
    """`git status`, already running beside whatever the caller does next."""

    __slots__ = ("_is_git", "_process")

    def __init__(self, is_git: bool, process: GitProcess | None) -> None:
        self._is_git = is_git
        self._process = process

    def result(self, untracked_included: bool) -> GitState:
        """Wait for it. Without git: no head and clean; when git fails for good: no head, and dirty to be safe."""
        if self._process is None:
            return GitState(None, self._is_git, untracked_included)
        try:
            _, output = self._process.result()
        except GitFailed:
            return GitState(None, True, untracked_included)
        head: str | None = None
        dirty = False
        for entry in output.split(b"\0")[:-1]:
            if entry.startswith(b"# branch.oid "):
                named = entry[len(b"# branch.oid ") :].decode("ascii", "replace")
                head = named if _OBJECT_ID.fullmatch(named) else None  # "(initial)" before the first commit
            elif not entry.startswith(b"# "):
                dirty = True
        return GitState(head, dirty, untracked_included)

    def abandon(self) -> None:
        """End it if nobody has waited for it."""
        if self._process is not None:
            self._process.abandon()


def start_git_state(root: Root) -> GitStateHandle:
    """Begin asking git for its state; it runs while the tree is discovered."""
    if not root.is_git:
        return GitStateHandle(False, None)
    try:
        settings = _without_local_filters(root)
    except GitFailed:
        return GitStateHandle(True, None)
    return GitStateHandle(True, GitProcess(root, _STATUS, settings))


def git_state(root: Root, untracked_included: bool) -> GitState:
    """HEAD and whether tracked files differ from it."""
    return start_git_state(root).result(untracked_included)


def git_directories(root: Root) -> tuple[Path, ...]:
    """Where git keeps HEAD, index and branches of this tree, as far as that is outside it: for a linked worktree."""
    try:
        places = git_places(root) if root.is_git else ()
    except OSError:
        return ()
    found = {Path(os.path.realpath(os.fsdecode(place))) for place in places}
    return tuple(sorted(path for path in found if not path.is_relative_to(root.path)))


def _without_local_filters(root: Root) -> dict[str, str]:
    """Settings that switch off the clean filters that the repository's own configuration defines.

    `git status` pipes a file whose stat changed through them, so a hostile .git/config could run a program. The
    user's own (git-lfs) stay. A repository whose .git/config mentions neither filter nor include has none.
    """
    if not _may_define_filters(root):
        return {}
    listed = run_git(
        root, ["config", "-z", "--show-scope", "--name-only", "--get-regexp", r"^filter\."], frozenset({0, 1})
    )
    fields = listed.split(b"\0")[:-1]
    settings: dict[str, str] = {}
    for scope, name in zip(fields[::2], fields[1::2], strict=True):
        if scope in (b"local", b"worktree"):
            key = os.fsdecode(name)
            settings[key] = "false" if key.endswith(".required") else ""
    return settings


def _may_define_filters(root: Root) -> bool:
    # In a linked worktree or submodule .git is a file and the configuration elsewhere: ask git.
    try:
        directory = read_beneath(root.path, ".git", directory=True)
    except OSError:
        return True
    try:
        return any(_mentions_filters(directory, name) for name in ("config", "config.worktree"))
    finally:
        os.close(directory)


def _mentions_filters(directory: int, name: str) -> bool:
    try:
        descriptor = read_beneath(directory, name)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        return True
    with open(descriptor, "rb") as stream:
        text = stream.read(limits.MAX_CONFIG_BYTES + 1).lower()
    return len(text) > limits.MAX_CONFIG_BYTES or b"filter" in text or b"include" in text


def git_suspects(root: Root, last_head: str | None, head: str | None) -> frozenset[str] | None:
    """Keys of paths that differ between the last indexed commit and HEAD; None when that cannot be told.

    None asks the caller to hash every file. When the last commit is no ancestor of HEAD, both sides of their
    merge base count.
    """
    if last_head == head:
        return frozenset()
    if not root.is_git or last_head is None or head is None:
        return None
    if not (_OBJECT_ID.fullmatch(last_head) and _OBJECT_ID.fullmatch(head)):
        return None
    try:
        status, output = GitProcess(root, ["merge-base", last_head, head]).result(frozenset({0, 1, 128}))
        base = output.strip().decode("ascii", "replace")
        if status != 0 or not _OBJECT_ID.fullmatch(base):
            return None
        suspects = _changed(root, base, head)
        if base != last_head:
            suspects |= _changed(root, base, last_head)
    except GitFailed:
        return None
    return frozenset(suspects)


def _changed(root: Root, old: str, new: str) -> set[str]:
    """`git diff --name-status` in its plumbing form, which no diff.* setting of the repository can bend."""
    output = run_git(
        root,
        ["diff-tree", "-r", "-z", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv", old, new],
    )
    found = set()
    for path in output.split(b"\0")[1::2]:
        try:
            found.add(unicodedata.normalize("NFC", path.decode()))
        except UnicodeDecodeError:
            continue  # such a path has no key and is never indexed
    return found
