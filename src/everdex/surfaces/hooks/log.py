"""EVERDEX_HOME/logs/hook.log.jsonl: which hook failed and how, as metadata only, rotated by size.

No path, command or content is ever written here. A log that cannot be written stops nobody.
"""

from __future__ import annotations

import os
import time

from everdex.surfaces.daemon.thin import home

_MAX_BYTES = 1_048_576
_KEEP = 3


def failed(hook: str, tool: str, kind: str, elapsed_ms: float) -> None:
    """One line; `hook` and `tool` are kept only when they are plain names."""
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = (
        f'{{"at":"{at}","event":"hook_failed","pid":{os.getpid()},"hook":"{_plain(hook)}","tool":"{_plain(tool)}",'
        f'"error":"{_plain(kind)}","ms":{elapsed_ms:.0f}}}\n'
    )
    try:
        _append(line.encode())
    except OSError:
        return  # the agent must not notice


def _plain(name: str) -> str:
    return name if name.isascii() and name.isidentifier() and len(name) <= 60 else ""


def _append(line: bytes) -> None:
    if not os.path.isdir(home()):
        return  # nothing was ever indexed here: leave no traces
    folder = os.path.join(home(), "logs")
    if not os.path.isdir(folder):
        os.mkdir(folder, 0o700)
    path = os.path.join(folder, "hook.log.jsonl")
    if os.path.isfile(path) and os.path.getsize(path) >= _MAX_BYTES:
        for number in range(_KEEP - 1, 0, -1):
            if os.path.exists(f"{path}.{number}"):
                os.replace(f"{path}.{number}", f"{path}.{number + 1}")
        os.replace(path, f"{path}.1")
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.write(handle, line)
    finally:
        os.close(handle)
