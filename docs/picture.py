"""Draws docs/search.svg: a real search, run on a terminal of 100 columns, with its real colours.

    python docs/picture.py REPOSITORY "question" [-k N]

The command runs in a pseudo-terminal; what it wrote is turned into a picture and nothing is added but the prompt.
"""

from __future__ import annotations

import io
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

COLUMNS = 100
FONTS = "ui-monospace, Menlo, Consolas, DejaVu Sans Mono"
TARGET = Path(__file__).with_name("search.svg")


def on_terminal(command: list[str], directory: Path) -> str:
    """Everything a command writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(COLUMNS), "LINES": "60"}
    environment.pop("NO_COLOR", None)
    process = subprocess.Popen(command, cwd=directory, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    seen = bytearray()
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        seen += piece
    process.wait()
    return seen.decode().replace("\r\n", "\n")


def main() -> None:
    directory, *arguments = sys.argv[1:]
    command = [sys.executable, "-m", "everdex", "search", *arguments]
    subprocess.run([sys.executable, "-m", "everdex", "index", directory], check=True, stdout=subprocess.DEVNULL)
    shown = on_terminal(command, Path(directory))
    prompt = Text.assemble(("$ ", "bold green"), "everdex search " + shlex.join(arguments))
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), highlight=False)
    console.print(prompt)
    console.print(Text.from_ansi(shown.rstrip("\n")))
    svg = console.export_svg(title="everdex search", theme=MONOKAI, unique_id="everdex-search")
    # Nothing may be fetched when the picture is looked at: the viewer's own fixed-width font will do.
    svg = re.sub(r"@font-face\s*{[^}]*}\s*", "", svg).replace("Fira Code", FONTS)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL).replace("<svg ", '<svg xml:space="preserve" ', 1)
    TARGET.write_text("".join(line.rstrip() + "\n" for line in svg.splitlines()))


if __name__ == "__main__":
    main()
