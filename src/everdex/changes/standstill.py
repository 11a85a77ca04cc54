"""The stamps of everything that a listing of a git tree depends on. While all are the same, the tree is the same.

A directory whose stat has not changed has the same entries, so new, renamed and deleted files show without listing
anything; git's own files stand for HEAD and for what is tracked. A standstill is taken only after a full look at the
tree, and only when no stamp is so recent that something could have changed since that look began. In every doubt there
is none, and the tree is looked at in full: it can cost time, never a wrong answer.

Where some stamps differ, the rest still stands. A directory in which only names come and go that were there before
(an editor writes beside a file and renames) lists the same; so the files that differ are all there is to look at.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Iterable, Mapping
from typing import Final

import msgspec

from everdex import limits
from everdex.changes.detect import RACY_NS
from everdex.changes.git_places import git_places, read_small
from everdex.config import IGNORE_NAME
from everdex.discover.beneath import open_root, read_beneath
from everdex.discover.git import GitFailed, ignored_directories
from everdex.roots import Root

_HEAD_REF: Final = re.compile(rb"ref: (refs/[^\0\n]+)\n?")
_OBJECT_ID: Final = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?\n?")
# What decides HEAD, the index and how the two compare with the tree.
_PER_WORKTREE: Final = (b"HEAD", b"index", b"config.worktree", b"reftable/tables.list")
_COMMON: Final = (b"config", b"packed-refs", b"reftable/tables.list")
# Each level of directories without a listed file is one question to git, and a hostile tree can have thousands.
_MAX_UNLISTED_LEVELS: Final = 32

Stamp = tuple[int, int, int, int]  # size, mtime_ns, ctime_ns, inode
_GONE: Final[Stamp] = (-1, -1, -1, -1)
_TOO_NEW: Final[Stamp] = (-2, -2, -2, -2)  # nothing looks like this: what is there is looked at again
_MOST_HIDDEN: Final = 20_000  # entries that are not listed, of all directories


class Standstill(msgspec.Struct, frozen=True, array_like=True):
    """Paths (below the root, or absolute) and their stamps, in the same order."""

    paths: list[bytes]
    stamps: list[Stamp]
    directories: list[bytes]  # those of the paths
    hidden: list[bytes] | None  # what else is in these directories, other directories with a `/`; None: too much

    def renewed(self, seen: Mapping[bytes, Stamp], started_ns: int) -> Standstill:
        """The same after a look that began then, was at the tree as it was seen to differ, and left nothing to do."""
        limit = started_ns - RACY_NS
        fit = {path: _TOO_NEW if max(stamp[1:3]) >= limit else stamp for path, stamp in seen.items()}
        stamps = [fit.get(path, stamp) for path, stamp in zip(self.paths, self.stamps, strict=True)]
        return msgspec.structs.replace(self, stamps=stamps)


class Hopeless(Exception):
    """Nothing about this tree can be told without asking git; control flow between rooms."""


def differing(root: Root, known: Standstill, most: int) -> dict[bytes, Stamp] | None:
    """What looks otherwise than it did, and how; None as soon as something is gone, or it is more than so much."""
    descriptor = open_root(root.path)
    look = os.lstat
    found: dict[bytes, Stamp] = {}
    try:
        for path, stamp in zip(known.paths, known.stamps, strict=True):
            try:
                seen = look(path, dir_fd=descriptor)
            except OSError:
                if stamp != _GONE:
                    return None
                continue
            now = (seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
            if now != stamp:
                found[path] = now
                if len(found) > most:
                    return None
    finally:
        os.close(descriptor)
    return found


def lists_the_same(root: Root, known: Standstill, directories: Collection[bytes]) -> bool:
    """Whether in some of its directories there is exactly what was there, by name."""
    if known.hidden is None:
        return False
    there = {directory: set[bytes]() for directory in directories}
    listed = (path for path, stamp in zip(known.paths, known.stamps, strict=True) if stamp != _GONE)
    folders = frozenset(known.directories)
    for path in (*(path + b"/" if path in folders else path for path in listed), *known.hidden):
        within = there.get(path.removesuffix(b"/").rpartition(b"/")[0] or b".")
        if within is not None:
            within.add(path)
    descriptor = open_root(root.path)
    try:
        return all(_entries(descriptor, directory) == names - {b"./"} for directory, names in there.items())
    finally:
        os.close(descriptor)


def _entries(descriptor: int, directory: bytes) -> set[bytes]:
    """The paths in a directory, of directories with a `/`; nothing if it is none any more."""
    above = b"" if directory == b"." else directory
    try:
        opened = read_beneath(descriptor, directory, directory=True)
    except OSError:
        return set()
    try:
        with os.scandir(opened) as scan:
            return {
                _joined(above, os.fsencode(entry.name)) + (b"/" if entry.is_dir(follow_symlinks=False) else b"")
                for entry in scan
            }
    finally:
        os.close(opened)


def standstill(root: Root, listed: Iterable[bytes], started_ns: int, home: bytes | None) -> Standstill | None:
    """The standstill since a look that began at `started_ns` and was shown `listed` by git; None if it is too early.

    `home` is everdex's own directory when it lies below the root: nothing there belongs to the tree. Raises
    `Hopeless` when later tries would fail too.
    """
    descriptor = open_root(root.path)
    try:
        taking = _Taking(root, descriptor, started_ns - RACY_NS, home)
        taking.add_git()
        taking.add_listed(listed)
        taking.add_unlisted()
        return taking.taken()
    except _TooEarly:
        return None
    except (OSError, GitFailed) as error:
        raise Hopeless(str(error)) from error
    finally:
        os.close(descriptor)


class _TooEarly(Exception):
    """Something is stamped so late that it may have changed since the look began."""


class _Taking:
    """A standstill in the making."""

    def __init__(self, root: Root, descriptor: int, limit_ns: int, home: bytes | None) -> None:
        self.stamps: dict[bytes, Stamp] = {}
        self._root = root
        self._descriptor = descriptor
        self._limit_ns = limit_ns
        self._home = home
        self._directories: set[bytes] = {b""}
        self._nested: set[bytes] = set()
        self._hidden: list[bytes] = []

    def taken(self) -> Standstill:
        directories = [path or b"." for path in (*self._directories, *self._nested)]
        hidden = self._hidden if len(self._hidden) <= _MOST_HIDDEN else None
        return Standstill(list(self.stamps), list(self.stamps.values()), directories, hidden)

    def add_git(self) -> None:
        """git's files and our own rules. A ref that names another ref is nothing we can vouch for."""
        own, common = git_places(self._root)
        head = read_small(os.path.join(own, b"HEAD"))
        ref = _HEAD_REF.fullmatch(head)
        if ref is None and not _OBJECT_ID.fullmatch(head):
            raise Hopeless("HEAD is neither a branch nor a commit")
        self._add(IGNORE_NAME.encode())
        if not os.path.isdir(os.path.join(os.fsencode(self._root.path), b".git")):
            self._add(b".git")  # a pointer. The directory itself moves with every lock that git takes
        for name in _PER_WORKTREE:
            self._add(os.path.join(own, name))
        for name in (*_COMMON, *(ref.groups() if ref else ())):
            self._add(os.path.join(common, name))
        if ref is not None:
            branch = os.path.join(common, ref[1])
            if os.path.lexists(branch) and not _OBJECT_ID.fullmatch(read_small(branch)):
                raise Hopeless("the branch of HEAD stands for another")

    def add_listed(self, listed: Iterable[bytes]) -> None:
        """Every listed path, and every directory above one."""
        links: list[bytes] = []
        for path in listed:
            if self._home is not None and path.startswith(self._home + b"/"):
                continue
            nested = path.endswith(b"/")
            path = path.removesuffix(b"/")
            above = path.rpartition(b"/")[0]
            while above not in self._directories:
                self._directories.add(above)
                above = above.rpartition(b"/")[0]
            mode = self._add(path)
            if nested:
                self._nested.add(path)
            elif stat.S_ISDIR(mode):
                raise Hopeless("whether a submodule is dirty is decided inside it")
            elif stat.S_ISLNK(mode):
                links.append(path)
        # Of tracked files that are gone, the directories may be gone too, or be something else now.
        self._directories = {path for path in self._directories if stat.S_ISDIR(self._add(path or b"."))}
        for link in links:
            self._require_watched(link)

    def add_unlisted(self) -> None:
        """Directories in which nothing is listed, but something could be: empty ones, or with only ignored files."""
        new, levels = self._directories, 0
        while new:
            levels += 1
            unlisted = [path for directory in new for path in self._unlisted_below(directory)]
            if len(self._directories) + len(unlisted) > limits.MAX_FILES or levels > _MAX_UNLISTED_LEVELS:
                raise Hopeless("too many directories, or too deep")
            ignored = ignored_directories(self._root, unlisted) if unlisted else frozenset()
            new = {path for path in unlisted if path not in ignored}
            self._hidden += (path + b"/" for path in unlisted if path in ignored)
            self._directories |= new
            for directory in new:
                self._add(directory)

    def _unlisted_below(self, directory: bytes) -> list[bytes]:
        """Subdirectories not known yet; the ignore file is added on the way, since one can ignore itself."""
        found: list[bytes] = []
        opened = read_beneath(self._descriptor, directory or b".", directory=True)
        try:
            with os.scandir(opened) as scan:
                for entry in scan:
                    path = _joined(directory, os.fsencode(entry.name))
                    if entry.name == ".gitignore":
                        self._add(path)
                    elif not entry.is_dir(follow_symlinks=False):
                        if path not in self.stamps:
                            self._hidden.append(path)
                    elif entry.name == ".git" or path == self._home:
                        self._hidden.append(path + b"/")
                    elif path not in self._directories and path not in self._nested:
                        found.append(path)
        finally:
            os.close(opened)
        return found

    def _require_watched(self, link: bytes) -> None:
        """What the link leads to must be watched too, whether it is there or not, all the way."""
        target = os.readlink(link, dir_fd=self._descriptor)
        path = os.path.normpath(os.path.join(os.path.dirname(link), target))
        climbs = b"/../" in target.lstrip(b"./") or target.endswith(b"/..")  # not to be told from the text alone
        if climbs or target.startswith(b"/") or path == b".." or path.startswith(b"../"):
            raise Hopeless("a symlink may lead out of the tree")
        reached = b""
        for name in path.split(b"/"):
            reached = _joined(reached, name)
            if reached not in self._directories:
                break
        # A watched directory shows when its entry comes, goes or is replaced; a listed link is required by itself.
        if reached not in self._directories and reached not in self.stamps and _exists(reached, self._descriptor):
            raise Hopeless("a symlink leads where nothing is watched")

    def _add(self, path: bytes) -> int:
        """Note how it looks; its mode, 0 when it is not there."""
        try:
            seen = os.lstat(path, dir_fd=self._descriptor)
        except (FileNotFoundError, NotADirectoryError):
            self.stamps[path] = _GONE
            return 0
        if max(seen.st_mtime_ns, seen.st_ctime_ns) >= self._limit_ns:
            raise _TooEarly
        self.stamps[path] = (seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
        return seen.st_mode


def _exists(path: bytes, descriptor: int) -> bool:
    try:
        os.lstat(path, dir_fd=descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _joined(directory: bytes, name: bytes) -> bytes:
    return directory + b"/" + name if directory else name
