"""Pictures that came with an answer: which form a file's name asks for, and the file itself.

The picture leaves the answer when it is written; what stays says where it is.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from everdex.errors import StorageFailure, UsageError
from everdex.surfaces.cli.output import escape, write_error


def form_of(output: Path | None, *, draw: bool) -> str:
    """svg or png by the file's name, `kept` for the canvas, or '' for no picture."""
    if output is None:
        return "kept" if draw else ""
    if draw:
        raise UsageError("a picture goes into a file or onto the canvas", hint="drop one of the two options")
    form = output.suffix.lower().removeprefix(".")
    if form not in ("svg", "png"):
        raise UsageError(f"{output}: a picture is .svg or .png", hint="name the file so")
    return form


def put(document: dict[str, Any], output: Path | None) -> None:
    """Write the answer's picture to its file, and say where it is instead."""
    canvas = document.get("canvas")
    if canvas and canvas["path"]:
        write_error(f"drawn into {escape(canvas['path'])}")
    picture = document.pop("picture", None)
    if output is None or picture is None:
        return
    data = picture.pop("data")
    content = data.encode() if picture["format"] == "svg" else base64.b64decode(data)
    try:
        output.write_bytes(content)
    except OSError as error:
        raise StorageFailure(f"{output}: {error.strerror}", hint="name a file that can be written") from error
    document["picture"] = {**picture, "output": str(output)}
    write_error(f"wrote {len(content):,} bytes to {escape(str(output))}")
