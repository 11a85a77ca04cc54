"""Pictures on the short way to the daemon: what is asked for by a file's name, and the file itself. Imports only `os`.

Whatever the full command line would complain about, or would spell in another way, is left to it.
"""

from __future__ import annotations

import os

_FORMS = (".svg", ".png")
MAX_LEVELS = 8


def fit(command: str, fields: dict[str, str], render: str) -> bool:
    """Make the daemon's parameters of a command line's, in place; False when only the full one can."""
    dark, kept = fields.pop("dark", ""), fields.pop("draw", "")
    output = fields.get("output", "")
    if command == "architecture":
        levels = fields.pop("depth", "")
        if levels:
            fields["levels"] = levels
        if int(levels or 1) > MAX_LEVELS or (not output and (dark or (levels and render != "json"))):
            return False
        kept = "" if output or levels else "true"
    if output and (kept or not _plain(output)):
        return False
    if output or kept:
        form = os.path.splitext(output[1:-1])[1][1:].lower() if output else "kept"
        fields.update(picture=f'"{form}"', dark=dark or "false")
    return True


def _plain(output: str) -> bool:
    """Whether a name, as JSON, is one of a picture that can be written, and spelled as `Path` would spell it."""
    name = output[1:-1]
    if "\\" in name or "//" in name or "/./" in f"/{name}":
        return False
    fine = not os.path.lexists(name) or (os.path.isfile(name) and os.access(name, os.R_OK))
    return fine and os.path.splitext(name)[1].lower() in _FORMS


def put(output: str, content: bytes) -> bool:
    """Write a file whose name was found plain; False when that failed."""
    try:
        handle = os.open(output[1:-1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
        try:
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(handle, rest) :]
        finally:
            os.close(handle)
    except OSError:
        return False
    return True
