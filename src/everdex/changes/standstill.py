"""The stamps of everything that a listing of a tree depends on. While all are the same, the tree is the same.

A directory whose stat has not changed has the same entries, so new, renamed and deleted files show without listing
anything; git's own files, where there are any, stand for HEAD and for what is tracked. A standstill is taken only
after a full look at the tree, and only when no stamp is so recent that something could have changed since that look
began. In every doubt there is none, and the tree is looked at in full: it can cost time, never a wrong answer.

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
from everdex.changes.detect import is_settled
from everdex.changes.git_places import git_places, read_small
from everdex.config import IGNORE_NAME
from everdex.discover.beneath import open_root, read_beneath
from everdex.discover.git import GitFailed, ignored_directories
from everdex.discover.model import Listed
from everdex.discover.walk import is_repository
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
    hidden: list[bytes] | None  # what else is in these directories, with a mark (see `_marked`); None: too much
    nested: list[bytes]  # repositories inside: that they are repositories keeps what is in them out

    def renewed(self, seen: Mapping[bytes, Stamp], started_ns: int) -> Standstill:
        """The same after a look that began then, was at the tree as it was seen to differ, and left nothing to do."""
        fit = {path: stamp if is_settled(*stamp[1:3], started_ns) else _TOO_NEW for path, stamp in seen.items()}
        stamps = [fit.get(path, stamp) for path, stamp in zip(self.paths, self.stamps, strict=True)]
        return msgspec.structs.replace(self, stamps=stamps)


class Hopeless(Exception):
    """Nothing about this tree can be told without a full look; control flow between rooms."""


def differing(root: Root, known: Standstill, most: int) -> dict[bytes, Stamp] | None:
    """What looks otherwise than it did, and how; None as soon as something is gone, or it is more than so much."""
    descriptor = open_root(root.path)
    look = os.lstat
    found: dict[bytes, Stamp] = {}
    try:
        if not all(is_repository(descriptor, path) for path in known.nested):
            return None
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
    listed = {path for path, stamp in zip(known.paths, known.stamps, strict=True) if stamp != _GONE}
    folders = frozenset(known.directories)
    for path in (*(path + b"/" if path in folders else path for path in listed), *known.hidden):
        within = there.get(path.rstrip(b"/\0").rpartition(b"/")[0] or b".")
        if within is not None:
            within.add(path)
    descriptor = open_root(root.path)
    try:
        for directory, names in there.items():
            found = _entries(descriptor, directory)
            # The stamp of what is listed tells what it is.
            if {path.rstrip(b"\0") if path.rstrip(b"\0") in listed else path for path in found} != names - {b"./"}:
                return False
        return True
    finally:
        os.close(descriptor)


def _marked(path: bytes, entry: os.DirEntry[str]) -> bytes:
    """A path with what it is: directories end in `/`, links and special files in NUL."""
    if entry.is_file(follow_symlinks=False):
        return path
    return path + (b"/" if entry.is_dir(follow_symlinks=False) else b"\0")


def _entries(descriptor: int, directory: bytes) -> set[bytes]:
    """The paths in a directory, marked; nothing if it is none any more."""
    above = b"" if directory == b"." else directory
    try:
        opened = read_beneath(descriptor, directory, directory=True)
    except OSError:
        return set()
    try:
        with os.scandir(opened) as scan:
            return {_marked(_joined(above, os.fsencode(entry.name)), entry) for entry in scan}
    finally:
        os.close(opened)


def standstill(root: Root, listed: Listed, started_ns: int, home: bytes | None) -> Standstill | None:
    """The standstill since a look that began at `started_ns` and had `listed` to look at; None if it is too early.

    `home` is everdex's own directory when it lies below the root: nothing there belongs to the tree. Raises
    `Hopeless` when later tries would fail too.
    """
    descriptor = open_root(root.path)
    try:
        taking = _Taking(root, descriptor, started_ns, home, listed.entered)
        taking.add_rules()
        for path in listed.closed:
            taking.add(path + b"/")  # as `hidden` spells it; a change of its stamp is more than another name in it
        taking.add_listed(listed.paths)
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

    def __init__(
        self, root: Root, descriptor: int, started_ns: int, home: bytes | None, entered: frozenset[bytes] | None
    ) -> None:
        self.stamps: dict[bytes, Stamp] = {}
        self._root = root
        self._descriptor = descriptor
        self._started_ns = started_ns
        self._home = home
        self._walked = entered is not None
        self._directories: set[bytes] = {b"", *(entered or ())}
        self._nested: set[bytes] = set()
        self._hidden: list[bytes] = []

    def taken(self) -> Standstill:
        directories = [path or b"." for path in self._directories]
        self._hidden += (path + b"/" for path in self._nested)
        hidden = self._hidden if len(self._hidden) <= _MOST_HIDDEN else None
        return Standstill(list(self.stamps), list(self.stamps.values()), directories, hidden, sorted(self._nested))

    def add_rules(self) -> None:
        """Our own rules, and git's files. A ref that names another ref is nothing we can vouch for."""
        self.add(IGNORE_NAME.encode())
        if self._walked:
            return
        own, common = git_places(self._root)
        head = read_small(os.path.join(own, b"HEAD"))
        ref = _HEAD_REF.fullmatch(head)
        if ref is None and not _OBJECT_ID.fullmatch(head):
            raise Hopeless("HEAD is neither a branch nor a commit")
        if not os.path.isdir(os.path.join(os.fsencode(self._root.path), b".git")):
            self.add(b".git")  # a pointer. The directory itself moves with every lock that git takes
        for name in _PER_WORKTREE:
            self.add(os.path.join(own, name))
        for name in (*_COMMON, *(ref.groups() if ref else ())):
            self.add(os.path.join(common, name))
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
            if nested:
                if not is_repository(self._descriptor, path):
                    raise Hopeless("what is a repository to git is none to us")
                self._nested.add(path)
                continue
            mode = self.add(path)
            if stat.S_ISDIR(mode):
                raise Hopeless("whether a submodule is dirty is decided inside it")
            elif stat.S_ISLNK(mode):
                links.append(path)
        # Of tracked files that are gone, the directories may be gone too, or be something else now.
        self._directories = {path for path in self._directories if stat.S_ISDIR(self.add(path or b"."))}
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
            ignored = self._ignored(unlisted)
            new = {path for path in unlisted if path not in ignored}
            self._hidden += (path + b"/" for path in unlisted if path in ignored)
            self._directories |= new
            for directory in new:
                self.add(directory)

    def _ignored(self, unlisted: list[bytes]) -> frozenset[bytes]:
        # What a walk did not enter it left out.
        if self._walked or not unlisted:
            return frozenset(unlisted)
        return ignored_directories(self._root, unlisted)

    def _unlisted_below(self, directory: bytes) -> list[bytes]:
        """Subdirectories not known yet; the ignore file is added on the way, since one can ignore itself."""
        found: list[bytes] = []
        opened = read_beneath(self._descriptor, directory or b".", directory=True)
        try:
            with os.scandir(opened) as scan:
                for entry in scan:
                    path = _joined(directory, os.fsencode(entry.name))
                    if entry.name == ".gitignore":
                        self.add(path)
                    elif entry.name == ".git" and directory:
                        raise Hopeless("whether a directory is a repository is decided inside it")
                    elif not entry.is_dir(follow_symlinks=False):
                        if path not in self.stamps:
                            self._hidden.append(_marked(path, entry))
                    elif path in (self._home, b".git"):
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
        watched = reached in self._directories or reached in self.stamps or reached in self._nested
        if not watched and not self._is_only_a_name(reached):
            raise Hopeless("a symlink leads where nothing is watched")

    def _is_only_a_name(self, path: bytes) -> bool:
        """Nothing, or a file that is not listed: what is in it is not asked."""
        try:
            return stat.S_ISREG(os.lstat(path, dir_fd=self._descriptor).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return True

    def add(self, path: bytes) -> int:
        """Note how it looks; its mode, 0 when it is not there."""
        try:
            seen = os.lstat(path, dir_fd=self._descriptor)
        except (FileNotFoundError, NotADirectoryError):
            self.stamps[path] = _GONE
            return 0
        if not is_settled(seen.st_mtime_ns, seen.st_ctime_ns, self._started_ns):
            raise _TooEarly
        self.stamps[path] = (seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
        return seen.st_mode


def _joined(directory: bytes, name: bytes) -> bytes:
    return directory + b"/" + name if directory else name
