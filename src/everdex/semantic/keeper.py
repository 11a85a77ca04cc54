"""The process between everdex and an indexer: it confines it, and leaves nothing of it running.

A program of its own, of the standard library alone (`python -I -S keeper.py`). Its first line of input says what to
run; when its input ends, because everdex wants that or is dead, everything that the indexer started is killed, also
what has left its process group. Writing is confined to some directories, and TCP refused, where the kernel has
Landlock. Exit code: the indexer's, or 128 + its signal, 126 when it cannot be started.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import sys
from contextlib import suppress
from typing import Any

_SUBREAPER = 36  # prctl
_NO_NEW_PRIVILEGES = 38
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
# Everything that changes a file system, by the version of Landlock that knows it; reading is not handled.
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_WRITES = sum(1 << bit for bit in (1, *range(4, 13)))
_REFER = 1 << 13
_CONNECT = (1 << 0) | (1 << 1)  # TCP: bind and connect
_DEVICES = ("/dev/null", "/dev/zero")


def main() -> int:
    spec = json.loads(sys.stdin.buffer.readline())
    library = ctypes.CDLL(None, use_errno=True)
    library.prctl(_SUBREAPER, 1, 0, 0, 0)
    ended, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    child = os.fork()
    if child == 0:
        _become(spec, library)
    try:
        while True:
            told, _, _ = select.select([sys.stdin.buffer, ended], [], [])
            if sys.stdin.buffer in told:
                return 128 + signal.SIGKILL
            os.read(ended, 512)
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else 128 - code
    finally:
        _end_all(child)


def _end_all(child: int) -> None:
    """Kill what is left of the family: whoever loses its parent becomes our child, and is found in the next round."""
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    while True:
        with open(f"/proc/self/task/{os.getpid()}/children", "rb") as stream:
            for pid in map(int, stream.read().split()):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _become(spec: dict[str, Any], library: ctypes.CDLL) -> None:
    """Turn this process into the indexer; never returns."""
    try:
        os.setsid()
        os.nice(spec["niceness"])
        for name, most in spec["limits"].items():
            number = getattr(resource, name)
            _, hard = resource.getrlimit(number)
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(number, (most, most))
        library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _confine(spec, library)
        os.chdir(spec["cwd"])
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.execve(spec["argv"][0], spec["argv"], spec["environment"])
    except OSError as error:
        print(f"{spec['argv'][0]} cannot be started: {error.strerror}", file=sys.stderr, flush=True)
    os._exit(126)


def _confine(spec: dict[str, Any], library: ctypes.CDLL) -> None:
    """Landlock; a kernel without it goes on unconfined."""
    library.syscall.restype = ctypes.c_long
    version = library.syscall(_CREATE_RULESET, None, 0, _VERSION)
    if version < 1:
        return
    handled = _WRITES | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    network = _CONNECT if version >= 4 and not spec["connects"] else 0
    attributes = (ctypes.c_uint64 * 2)(handled, network)
    ruleset = library.syscall(_CREATE_RULESET, attributes, 16 if version >= 4 else 8, 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "no Landlock rules can be made")
    for path in (*spec["writable"], *_DEVICES):
        with suppress(FileNotFoundError):
            _allow(library, ruleset, path, handled if os.path.isdir(path) else handled & (_WRITE_FILE | _TRUNCATE))
    if library.syscall(_RESTRICT_SELF, ruleset, 0) < 0:
        raise OSError(ctypes.get_errno(), "Landlock refuses its rules")
    os.close(ruleset)


def _allow(library: ctypes.CDLL, ruleset: int, path: str, access: int) -> None:
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rule = (ctypes.c_char * 12).from_buffer_copy(
        access.to_bytes(8, sys.byteorder) + handle.to_bytes(4, sys.byteorder)
    )  # struct landlock_path_beneath_attr is packed
    failed = library.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0) < 0
    os.close(handle)
    if failed:
        raise OSError(ctypes.get_errno(), f"Landlock refuses {path}")


if __name__ == "__main__":
    sys.exit(main())
