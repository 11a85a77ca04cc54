"""From an answer or an error to the payload of a reply: JSON, or what a thin client prints as it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from everdex import clock
from everdex.errors import EverdexError, LimitExceeded
from everdex.surfaces.cli.failures import error_lines
from everdex.surfaces.cli.output import encode as encode_line
from everdex.surfaces.cli.output import line_bytes, warning_lines
from everdex.surfaces.cli.piped import VIMGREP
from everdex.surfaces.daemon import wire
from everdex.surfaces.daemon.methods import METHODS
from everdex.surfaces.daemon.protocol import Request, encode


def answered(request: Request, document: dict[str, Any]) -> bytes:
    """The payload for an answer; a `LimitExceeded` in its place when it is too large to send."""
    payload = _rendered(request, document) if request.render else encode({"id": request.number, "result": document})
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


def failed(request: Request | None, error: EverdexError) -> bytes:
    """The payload for an error, rendered like the command line's when that was asked for."""
    body: Mapping[str, Any] = {"error": error.to_dict(clock.new_ulid())}
    # A client that is told of our leaving goes on by itself, so it must be able to see that.
    if request is None or request.render is None or error.code == "daemon_stopping":
        return encode({"id": request.number if request else None, **body})
    if request.render == "json":
        return wire.rendered(error.exit_code, line_bytes(encode_line(body)), b"")
    return wire.rendered(error.exit_code, b"", b"".join(map(line_bytes, error_lines(error))))


def _rendered(request: Request, document: dict[str, Any]) -> bytes:
    shown = VIMGREP if request.render == "vimgrep" else METHODS[request.method].shown
    assert shown is not None  # or the request would have been refused
    code = shown.code(document)
    if request.render == "json":
        return wire.rendered(code, line_bytes(encode_line(document)), b"")
    lines = [*((False, line) for line in warning_lines(document)), *shown.lines(document)]
    out, err = (b"".join(line_bytes(line) for kept, line in lines if kept is wanted) for wanted in (True, False))
    return wire.rendered(code, out, err)
