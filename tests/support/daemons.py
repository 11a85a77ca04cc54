"""A real daemon in its own process, and sockets that say to it whatever a test wants."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from everdex.service.index import Index
from everdex.service.resident import ResidentIndex
from everdex.surfaces.daemon import wire
from support.commands import COMMAND, Done, everdex
from support.processes import PATIENCE_S, until

HELLO = {"hello": {"protocols": [1]}}
_PATIENT = f"""
from everdex.surfaces.hooks import run
run._PATIENCE_S = {PATIENCE_S}
from everdex.__main__ import main
main()
"""


@contextmanager
def resident(root: Path) -> Iterator[ResidentIndex]:
    """What a daemon keeps of a tree that is up to date, in this process."""
    index = Index.open(root)
    index.sync()
    kept = ResidentIndex(index)
    yield kept
    kept.close()


def frame(document: object) -> bytes:
    payload = document if isinstance(document, bytes) else json.dumps(document).encode()
    return len(payload).to_bytes(4, "big") + payload


class Wire:
    """A raw connection: bytes out, documents in."""

    def __init__(self, path: str, *, greet: bool = True) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(PATIENCE_S)
        wire.at(path, self.socket.connect)
        if greet:
            self.send(HELLO)
            self.hello = self.receive()["hello"]

    def send(self, *documents: object) -> None:
        self.socket.sendall(b"".join(frame(document) for document in documents))

    def payload(self) -> bytes:
        """The next frame's bytes; empty when the daemon closed."""
        head = self._exactly(4)
        return self._exactly(int.from_bytes(head, "big")) if head else b""

    def receive(self) -> dict[str, Any]:
        document: dict[str, Any] = json.loads(self.payload())
        return document

    def call(self, method: str, **params: object) -> dict[str, Any]:
        self.send({"id": 7, "method": method, "params": params})
        reply = self.receive()
        assert reply["id"] == 7
        return reply

    def closed(self) -> bool:
        """Whether the daemon has closed this connection."""
        return self.socket.recv(1) == b""

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                return b""
            data += piece
        return data

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()


class Daemon:
    """`everdex serve` in the foreground; killed at the end if it still lives."""

    def __init__(self, root: Path, home: Path | None = None) -> None:
        self.root = root
        self.env = {"EVERDEX_HOME": str(home), "EVERDEX_EMBEDDER": "fake"} if home else {}
        self.process = subprocess.Popen(
            [*COMMAND, "serve", root, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root,
            env={**os.environ, **self.env},
        )  # fmt: skip
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self.process.communicate()[1]
        self.place: dict[str, Any] = json.loads(line)
        self.socket: str = self.place["socket"]

    def wire(self, *, greet: bool = True) -> Wire:
        return Wire(self.socket, greet=greet)

    def run(self, *arguments: object) -> Done:
        """The command line, in the served root."""
        return everdex(*arguments, cwd=self.root, env=self.env)

    def hook(self, event: object, *options: str) -> Done:
        """`everdex hook` in the served root, but for its patience: on a slow machine it says nothing."""
        data = event if isinstance(event, bytes) else json.dumps(event)
        patient = (sys.executable, "-c", _PATIENT)
        return everdex("hook", *options, stdin=data, cwd=self.root, env=self.env, command=patient)

    def metrics(self) -> dict[str, Any]:
        with self.wire() as wire:
            found: dict[str, Any] = wire.call("status", no_sync=True)["result"]["daemon"]
            return found

    def graph(self) -> dict[str, Any]:
        """How the making of graphs stands."""
        with self.wire() as wire:
            found: dict[str, Any] = wire.call("ping")["result"]["graph"]
            return found

    def settled(self) -> None:
        """Come back when it has made the graph that it makes unasked, and has nothing more to do."""
        until(lambda: self.graph()["state"] == "ready", "the graph")

    @contextmanager
    def held_up(self) -> Iterator[None]:
        """No search can be answered in here: the readers' lock is taken, as a collection takes it."""
        home = Path(self.env.get("EVERDEX_HOME") or os.environ["EVERDEX_HOME"])
        handle = os.open(home / "data" / self.place["store_id"] / "locks" / "readers.lock", os.O_RDWR)
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            os.close(handle)

    def wait(self) -> int:
        return self.process.wait(timeout=PATIENCE_S)

    def __enter__(self) -> Daemon:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()
