"""One run of an indexer: started in a copy of the tree, watched, and ended whatever happens.

Bounded in time, memory, the size of what it writes and of what it says. Its output is a file in the scratch
directory; whether that file is any good is not known here. Whoever is interrupted, cancelled or killed takes the
indexer and everything it started along (see keeper.py).
"""

from __future__ import annotations

import errno
import json
import os
import select
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from everdex import limits
from everdex.errors import Cancelled, IndexerFailed, LimitExceeded, Timeout
from everdex.roots import user_home
from everdex.semantic import keeper
from everdex.semantic.tools import TOOLS, Installed, environment
from everdex.snapshot.trees import tree_size

_LOOK_MS: Final = 100
_MEASURE_S: Final = 1.0
_LEAVE_S: Final = 10.0
_PIECES: Final = 16
_TAIL: Final = 2_000  # bytes of what it said last


class Ran(msgspec.Struct, frozen=True):
    """What a run made, and what it took."""

    output: Path
    size: int
    seconds: float
    confined: tuple[str, ...]  # what the kernel kept it from


class Run:
    """A run of one indexer; `cancel` may come from any thread, also before it begins."""

    def __init__(self, program: Installed, root: Path, scratch: Path, directory: str, name: str) -> None:
        self._tool = TOOLS[program.tool]
        self._program = program
        self._root = root  # the user's, of which nothing is read here
        self._scratch = scratch
        self._cwd = scratch / "tree" / directory
        self._output = scratch / "index.scip"
        self._name = name
        self._cancelled = threading.Event()

    def cancel(self) -> None:
        self._cancelled.set()

    def run(self, seconds: float, progress: Callable[[int], None] = lambda _seconds: None) -> Ran:
        """`Timeout`, `Cancelled`, `LimitExceeded` or `IndexerFailed` when it comes to nothing.

        `progress` hears every now and then how many seconds it has been running.
        """
        began = time.monotonic()
        confinement = keeper.confinement(connects=self._tool.connects)
        spec = json.dumps({**self._spec(), **confinement}).encode() + b"\n"
        # -I -S: nothing of the directory it is started in, or of this environment, is imported.
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", keeper.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, cwd="/", process_group=0,
        )  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        said = b""
        try:
            process.stdin.write(spec)
            process.stdin.flush()
            handle = process.stdout.fileno()
            os.set_blocking(handle, False)
            poll = select.poll()  # a daemon may have more files open than select() can count
            poll.register(handle, select.POLLIN)
            measured = began
            while process.poll() is None:
                now = time.monotonic()
                progress(int(now - began))
                if self._cancelled.is_set():
                    raise Cancelled(f"{self._tool.name} was ended before it was done", hint="run the command again")
                if now - began > seconds:
                    raise Timeout(f"{self._tool.name} was not done within {seconds:,.0f} s",
                                  hint="give it longer: --budget MS")  # fmt: skip
                if now - measured > _MEASURE_S:
                    measured = now
                    self._require_room()
                poll.poll(_LOOK_MS)
                said = _heard(handle, said)
            said = _heard(handle, said)
        finally:
            _end(process)
        size = self._size_of_output(process.returncode, said)
        return Ran(self._output, size, time.monotonic() - began, tuple(confinement["confined"]))

    def _size_of_output(self, code: int, said: bytes) -> int:
        tail = said.decode("utf-8", "replace").strip()
        self._require_room()
        if code:
            number = -code if code < 0 else code - 128  # of its keeper's own, or of its
            how = f"was ended by signal {number}" if number > 0 else f"ended with {code}"
            raise IndexerFailed(f"{self._tool.name} {how}: {tail or 'it said nothing'}")
        try:
            found = os.lstat(self._output)
        except FileNotFoundError as error:
            raise IndexerFailed(f"{self._tool.name} wrote no index: {tail or 'it said nothing'}") from error
        if not stat.S_ISREG(found.st_mode) or not found.st_size:
            raise IndexerFailed(f"{self._tool.name} wrote an empty index: {tail or 'it said nothing'}")
        return found.st_size

    def _spec(self) -> dict[str, object]:
        empty = self._scratch / "empty.json"
        empty.write_bytes(b"[]")
        for name in ("tmp", "cache"):
            (self._scratch / name).mkdir(exist_ok=True)
        filled = {
            "root": os.fspath(self._cwd), "output": os.fspath(self._output), "name": self._name,
            "scratch": os.fspath(self._scratch), "empty": os.fspath(empty),
        }  # fmt: skip
        argv = [self._program.path, *(part.format(**filled) for part in self._tool.argv)]
        if self._tool.without_marker is not None:
            markers, more = self._tool.without_marker
            argv += [] if any((self._cwd / marker).is_file() for marker in markers) else [more]
        home = user_home()
        kept = () if home is None else (os.fspath(home / name) for name in self._tool.writes)
        return {
            "argv": argv, "cwd": os.fspath(self._cwd), "environment": environment(self._tool, self._root, filled),
            "niceness": limits.SEMANTIC_NICENESS, "connects": self._tool.connects,
            "writable": [os.fspath(self._scratch), *kept],
            "limits": {
                "RLIMIT_DATA": limits.SEMANTIC_MEMORY_BYTES, "RLIMIT_FSIZE": limits.MAX_SCIP_BYTES,
                "RLIMIT_CORE": 0,
            },
        }  # fmt: skip

    def _require_room(self) -> None:
        """Refuse an indexer that fills the disk with many files: RLIMIT_FSIZE bounds only each of them."""
        errors: list[OSError] = []
        size = tree_size(self._scratch, errors.append)
        hidden = any(error.errno == errno.ENAMETOOLONG for error in errors)  # the others: removed while we look
        if hidden or size > limits.SEMANTIC_SCRATCH_BYTES:
            raise LimitExceeded(
                f"{self._tool.name} wrote more than {limits.SEMANTIC_SCRATCH_BYTES >> 20:,} MiB, or too deep to tell",
                hint="run it yourself and import what it makes: `everdex refresh --scip FILE`",
            )


def _heard(handle: int, said: bytes) -> bytes:
    """The last bytes of what the indexer printed, with what can be read now added."""
    with suppress(BlockingIOError):
        for _ in range(_PIECES):  # one that never stops talking must not keep us from looking at the clock
            said = (said + os.read(handle, 65_536))[-_TAIL:]
    return said


def _end(process: subprocess.Popen[bytes]) -> None:
    """The keeper ends when its input does, after everything that it keeps."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):
        process.stdin.close()
    try:
        process.wait(_LEAVE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
