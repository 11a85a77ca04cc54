"""Clients of the daemon for measuring it: raw frames from the standard library, nothing decoded while a clock runs.

    python benchmarks/daemon/load.py SOCKET CLIENTS SECONDS QUERIES.json

asks from CLIENTS connections at once for SECONDS and prints one JSON document with the latencies. In a process of
its own, so that the interpreter of whoever measures is not what is measured.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

HELLO = b'{"hello":{"protocols":[1]}}'


class Wire:
    """A greeted connection."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(90)
        self.socket.connect(path)
        self._stream = self.socket.makefile("rb")
        self.exchange(HELLO)

    def exchange(self, payload: bytes) -> bytes:
        self.socket.sendall(len(payload).to_bytes(4, "big") + payload)
        length = self._stream.read(4)
        if len(length) < 4:
            raise ConnectionError("the daemon hung up")
        return self._stream.read(int.from_bytes(length, "big"))

    def call(self, method: str, **params: object) -> dict[str, Any]:
        reply: dict[str, Any] = json.loads(self.exchange(request(method, **params)))
        if "error" in reply:
            raise RuntimeError(reply["error"]["code"])
        result: dict[str, Any] = reply["result"]
        return result

    def close(self) -> None:
        self._stream.close()
        self.socket.close()

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def request(method: str, **params: object) -> bytes:
    return json.dumps({"id": 1, "method": method, "params": params}).encode()


def ask_many(place: str, clients: int, seconds: float, queries: list[str]) -> dict[str, Any]:
    """Latencies in ms of all answers that came in time, and how many were errors."""
    payloads = [request("search", query=query) for query in queries]
    latencies: list[float] = []
    failed: list[bytes] = []
    end = time.perf_counter() + seconds

    def converse(number: int) -> None:
        with Wire(place) as wire:
            at = number * 7
            while time.perf_counter() < end:
                began = time.perf_counter()
                reply = wire.exchange(payloads[at % len(payloads)])
                latencies.append((time.perf_counter() - began) * 1000)
                if not reply.startswith(b'{"id":1,"result"'):
                    failed.append(reply[:200])
                at += 1

    threads = [threading.Thread(target=converse, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"latencies": latencies, "failed": [reply.decode("utf-8", "replace") for reply in failed]}


if __name__ == "__main__":
    place, clients, seconds, questions = sys.argv[1:]
    print(json.dumps(ask_many(place, int(clients), float(seconds), json.loads(Path(questions).read_text()))))
