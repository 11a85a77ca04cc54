"""Whether anything below a root was touched since one last asked: a hint from the kernel, never the truth.

inotify queues an event before the call that caused it returns, so a question asked after an edit always finds the
edit's event in the queue: `touched` needs no waiting and no thread. What inotify cannot see (mapped writes, other
names of a hard link, network file systems) it does not report; the caller bounds how long it trusts silence.
"""

from __future__ import annotations

import ctypes
import errno
import os
import select
import struct
import threading
from pathlib import Path
from typing import Final

from everdex import limits

_MODIFY, _ATTRIB, _MOVED_FROM, _MOVED_TO, _CREATE, _DELETE = 0x2, 0x4, 0x40, 0x80, 0x100, 0x200
_DELETE_SELF, _MOVE_SELF, _UNMOUNT, _OVERFLOW, _IGNORED = 0x400, 0x800, 0x2000, 0x4000, 0x8000
_ONLYDIR, _DONT_FOLLOW, _ISDIR = 0x0100_0000, 0x0200_0000, 0x4000_0000
_MASK: Final = (
    _MODIFY | _ATTRIB | _MOVED_FROM | _MOVED_TO | _CREATE | _DELETE | _DELETE_SELF | _MOVE_SELF
    | _ONLYDIR | _DONT_FOLLOW
)  # fmt: skip
_EVENT: Final = struct.Struct("iIII")
_READ_BYTES: Final = 1 << 16
_NOTHING_THERE: Final = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EACCES, errno.ELOOP})


class Watch:
    """One inotify instance over every directory below a root but `excluded`. Safe to use from several threads.

    `git` names directories of git outside the root, where a linked worktree has its HEAD, index and branches.
    """

    def __init__(self, root: Path, excluded: frozenset[Path], git: tuple[Path, ...] = ()) -> None:
        self._root = os.fsencode(root)
        self._git = frozenset(os.fsencode(path) for path in git)
        self._excluded = frozenset(os.fsencode(path) for path in excluded)
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._lock = threading.Lock()
        self._handle = -1
        self._paths: dict[int, bytes] = {}
        self._started_at: tuple[int, int] | None = None
        self.healthy = False
        with self._lock:
            self._start()

    def touched(self) -> bool:
        """Whether anything was reported since the last call; True in every doubt."""
        with self._lock:
            return not self.healthy or self._is_elsewhere() or self._drain()

    def wait(self, seconds: float) -> bool:
        """Sleep until something is reported (it stays reported) or the time has passed."""
        with self._lock:
            handle = self._handle if self.healthy else -1
        poller = select.poll()
        if handle >= 0:
            poller.register(handle, select.POLLIN)
        return bool(poller.poll(seconds * 1000))

    def restart(self) -> None:
        """Begin again from nothing: after an overflow, or when there was no room for a watch."""
        with self._lock:
            self._stop()
            self._start()

    def close(self) -> None:
        with self._lock:
            self._stop()

    def _start(self) -> None:
        try:
            self._handle = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        except AttributeError:  # not Linux: the caller looks for itself each time
            return
        self.healthy = self._handle >= 0
        self._started_at = self._identity()
        for top in (self._root, *sorted(self._git)):
            self._add_tree(top)

    def _stop(self) -> None:
        self.healthy = False
        self._paths.clear()
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _is_elsewhere(self) -> bool:
        """Whether the root's path leads to another directory now: the kernel does not report what happens above it."""
        if self._identity() == self._started_at:
            return False
        self._stop()
        self._start()
        return True

    def _identity(self) -> tuple[int, int] | None:
        try:
            found = os.stat(self._root)
        except OSError:
            return None
        return found.st_dev, found.st_ino

    def _drain(self) -> bool:
        seen = False
        while True:
            try:
                events = os.read(self._handle, _READ_BYTES)
            except BlockingIOError:
                return seen
            seen = True
            if not self._take(events):
                self._stop()
                self._start()
                return True

    def _take(self, events: bytes) -> bool:
        """Follow new directories; False when the watches no longer match the tree."""
        at = 0
        while at < len(events):
            number, mask, _, length = _EVENT.unpack_from(events, at)
            at += _EVENT.size
            name = events[at : at + length].rstrip(b"\0")
            at += length
            parent = self._paths.get(number)
            if mask & _OVERFLOW or (mask & (_MOVE_SELF | _DELETE_SELF | _UNMOUNT) and parent == self._root):
                return False
            if mask & _IGNORED:
                self._paths.pop(number, None)
            elif mask & _ISDIR and mask & (_CREATE | _MOVED_TO) and parent is not None:
                # Whatever was put into it before this watch is seen by the look that this event causes.
                self._add_tree(os.path.join(parent, name))
        return True

    def _add_tree(self, top: bytes) -> None:
        pending = [top]
        while pending and self.healthy:
            directory = pending.pop()
            if directory in self._excluded or not self._add(directory):
                continue
            try:
                with os.scandir(directory) as entries:
                    below = [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
            except OSError as error:
                if error.errno not in _NOTHING_THERE:
                    self.healthy = False  # what is below is not watched: silence would prove nothing
                continue  # gone or forbidden: nothing in it can be indexed either
            if directory in self._git or os.path.basename(directory) == b".git":
                # HEAD and index lie here, branches in refs; objects are only noise.
                below = [path for path in below if os.path.basename(path) == b"refs"]
            pending.extend(below)

    def _add(self, directory: bytes) -> bool:
        number = self._libc.inotify_add_watch(self._handle, directory, _MASK)
        if number >= 0:
            self._paths[number] = directory
            self.healthy = len(self._paths) <= limits.MAX_WATCHED_DIRECTORIES
            return True
        if ctypes.get_errno() not in _NOTHING_THERE:
            self.healthy = False  # no room for another watch: silence would prove nothing
        return False
