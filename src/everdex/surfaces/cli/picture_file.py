"""Pictures that came with an answer: which form a file's name asks for, and the file itself.

The picture leaves the answer when it is written; what stays says where it is.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from everdex.durable import file_of_the_user
from everdex.errors import UsageError
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


def taken(document: dict[str, Any], output: str | None) -> tuple[bytes | None, list[str]]:
    """The picture's bytes for the file `output`, taken out of the document, and the remarks for stderr.

    Without `output` the picture stays in the document.
    """
    canvas, picture = document.get("canvas"), document.get("picture")
    said = [f"drawn into {escape(canvas['path'])}"] if canvas and canvas["path"] else []
    if picture is None:
        document.pop("picture", None)
    if picture is None or output is None:
        return None, said
    data = picture["data"]
    content = data.encode() if picture["format"] == "svg" else base64.b64decode(data)
    del document["picture"]
    document["picture"] = {name: value for name, value in picture.items() if name != "data"} | {"output": output}
    return content, [*said, f"wrote {len(content):,} bytes to {escape(output)}"]


def put(document: dict[str, Any], output: Path | None) -> None:
    """Write the answer's picture to its file, and say where it is instead."""
    content, said = taken(document, None if output is None else str(output))
    if output is not None and content is not None:
        with file_of_the_user(output) as stream:
            stream.write(content)
    for line in said:
        write_error(line)
