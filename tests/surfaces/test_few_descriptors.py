"""A process without a free descriptor says so: it calls nothing corrupt, loses no file and hears its next client."""

from __future__ import annotations

import errno
import os
import resource
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from everdex.changes.watch import Watch
from everdex.discover import beneath
from everdex.errors import StorageFailure
from everdex.upkeep.health import health
from support.commands import COMMAND, Done
from support.daemons import Daemon, Wire
from support.processes import PATIENCE_S
from support.stores import synced
from support.trees import tree

FILES = {f"{'/'.join('abcd'[: depth + 1])}/f{depth}.py": f"def f{depth}():\n    return 1\n" for depth in range(4)}


def _with(limit: int, root: Path, *arguments: str) -> Done:
    """A command that may have so many descriptors."""
    command = ["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh", *COMMAND, *arguments]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("limit", [6, 7, 8, 9, 10])
def test_a_command_with_few_descriptors_says_that(tmp_path: Path, limit: int) -> None:
    """`io_error`, never `corrupt` or `internal`; and the store is whole afterwards."""
    made = synced(tmp_path / "tree", FILES)
    made.write({"new.py": "def new():\n    return 1\n"})
    done = _with(limit, made.path, "search", "f3", "--json")
    if done.code != 0:
        assert (done.code, done.json["error"]["code"]) == (70, "io_error"), done.out
    made.sync()
    assert health(made.root, made.config, made.store).status == "ok"


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
@pytest.mark.parametrize("call", ["openat2", "scandir"])
def test_a_directory_that_could_not_be_listed_is_not_empty(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, call: str
) -> None:
    """What this process lacks is not the tree's fault: nothing is published, and no file is taken for deleted."""
    made = synced(tmp_path / "tree", FILES)
    before = made.texts()
    real = beneath._openat2
    scandir = os.scandir

    def openat2(root: int, path: bytes, flags: int) -> int:
        if path == b"a/b":
            raise OSError(number, os.strerror(number))
        opened: int = real(root, path, flags)
        return opened

    def scan(place: object = ".") -> Iterator[os.DirEntry[str]]:
        if isinstance(place, int) and os.readlink(f"/proc/self/fd/{place}").endswith("/a/b"):
            raise OSError(number, os.strerror(number))
        return scandir(place)  # type: ignore[call-overload,no-any-return]

    if call == "openat2":
        monkeypatch.setattr(beneath, "_openat2", openat2)
    else:
        monkeypatch.setattr(os, "scandir", scan)
    with pytest.raises(StorageFailure):
        made.sync(always_rehash=True)
    monkeypatch.undo()
    assert made.texts() == before


def test_a_directory_that_could_not_be_watched_is_not_silent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel's silence proves nothing of what is below; then every question looks for itself."""
    root = tree(tmp_path / "tree", FILES)
    scandir = os.scandir

    def scan(place: object = ".") -> Iterator[os.DirEntry[str]]:
        if place == os.fsencode(root / "a" / "b"):
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return scandir(place)  # type: ignore[call-overload,no-any-return]

    monkeypatch.setattr(os, "scandir", scan)
    watch = Watch(root, frozenset())
    assert not watch.healthy
    watch.close()


@contextmanager
def _few(pid: int, more: int) -> Iterator[None]:
    """A process that may open only so many files beyond those it has."""
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    highest = max(map(int, os.listdir(f"/proc/{pid}/fd")))
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (highest + 1 + more, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)


def _replies(wire: Wire) -> bytes:
    """All that a daemon has to say before it closes, or to two frames."""
    try:
        return wire.payload() + wire.payload()
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize("more", [0, 1, 2, 3, 5])
def test_a_daemon_without_descriptors_hears_the_next_client(tmp_path: Path, more: int) -> None:
    """Whoever comes meanwhile waits, is shown out or is told; the daemon neither leaves nor falls deaf."""
    root = tree(tmp_path / "tree", FILES)
    with Daemon(root) as daemon, daemon.wire() as first:
        daemon.settled()  # whoever makes a graph takes descriptors, and keeps some for the next
        with _few(daemon.process.pid, more), daemon.wire(greet=False) as wire:
            with suppress(BrokenPipeError):  # shown out before a word
                wire.send({"hello": {"protocols": [1]}}, {"id": 7, "method": "status"})
            said = _replies(wire) if more else b""  # with none at all it is not even taken in
            assert b'"internal"' not in said
            assert b'"corrupt"' not in said
            assert "result" in first.call("ping")
        with daemon.wire() as last:
            assert last.hello["pid"] == first.hello["pid"]
            assert last.call("search", query="f3")["result"]["results"]
