"""The process between everdex and an indexer: it confines it, and leaves nothing of it running.

A program of its own, of the standard library alone (`python -I -S keeper.py`). Its first line of input says what to
run; when its input ends, because everdex wants that or is dead, everything that the indexer started is killed, also
what has left its process group. What confines it is said by `confinement` before it is started, and it is not started
when that cannot be had. Exit code: the indexer's, or 128 + its signal, 126 when it cannot be started.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import select
import signal
import struct
import sys
from contextlib import suppress
from typing import Any

_PARENT_DEATH, _SUBREAPER, _NO_NEW_PRIVILEGES, _GET_SECCOMP, _SET_SECCOMP = 1, 36, 38, 21, 22  # prctl
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
# Everything that changes a file system, by the version of Landlock that knows it; reading is not handled.
_WRITE_FILE, _TRUNCATE = 1 << 1, 1 << 14
_WRITES = sum(1 << bit for bit in (1, *range(4, 13)))
_REFER = 1 << 13
_TCP = (1 << 0) | (1 << 1)  # bind and connect
_OTHERS = (1 << 0) | (1 << 1)  # abstract sockets and signals of processes outside
_DEVICES = ("/dev/null", "/dev/zero")
# Of a machine its number in audit records, and the numbers of socket, connect and socketpair.
_SYSTEM_CALLS = {"x86_64": (0xC000003E, 41, 42, 53), "aarch64": (0xC00000B7, 198, 203, 199)}
_SECOND_TABLE = 0x40000000  # the same calls again, with 32-bit pointers
_IO_URING = 425  # would make sockets past the filter
WRITES, CONNECTIONS, SIGNALS = "writes", "connections", "signals"


def confinement(*, connects: bool) -> dict[str, Any]:
    """What this kernel can hold an indexer to: `confined` names it, the rest is for the keeper."""
    library = _library()
    landlock = max(0, library.syscall(_CREATE_RULESET, None, 0, _VERSION))
    filters = not connects and os.uname().machine in _SYSTEM_CALLS and library.prctl(_GET_SECCOMP, 0, 0, 0, 0) >= 0
    has = {WRITES: landlock >= 3, CONNECTIONS: filters, SIGNALS: landlock >= 6}
    return {"landlock": landlock, "filters": filters, "confined": [name for name, held in has.items() if held]}


def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(None, use_errno=True)
    library.syscall.restype = ctypes.c_long
    return library


def main() -> int:
    spec = json.loads(sys.stdin.buffer.readline())
    library = _library()
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
        for pid in _children():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    """Our child processes, by the parent that /proc says of each: not every kernel lists children."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/stat", "rb") as stream:
            if int(stream.read().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(int(name))
    return found


def _become(spec: dict[str, Any], library: ctypes.CDLL) -> None:
    """Turn this process into the indexer; never returns."""
    try:
        library.prctl(_PARENT_DEATH, signal.SIGKILL, 0, 0, 0)
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
    """As `confinement` said."""
    if spec["landlock"]:
        _restrict(spec, library)
    if spec["filters"]:
        _filter(library)


def _restrict(spec: dict[str, Any], library: ctypes.CDLL) -> None:
    version = spec["landlock"]
    handled = _WRITES | (_REFER if version >= 2 else 0) | (_TRUNCATE if version >= 3 else 0)
    network = _TCP if version >= 4 and not spec["connects"] else 0
    attributes = (ctypes.c_uint64 * 3)(handled, network, _OTHERS if version >= 6 else 0)
    ruleset = library.syscall(_CREATE_RULESET, attributes, 24 if version >= 6 else 16 if version >= 4 else 8, 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "no Landlock rules can be made")
    for path in (*spec["writable"], *_DEVICES):
        with suppress(FileNotFoundError):
            _allow(library, ruleset, path, handled if os.path.isdir(path) else handled & (_WRITE_FILE | _TRUNCATE))
    if library.syscall(_RESTRICT_SELF, ruleset, 0) < 0:
        raise OSError(ctypes.get_errno(), "Landlock refuses its rules")
    os.close(ruleset)


def _filter(library: ctypes.CDLL) -> None:
    """No sockets but connected pairs, by which programs talk to their own children; of datagrams they are none.

    Landlock knows TCP alone: not UDP, and not the sockets by which a desktop, an agent or Docker take orders.
    """
    machine, socket, connect, pair = _SYSTEM_CALLS[os.uname().machine]
    load, equal, above, mask, give = 0x20, 0x15, 0x35, 0x54, 0x06
    refuse, allow = 0x00050000 | errno.EACCES, 0x7FFF0000
    program = [
        (load, 0, 0, 4), (equal, 0, 11, machine),  # programs of another machine's kind: nothing
        (load, 0, 0, 0), (above, 9, 0, _SECOND_TABLE),
        (equal, 8, 0, socket), (equal, 7, 0, connect), (equal, 6, 0, _IO_URING), (equal, 0, 4, pair),
        (load, 0, 0, 24), (mask, 0, 0, 0xF), (equal, 1, 0, 1), (equal, 0, 1, 5),  # a pair's kind
        (give, 0, 0, allow), (give, 0, 0, refuse),
    ]  # fmt: skip
    code = b"".join(struct.pack("HBBI", *step) for step in program)
    steps = ctypes.create_string_buffer(code, len(code))
    whole = struct.pack("HP", len(program), ctypes.addressof(steps))
    if library.prctl(_SET_SECCOMP, 2, whole, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "the kernel refuses to filter sockets")


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
