"""Running the real command as a user does: in its own process, piped or on a terminal."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from everdex.surfaces.cli import links
from support.processes import PATIENCE_S

COMMAND = (sys.executable, "-m", "everdex")


@dataclass(frozen=True)
class Done:
    """What a finished command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one document on stdout."""
        document: dict[str, Any] = json.loads(self.out)
        return document

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def everdex(
    *arguments: object, cwd: Path | None = None, stdin: str | bytes = b"", env: Mapping[str, str] | None = None,
    command: tuple[str, ...] = COMMAND,
) -> Done:  # fmt: skip
    """Run `everdex` with pipes; never with a traceback, whatever it was given."""
    done = subprocess.run(
        [*command, *map(str, arguments)], cwd=cwd, capture_output=True, check=False, timeout=PATIENCE_S,
        input=stdin.encode() if isinstance(stdin, str) else stdin, env={**os.environ, **(env or {})},
    )  # fmt: skip
    result = Done(done.returncode, done.stdout.decode(), done.stderr.decode())
    assert "Traceback" not in result.err, result.err
    return result


def clear_error(done: Done, code: str, *named: str) -> None:
    """One line that names the thing, and a hint; nothing on stdout."""
    assert done.out == ""
    message, hint = done.err.splitlines()
    assert message.startswith("everdex: ")
    assert hint.startswith("hint: ")
    assert len(message) < 500
    for name in named:
        assert name in message
    assert done.code == {"usage": 2, "degraded": 15, "disk": 70}[code]


def answer_of(*arguments: Any, code: int = 0) -> dict[str, Any]:
    """The document that a command prints, which must end with this code."""
    done = everdex(*arguments, "--json")
    assert done.code == code, done.out + done.err
    return done.json


def on_terminal(
    *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None, keys: bytes = b""
) -> Done:
    """Run `everdex` with stdout and stderr on a terminal of 100 columns; `out` is all that was on it."""
    ours, theirs = pty.openpty()
    os.write(ours, keys)
    told = ("NO_COLOR", "FORCE_HYPERLINK", "TERM_PROGRAM", "VTE_VERSION", *links.VARIABLES)  # of the developer's own
    environment = {key: value for key, value in os.environ.items() if key not in told}
    environment.update({"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40", **(env or {})})
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)], cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    )
    os.close(theirs)
    seen = bytearray()
    while True:
        ready, _, _ = select.select([ours], [], [], PATIENCE_S)
        assert ready, "the command fell silent"
        try:
            piece = os.read(ours, 65536)
        except OSError:  # EIO: the other end is closed
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    return Done(process.wait(timeout=PATIENCE_S), seen.decode(), "")
