"""From listed paths to candidates: path safety, type, size, readability, symlinks.

Every path that goes in comes out as a candidate or as a skip with its reason, except those that are gone.
Looks at each path with one lstat, and opens only those of which the name does not say what they are, for their first
line; which paths are listed at all is decided before.
"""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

import msgspec

from everdex import limits
from everdex.config import IndexConfig
from everdex.discover import links
from everdex.discover.beneath import blame, read_beneath
from everdex.discover.ignore import GIT_IGNORE, OwnRules, display
from everdex.discover.model import Candidate, FileStat, Known, Skip, SkipReason
from everdex.errors import LimitExceeded
from everdex.interpreters import HEAD_BYTES, is_script
from everdex.languages import language_of, may_be_script

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_ASCII_CONTROL: Final = bytes([*range(0x20), 0x7F])
_READABLE_BY_ALL: Final = 0o444
_PLAIN: Final = stat.S_IFREG | _READABLE_BY_ALL
_PLAIN_MASK: Final = 0o170000 | _READABLE_BY_ALL


class _Link(msgspec.Struct, frozen=True):
    key: str


class _Directory(msgspec.Struct, frozen=True):
    """Listed like a file, yet a directory: a submodule, or a tracked file that a directory has replaced."""


_Verdict = Candidate | Skip | _Link | _Directory | None  # None: gone


class Eligible(msgspec.Struct, frozen=True):
    """`files` by path on disk; `ignore_files` are those in force above anything listed that exists."""

    files: dict[bytes, Candidate]
    skipped: tuple[Skip, ...]
    listed_directories: tuple[bytes, ...]
    ignore_files: tuple[bytes, ...]


class Judge:
    """Judges paths and remembers; `judge` may be called ahead of time for paths likely to be listed."""

    def __init__(self, root: bytes, descriptor: int, config: IndexConfig, own: OwnRules) -> None:
        self._root = root
        self._descriptor = descriptor
        self._max_size = config.max_file_size_bytes
        self._own = own
        self._verdicts: dict[bytes, _Verdict] = {}
        self._real: dict[bytes, bool] = {b"": True}
        self._with_ignore_file: set[bytes] = {b""} if self._has_ignore_file(b"") else set()

    def judge(self, paths: Sequence[bytes]) -> None:
        """Find the verdict on each path that has none yet."""
        verdicts, real, look, descriptor = self._verdicts, self._real, os.lstat, self._descriptor
        max_size = self._max_size
        paths = [path for path in paths if path not in verdicts]
        # One look at all names tells whether any ASCII one needs the check for control characters.
        joined = b"".join(paths)
        clean = len(joined) == len(joined.translate(None, _ASCII_CONTROL))
        for path in paths:
            if clean and path.isascii():
                key = path.decode("ascii")
            else:
                name = _safe_key(path)
                if isinstance(name, Skip):
                    verdicts[path] = name
                    continue
                key = name
            if len(path) > limits.MAX_PATH_BYTES:
                verdicts[path] = Skip(key, SkipReason.PATH_TOO_LONG, f"{len(path)} bytes")
                continue
            above, _, file_name = path.rpartition(b"/")
            if not file_name:
                above, _, file_name = above.rpartition(b"/")
            known = real.get(above)
            if not (self._is_real(above) if known is None else known):
                verdicts[path] = None
                continue
            try:
                seen = look(path, dir_fd=descriptor)
            except (FileNotFoundError, NotADirectoryError):
                verdicts[path] = None
            except OSError as error:
                verdicts[path] = Skip(key, SkipReason.UNREADABLE, os.strerror(error.errno or 0))
            else:
                # Nearly every file is this one: the same answer as below, without asking in turn.
                if seen.st_mode & _PLAIN_MASK == _PLAIN and _supported(file_name) and seen.st_size <= max_size:
                    verdicts[path] = _candidate(key, path, seen)
                else:
                    verdicts[path] = self._verdict(key, path, file_name, seen)

    def judge_known(self, known: Mapping[str, Known]) -> None:
        """`judge` for keys that were candidates before: most are still the very files they were."""
        verdicts, real, look, descriptor = self._verdicts, self._real, os.lstat, self._descriptor
        max_size = self._max_size
        others: list[bytes] = []
        for key, before in known.items():
            if not key.isascii():
                continue
            path = key.encode()
            above, _, file_name = path.rpartition(b"/")
            if above not in real:
                self._is_real(above)
            try:
                seen = look(path, dir_fd=descriptor)
            except OSError:
                others.append(path)
                continue
            stat = before.stat
            if (
                seen.st_mtime_ns == stat.mtime_ns
                and seen.st_ctime_ns == stat.ctime_ns
                and seen.st_ino == stat.inode
                and seen.st_size == stat.size <= max_size
                and seen.st_mode & _PLAIN_MASK == _PLAIN
                and real[above]
                and _supported(file_name)
            ):
                verdicts[path] = Candidate(key, key, stat)
            else:
                others.append(path)
        self.judge(others)

    def out_by_name(self, path: bytes) -> bool:
        """Whether a judged file is out whatever is in it."""
        verdict = self._verdicts[path]
        if not isinstance(verdict, Skip) or verdict.reason is not SkipReason.UNSUPPORTED_TYPE:
            return False
        return not _unsure(path.rpartition(b"/")[2])

    def _verdict(self, key: str, path: bytes, file_name: bytes, seen: os.stat_result) -> _Verdict:
        mode, size = seen.st_mode, seen.st_size
        if not stat.S_ISREG(mode):
            return _irregular(key, path, mode)
        if not _supported(file_name) and not self._own.included(path):
            return self._script(key, path, file_name, seen)
        if size > self._max_size:
            return Skip(key, SkipReason.TOO_LARGE, f"{size} bytes")
        # What everybody may read needs no second question.
        if mode & _READABLE_BY_ALL != _READABLE_BY_ALL and not os.access(
            path, os.R_OK, dir_fd=self._descriptor, effective_ids=True
        ):
            return Skip(key, SkipReason.UNREADABLE)
        return _candidate(key, path, seen)

    def _script(self, key: str, path: bytes, file_name: bytes, seen: os.stat_result) -> _Verdict:
        """A file whose name does not say what it is: only its first line can let it in."""
        if 0 < seen.st_size <= self._max_size and _unsure(file_name) and is_script(self._head(path)):
            return _candidate(key, path, seen, is_script=True)
        return Skip(key, SkipReason.UNSUPPORTED_TYPE)

    def _head(self, path: bytes) -> bytes:
        """The first bytes of a file; none of one that cannot be read."""
        try:
            descriptor = read_beneath(self._descriptor, path)
        except OSError:
            return b""
        try:
            return os.read(descriptor, HEAD_BYTES)
        except OSError as error:
            blame(error)
            return b""
        finally:
            os.close(descriptor)

    def _is_real(self, directory: bytes) -> bool:
        """No component is a symlink: a tracked file below a directory that became one is gone, as in git."""
        above = directory.rpartition(b"/")[0]
        known = self._real.get(above)
        answer = self._is_real(above) if known is None else known
        if answer:
            try:
                answer = stat.S_ISDIR(os.lstat(directory, dir_fd=self._descriptor).st_mode)
            except PermissionError:
                answer = True  # the file's own lstat gives the reason
            except OSError:
                answer = False
        self._real[directory] = answer
        if answer and self._has_ignore_file(directory + b"/"):
            self._with_ignore_file.add(directory)
        return answer

    def _has_ignore_file(self, prefix: bytes) -> bool:
        return os.access(prefix + GIT_IGNORE, os.F_OK, dir_fd=self._descriptor)

    def eligible(self, paths: Sequence[bytes]) -> Eligible:
        """The verdicts on exactly these paths; raises `LimitExceeded` when too many are eligible."""
        self.judge(paths)
        skipped: list[Skip] = []
        found_links: list[tuple[str, bytes]] = []
        directories: list[bytes] = []
        verdicts = self._verdicts
        files = {path: found for path in paths if isinstance(found := verdicts[path], Candidate)}
        for path in paths if len(files) < len(paths) else ():
            verdict = verdicts[path]
            if isinstance(verdict, Skip):
                skipped.append(verdict)
            elif isinstance(verdict, _Link):
                found_links.append((verdict.key, path))
            elif isinstance(verdict, _Directory):
                directories.append(path)
        for key, path in found_links:
            followed = self._follow(key, path, files)
            if isinstance(followed, Skip):
                skipped.append(followed)
            else:
                verdicts[path] = followed
        # Only now, so that a symlink to a symlink's key is judged by the real file alone.
        files.update((path, found) for _, path in found_links if isinstance(found := verdicts[path], Candidate))
        if len(files) > limits.MAX_FILES:
            raise LimitExceeded(f"{len(files)} eligible files; at most {limits.MAX_FILES} can be indexed")
        return Eligible(files, tuple(skipped), tuple(directories), self._ignore_files(paths))

    def _ignore_files(self, paths: Sequence[bytes]) -> tuple[bytes, ...]:
        """The `.gitignore` files with something listed at or below their directory."""
        chosen = self._with_ignore_file
        if chosen - {b""}:
            chosen = chosen & _above(path for path in paths if self._verdicts[path] is not None)
        return tuple(directory + b"/" + GIT_IGNORE if directory else GIT_IGNORE for directory in chosen)

    def _follow(self, key: str, path: bytes, files: dict[bytes, Candidate]) -> Candidate | Skip:
        """A symlink is eligible under its own key when its target is a candidate under its own."""
        target = links.resolve(self._root, path)
        if isinstance(target, SkipReason):
            return Skip(key, target)
        if target.is_directory:
            return Skip(key, SkipReason.SYMLINK_DIRECTORY, display(target.path))
        candidate = files.get(target.path)
        if candidate is None:
            return Skip(key, SkipReason.SYMLINK_TO_INELIGIBLE, display(target.path))
        if language_of(key) is None and not self._own.included(path):
            return Skip(key, SkipReason.UNSUPPORTED_TYPE)
        return Candidate(key, candidate.disk_path, candidate.stat)


@lru_cache(maxsize=1 << 16)
def _supported(file_name: bytes) -> bool:
    """Nearly every name says a file's language, and names repeat: from directory to directory, from look to look."""
    return language_of(unicodedata.normalize("NFC", file_name.decode())) is not None


@lru_cache(maxsize=1 << 16)
def _unsure(file_name: bytes) -> bool:
    return may_be_script(unicodedata.normalize("NFC", file_name.decode()))


def _candidate(key: str, path: bytes, seen: os.stat_result, *, is_script: bool = False) -> Candidate:
    about = FileStat(seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
    return Candidate(key, key if key.isascii() else path.decode(), about, is_script)


def _safe_key(path: bytes) -> str | Skip:
    try:
        key = unicodedata.normalize("NFC", path.decode())
    except UnicodeDecodeError:
        return Skip(display(path), SkipReason.PATH_NOT_UTF8)
    return Skip(display(path), SkipReason.PATH_CONTROL) if _CONTROL.search(key) else key


def _irregular(key: str, path: bytes, mode: int) -> _Verdict:
    if stat.S_ISLNK(mode):
        return _Link(key)
    if not stat.S_ISDIR(mode):
        return Skip(key, SkipReason.NOT_REGULAR)
    return Skip(key, SkipReason.NESTED_REPOSITORY) if path.endswith(b"/") else _Directory()


def _above(paths: Iterable[bytes]) -> frozenset[bytes]:
    direct = {path.removesuffix(b"/").rpartition(b"/")[0] for path in paths}
    found = {b""}
    for directory in direct:
        while directory not in found:
            found.add(directory)
            directory = directory.rpartition(b"/")[0]
    return frozenset(found)
