"""Rows of a listing on a terminal: a heading, names and numbered lines under it, each cut to the terminal's width.

For people only; what a pipe gets is never cut. Text is escaped here, so callers hand over what the repository says.
"""

from __future__ import annotations

import shutil
import textwrap
import unicodedata
from pathlib import PurePosixPath

import click

from everdex.surfaces.cli.output import Style, escape, write

_TAB = "    "
_INDENT = 8  # of a numbered line's text


def heading(text: str, shown: Style) -> None:
    line = cut(_safe(text), _columns())
    write(click.style(line, fg="magenta", bold=True) if shown.coloured else line)


def file(path: str, shown: Style) -> None:
    """A heading that is a path: when there is no room for all of it, its end tells most."""
    text, room = _safe(path), _columns()
    heading(text if _cells(text) <= room else f"…{cut(text[::-1], room).removesuffix('…')[::-1]}", shown)


def name(text: str, note: str, shown: Style) -> None:
    """A definition under the file that has it."""
    line = cut(_safe(text), _columns() - 2)
    room = _columns() - 4 - _cells(line)
    remark = f"  {cut(_safe(note), room)}" if note and room > 3 else ""
    if shown.coloured:
        line, remark = click.style(line, fg="cyan", bold=True), click.style(remark, dim=True)
    write(f"  {line}{remark}")


def numbered(line: int, text: str, note: str, shown: Style, *, indent: str = "") -> None:
    """A line of source, with a remark behind it; a long remark gives way to the source."""
    room = _columns() - _INDENT
    body = indent + _safe(text.strip())
    remark = f"  {_safe(note)}" if note else ""
    if _cells(body) + _cells(remark) > room:
        remark = cut(remark, max(room // 3, room - _cells(body)))
        body = cut(body, room - _cells(remark))
    number = f"{line:>6}"
    if shown.coloured:
        number, remark = click.style(number, fg="green"), click.style(remark, dim=True)
    write(f"{number}  {body}{remark}")


def wrapped(text: str) -> None:
    """A line all of which matters: broken where it must be, and indented further there."""
    safe = _safe(text)
    lead = safe[: len(safe) - len(safe.lstrip())]
    lines = textwrap.wrap(safe, _columns(), subsequent_indent=f"{lead}    ", break_on_hyphens=False)
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


def local_name(qualified_name: str, path: str) -> str:
    """A name without the module part that its file's path says already: `Index.search` of everdex.service.

    Of the path not all is said: a package's own file and directories like `src` are no part of names.
    """
    said = iter(part.replace("-", "_") for part in PurePosixPath(path).with_suffix("").parts)
    parts = qualified_name.split(".")
    known = 0
    while known < len(parts) - 1 and parts[known] in said:  # taken up to there: in the same order
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


def _safe(text: str) -> str:
    return escape(text).replace("\t", _TAB)
