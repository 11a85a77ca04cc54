"""JSON over frames: the hello, requests and replies of version 1, for the server and the full client.

Whatever arrives is untrusted: not JSON, nested without end or of the wrong shape becomes a typed error and never
an exception of the decoder. docs/daemon.md describes the same for other languages.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Mapping
from typing import Any

import msgspec

from everdex.errors import Incompatible, LimitExceeded, Timeout, UsageError
from everdex.surfaces.cli.output import json_bytes
from everdex.surfaces.daemon import wire

RENDERINGS = ("text", "json")


class Request(msgspec.Struct, frozen=True):
    number: int | str
    method: str
    params: Mapping[str, Any]
    render: str | None = None
    jsonrpc: bool = False  # whether it is to be answered in the words of JSON-RPC 2.0


class DeadlineStream:
    """A socket whose frames must be complete by a deadline, however slowly they drip."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.deadline = 0.0

    def recv(self, size: int, /) -> bytes:
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._connection.recv(size)


def read_payload(stream: DeadlineStream, limit: int, *, first_byte_s: float, whole_s: float) -> bytes:
    """One frame; `Timeout` when it is late, `LimitExceeded` when it is too large, `Hangup` when nobody is there."""
    try:
        stream.deadline = time.monotonic() + first_byte_s
        first = wire.read_exactly(stream, 1)
        stream.deadline = time.monotonic() + whole_s
        length = int.from_bytes(first + wire.read_exactly(stream, 3), "big")
        if length > limit:
            raise LimitExceeded(f"a frame of {length:,} bytes was announced; at most {limit:,} are allowed", hint="")
        return wire.read_exactly(stream, length)
    except TimeoutError as error:
        raise Timeout("a frame was not complete in time") from error


def encode(document: Mapping[str, Any]) -> bytes:
    """The payload for a document; what is no text in UTF-8 is escaped, so that any string of ours can be sent."""
    return json_bytes(document)


def decode(payload: bytes) -> dict[str, Any]:
    """A JSON object, or `UsageError`."""
    try:
        document = json.loads(payload)
    except RecursionError as error:
        raise UsageError("the frame is nested too deeply") from error
    except ValueError as error:  # not UTF-8, not JSON, or a number with thousands of digits
        raise UsageError("the frame is not JSON") from error
    if not isinstance(document, dict):
        raise UsageError("the frame is not a JSON object")
    return document


def agreed_version(document: Mapping[str, Any]) -> int:
    """The highest protocol both sides speak; `Incompatible` when there is none."""
    hello = document.get("hello")
    offered = hello.get("protocols") if isinstance(hello, dict) else None
    if not isinstance(offered, list):
        raise UsageError('the first frame must be {"hello":{"protocols":[…]}}')
    common = [version for version in wire.PROTOCOLS if version in offered]
    if not common:
        raise Incompatible(f"this daemon speaks protocol {', '.join(map(str, wire.PROTOCOLS))}, not {offered[:8]!r}")
    return max(common)


def request_of(document: Mapping[str, Any]) -> Request:
    """A request with every field checked; whether there is such a method is not known here."""
    unknown = sorted(set(document) - {"id", "jsonrpc", "method", "params", "render"})
    if unknown:
        raise UsageError(f"unknown field {unknown[0]!r} in a request")
    number, method = document.get("id"), document.get("method")
    if isinstance(number, bool) or not isinstance(number, (int, str)) or len(str(number)) > 100:
        raise UsageError("a request needs an id: a number or a short string")
    if not isinstance(method, str):
        raise UsageError("a request needs a method: a string")
    params, render = document.get("params", {}), document.get("render")
    if not isinstance(params, dict):
        raise UsageError("params must be an object")
    if render is not None and render not in RENDERINGS:
        raise UsageError(f"render is one of {', '.join(RENDERINGS)}")
    if document.get("jsonrpc", "2.0") != "2.0":
        raise UsageError("jsonrpc must be \"2.0\"")
    return Request(number, method, params, render, "jsonrpc" in document)
