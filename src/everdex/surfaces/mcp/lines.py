"""The lines of a conversation over stdio, below the SDK: what it is given to read, and what of it reaches the client.

The SDK says nothing to a line that it cannot read, and whoever sent one would wait for ever: such a line is answered
here, as JSON-RPC asks for it, and the SDK never sees it. Lines are bounded, a batch is taken apart, and when nobody
reads the answers any more the input ends, too.
"""

from __future__ import annotations

import io
import json
import math
import os
import select
import threading
from typing import TYPE_CHECKING, Any, Final

from everdex import limits

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

_READ_BYTES: Final = 65_536
_PARSE_ERROR: Final = -32_700
_INVALID_REQUEST: Final = -32_600
_MOST_IN_BATCH: Final = 1_000


class Written(io.RawIOBase):
    """A descriptor that gets whole lines, and not the replies that were sent already."""

    def __init__(self, handle: int, answered: list[int | str]) -> None:
        self._handle = handle
        self._answered = answered
        self._unfinished = b""
        self._writing = threading.Lock()
        self.gone, self._gone = os.pipe()  # ends when nobody reads any more

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        given = bytes(data)
        *lines, self._unfinished = (self._unfinished + given).split(b"\n")
        for line in lines:
            if not (self._answered and self._was_sent(line)):
                self.send(line + b"\n")
        return len(given)

    def send(self, line: bytes) -> None:
        """A line between two of the SDK's; from any thread."""
        with self._writing:
            if self._gone < 0:
                return
            try:
                write_all(self._handle, line)
            except OSError:
                os.close(self._gone)
                self._gone = -1

    def _was_sent(self, line: bytes) -> bool:
        message = json.loads(line)
        if "method" in message or message.get("id") not in self._answered:
            return False
        self._answered.remove(message["id"])
        return True


class Heard(io.RawIOBase):
    """A descriptor that begins with what was already read from it, and has only lines that the SDK can read."""

    def __init__(self, handle: int, opening: bytes, replies: Written) -> None:
        self._lines = io.BufferedReader(_Source(handle, opening, replies.gone), _READ_BYTES)
        self._replies = replies
        self._ready = b""  # for the SDK
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        while not self._ready and not self._ended:
            line = self._lines.readline(limits.MCP_MAX_LINE_BYTES + 1)
            self._ended = not line
            self._ready = self._readable(line) if len(line) <= limits.MCP_MAX_LINE_BYTES else self._too_long(line)
        room = memoryview(buffer)
        piece, self._ready = self._ready[: len(room)], self._ready[len(room) :]
        room[: len(piece)] = piece
        return len(piece)

    def _too_long(self, line: bytes) -> bytes:
        while line and not line.endswith(b"\n"):
            line = self._lines.readline(_READ_BYTES)
        self._refuse(_INVALID_REQUEST, f"the line is longer than {limits.MCP_MAX_LINE_BYTES:,} bytes")
        return b""

    def _readable(self, line: bytes) -> bytes:
        """What of a line the SDK can read, as lines; the rest is answered."""
        try:
            message = json.loads(line.decode("utf-8", "replace"))
            if isinstance(message, list) and 0 < len(message) <= _MOST_IN_BATCH:
                return b"".join([self._checked(json.dumps(each).encode(), each) for each in message])
        except (ValueError, RecursionError):
            message = None
        return self._checked(line, message) if line.strip() else b""

    def _checked(self, line: bytes, message: Any) -> bytes:
        # Between the parts of a message a return is a space; to the SDK it would be the end of a line.
        text = line.replace(b"\r", b" ").strip()
        code = _code(text)
        is_request = isinstance(message, dict) and message.keys() >= {"id", "method"}
        if code is None and is_request and not _is_id(message["id"]):
            code = _INVALID_REQUEST  # a notification to the SDK, but its sender waits
        if code is None:
            return text + b"\n"
        # What answers something, wrongly, is not answered in its turn.
        if not isinstance(message, dict) or "method" in message or message.keys().isdisjoint({"result", "error"}):
            is_json = code == _INVALID_REQUEST
            said = "the line is no JSON-RPC 2.0 request or notification" if is_json else "the line is not JSON"
            self._refuse(code, said, message)
        return b""

    def _refuse(self, code: int, said: str, message: Any = None) -> None:
        number = message.get("id") if isinstance(message, dict) else None
        # A number that is too large to be one is read as infinite, which JSON cannot write.
        known = _is_id(number) or (isinstance(number, float) and math.isfinite(number))
        reply = {"jsonrpc": "2.0", "id": number if known else None, "error": {"code": code, "message": said}}
        self._replies.send(json.dumps(reply, separators=(",", ":")).encode() + b"\n")


class _Source(io.RawIOBase):
    """What was read already, then the descriptor's own; ends with the descriptor, or when nobody reads replies."""

    def __init__(self, handle: int, opening: bytes, gone: int) -> None:
        self._handle = handle
        self._opening = io.BytesIO(opening)
        self._gone = gone

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        room = memoryview(buffer)
        piece = self._opening.read(len(room))
        if not piece and self._gone not in select.select([self._handle, self._gone], [], [])[0]:
            piece = os.read(self._handle, len(room))
        room[: len(piece)] = piece
        return len(piece)


def _is_id(number: Any) -> bool:
    return type(number) is int or isinstance(number, str)


def _code(line: bytes) -> int | None:
    """Why the SDK, which asks the same question, could not read a line; None when it can."""
    from mcp_types import jsonrpc_message_adapter
    from pydantic import ValidationError

    try:
        jsonrpc_message_adapter.validate_json(line.decode("utf-8", "replace"), by_name=False)
    except ValidationError as error:
        is_json = error.errors(include_url=False, include_input=False)[0]["type"] != "json_invalid"
        return _INVALID_REQUEST if is_json else _PARSE_ERROR
    return None


def write_all(handle: int, data: bytes) -> None:
    """All of it, however little a pipe takes at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]
