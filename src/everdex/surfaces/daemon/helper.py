"""A helper process of the daemon: answers searches over a socket that it inherited, one at a time.

It reads the active snapshot like the daemon itself, under the readers' lock, and is told how fresh the answer is.
It ends when the daemon does (its socket closes), and refuses to begin with another configuration than the daemon's.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from typing import Any

import msgspec

from everdex.errors import DaemonStopping
from everdex.memory import tame_allocator
from everdex.service.answers import Freshness
from everdex.service.reader import Reader
from everdex.surfaces.cli.failures import as_everdex
from everdex.surfaces.daemon import methods, wire
from everdex.surfaces.daemon.beside import open_same
from everdex.surfaces.daemon.protocol import Request
from everdex.surfaces.daemon.replies import answered, failed

ANSWERED, FAILED = b"\0", b"\1"


def question(request: Request, freshness: Freshness) -> dict[str, Any]:
    """What the daemon sends for a search."""
    return {
        "id": request.number, "params": request.params, "render": request.render, "jsonrpc": request.jsonrpc,
        "freshness": msgspec.to_builtins(freshness),
    }  # fmt: skip


def _answer(reader: Reader, document: dict[str, Any]) -> bytes:
    if "warm_up" in document:
        reader.warm_up()
        return ANSWERED
    request = Request(document["id"], "search", document["params"], document["render"], document["jsonrpc"])
    try:
        found = reader.search(
            methods.request(reader.index, request.params), msgspec.convert(document["freshness"], Freshness),
            methods.reading(request.params), explain=request.params.get("explain", False),
        )  # fmt: skip
        return ANSWERED + answered(request, found.to_dict())
    except Exception as error:  # noqa: BLE001 - whatever went wrong belongs to this answer, not to the process
        known = as_everdex(error)
        return FAILED + known.code.encode() + b"\n" + failed(request, known)


def main(handle: int, *identity: str) -> None:
    # The daemon ends us by closing the socket; what is typed at its terminal is not for us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    tame_allocator()
    try:
        reader = Reader(open_same(*identity))
    except DaemonStopping as error:
        sys.exit(error.exit_code)
    with socket.socket(fileno=handle) as stream:
        while True:
            try:
                payload = wire.read_exactly(stream, wire.read_length(stream, wire.MAX_REQUEST + 4_096))
                stream.sendall(wire.frame(_answer(reader, json.loads(payload))))
            except (wire.Hangup, OSError):
                os._exit(0)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
