"""From an answer or an error to the payload of a reply: JSON, or what a thin client prints as it is."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from everdex import clock
from everdex.errors import EverdexError, LimitExceeded
from everdex.surfaces.cli import picture_file
from everdex.surfaces.cli.failures import error_lines
from everdex.surfaces.cli.output import json_bytes, line_bytes, warning_lines
from everdex.surfaces.daemon import wire
from everdex.surfaces.daemon.methods import METHODS
from everdex.surfaces.daemon.protocol import Request, encode

_SERVER_ERROR: Final = -32_000  # JSON-RPC's codes are numbers; ours is in `data`


def answered(request: Request, document: dict[str, Any]) -> bytes:
    """The payload for an answer; a `LimitExceeded` in its place when it is too large to send."""
    payload = _rendered(request, document) if request.render else result(request, document)
    if len(payload) <= wire.MAX_RESPONSE:
        return payload
    return failed(
        request,
        LimitExceeded(
            f"the answer has {len(payload):,} bytes; the daemon sends at most {wire.MAX_RESPONSE:,}",
            hint="narrow the request, or pass --offline",
            snapshot_id=document.get("snapshot_id"),
        ),
    )


def result(request: Request, document: Mapping[str, Any]) -> bytes:
    """The payload for an answer that nobody wants rendered."""
    return encode({**_words(request), "id": request.number, "result": document})


def _words(request: Request | None) -> dict[str, str]:
    return {"jsonrpc": "2.0"} if request is not None and request.jsonrpc else {}


def failed(request: Request | None, error: EverdexError) -> bytes:
    """The payload for an error, rendered like the command line's when that was asked for."""
    body: Mapping[str, Any] = {"error": error.to_dict(clock.new_ulid())}
    # A client that is told of our leaving goes on by itself, so it must be able to see that.
    if request is None or request.render is None or error.code == "daemon_stopping":
        if request is not None and request.jsonrpc:
            told = {"code": _SERVER_ERROR, "message": error.message, "data": body["error"]}
            return encode({"jsonrpc": "2.0", "id": request.number, "error": told})
        return encode({"id": request.number if request else None, **body})
    if request.render == "json":
        return wire.rendered(error.exit_code, [(wire.STDOUT, json_bytes(body) + b"\n")])
    return wire.rendered(error.exit_code, [(wire.STDERR, b"".join(map(line_bytes, error_lines(error))))])


def _rendered(request: Request, document: dict[str, Any]) -> bytes:
    shown = METHODS[request.method].shown
    assert shown is not None  # or the request would have been refused
    code = shown.code(document)
    picture, remarks = picture_file.taken(document, request.params.get("output"))
    file = [] if picture is None else [(wire.FILE, picture)]
    if request.render == "json":
        told = b"".join(map(line_bytes, remarks))
        return wire.rendered(code, [*file, (wire.STDERR, told), (wire.STDOUT, json_bytes(document) + b"\n")])
    lines = [*((False, line) for line in (*remarks, *warning_lines(document))), *shown.lines(document)]
    parts = (
        (wire.STDOUT if is_result else wire.STDERR, b"".join(line_bytes(line) for _, line in run))
        for is_result, run in groupby(lines, key=itemgetter(0))
    )
    return wire.rendered(code, [*file, *parts])
