"""A process that dies on purpose: at the n-th call that changes the disk, by kill or by power loss.

`python -m support.faults STORE ROOT` reads one JSON request a line, forks, lets the fork work on the store and
reports how it ended. Forking after the imports makes a point cost milliseconds instead of a second.

A power loss drops what was never flushed: always the bytes of a file that was not fsynced since it was written;
and, when `power` is "names", also names in a directory that was not fsynced since they were made or changed.
A real disk may keep or lose such names, so a sweep tries both.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from everdex import clock, config, limits
from everdex.canvas.board.edits import Edit, applied
from everdex.canvas.board.file import change_board
from everdex.canvas.board.model import Stamp
from everdex.embed import identity_of
from everdex.errors import EverdexError
from everdex.roots import canonical_root
from everdex.snapshot import publish
from everdex.snapshot.store import open_store
from everdex.sync import pool
from everdex.sync.model import SyncOptions
from everdex.sync.run import sync
from everdex.upkeep.housekeeping import compact_now, gc_now

CHANGING_CALLS = ("fsync", "replace", "rename", "link", "unlink", "rmdir", "mkdir")
KILLED = 137


class Disk:
    """What would survive a power loss, tracked call by call."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._names: dict[int, dict[str, int]] = {}  # directory inode -> its flushed names
        self._bytes: dict[int, tuple[int, int]] = {}  # file inode -> size and mtime when flushed
        self._replaced: dict[str, bytes] = {}  # path -> what it held before an unflushed rename
        for parent, _, files in os.walk(top):
            self._flush_directory(Path(parent))
            for name in files:
                self._flush_file(os.stat(os.path.join(parent, name)))

    def fsynced(self, handle: int) -> None:
        path = Path(os.readlink(f"/proc/self/fd/{handle}"))
        if path.is_dir():
            self._flush_directory(path)
        else:
            self._flush_file(os.fstat(handle))

    def replacing(self, target: str) -> None:
        if os.path.isfile(target) and target not in self._replaced:
            self._replaced[target] = Path(target).read_bytes()

    def _flush_file(self, found: os.stat_result) -> None:
        self._bytes[found.st_ino] = (found.st_size, found.st_mtime_ns)

    def _flush_directory(self, path: Path) -> None:
        with os.scandir(path) as entries:
            self._names[os.stat(path).st_ino] = {entry.name: entry.inode() for entry in entries}
        self._replaced = {name: old for name, old in self._replaced.items() if os.path.dirname(name) != str(path)}

    def lose_power(self, names: bool, directory: Path | None = None) -> None:
        directory = directory or self._top
        flushed = self._names.get(os.stat(directory).st_ino, {})
        for entry in list(os.scandir(directory)):
            if names and flushed.get(entry.name) != entry.inode():
                self._lose_name(entry, entry.name in flushed)
            elif entry.is_dir(follow_symlinks=False):
                self.lose_power(names, Path(entry.path))
            else:
                self._lose_bytes(entry)

    def _lose_name(self, entry: os.DirEntry[str], had_another: bool) -> None:
        if had_another and entry.path in self._replaced:
            Path(entry.path).write_bytes(self._replaced[entry.path])
        elif entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)

    def _lose_bytes(self, entry: os.DirEntry[str]) -> None:
        found = entry.stat()
        if self._bytes.get(found.st_ino) != (found.st_size, found.st_mtime_ns):
            os.truncate(entry.path, 0)


class Faults:
    """Counts the calls that change the disk and dies at the chosen one."""

    def __init__(self, top: Path, die_at: int | None, power: str | None) -> None:
        self.steps = 0
        self._die_at = die_at
        self._power = power
        self._disk = Disk(top) if power else None
        self._real = {name: getattr(os, name) for name in CHANGING_CALLS}
        for name in CHANGING_CALLS:
            setattr(os, name, self._counted(name))

    def _counted(self, name: str) -> Callable[..., Any]:
        real = self._real[name]

        def call(*arguments: Any, **options: Any) -> Any:
            self.steps += 1
            if self.steps == self._die_at:
                self.die()
            if self._disk and name in ("replace", "rename"):
                self._disk.replacing(os.fspath(arguments[1]))
            result = real(*arguments, **options)
            if self._disk and name == "fsync":
                self._disk.fsynced(arguments[0])
            return result

        return call

    def die(self) -> None:
        for name, real in self._real.items():
            setattr(os, name, real)
        if self._disk:
            self._disk.lose_power(names=self._power == "names")
        os._exit(KILLED)


def _break(how: str) -> None:
    """Publishers that are wrong on purpose: the sweep has to catch them."""
    if how == "never_fsync":
        os.fsync = lambda handle: None
    elif how == "pointer_before_number":
        real = publish._number

        def pointer_first(store: Any, manifest: Any, manifest_file: Path) -> None:
            publish.activate(store, manifest)
            real(store, manifest, manifest_file)

        publish._number = pointer_first
    else:
        raise ValueError(how)


def _work(request: dict[str, Any], store_path: Path, root_path: Path) -> dict[str, Any]:
    if request.get("file_size_limit") is not None:
        limit = request["file_size_limit"]
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    faults = Faults(store_path, request.get("die_at"), request.get("power"))
    if request.get("later"):
        real_now = clock.now
        clock.now = lambda: real_now() + request["later"]
    if request.get("broken"):
        _break(request["broken"])
    if request.get("a_file_each"):  # several segments of a tree that is small
        limits.SEGMENT_ROWS = pool._BATCH_FILES = 1
    root = canonical_root(root_path)
    settings = config.load(root.path)
    fingerprint = config.config_fingerprint(settings.index, identity_of(settings.index.embedder, root.path))
    try:
        store = open_store(root, fingerprint)
        if request["action"] == "sync":
            sync(root, settings, store, SyncOptions(workers=1))
        elif request["action"] == "compact":
            compact_now(store, force=True)
        elif request["action"] == "board":
            stamp = Stamp("dying", None, clock.rfc3339(), "", "")
            edit = Edit("claim", text="written while dying")
            change_board(store, lambda board: applied(board, edit, stamp, ())[0])
        else:
            gc_now(store, dry_run=False)
        if request.get("die_at_end"):
            faults.die()
    except EverdexError as error:
        return {"error": error.code, "message": error.message, "steps": faults.steps}
    return {"error": None, "steps": faults.steps}


def main() -> None:
    store_path, root_path = Path(sys.argv[1]), Path(sys.argv[2])
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            result = _work(json.loads(line), store_path, root_path)
            os.write(writing, json.dumps(result).encode())
            os._exit(0)
        os.close(writing)
        with open(reading, "rb") as stream:
            told = stream.read()
        _, status = os.waitpid(child, 0)
        answer = {"exit": os.waitstatus_to_exitcode(status), **(json.loads(told) if told else {})}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
