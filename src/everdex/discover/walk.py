"""The tree as git would list it, without git: nested `.gitignore` files, precedence and pruning are git's.

Used when there is no repository or git does not answer, and to say why a path is not listed. Lists regular
files, symlinks and nested repositories; never follows a symlink and never enters `.git`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Collection

import msgspec

from everdex import limits
from everdex.discover.beneath import blame, read_beneath
from everdex.discover.ignore import GIT_IGNORE, OwnRules, display, read_ignore_file
from everdex.discover.model import Skip, SkipReason
from everdex.discover.patterns import RuleSet


class Walk(msgspec.Struct, frozen=True):
    paths: tuple[bytes, ...]  # nested repositories end in "/"
    skipped: tuple[Skip, ...]  # ignored, reserved, not regular, unreadable
    entered: frozenset[bytes]  # directories of which all entries were seen; the root is empty
    closed: frozenset[bytes]  # directories that cannot be read


class _Layer(msgspec.Struct, frozen=True):
    """One `.gitignore` in force: its rules and how much of a path stands before them."""

    prefix: int
    rules: RuleSet


def walk(root_descriptor: int, own: OwnRules, home: bytes | None, tracked: Collection[bytes] = ()) -> Walk:
    """Walk the tree. No `.gitignore` leaves out what is in `tracked` (files and the directories above)."""
    walker = _Walker(root_descriptor, own, home, tracked)
    walker.run()
    entered = frozenset(walker.entered)
    return Walk(tuple(walker.paths), tuple(walker.skipped), entered, frozenset(walker.closed))


class _Walker:
    def __init__(self, root: int, own: OwnRules, home: bytes | None, tracked: Collection[bytes]) -> None:
        self.paths: list[bytes] = []
        self.skipped: list[Skip] = []
        self.entered: list[bytes] = []
        self.closed: list[bytes] = []
        self._root = root
        self._own = own
        self._home = home
        self._tracked = tracked

    def run(self) -> None:
        pending: list[tuple[bytes, tuple[_Layer, ...], str | None]] = [(b"", (), None)]
        while pending:
            directory, layers, inherited = pending.pop()
            entries = self._entries(directory)
            if entries is None:
                continue
            prefix = directory + b"/" if directory else b""
            if any(name == GIT_IGNORE for name, _ in entries):
                data = read_ignore_file(self._root, prefix + GIT_IGNORE)
                if data is not None:
                    rules = RuleSet(display(prefix + GIT_IGNORE), data)
                    layers = (_Layer(len(prefix), rules), *layers)
            for name, kind in entries:
                path = prefix + name
                rule = inherited or _ignoring(path, name, kind == "directory", layers)
                if self._leave_out(path, name, kind, rule):
                    continue
                if kind != "directory":
                    self.paths.append(path)
                elif is_repository(self._root, path) and path not in self._tracked:
                    self.paths.append(path + b"/")
                else:
                    # Still ignored when entered only for the tracked files in it: the rest stays out.
                    pending.append((path, layers, rule))

    def _leave_out(self, path: bytes, name: bytes, kind: str, ignored_by: str | None) -> bool:
        is_directory = kind == "directory"
        if name == b".git" or path == self._home:
            return self._skip(path, is_directory, SkipReason.RESERVED)
        if kind == "special":
            return self._skip(path, False, SkipReason.NOT_REGULAR)
        rule = self._own.excluding(path, is_directory)
        if rule is None and path not in self._tracked:
            rule = ignored_by
        if rule is not None:
            return self._skip(path, is_directory, SkipReason.IGNORED, rule)
        if is_directory and len(path) >= limits.MAX_PATH_BYTES:
            return self._skip(path, True, SkipReason.PATH_TOO_LONG)
        return False

    def _entries(self, directory: bytes) -> list[tuple[bytes, str]] | None:
        try:
            descriptor = read_beneath(self._root, directory or b".", directory=True)
        except OSError as error:
            # Gone, or no longer a directory: someone is at work in the tree.
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.EXDEV):
                self._close(directory, error)
            return None
        try:
            with os.scandir(descriptor) as scan:
                found = sorted((os.fsencode(entry.name), _kind(entry)) for entry in scan)
        except OSError as error:
            blame(error)
            self._close(directory, error)
            return None
        finally:
            os.close(descriptor)
        self.entered.append(directory)
        return found

    def _close(self, directory: bytes, error: OSError) -> None:
        self.closed.append(directory)
        self._skip(directory, True, SkipReason.UNREADABLE, os.strerror(error.errno or 0))

    def _skip(self, path: bytes, is_directory: bool, reason: SkipReason, detail: str = "") -> bool:
        self.skipped.append(Skip(display(path) + ("/" if is_directory else ""), reason, detail))
        return True


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_symlink() or entry.is_file(follow_symlinks=False):
        return "file"
    return "directory" if entry.is_dir(follow_symlinks=False) else "special"


def _ignoring(path: bytes, name: bytes, is_directory: bool, layers: tuple[_Layer, ...]) -> str | None:
    """The deepest file with a matching rule decides; in a file, the last one."""
    for layer in layers:
        rule = layer.rules.decide(path[layer.prefix :], name, is_directory)
        if rule is not None:
            return None if rule.negated else layer.rules.describe(rule)
    return None


def is_repository(root_descriptor: int, directory: bytes) -> bool:
    """Whether git would take the directory for a repository of its own: a valid `.git`, not just the name."""
    git = directory + b"/.git"
    try:
        descriptor = read_beneath(root_descriptor, git)
    except OSError:
        return False
    try:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            return all(os.access(name, os.F_OK, dir_fd=descriptor) for name in ("HEAD", "objects", "refs"))
        pointer = os.read(descriptor, limits.MAX_PATH_BYTES * 4)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    if not pointer.startswith(b"gitdir: "):
        return False
    target = pointer[len(b"gitdir: ") :].rstrip(b"\r\n")
    try:
        # Only whether a worktree's or submodule's HEAD exists is asked, wherever it is kept.
        head = os.path.join(directory, target, b"HEAD")
        return bool(target) and os.access(head, os.F_OK, dir_fd=root_descriptor)
    except ValueError:
        return False
