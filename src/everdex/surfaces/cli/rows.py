"""Rows of a listing on a terminal: a heading, names and numbered lines under it, each cut to the terminal's width.

For people only; what a pipe gets is never cut. Text is escaped here, so callers hand over what the repository says.
"""

from __future__ import annotations

import posixpath
import re
import shutil
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Final

import click

from everdex.surfaces.cli.links import END
from everdex.surfaces.cli.output import Style, escape, write

_FILES_OF_CLASSES: Final = (".java", ".kt", ".cs", ".scala", ".swift", ".php", ".go")  # of Go: of packages

_TAB = "    "
_INDENT = 8  # of a numbered line's text
Piece = tuple[str, dict[str, Any]]  # text that is escaped already, and how click styles it


def line(pieces: Sequence[Piece], shown: Style, link: str = "") -> None:
    """Pieces side by side; all of them a link, if there is one."""
    whole = "".join(text for text, _ in pieces)
    kept = cut(whole, _columns())
    left = len(kept) - (kept != whole)
    drawn = []
    for text, looks in pieces:
        part, left = text[:left], left - min(left, len(text))
        drawn.append(click.style(part, **looks) if shown.coloured and looks and part else part)
    write(f"{link}{''.join(drawn)}{'…' * (kept != whole)}{END if link else ''}")


def heading(text: str, shown: Style, link: str = "") -> None:
    line([(safe(text), {"fg": "magenta", "bold": True})], shown, link)


def file(path: str, shown: Style, link: str = "") -> None:
    """A heading that is a path: when there is no room for all of it, its end tells most."""
    text, room = safe(path), _columns()
    heading(text if _cells(text) <= room else f"…{cut(text[::-1], room).removesuffix('…')[::-1]}", shown, link)


def name(text: str, note: str, shown: Style) -> None:
    """A definition under the file that has it."""
    named = cut(safe(text), _columns() - 2)
    room = _columns() - 4 - _cells(named)
    remark = f"  {cut(safe(note), room)}" if note and room > 3 else ""
    line([("  ", {}), (named, {"fg": "cyan", "bold": True}), (remark, {"dim": True})], shown)


def numbered(number: int, text: str, note: str, shown: Style, *, indent: str = "") -> None:
    """A line of source, with a remark behind it; a long remark gives way to the source."""
    room = _columns() - _INDENT
    body = indent + safe(text.strip())
    remark = f"  {safe(note)}" if note else ""
    remark = cut(remark, max(room // 3, room - _cells(body)))
    body = cut(body, room - _cells(remark))
    line([(f"{number:>6}", {"fg": "green"}), (f"  {body}", {}), (remark, {"dim": True})], shown)


def wrapped(text: str) -> None:
    """A line all of which matters: broken where it must be, and indented further there."""
    shown = safe(text)
    lead = shown[: len(shown) - len(shown.lstrip())]
    lines = textwrap.wrap(shown, _columns(), subsequent_indent=f"{lead}    ", break_on_hyphens=False)
    for line in lines or [""]:
        write(line)


def hanging(lead: str, cells: int, text: str, indent: int) -> None:
    """A lead that takes so many cells (its colours do not), then text that is escaped already, broken to the width."""
    lines = textwrap.wrap(
        text.replace("\t", _TAB), _columns(), initial_indent=" " * cells, subsequent_indent=" " * indent,
        break_on_hyphens=False,
    )  # fmt: skip
    write(lead.rstrip() if not lines else lead + lines[0][cells:])
    for line in lines[1:]:
        write(line)


def handed_to(definition: Mapping[str, Any]) -> str:
    """What a function without a name is handed to, as far as that says something: `it("closes twice")`; else ''."""
    return str(definition["text"]) if definition["kind"] == "lambda" and "<lambda" not in definition["text"] else ""


def own_name(definition: Mapping[str, Any]) -> str:
    """What people call a definition in its file."""
    return handed_to(definition) or local_name(definition["qualified_name"], definition["path"])


def local_name(qualified_name: str, path: str) -> str:
    """A name without the module part that its file's path says already: `Index.search` of everdex.service.

    Of the path not all is said: a package's own file and directories like `src` are no part of names. A file that is
    called like its class is no module, and a namespace of PHP may be written with other letters than its directory.
    """
    parts = qualified_name.split(".")
    written = posixpath.dirname(path) if path.endswith(_FILES_OF_CLASSES) else str(PurePosixPath(path).with_suffix(""))
    names = [part.replace("-", "_") for part in parts]
    if path.endswith(".php"):
        written, names = written.lower(), [name.lower() for name in names]
    said = iter(re.split(r"[/.]", written.replace("-", "_")))
    known = 0
    while known < len(parts) - 1 and names[known] in said:  # taken up to there: in the same order
        known += 1
    return ".".join(parts[known:])


def cut(text: str, columns: int) -> str:
    """At most so many columns; what is cut ends with an ellipsis."""
    if _cells(text) <= columns:
        return text
    while text and _cells(text) > columns - 1:
        # Nearly all characters are one column wide, so this takes a step or two.
        text = text[: len(text) - max(1, (_cells(text) - columns + 1) // 2)]
    return text.rstrip() + "…" if columns > 0 else ""


def _columns() -> int:
    return max(20, shutil.get_terminal_size((100, 40)).columns)


def _cells(text: str) -> int:
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def safe(text: str) -> str:
    """Escaped, and as wide as it looks."""
    return escape(text).replace("\t", _TAB)
