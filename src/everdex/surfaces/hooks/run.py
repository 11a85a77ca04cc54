"""`everdex hook`: reads one event, tells the daemon which files were touched, and prints what the agent should know.

Promises the agent peace: whatever goes wrong, nothing is printed, the exit code is 0 and one line goes to the log.
Without a daemon it does nothing at all: it never indexes, and the next question brings the index up to date anyway.
Kept to the smallest imports, because an agent waits for it at every step.
"""

from __future__ import annotations

import os
import time

from everdex.surfaces.daemon import thin
from everdex.surfaces.hooks import events, log, plain_json, verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_CONTEXT = 900  # characters an agent is told at once
_MAX_EVENT_BYTES = 33_554_432
_PATIENCE_S = 1.5


class HookFailed(Exception):
    """The daemon answered with an error; the code says which."""


def run() -> int:
    """Handle the event on standard input; always 0."""
    began = time.monotonic()
    event: events.Event | None = None
    try:
        event = events.understood(plain_json.loads(_event_bytes()))
        result = _told(event) if event is not None else None
        said = verdict.output(event.hook, result, MAX_CONTEXT) if event is not None and result is not None else None
        if said is not None:
            _print(plain_json.dumps({"hookSpecificOutput": said}).encode() + b"\n")
    except BaseException as error:  # noqa: BLE001 - a hook never breaks the agent, not even when it is interrupted
        kind = str(error) if isinstance(error, HookFailed) else type(error).__name__
        hook, tool = (event.hook, event.tool) if event is not None else ("", "")
        log.failed(hook, tool, kind, (time.monotonic() - began) * 1000)
    return 0


def _event_bytes() -> bytes:
    pieces, size = [], 0
    while piece := os.read(0, 65_536):
        size += len(piece)
        if size > _MAX_EVENT_BYTES:
            raise HookFailed("event_too_large")
        pieces.append(piece)
    return b"".join(pieces)


def _told(event: events.Event) -> dict[str, Any] | None:
    """What the daemon has to say about an event; None without a daemon."""
    place = _daemon(event)
    if place is None:
        return None
    params = {
        "moment": event.moment, "paths": event.paths, "names": event.names, "written": event.written,
        "source": event.source, "limit": MAX_CONTEXT,
    }  # fmt: skip
    request = plain_json.dumps({"id": 1, "method": "touched", "params": params})
    payload = thin.exchange(place, request.encode(), _PATIENCE_S)
    if payload is None:
        raise HookFailed("no_answer")
    reply = plain_json.loads(payload)
    if "error" in reply:
        if reply["error"]["code"] == "daemon_stopping":
            return None  # as if there were none
        raise HookFailed(reply["error"]["code"])
    result: dict[str, Any] = reply["result"]
    return result


def _daemon(event: events.Event) -> str | None:
    """The socket of the daemon for the first file's repository, else for where the agent works."""
    starts = [_existing(os.path.dirname(path)) for path in event.paths[:1]]
    starts += [event.directory, os.environ.get("CLAUDE_PROJECT_DIR", "")]
    for start in dict.fromkeys(filter(None, starts)):
        found = thin.find(start)
        if found is not None:
            return found[0]
    return None


def _existing(directory: str) -> str:
    while not os.path.isdir(directory) and directory != os.path.dirname(directory):
        directory = os.path.dirname(directory)
    return directory


def _print(data: bytes) -> None:
    """All of it; an agent that no longer listens is no failure worth a word."""
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(1, view) :]
    except BrokenPipeError:
        return
